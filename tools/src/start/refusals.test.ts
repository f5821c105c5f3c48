// What `npm start` refuses before it starts anything, tested by the functions that return its
// messages.

import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Postgres, startPostgres } from '@svc/service/start/postgres/index';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { scaled } from '../machine.ts';
import { testCluster } from '../test-database/index.ts';
import { foldersOf, startDatabase } from './database.ts';
import { openFolder, readKeys } from './keys.ts';
import { readOptions } from './options.ts';
import { findPorts } from './ports.ts';
import { aFolder, otherDatabase, query, removeFolders } from './start-runs.ts';

vi.setConfig({ testTimeout: scaled(60_000), hookTimeout: scaled(60_000) });

afterAll(() => {
  removeFolders();
});
afterEach(() => {
  vi.unstubAllEnvs();
});

/** Opens the database as a start with these addresses in its environment does. */
function open(given: { DATABASE_URL: string; VAULT_DATABASE_URL?: string }) {
  vi.stubEnv('DATABASE_URL', given.DATABASE_URL);
  vi.stubEnv('VAULT_DATABASE_URL', given.VAULT_DATABASE_URL ?? '');
  const folder = aFolder();
  return startDatabase(folder, readKeys(folder), () => undefined);
}

const refusal = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'nothing was refused',
    (error: Error) => error.message,
  );

describe('the data folder', () => {
  it('an unwritable one: what to do', () => {
    const file = join(aFolder(), 'file');
    writeFileSync(file, '');
    expect(() => openFolder(join(file, 'data'))).toThrow(
      'Make it writable or choose another with --data DIR',
    );
  });

  it('broken keys: never replaced silently', () => {
    const folder = aFolder();
    writeFileSync(join(folder, 'keys.json'), '{ broken');
    expect(() => readKeys(folder)).toThrow('restore the file');
    expect(readFileSync(join(folder, 'keys.json'), 'utf8')).toBe('{ broken');
  });

  it('one from before the first release: what to do, and nothing in it is changed', () => {
    const folder = aFolder();
    writeFileSync(join(folder, 'keys.json'), '{ "serviceKey": "kept" }');
    expect(() => openFolder(folder)).toThrow(
      `The data folder ${folder} was made before version 0.1.0 and cannot be used: remove ${folder}, ` +
        'or choose another with --data DIR. Nothing was changed.',
    );
    expect(readdirSync(folder)).toEqual(['keys.json']);
    expect(readFileSync(join(folder, 'keys.json'), 'utf8')).toBe('{ "serviceKey": "kept" }');
  });

  it('keys that are missing beside a database: none are made in their place', () => {
    const folder = aFolder();
    mkdirSync(join(folder, 'postgres/cluster'), { recursive: true });
    expect(() => readKeys(folder)).toThrow(/keys.json is missing/);
    expect(() => readKeys(folder)).toThrow(`remove ${folder}.`);
    expect(existsSync(join(folder, 'keys.json'))).toBe(false);
  });

  // For root, the database is kept in another folder, which its account can enter and which
  // outlives the project's folder.
  it.runIf(process.getuid?.() === 0)(
    'one that was removed, but not its database outside: both are named, and without both it begins afresh',
    async () => {
      vi.stubEnv('DATABASE_URL', '');
      const folder = mkdtempSync(join(tmpdir(), 'svc-start-'));
      chmodSync(folder, 0o700);
      openFolder(folder);
      const said: string[] = [];
      const database = await startDatabase(folder, readKeys(folder), (line) => said.push(line));
      await database.stop();
      const home = /the database lives in (\S+)/.exec(said.join('\n'))?.[1] ?? '';
      try {
        expect(foldersOf(folder)).toEqual([folder, home]);
        rmSync(folder, { recursive: true });
        expect(() => readKeys(folder)).toThrow(`remove ${folder} and ${home}.`);
      } finally {
        rmSync(folder, { recursive: true, force: true });
        rmSync(home, { recursive: true, force: true });
      }
      openFolder(folder);
      expect(readKeys(folder).merchant).toBeNull();
      rmSync(folder, { recursive: true });
    },
  );
});

describe('arguments and ports', () => {
  it.each([
    [['--port', 'x'], '--port must be a number'],
    [['--data'], '--data needs a value'],
    [['--nonsense'], 'Unknown argument --nonsense'],
  ])('arguments %j', (args, text) => {
    expect(() => readOptions(args)).toThrow(text);
  });

  it('a taken port is passed over, on either family, and said', async () => {
    for (const host of ['127.0.0.1', '::1']) {
      const taken = createServer();
      const isThere = await new Promise((resolve) => {
        taken.once('error', () => resolve(false));
        taken.listen(14_890, host, () => resolve(true));
      });
      const said: string[] = [];
      // A machine may have only one address family.
      if (isThere) {
        expect((await findPorts(14_890, (line) => said.push(line))).api).toBeGreaterThan(14_890);
        expect(said[0]).toMatch(/^port 14890 is taken, using 148\d\d$/);
      }
      taken.close();
    }
  });
});

describe('DATABASE_URL', () => {
  it('that nobody answers, or that is none', async () => {
    const said = await refusal(open({ DATABASE_URL: 'postgres://nobody:secret@127.0.0.1:1/none' }));
    expect(said).toContain('DATABASE_URL (127.0.0.1/none) cannot be used');
    expect(said).not.toContain('secret');
  });

  it('of a user that may not make roles: the SQL to run is shown', async () => {
    const cluster = await testCluster();
    const said = await refusal(open({ DATABASE_URL: cluster.url('svc_owner', 'svc') }));
    expect(said).toContain('create role svc_vault login password');
    expect(said).toContain('VAULT_DATABASE_URL');
  });

  it('with VAULT_DATABASE_URL: used as it is, the vault behind a role of its own', async () => {
    const cluster = await testCluster();
    const given = {
      DATABASE_URL: cluster.url('svc_owner', 'svc'),
      VAULT_DATABASE_URL: cluster.url('svc_vault', 'svc'),
    };
    const database = await open(given);
    expect(database.label).toMatch(/^PostgreSQL \d+ at /);
    expect([database.ownerUrl, database.serviceUrl, database.vaultUrl]).toEqual([
      given.DATABASE_URL,
      given.DATABASE_URL,
      given.VAULT_DATABASE_URL,
    ]);
    await database.stop();
  });

  describe('of a server with the roles of another installation', () => {
    let server: Postgres;
    let address: string;
    beforeAll(async () => {
      server = await startPostgres({ dataDir: aFolder(), settings: { fsync: 'off' } });
      address = await otherDatabase(server);
    });
    afterAll(() => server?.stop());

    it('their passwords stay', async () => {
      const said = await refusal(open({ DATABASE_URL: address }));
      expect(said).toContain('has a role svc_owner with a password that is not of this data');
      expect(await query(server.url('svc_owner'), 'select')).toHaveLength(1);
    });

    it('whose password cannot be tried: they stay as they are', async () => {
      const admin = server.url('postgres', 'postgres');
      const owned = () => query(server.url('svc_owner'), 'select').catch(({ code }) => code);
      const [{ hba_file: file }] = (await query(admin, 'show hba_file')) as [{ hba_file: string }];
      const rules = readFileSync(file, 'utf8');
      for (const rule of ['local all svc_owner,svc_service,svc_vault reject\n', '']) {
        writeFileSync(file, rule + rules);
        await query(admin, 'select pg_reload_conf()');
        await expect.poll(owned).toEqual(rule ? '28000' : [expect.anything()]);
        const said = rule && (await refusal(open({ DATABASE_URL: address })));
        if (rule) expect(said).toContain('svc_owner, and its password could not be tried');
      }
    });
  });
});

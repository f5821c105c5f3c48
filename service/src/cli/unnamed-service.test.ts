// How an operator's command finds its service when the arguments do not name one clearly.

import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { version } from '@svc/contract/version';
import { bareEnvironment } from '@svc/tools/test-database/bare-environment';
import { afterAll, expect, it } from 'vitest';
import { emptySurroundings, runOn } from '../../test/command-line.ts';
import { freshDatabase } from '../../test/harness.ts';
import type { Ports } from '../engine/ports.ts';
import { CommandError } from './line/command.ts';
import { runCommand } from './run.ts';

const folder = mkdtempSync(join(tmpdir(), 'svc-named-'));
afterAll(() => rmSync(folder, { recursive: true }));
const entry = join(import.meta.dirname, '../svc.ts');
const none = {} as Ports;

it('--help of every command names --data, which every command takes', async () => {
  const { out } = await runOn(none, ['--help']);
  const names = [...out.matchAll(/^ {2}svc ([a-z-]+) /gm)].map(([, name = '']) => name);
  expect(names).toContain('migrate');
  for (const name of names) {
    const help = (await runOn(none, [name, '--help'])).out;
    expect([name, help]).toEqual([name, expect.stringMatching(/^ {2}--data DIR {2,}\S/m)]);
  }
});

it('svc --version needs no settings', () => {
  const ran = spawnSync(process.execPath, [entry, '--version'], {
    cwd: folder,
    env: bareEnvironment() as NodeJS.ProcessEnv,
    encoding: 'utf8',
  });
  expect([ran.status, ran.stdout, ran.stderr]).toEqual([0, `svc ${version}\n`, '']);
});

// `migrate` opens the database by itself; every other command opens what the service opens.
it.each(['audit', 'migrate'])(
  'svc %s where no start is found: 2, and says what to do in its own words',
  (line) => {
    const ran = spawnSync(process.execPath, [entry, line], {
      cwd: folder,
      env: bareEnvironment() as NodeJS.ProcessEnv,
      encoding: 'utf8',
    });
    expect([ran.status, ran.stdout]).toEqual([2, '']);
    expect(ran.stderr).toContain(`no npm start has run in ${join(folder, '.svc')}`);
    expect(ran.stderr).toMatch(/Start one \(npm start\).*--data DIR.*\n.*\.env\.example/);
    expect(ran.stderr).not.toContain('DATABASE_URL is missing');
  },
  30_000,
);

// svc.ts does this in the same way for every command: it finds the service before the command runs.
it.each([
  'clients list',
  'gateways list',
  'keys rewrap',
  'mails',
  'operations list',
  'people list',
  'reconcile',
  'tokens list',
])('svc %s asks which service is meant, and says nothing of its own', async (line) => {
  const said: string[] = [];
  const sink = { write: (text: string) => void said.push(text) };
  const code = await runCommand(line.split(' '), {
    out: sink,
    err: sink,
    signal: new AbortController().signal,
    databaseUrl: () => {
      throw new CommandError('nothing is named');
    },
    openPorts: () => {
      throw new CommandError('nothing is named');
    },
    describeError: () => undefined,
    ...emptySurroundings,
  });
  const name = line.split(' ')[0];
  expect([code, said.join('')]).toEqual([2, `svc ${name}: nothing is named\n`]);
});

it('tables from before the first release: start and commands say so in one line, and change nothing', async () => {
  const db = await freshDatabase();
  const read = { name: 't_migrations', text: 'select name, run_on from schema_migrations' };
  const rename = "update schema_migrations set name = '0001_foundation'";
  await db.database.write({ name: 't_rename', text: rename }, []);
  const before = await db.database.read(read, []);
  const key = Buffer.alloc(32, 7).toString('base64');
  const env = {
    ...bareEnvironment(),
    DATABASE_URL: db.url,
    DATABASE_OWNER_URL: db.ownerUrl,
    SVC_KEY: key,
    SVC_VAULT_SHARED_KEY: key,
    SVC_VAULT_ORIGIN: 'http://127.0.0.1:1',
    SVC_VAULT_INTERNAL_URL: 'http://127.0.0.1:1',
    SVC_PROVIDER_URL: 'http://127.0.0.1:1',
    SVC_PORT: '0',
  } as NodeJS.ProcessEnv;
  const refused =
    /^svc( \w+)?: the database of DATABASE\w*_URL cannot be used: its tables were made before version 0\.1\.0 and cannot be migrated: name an empty database\. Nothing was changed\n$/;
  const main = join(import.meta.dirname, '../main.ts');
  for (const line of [[main], [entry, 'migrate'], [entry, 'clients', 'list'], [entry, 'audit']]) {
    const ran = spawnSync(process.execPath, line, { cwd: folder, env, encoding: 'utf8' });
    const said = [line, ran.status, ran.stdout, ran.stderr];
    expect(said).toEqual([line, line[0] === main ? 1 : 2, '', expect.stringMatching(refused)]);
  }
  expect(await db.database.read(read, [])).toEqual(before);
  await db.close();
});

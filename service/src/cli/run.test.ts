// Tests of commands as they are typed: files, exit codes and help. Ctrl-C is tested in a process of
// its own.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bareEnvironment } from '@svc/tools/test-database/bare-environment';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { runOn } from '../../test/command-line.ts';
import { untilBlocked } from '../../test/held-row.ts';
import { aPurchase } from '../../test/payments/disputes.ts';
import { plantInDatabase } from '../../test/payments/planted.ts';
import { breakGatewayOf, mendGateway } from '../../test/payments/reconcile.ts';
import { aHold, startWorld, type World } from '../../test/world.ts';
import { findPayment } from '../storage/payments/payments.ts';

const folder = mkdtempSync(join(tmpdir(), 'svc-cli-'));
const entry = join(import.meta.dirname, '../svc.ts');
const children: ChildProcess[] = [];
let world: World;
let paymentId: string;
beforeAll(async () => {
  world = await startWorld();
  ({ paymentId } = await aHold(world));
});
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
});
afterAll(async () => {
  await world?.close();
  rmSync(folder, { recursive: true });
});

/** Runs a command line over the world's database and provider. */
const runSvc = (line: string) =>
  runOn(world.ports, line.split(' ').filter(Boolean), { databaseUrl: (url) => url ?? world.url });

/** Starts the command with only the given environment, outside the folder of any `npm start`. */
function spawnCommand(args: readonly string[], env: Record<string, string> = {}, cwd = folder) {
  const child = spawn(process.execPath, [entry, ...args], {
    cwd,
    env: { ...bareEnvironment(), ...env } as NodeJS.ProcessEnv,
  });
  children.push(child);
  let [out, err] = ['', ''];
  child.stdout?.on('data', (part) => {
    out += part;
  });
  child.stderr?.on('data', (part) => {
    err += part;
  });
  const ended = once(child, 'close').then(([code]) => ({ code: code as number, out, err }));
  return { child, ended, err: () => err };
}

describe('svc', () => {
  it('names the commands; --help of each names its flags', async () => {
    expect(await runSvc('--help')).toMatchObject({
      code: 0,
      out: expect.stringMatching(/svc audit[\s\S]*svc reconcile/),
    });
    expect((await runSvc('audit --help')).out).toContain('--csv FILE');
    expect((await runSvc('reconcile --help')).out).toContain('--older-than TIME');
    expect((await runSvc('')).code).toBe(2);
  });

  it('an unknown command or flag: 2, with the nearest name', async () => {
    expect(await runSvc('audti')).toEqual({
      code: 2,
      out: '',
      err: 'svc: audti is no command; did you mean audit?\n',
    });
    expect((await runSvc('xyzzyxyzzy')).err).toContain('see svc --help');
    expect(await runSvc('--json=a audit')).toMatchObject({
      ...{ code: 2, err: expect.stringContaining('come after the command: svc <command> --json') },
    });
    expect((await runSvc('--data shop')).code).toBe(2);
    expect((await runSvc('--data=shop audit --help')).out).toContain('--csv FILE');
    expect(await runSvc('reconcile --sampel 1')).toMatchObject({
      code: 2,
      err: expect.stringContaining('did you mean --sample?'),
    });
  });

  it('help is asked for by its flag anywhere, by the word in the place of a verb only', async () => {
    for (const line of ['clients help', 'clients create -h', 'help']) {
      expect(await runSvc(line)).toMatchObject({ code: 0, err: '' });
    }
    // Here `help` is a merchant's name or a reason: the command did nothing, so it is no success.
    expect((await runSvc('people disable help')).code).toBe(2);
    expect((await runSvc('clients create --name help')).code).toBe(2);
  });

  it.each([
    ['reconcile --sample 1.5', '--sample is a number from 0 to 1: 1.5'],
    ['reconcile --older-than soon', '--older-than is a duration'],
    ['reconcile --since yesterday', '--since is a day'],
    ['reconcile --all --sample 1', 'leave one out'],
    ['audit --json a --csv b', 'leave one out'],
    ['audit --json', "'--json <value>' argument missing"],
    ['audit extra', "Unexpected argument 'extra'"],
  ])('%s: 2, saying why', async (line, why) => {
    const { code, err } = await runSvc(line);
    expect({ code, err }).toEqual({ code: 2, err: expect.stringContaining(why) });
  });
});

describe('svc audit', () => {
  it('0 and a table when all is well; 1 and the examples when not', async () => {
    const well = await runSvc('audit');
    expect(well.code).toBe(0);
    expect(well.out).toMatch(/^rule +broken +what must hold\nM4 +0 /);
    expect(well.out).toMatch(/\n\d+ invariants over 1 payment: 0 violations\n$/);
  });

  it('violations as JSON and as CSV, a formula among them made harmless', async () => {
    await plantInDatabase(world.ownerUrl, (run) =>
      run(
        `insert into events (id, client_id, type, resource_type, resource_id, sequence, payload,
           created_at) values (gen_random_uuid(), $1, '=cmd|"/c", x', 'payment',
           gen_random_uuid(), 1, '=1+1,"2"', now())`,
        [world.client.id],
      ),
    );
    const json = join(folder, 'audit.json');
    const csv = join(folder, 'audit.csv');
    expect((await runSvc(`audit --json ${json}`)).code).toBe(1);
    const read = JSON.parse(readFileSync(json, 'utf8'));
    expect(read).toMatchObject({ command: 'audit', payments: 1, violations: 2 });
    expect(read.rows.map((row: { rule: string }) => row.rule)).toEqual(['E1', 'E6']);
    const { out } = await runSvc(`audit --csv ${csv}`);
    expect(out).toMatch(/\nE6 +1 .*\n +\S+: =1\+1,"2"\n/);
    const lines = readFileSync(csv, 'utf8').split('\r\n');
    expect(lines[0]).toBe('rule,says,subject,found');
    expect(lines[2]).toMatch(/,"'=1\+1,""2"""$/);
    expect(lines).toHaveLength(4);
    expect(existsSync(`${csv}.part`)).toBe(false);
    await plantInDatabase(world.ownerUrl, (run) =>
      run(`delete from events where payload like '=%'`),
    );
  });
});

describe('svc reconcile', () => {
  it('0 without a difference; 1 with one, in words, JSON and CSV; --settle ends it', async () => {
    const line = 'reconcile --all --older-than 0s --rate 500';
    expect(await runSvc(line)).toEqual({
      code: 0,
      out: '1 payment compared: 0 differences\n',
      err: '',
    });
    const { entries } = (await world.control(
      'GET',
      `/_control/ledger?account=${world.account.accountId}`,
    )) as { entries: { intent: string }[] };
    const intent = entries[0]?.intent;
    await world.control('POST', `/_control/intents/${intent}/capture`);
    const said =
      `state: purchase ${paymentId}: we say authorized 19.9 EUR, ` +
      `the provider (${intent}) captured 19.9 EUR\n1 payment compared: 1 difference\n`;
    const json = join(folder, 'reconcile.json');
    expect(await runSvc(`${line} --json ${json}`)).toEqual({ code: 1, out: said, err: '' });
    expect(JSON.parse(readFileSync(json, 'utf8'))).toMatchObject({
      command: 'reconcile',
      compared: 1,
      differences: 1,
      rows: [{ paymentId, kind: 'state', end: 'stands', ourAmount: 19.9, providerId: intent }],
    });
    const csv = join(folder, 'reconcile.csv');
    const settled = await runSvc(`${line} --settle --csv ${csv}`);
    expect(settled).toMatchObject({
      code: 0,
      out: expect.stringContaining('0 differences, 1 settled'),
    });
    expect(readFileSync(csv, 'utf8').split('\r\n')[1]).toBe(
      [
        ...[
          paymentId,
          world.client.id,
          'purchase',
          'state',
          'settled',
          'authorized',
          '19.9',
          'EUR',
        ],
        ...[intent, 'captured', '19.9', 'EUR', '', ''],
      ].join(','),
    );
    expect((await runSvc(line)).code).toBe(0);
  });

  it('a dispute of which no notice came: its state and what it withdrew, until it is settled', async () => {
    const { providerIntentId: intent } = (await findPayment(
      world.database,
      world.client.id,
      paymentId,
    )) as { providerIntentId: string };
    const { id } = (await world.control('POST', '/_control/disputes', { intent })) as {
      id: string;
    };
    const line = 'reconcile --all --older-than 0s --rate 500';
    const csv = join(folder, 'disputes.csv');
    expect(await runSvc(`${line} --csv ${csv}`)).toEqual({
      code: 1,
      out:
        `dispute: purchase ${paymentId}: we say no dispute, the provider (${id}) ` +
        'needs_response, withdrawn 19.9 EUR\n1 payment compared: 1 difference\n',
      err: '',
    });
    expect(readFileSync(csv, 'utf8').split('\r\n')[1]).toBe(
      [
        ...[paymentId, world.client.id, 'purchase', 'dispute', 'stands', 'no dispute', '', ''],
        ...[id, 'needs_response', '19.9', 'EUR', '', ''],
      ].join(','),
    );
    const json = join(folder, 'disputes.json');
    expect((await runSvc(`${line} --settle --json ${json}`)).out).toContain(
      '0 differences, 1 settled',
    );
    expect(JSON.parse(readFileSync(json, 'utf8'))).toMatchObject({
      differences: 0,
      rows: [{ kind: 'dispute', end: 'settled', ourAmount: null, providerId: id }],
    });
    expect((await runSvc(line)).code).toBe(0);
  });

  it('a gateway of which no payment can be compared is given up, by its id; the report is kept', async () => {
    const made: string[] = [];
    while (made.length < 10) made.push((await aPurchase(world)).paymentId);
    const id = await breakGatewayOf(world, made);
    const json = join(folder, 'given-up.json');
    const line = `reconcile --all --older-than 0s --rate 500 --json ${json}`;
    const { code, out } = await runSvc(line);
    expect(code).toBe(1);
    expect(out).toMatch(
      new RegExp(`differences\\ngateway ${id} of client ${world.client.id} was given up: .+\\n$`),
    );
    const read = JSON.parse(readFileSync(json, 'utf8'));
    expect(read).toMatchObject({ differences: 10, gatewaysGivenUp: [id] });
    await mendGateway(world, id);
    expect((await runSvc(line)).code).toBe(0);
    expect(JSON.parse(readFileSync(json, 'utf8'))).toMatchObject({ gatewaysGivenUp: [] });
  });
});

describe('the process', () => {
  it('takes the settings of the service, and says in a line what is wrong with them', async () => {
    const none = await spawnCommand(['audit']).ended;
    expect(none).toMatchObject({ code: 2, out: '' });
    expect(none.err).toContain('svc audit: no npm start has run in ');
    const away = await spawnCommand(['audit', '--database', 'postgres://x@127.0.0.1:1/y']).ended;
    expect(away.code).toBe(2);
    expect(away.err).toMatch(/^svc audit: the database of --database cannot be reached: .*\n$/);
    const empty = await spawnCommand(['reconcile', '--database', world.url]).ended;
    expect(empty.err).toMatch(/^svc reconcile: SVC_KEY is missing: /);
    const folderless = join(folder, 'nowhere', 'x.csv');
    const unwritable = await spawnCommand(['audit', '--csv', folderless], {
      DATABASE_URL: world.url,
    }).ended;
    expect(unwritable).toMatchObject({
      code: 2,
      err: expect.stringContaining('cannot be written'),
    });
    const well = await spawnCommand(['audit'], { DATABASE_URL: world.url }).ended;
    expect(well).toMatchObject({ code: 0, err: '' });
  });

  it('a service that is stopped has no database: 2, and says to start it', async () => {
    const home = mkdtempSync(join(folder, 'home-'));
    mkdirSync(join(home, '.svc'));
    const url = `postgres://svc_service:x@localhost/svc?host=${home}`;
    writeFileSync(join(home, '.svc/service.env'), `DATABASE_URL=${url}\n`);
    const { code, err } = await spawnCommand(['audit'], {}, home).ended;
    expect({ code, err }).toEqual({ code: 2, err: expect.stringMatching(/stopped.*npm start/) });
  });

  it('--database: a start in this folder counts no more, or its key would seal what is not its own', async () => {
    const home = mkdtempSync(join(folder, 'home-'));
    mkdirSync(join(home, '.svc'));
    writeFileSync(join(home, '.svc/service.env'), `DATABASE_URL=x\nSVC_KEY='of the start'\n`);
    const list = ['clients', 'list', '--database', world.url];
    for (const line of [list, [...list.slice(0, 2), `--database=${world.url}`]]) {
      const { code, err } = await spawnCommand(line, {}, home).ended;
      expect({ code, err }).toEqual({
        code: 2,
        err: expect.stringContaining('SVC_KEY is missing'),
      });
    }
  });

  it('--data: what was started in that folder, whatever the environment says', async () => {
    const home = mkdtempSync(join(folder, 'home-'));
    mkdirSync(join(home, 'shop'));
    writeFileSync(join(home, 'shop/service.env'), `DATABASE_URL=${world.url}\n`);
    const away = { DATABASE_URL: 'postgres://x@127.0.0.1:1/y' };
    for (const line of ['audit --data shop', 'audit --data=shop', '--data shop audit']) {
      expect(await spawnCommand(line.split(' '), away, home).ended, line).toMatchObject({
        code: 0,
        err: '',
      });
    }
    expect(await spawnCommand(['audit', '--data', 'shpo'], away, home).ended).toMatchObject({
      code: 2,
      err: 'svc audit: nothing was started in shpo: it has no service.env\n',
    });
  });

  it('--data: nothing else is meant where the folder is none, and the last one counts', async () => {
    const home = mkdtempSync(join(folder, 'home-'));
    mkdirSync(join(home, 'shop'));
    writeFileSync(join(home, 'shop/service.env'), `DATABASE_URL=${world.url}\n`);
    const env = { DATABASE_URL: world.url };
    expect(await spawnCommand(['audit', '--data', ''], env, home).ended).toMatchObject({
      ...{ code: 2, err: expect.stringContaining('svc audit: --data names no folder\n') },
    });
    const named = ['audit', '--data', 'shpo', '--database', world.url];
    expect(await spawnCommand(named, env, home).ended).toMatchObject({
      ...{ code: 2, err: expect.stringContaining('nothing was started in shpo') },
    });
    const away = { DATABASE_URL: 'postgres://x@127.0.0.1:1/y' };
    const twice = ['audit', '--data', 'shpo', '--data', 'shop'];
    expect(await spawnCommand(twice, away, home).ended).toMatchObject({ code: 0, err: '' });
    const around = ['--data', 'shpo', 'audit', '--data', 'shop'];
    expect(await spawnCommand(around, away, home).ended).toMatchObject({ code: 0, err: '' });
  });

  it('--data: what the environment sets and that folder does not counts for nothing', async () => {
    const home = mkdtempSync(join(folder, 'home-'));
    mkdirSync(join(home, 'shop'));
    const key = Buffer.alloc(32, 7).toString('base64');
    const settings = {
      DATABASE_URL: world.url,
      SVC_KEY: key,
      SVC_VAULT_SHARED_KEY: key,
      SVC_VAULT_ORIGIN: 'http://127.0.0.1:1',
      SVC_VAULT_INTERNAL_URL: 'http://127.0.0.1:1',
      SVC_PROVIDER_URL: world.sandbox.url,
    };
    const lines = Object.entries(settings).map(([name, value]) => `${name}='${value}'\n`);
    writeFileSync(join(home, 'shop/service.env'), lines.join(''));
    // Settings of a live service with a key file that does not exist; a live service refuses the
    // sandbox as its provider.
    const driver = { PGSSLMODE: 'verify-full', PGHOST: 'nowhere.test', PGPORT: '1' };
    const away = { SVC_MODE: 'live', SVC_KEY_FILE: join(home, 'nowhere'), ...driver };
    const list = ['operations', 'list', '--data', 'shop'];
    expect(await spawnCommand(list, away, home).ended).toMatchObject({ code: 0, err: '' });
  });

  it('reconcile opens what the service opens, and ends by itself', async () => {
    const key = Buffer.alloc(32, 7).toString('base64');
    const { ended } = spawnCommand(['reconcile', '--sample', '0', '--older-than', '999d'], {
      DATABASE_URL: world.url,
      SVC_KEY: key,
      SVC_VAULT_SHARED_KEY: key,
      SVC_VAULT_ORIGIN: 'http://127.0.0.1:1',
      SVC_VAULT_INTERNAL_URL: 'http://127.0.0.1:1',
      SVC_PROVIDER_URL: world.sandbox.url,
    });
    // The key decrypts no account, so the provider cannot be read.
    const none = {
      code: 1,
      out: expect.stringMatching(/^nothing was compared: .*--all compares.*\n(gateway .*\n)+$/),
      err: '',
    };
    expect(await ended).toEqual(none);
  });

  it('Ctrl-C: 130, says that it is broken off, and leaves no file', async () => {
    // The audit waits at a locked table, so the signal comes while it runs.
    const csv = join(folder, 'broken-off.csv');
    await plantInDatabase(world.ownerUrl, async (run) => {
      await run('begin');
      await run('lock table open_holds in access exclusive mode');
      const { child, ended } = spawnCommand(['audit', '--csv', csv], {
        DATABASE_URL: `${world.url}`,
      });
      await expect.poll(() => existsSync(`${csv}.part`), { timeout: 15_000 }).toBe(true);
      await untilBlocked(world.url);
      child.kill('SIGINT');
      const { code, out } = await ended;
      expect(code).toBe(130);
      expect(out).toContain('broken off');
      await run('rollback');
    });
    expect(existsSync(csv)).toBe(false);
    expect(existsSync(`${csv}.part`)).toBe(false);
  });
});

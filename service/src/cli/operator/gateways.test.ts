// svc gateways over a real database.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runOn } from '../../../test/command-line.ts';
import {
  aClient,
  freshDatabase,
  newId,
  portsFor,
  type TestDatabase,
} from '../../../test/harness.ts';
import { sealedFor } from '../../../test/webhooks/webhooks.ts';
import type { Ports } from '../../engine/ports.ts';
import { openGateway } from '../../engine/steps/gateways/open-gateway.ts';
import { sql } from '../../storage/database/sql.ts';
import { chooseGateway, findGateway, openNoticeSecret } from '../../storage/gateways/gateways.ts';
import { tellHoldup } from '../../storage/gateways/provider-pace.ts';

let db: TestDatabase;
let ports: Ports;
let folder: string;
beforeAll(async () => {
  db = await freshDatabase();
  ports = { ...portsFor(db.database), sealed: sealedFor(db.database) };
  folder = mkdtempSync(join(tmpdir(), 'svc-gateways-'));
});
afterAll(async () => {
  await db?.close();
  rmSync(folder, { recursive: true, force: true });
});

const runSvc = (...args: string[]) => runOn(ports, args);

const keysFile = (content: unknown): string => {
  const file = join(folder, `${Math.random()}.json`);
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
  return file;
};

const create = async (clientId: string, ...more: string[]) => {
  const keys = keysFile({ secretKey: 'sk_test_canary_secret' });
  const made = await runSvc(
    ...['gateways', 'create', '--client', clientId, '--provider', 'cardprovider'],
    ...['--account', 'acct_1', '--publishable-key', 'pk_test_1', '--keys', keys, ...more],
    // These tests have no provider; gateways-check.test.ts has one.
    '--unchecked',
  );
  expect({ code: made.code, err: made.err }).toEqual({ code: 0, err: '' });
  return /^gateway {2}(\S+)$/m.exec(made.out)?.[1] ?? '';
};
const chosen = async (clientId: string, country: string | null) =>
  (await chooseGateway(ports.database, clientId, { provider: 'cardprovider', country }))?.id;

const readEntries = sql<{ action: string; actor_kind: string; text: string }>(
  't_cli_gateway_entries',
  `select action, actor_kind, to_jsonb(a)::text as text from audit_entries a
   where client_id = $1 order by id`,
);

describe('svc gateways', () => {
  it('create: sessions of a country go to the gateway that names it, others to the one for all', async () => {
    const client = await aClient(db.database);
    const [anywhere, german] = [
      await create(client.id),
      await create(client.id, '--countries', 'DE, AT'),
    ];
    expect(await chosen(client.id, 'DE')).toBe(german);
    expect(await chosen(client.id, 'AT')).toBe(german);
    expect(await chosen(client.id, 'SE')).toBe(anywhere);
    expect(await chosen(client.id, null)).toBe(anywhere);
    expect(await openGateway(ports, client.id, german)).toMatchObject({
      accountId: 'acct_1',
      publishableKey: 'pk_test_1',
      secretKey: 'sk_test_canary_secret',
    });
    const { out } = await runSvc('gateways', 'list', '--client', client.id);
    expect(out).toMatch(
      new RegExp(
        `^${german} .* acct_1 +DE,AT +in use +25/s, 25/s an operation +none +no secret yet +not refused$`,
        'm',
      ),
    );
    expect(out).toMatch(new RegExp(`^${anywhere} .* acct_1 +any +in use`, 'm'));
    expect(out).not.toContain('canary');
  });

  it('create again, as after an answer that was lost: the same gateway, and says so', async () => {
    const client = await aClient(db.database);
    const id = await create(client.id, '--countries', 'DE,AT');
    const again = await runSvc(
      ...['gateways', 'create', '--client', client.id, '--provider', 'cardprovider'],
      ...['--account', 'acct_1', '--publishable-key', 'pk_test_1', '--countries', 'AT,DE'],
      ...['--keys', keysFile({ secretKey: 'sk_test_canary_other' }), '--unchecked'],
    );
    expect(again).toMatchObject({
      code: 0,
      out: expect.stringMatching(new RegExp(`^gateway  ${id}\nnotices  http.*/${id}\n$`)),
      err: expect.stringContaining('was there already, and its keys stay'),
    });
    expect(await ports.database.read(readEntries, [client.id])).toHaveLength(1);
    expect(await openGateway(ports, client.id, id)).toMatchObject({
      secretKey: 'sk_test_canary_secret',
    });
    await runSvc('gateways', 'change', '--gateway', id, '--active', 'no');
    expect(await create(client.id, '--countries', 'DE,AT')).not.toBe(id);
  });

  it('change: countries, keys and whether it takes sessions; each is in the audit log, no secret is', async () => {
    const client = await aClient(db.database);
    const id = await create(client.id);
    const change = (...more: string[]) => runSvc('gateways', 'change', '--gateway', id, ...more);
    const keys = keysFile({ secretKey: 'rk_test_canary_new', noticeSecret: 'whsec_canary' });
    const { out } = await change('--keys', keys, '--countries', 'FR', '--unchecked');
    expect(out).toContain(`notices  ${ports.settings.baseUrl}/provider-notices/${id}\n`);
    const record = await findGateway(ports.database, client.id, id);
    if (!record) throw new Error('the gateway is gone');
    expect(await openNoticeSecret(ports.sealed, record)).toBe('whsec_canary');
    expect(await openGateway({ ...ports }, client.id, id)).toMatchObject({
      secretKey: 'rk_test_canary_new',
      accountId: 'acct_1',
    });
    expect(await chosen(client.id, 'SE')).toBeUndefined();
    await change('--countries', 'any');
    expect(await chosen(client.id, 'SE')).toBe(id);
    await change('--active', 'no');
    expect(await chosen(client.id, 'SE')).toBeUndefined();
    const entries = await ports.database.read(readEntries, [client.id]);
    expect(entries.map(({ action, actor_kind }) => `${action} ${actor_kind}`)).toEqual([
      'gateway.created operator',
      ...Array(3).fill('gateway.changed operator'),
    ]);
    expect(JSON.stringify(entries)).not.toContain('canary');
    expect(entries[1]?.text).toContain('"newKeys": ["secretKey", "noticeSecret"]');
  });

  it('change: the pace towards the account; list shows it, and the calls that wait in all processes', async () => {
    const client = await aClient(db.database);
    const id = await create(client.id);
    const change = (...more: string[]) => runSvc('gateways', 'change', '--gateway', id, ...more);
    const list = async () => (await runSvc('gateways', 'list', '--client', client.id)).out;
    expect((await change('--requests-per-second', '200')).code).toBe(0);
    await change('--endpoint-requests-per-second', '50');
    expect(await list()).toMatch(/ 200\/s, 50\/s an operation +none /);
    expect(await openGateway({ ...ports }, client.id, id)).toMatchObject({
      pace: { perSecond: 200, endpointPerSecond: 50 },
    });
    const holdup = { accountId: 'acct_1', waiting: 30, longestMs: 1250, factor: 1 };
    await tellHoldup(db.database, newId(), holdup);
    await tellHoldup(db.database, newId(), { ...holdup, waiting: 7, longestMs: 4100 });
    expect(await list()).toContain(' 37, up to 4.1 s ');
    await change('--requests-per-second', 'default');
    expect(await list()).toContain(' 25/s, 25/s an operation ');
    const wrong = await change('--requests-per-second', '0');
    expect(wrong.code).toBe(2);
    expect(wrong.err).toContain("'0' is no rate: give requests a second, 1 to 100000, or default");
    const texts = (await ports.database.read(readEntries, [client.id])).map(({ text }) => text);
    expect(texts[1]).toContain('"requestsPerSecond": 200');
  });

  it('a wallet has no webhook made, and check names who tries it: its secret is shown to no card provider', async () => {
    const client = await aClient(db.database);
    const { out } = await runSvc(
      ...['gateways', 'create', '--client', client.id, '--provider', 'wallet'],
      ...['--account', 'm', '--publishable-key', 'c', '--unchecked'],
      ...['--keys', keysFile({ secretKey: 'canary_of_the_wallet' })],
    );
    const id = /^gateway {2}(\S+)$/m.exec(out)?.[1] ?? '';
    const refused = await runSvc('gateways', 'change', '--gateway', id, '--webhook', 'create');
    expect(refused).toMatchObject({ code: 2, out: '' });
    expect(refused.err).toContain('--webhook create is for the card provider alone');
    expect(await runSvc('gateways', 'check', '--gateway', id)).toEqual({
      code: 0,
      out: `gateway ${id}\nnote  wallet  not tried here: svc doctor tries it\n`,
      err: '',
    });
  });

  it('one that is not there, and a client that is not', async () => {
    const missing = '00000000-0000-4000-8000-000000000000';
    expect(await runSvc('gateways', 'change', '--gateway', missing, '--active', 'no')).toEqual({
      code: 1,
      out: '',
      err: `svc gateways: there is no gateway ${missing}\n`,
    });
    const keys = keysFile({ secretKey: 'sk_test_1' });
    const wish = ['--provider', 'wallet', '--account', 'm', '--publishable-key', 'c'];
    const made = await runSvc('gateways', 'create', '--client', missing, ...wish, '--keys', keys);
    expect(made).toMatchObject({ code: 1, err: `svc gateways: there is no client ${missing}\n` });
  });

  const id = '00000000-0000-4000-8000-000000000001';
  const whole = ['create', '--client', id, '--provider', 'cardprovider', '--account', 'a'];
  it.each([
    [['create'], '--client is missing'],
    [['create', '--client', id, '--provider', 'card'], '--provider is missing'],
    [[...whole, '--publishable-key', 'pk_test_1'], '--keys is missing'],
    [[...whole, '--publishable-key', 'pk_test_1', '--countries', 'de'], "'de' is no country"],
    [['change', '--gateway', id], 'nothing is to be changed'],
    [['change', '--gateway', id, '--active', 'true'], '--active is yes or no'],
    [['change', '--gateway', id, '--keys', '/nowhere'], 'cannot be read (ENOENT)'],
    [['lst'], 'did you mean list?'],
  ])('%j: says what is wrong', async (args, said) => {
    const { code, err } = await runSvc('gateways', ...args);
    expect({ code, err }).toEqual({ code: 2, err: expect.stringContaining(said) });
  });

  it.each<[string, unknown, string]>([
    ['no JSON', '{', 'is no JSON'],
    ['another name', { secret: 'canary' }, 'the file holds'],
    ['no text', { secretKey: 7 }, 'the file holds'],
    [
      'a key of live mode',
      { secretKey: 'sk_live_canary' },
      'secretKey is of live mode, and this installation is of sandbox mode (SVC_MODE)',
    ],
  ])('keys that are %s: refused, and never shown', async (_, content, said) => {
    const keys = keysFile(content);
    const { code, err } = await runSvc(
      ...['gateways', ...whole, '--publishable-key', 'pk_test_1', '--keys', keys],
    );
    expect({ code, err }).toEqual({ code: 2, err: expect.stringContaining(said) });
    expect(err).not.toContain('canary');
  });
});

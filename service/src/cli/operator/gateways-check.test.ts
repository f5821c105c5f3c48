// svc gateways check, create and change against the sandbox's accounts.

import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import tls from 'node:tls';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { runOn } from '../../../test/command-line.ts';
import { portsFor } from '../../../test/harness.ts';
import { selfSigned } from '../../../test/network/self-signed.ts';
import { startWorld, type World } from '../../../test/world.ts';
import type { Ports } from '../../engine/ports.ts';
import { openGateway } from '../../engine/steps/gateways/open-gateway.ts';
import { openProviders, type Providers } from '../../providers/registry.ts';
import { providerTroubles } from '../../start/provider-troubles.ts';
import { findGateway, openNoticeSecret } from '../../storage/gateways/gateways.ts';

type Account = { accountId: string; secretKey: string; publishableKey: string };

let world: World;
let folder: string;
let other: Account;
beforeAll(async () => {
  world = await startWorld();
  folder = mkdtempSync(join(tmpdir(), 'svc-gateways-check-'));
  other = await control<Account>('/accounts', { name: 'another' });
});
afterAll(async () => {
  await world.close();
  rmSync(folder, { recursive: true, force: true });
});

async function control<T>(path: string, body: object): Promise<T> {
  const answer = await fetch(`${world.sandbox.url}/_control${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  expect(answer.status).toBe(200);
  return (await answer.json()) as T;
}

/** A call of the merchant's at the provider. */
async function provider(path: string, body?: string): Promise<{ data: { id: string }[] }> {
  const answer = await fetch(`${world.sandbox.url}${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { authorization: `Bearer ${world.account.secretKey}` },
    ...(body === undefined ? {} : { body }),
  });
  expect(answer.status).toBe(200);
  return (await answer.json()) as { data: { id: string }[] };
}
const webhookId = async () => (await provider('/v1/webhook_endpoints')).data[0]?.id ?? '';

/**
 * Returns the ports of a service with this base URL, which the provider can reach or which is
 * local.
 */
const portsAt = (baseUrl: string): Ports => ({
  ...world.ports,
  settings: { ...portsFor(world.database).settings, baseUrl },
});
const reachable = () => portsAt('http://[::1]:4000');

const keysFile = (content: object): string => {
  const file = join(folder, `${Math.random()}.json`);
  writeFileSync(file, JSON.stringify(content));
  return file;
};

const create = (keys: Partial<Account>, ...more: string[]) => {
  const { accountId, secretKey, publishableKey } = { ...other, ...keys };
  return runOn(world.ports, [
    ...['gateways', 'create', '--client', world.client.id, '--provider', 'cardprovider'],
    ...['--account', accountId, '--publishable-key', publishableKey],
    ...['--keys', keysFile({ secretKey }), ...more],
  ]);
};

const restrictedKey = async (...rights: string[]): Promise<string> =>
  (await control<{ key: string }>('/restricted-keys', { account: other.accountId, rights })).key;

const allRights = [
  ...['account.read', 'balance_transactions.read', 'charges.read', 'customers.write'],
  ...['disputes.read', 'events.read', 'payment_intents.write', 'payment_methods.write'],
  ...['radar.read', 'refunds.write', 'reviews.read', 'setup_intents.write'],
  'webhook_endpoints.write',
];

describe('svc gateways check', () => {
  it('tries account, keys, each right and the webhook, and leaves nothing behind', async () => {
    const { code, out } = await runOn(world.ports, ['gateways', 'check']);
    expect(code).toBe(0);
    expect(out).toContain(`gateway ${world.gatewayId}\n`);
    expect(out).toMatch(new RegExp(`^good +account +${world.account.accountId}$`, 'm'));
    expect(out).toMatch(/^good +charges +enabled$/m);
    expect(out).toMatch(/^good +publishable key +of the same account as the secret key$/m);
    expect(out).toMatch(/^good +right refunds\.write +given$/m);
    expect(out).toMatch(/^note +webhook +the provider cannot reach this machine/m);
    expect(out.match(/^good +right /gm)).toHaveLength(16);
    expect(out).not.toContain('wrong');
  });

  it('a gateway that is not there', async () => {
    const missing = '00000000-0000-4000-8000-000000000000';
    const { code, err } = await runOn(world.ports, ['gateways', 'check', '--gateway', missing]);
    expect([code, err]).toEqual([1, `svc gateways: there is no gateway ${missing}\n`]);
  });
});

describe('svc gateways create and change refuse what does not pass', () => {
  const wrongs: [string, () => Partial<Account>, RegExp][] = [
    ['an account that the key is not of', () => ({ accountId: 'acct_x' }), /names acct_x/],
    [
      'a publishable key of another account',
      () => ({ publishableKey: world.account.publishableKey }),
      /publishable key +of another account than the secret key/,
    ],
    [
      'a publishable key that nobody has',
      () => ({ publishableKey: 'pk_test_none' }),
      /publishable key +the provider refuses it \(401, req_\w+\)/,
    ],
    [
      'a secret key that nobody has',
      () => ({ secretKey: 'sk_test_canary' }),
      /account +the provider refuses the secret key \(401, req_\w+\)/,
    ],
  ];
  it.each(wrongs)('%s', async (_, keys, said) => {
    const { code, out, err } = await create(keys());
    expect({ code, out }).toEqual({ code: 1, out: '' });
    expect(err).toMatch(/^svc gateways: nothing is stored; --unchecked stores it all the same\n/);
    expect(err).toMatch(said);
    expect(err).not.toContain('canary');
  });

  it('names each right that a restricted key lacks, and takes one that has all', async () => {
    const lacking = allRights.filter((right) => !/^(refunds|events)/.test(right));
    const secretKey = await restrictedKey(...lacking, 'refunds.read');
    const { code, err } = await create({ secretKey });
    expect(code).toBe(1);
    expect(err.match(/^wrong .*$/gm)?.map((line) => line.replace(/ +/g, ' '))).toEqual([
      expect.stringMatching(
        /^wrong right refunds\.write missing \(403, req_\w+\): give it to the key/,
      ),
      expect.stringMatching(
        /^wrong right events\.read missing \(403, req_\w+\): give it to the key/,
      ),
    ]);
    const whole = await create({ secretKey: await restrictedKey(...allRights) });
    expect({ code: whole.code, err: whole.err }).toEqual({ code: 0, err: '' });
  });

  it('change: new keys are tried; what needs no provider is not; --unchecked stores them', async () => {
    const change = (...more: string[]) =>
      runOn(world.ports, ['gateways', 'change', '--gateway', world.gatewayId, ...more]);
    const bad = ['--keys', keysFile({ secretKey: 'sk_test_revoked' })];
    expect((await change(...bad)).code).toBe(1);
    expect((await change('--countries', 'any')).code).toBe(0);
    expect((await change(...bad, '--unchecked')).code).toBe(0);
    const check = await runOn(world.ports, ['gateways', 'check', '--gateway', world.gatewayId]);
    expect(check.code).toBe(1);
    const right = ['--keys', keysFile({ secretKey: world.account.secretKey })];
    expect((await change(...right)).code).toBe(0);
  });
});

describe('--webhook create', () => {
  it('makes the endpoint, stores its secret, and check finds it; a second one is refused', async () => {
    const ports = reachable();
    const change = () =>
      runOn(ports, ['gateways', 'change', '--gateway', world.gatewayId, '--webhook', 'create']);
    const before = await runOn(ports, ['gateways', 'check', '--gateway', world.gatewayId]);
    expect(before.out).toMatch(/^note +webhook/m);
    const made = await change();
    expect({ code: made.code, err: made.err }).toEqual({ code: 0, err: '' });
    expect(made.out).toContain('webhook  made at the provider, and its secret stored');
    const record = await findGateway(ports.database, world.client.id, world.gatewayId);
    if (!record) throw new Error('the gateway is gone');
    expect(await openNoticeSecret(ports.sealed, record)).toMatch(/^whsec_/);
    const after = await runOn(ports, ['gateways', 'check', '--gateway', world.gatewayId]);
    expect(after.out).toMatch(/^good +webhook +we_\w+ sends what is needed$/m);
    const again = await change();
    expect(again.code).toBe(1);
    expect(again.err).toMatch(/we_\w+ has this address already: give its secret with --keys/);
  });

  it('check tells a webhook that is disabled, lacks types, or is nowhere', async () => {
    const check = (ports: Ports) =>
      runOn(ports, ['gateways', 'check', '--gateway', world.gatewayId]);
    const url = `/v1/webhook_endpoints/${await webhookId()}`;
    await provider(url, 'disabled=true');
    const disabled = await check(reachable());
    expect(disabled.out).toMatch(/^wrong +webhook +we_\w+ is disabled/m);
    await provider(url, 'disabled=false&enabled_events[0]=charge.failed');
    const lacking = await check(reachable());
    expect(lacking.out).toMatch(/^wrong +webhook +we_\w+ does not send charge\.dispute\.closed, /m);
    expect(lacking.code).toBe(1);
    const nowhere = await check(portsAt('https://pay.example'));
    expect(nowhere.out).toContain(
      `none sends snapshot events to https://pay.example/provider-notices/${world.gatewayId} (`,
    );
  });
});

describe('notices over TLS', () => {
  it('reach an https address of this machine, where the sandbox trusts its certificate', async () => {
    const certificate = selfSigned('localhost');
    const trusted = tls.getCACertificates('default');
    const server = https.createServer(certificate);
    const heard = new Promise<string>((resolve) => {
      server.on('request', ({ url, socket }, response) => {
        response.end('{"received":true}');
        resolve(`${url} ${(socket as tls.TLSSocket).getProtocol()}`);
      });
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    try {
      tls.setDefaultCACertificates([...trusted, certificate.cert]);
      const ports = portsAt(`https://localhost:${(server.address() as AddressInfo).port}`);
      const gateway = ['--gateway', world.gatewayId];
      const made = await runOn(ports, ['gateways', 'change', ...gateway, '--webhook', 'create']);
      expect({ code: made.code, err: made.err }).toEqual({ code: 0, err: '' });
      // The check cancels a setup intent, and the provider tells of that.
      expect((await runOn(ports, ['gateways', 'check', ...gateway])).code).toBe(0);
      expect(await heard).toBe(`/provider-notices/${world.gatewayId} TLSv1.3`);
    } finally {
      tls.setDefaultCACertificates(trusted);
      server.closeAllConnections();
      server.close();
    }
  });

  it('an address that the provider refuses: the gateway stays, and what to do is said', async () => {
    const ports = portsAt('https://pay.example');
    const { code, out, err } = await runOn(ports, [
      ...['gateways', 'change', '--gateway', world.gatewayId, '--webhook', 'create'],
    ]);
    expect(code).toBe(1);
    expect(out).toContain(`notices  https://pay.example/provider-notices/${world.gatewayId}\n`);
    expect(err).toMatch(
      /^svc gateways: the gateway is stored, but no webhook was made: .+ \(400, /,
    );
    expect(err).toContain(`svc gateways change --gateway ${world.gatewayId} --webhook create\n`);
  });
});

describe('a key that the provider refuses while the service runs', () => {
  const logged: (readonly [level: string, text: string, facts: object | undefined])[] = [];
  const level = (name: string) => (text: string, facts?: object) =>
    void logged.push([name, text, facts]);
  const log = { info: level('info'), warn: level('warn'), error: level('error') };
  const told: Promise<void>[] = [];
  let providers: Providers;
  beforeAll(() => {
    const { database, sealed } = world.ports;
    const tell = providerTroubles({ database, sealed, log });
    const onTrouble = (...trouble: Parameters<typeof tell>) => void told.push(tell(...trouble));
    providers = openProviders({ cardUrl: world.sandbox.url, onTrouble });
  });
  beforeEach(() => void logged.splice(0));
  afterAll(() => providers.close());

  const list = async () => (await runOn(world.ports, ['gateways', 'list'])).out;
  const giveKeys = async (secretKey: string, ...more: string[]) => {
    const keys = ['--keys', keysFile({ secretKey }), ...more];
    const change = ['gateways', 'change', '--gateway', world.gatewayId, ...keys];
    expect((await runOn(world.ports, change)).code).toBe(0);
  };
  /** Returns the account with another secret key, as an earlier call has cached it. */
  const withKey = async (secretKey: string) => ({
    ...(await openGateway(world.ports, world.client.id, world.gatewayId)),
    secretKey,
  });
  const refusedLine = [
    'error',
    'the card provider refused the key of a gateway',
    expect.objectContaining({
      ...{ gatewayId: expect.any(String), status: 401, code: expect.any(String) },
      providerRequestId: expect.stringMatching(/^req_/),
      said: expect.stringContaining('Invalid API Key'),
    }),
  ];

  it('is one line of the log with its request id, and in the list until a check passes', async () => {
    await giveKeys('sk_test_revoked', '--unchecked');
    const revoked = providers.provider(await withKey('sk_test_revoked'));
    for (let n = 0; n < 3; n++) {
      expect((await revoked.retrieve('pi_none')).kind).toBe('in_doubt');
    }
    expect(logged).toEqual([refusedLine]);
    await Promise.all(told);
    expect(await list()).toMatch(/ refused \S+Z \(401, req_\w+\)$/m);
    await giveKeys(world.account.secretKey);
    expect(await list()).not.toContain(' refused 2');
  });

  it('a late answer to a call with the former key says nothing of the new one', async () => {
    await giveKeys('sk_test_former', '--unchecked');
    const former = providers.provider(await withKey('sk_test_former'));
    await giveKeys(world.account.secretKey);
    await former.retrieve('pi_none');
    await Promise.all(told);
    expect(logged).toEqual([refusedLine]);
    expect(await list()).not.toContain(' refused 2');
    // An earlier refusal of the old key does not delay the report about a new key.
    await giveKeys('sk_test_later', '--unchecked');
    await providers.provider(await withKey('sk_test_later')).retrieve('pi_none');
    await Promise.all(told);
    expect(logged).toEqual([refusedLine, refusedLine]);
    expect(await list()).toMatch(/ refused \S+Z \(401, req_\w+\)$/m);
    await giveKeys(world.account.secretKey);
  });

  it('every other no and silence is a line too, with the request id where there is one', async () => {
    const account = providers.provider(await withKey(world.account.secretKey));
    await account.retrieve('pi_none');
    await world.fault({ path: '/v1/payment_intents/pi_none$', method: 'GET' }, 'error_500');
    await account.retrieve('pi_none');
    await world.fault({ path: '/v1/payment_intents/pi_none$', method: 'GET' }, 'drop_request');
    await account.retrieve('pi_none');
    const withId = expect.objectContaining({ providerRequestId: expect.stringMatching(/^req_/) });
    expect(logged).toEqual([
      ['info', 'the provider declined a call', withId],
      ['warn', 'the provider refused a call', withId],
      ['warn', 'the provider gave no answer', expect.objectContaining({ providerRequestId: null })],
    ]);
  });
});

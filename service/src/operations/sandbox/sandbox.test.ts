// The sandbox's controls through the service's own routes, with the real sandbox behind them.

import type { Sandbox, SandboxFault } from '@svc/contract/developers/sandbox';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { aClient, aGateway, aToken, callAs, newId, type TestToken } from '../../../test/harness.ts';
import { aPurchase } from '../../../test/payments/disputes.ts';
import { aRefund } from '../../../test/payments/planted.ts';
import { aServer, type TestServer } from '../../../test/server.ts';
import { aSession, pay, startWorld, type World } from '../../../test/world.ts';

let world: World;
let server: TestServer;
let stranger: TestToken;
beforeAll(async () => {
  world = await startWorld();
  server = await aServer(world.ports);
  stranger = await aToken(world.database, await aClient(world.database));
});
afterAll(async () => {
  await server?.close();
  await world?.close();
});

type Address = Parameters<typeof callAs>[2];
const call = (address: Address, body?: object, as: TestToken = world.token) =>
  callAs(server.app, as, address, { body });
const readSandbox = async (as?: TestToken) =>
  (await call('GET /v1/sandbox', undefined, as)).json<Sandbox>();
const everyCall = [
  ['GET /v1/sandbox', undefined],
  ['POST /v1/sandbox/clock/advance', { seconds: 60 }],
  ['POST /v1/sandbox/faults', { action: 'decline' }],
  ['DELETE /v1/sandbox/faults', undefined],
  ['POST /v1/sandbox/disputes', { paymentId: newId() }],
  ['POST /v1/sandbox/refund-failures', { refundId: newId() }],
] as const;

describe('the sandbox’s controls', () => {
  it('Additions §13, GET /v1/sandbox: the clock and the test cards with their effects', async () => {
    const { now, shiftSeconds, cards, faults } = await readSandbox();
    const clock = (await world.control('GET', '/_control/clock')) as { now: string };
    expect(Math.abs(Date.parse(now) - Date.parse(clock.now))).toBeLessThan(60_000);
    expect(shiftSeconds).toBe(0);
    expect(cards).toContainEqual({ number: '4000000000000002', effect: 'declined' });
    expect(faults).toEqual([]);
  });

  it('Additions §13: a planted fault meets the merchant’s own next call, once', async () => {
    const planted = await call('POST /v1/sandbox/faults', { action: 'decline' });
    expect([planted.statusCode, planted.json<SandboxFault>()]).toMatchObject([
      201,
      { action: 'decline', count: 1, fired: 0 },
    ]);
    const session = await aSession(world, { captureMethod: 'automatic' });
    await expect(pay(world, session)).rejects.toMatchObject({ code: 'card_declined' });
    expect((await readSandbox()).faults).toMatchObject([{ action: 'decline', fired: 1 }]);
    expect((await call('DELETE /v1/sandbox/faults')).statusCode).toBe(204);
    expect((await readSandbox()).faults).toEqual([]);
  });

  it('a read of the provider meets no planted fault: the next call that changes something does', async () => {
    await call('POST /v1/sandbox/faults', { action: 'error_500' });
    const askProvider = async (method: string): Promise<number> => {
      const headers = { authorization: `Bearer ${world.account.secretKey}` };
      const url = `${world.sandbox.url}/v1/customers`;
      return (await fetch(url, { method, headers })).status;
    };
    expect(await askProvider('GET')).toBe(200);
    expect((await readSandbox()).faults).toMatchObject([{ fired: 0 }]);
    expect(await askProvider('POST')).toBe(500);
    expect((await readSandbox()).faults).toMatchObject([{ fired: 1 }]);
    await call('DELETE /v1/sandbox/faults');
  });

  it('one merchant neither sees nor removes the faults of another', async () => {
    await call('POST /v1/sandbox/faults', { action: 'slow', count: 3 });
    expect((await readSandbox(stranger)).faults).toEqual([]);
    // Another merchant with an account for cards of its own.
    const client = await aClient(world.database);
    await aGateway(world.database, client, { accountId: 'acct_another' });
    const other = await aToken(world.database, client);
    await call('POST /v1/sandbox/faults', { action: 'slow' }, other);
    expect((await readSandbox(other)).faults).toHaveLength(1);
    for (const as of [stranger, other]) {
      expect((await call('DELETE /v1/sandbox/faults', undefined, as)).statusCode).toBe(204);
      expect((await readSandbox(as)).faults).toEqual([]);
      expect((await readSandbox()).faults).toMatchObject([{ action: 'slow', count: 3 }]);
    }
    await call('DELETE /v1/sandbox/faults');
  });

  it('409 gateway_not_configured: no fault without an account for cards', async () => {
    const refused = await call('POST /v1/sandbox/faults', { action: 'slow' }, stranger);
    expect([refused.statusCode, refused.json()]).toMatchObject([
      409,
      { code: 'gateway_not_configured' },
    ]);
  });

  it('Additions §13: a payment is disputed at the provider', async () => {
    const { paymentId, intent } = await aPurchase(world);
    const reason = 'product_not_received';
    const disputed = await call('POST /v1/sandbox/disputes', { paymentId, reason });
    expect([disputed.statusCode, disputed.body]).toEqual([202, '']);
    const headers = { authorization: `Bearer ${world.account.secretKey}` };
    const url = `${world.sandbox.url}/v1/disputes?payment_intent=${intent}`;
    expect(await (await fetch(url, { headers })).json()).toMatchObject({ data: [{ reason }] });
    const kinds = (await world.ledger(intent)).map(({ kind }) => kind);
    expect(kinds).toContain('dispute_withdrawn');
    const again = await call('POST /v1/sandbox/disputes', { paymentId });
    expect([again.statusCode, again.json()]).toMatchObject([
      400,
      { code: 'invalid_request', errors: [{ path: 'paymentId' }] },
    ]);
  });

  it('Additions §13: a refund that succeeded fails at the provider', async () => {
    const { paymentId, intent } = await aPurchase(world);
    const refundId = await aRefund(world, paymentId, 1);
    const failing = await call('POST /v1/sandbox/refund-failures', { refundId });
    expect([failing.statusCode, failing.body]).toEqual([202, '']);
    expect((await world.ledger(intent)).map(({ kind }) => kind)).toContain('refund_failed');
  });

  it('400 invalid_request: a payment is no refund, and a refund is no payment', async () => {
    const { paymentId } = await aPurchase(world);
    const failing = await call('POST /v1/sandbox/refund-failures', { refundId: paymentId });
    expect(failing.json()).toMatchObject({ code: 'invalid_request' });
    const refundId = await aRefund(world, paymentId, 1);
    const disputed = await call('POST /v1/sandbox/disputes', { paymentId: refundId });
    expect(disputed.json()).toMatchObject({ code: 'invalid_request' });
  });

  it.each([
    ['POST /v1/sandbox/disputes', 'paymentId'],
    ['POST /v1/sandbox/refund-failures', 'refundId'],
  ] as const)('404 payment_not_found: %s for another merchant’s', async (address, name) => {
    const { paymentId } = await aPurchase(world);
    const refused = await call(address, { [name]: paymentId }, stranger);
    expect([refused.statusCode, refused.json()]).toMatchObject([
      404,
      { code: 'payment_not_found' },
    ]);
  });

  it('Additions §13: the clock is moved forward, and told', async () => {
    const moved = await call('POST /v1/sandbox/clock/advance', { seconds: 3600 });
    expect([moved.statusCode, moved.json()]).toMatchObject([200, { shiftSeconds: 3600 }]);
    expect((await readSandbox()).shiftSeconds).toBe(3600);
  });

  it.each([0, -60, 1.5, 366 * 86_400 + 1, '60'])(
    '400 invalid_request: the clock is not moved by %s seconds',
    async (seconds) => {
      const before = (await readSandbox()).shiftSeconds;
      const refused = await call('POST /v1/sandbox/clock/advance', { seconds });
      expect([refused.statusCode, refused.json()]).toMatchObject([
        400,
        { code: 'invalid_request' },
      ]);
      expect((await readSandbox()).shiftSeconds).toBe(before);
    },
  );
});

describe.each(['test', 'live'] as const)('in %s mode', (mode) => {
  let served: TestServer;
  beforeAll(async () => {
    const settings = { ...world.ports.settings, mode, isLive: mode === 'live' };
    served = await aServer({ ...world.ports, sandbox: null, settings });
  });
  afterAll(() => served?.close());

  it.each(everyCall)('404 route_not_found: %s', async (address, body) => {
    const refused = await callAs(served.app, world.token, address, { body });
    expect([refused.statusCode, refused.json()]).toMatchObject([404, { code: 'route_not_found' }]);
  });
});

describe('a sandbox that does not answer', () => {
  let served: TestServer;
  beforeAll(async () => {
    served = await aServer({ ...world.ports, sandbox: { call: async () => null } });
  });
  afterAll(() => served?.close());

  it.each(everyCall.slice(0, 3))('502 gateway_unavailable: %s', async (address, body) => {
    const refused = await callAs(served.app, world.token, address, { body });
    expect([refused.statusCode, refused.json()]).toMatchObject([
      502,
      { code: 'gateway_unavailable' },
    ]);
  });
});

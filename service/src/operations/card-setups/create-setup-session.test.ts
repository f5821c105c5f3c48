// A session that saves a card. Spec: POST /v1/checkouts/sessions/setup.

import type { FastifyInstance } from 'fastify';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { aSetupSession, methodsOf } from '../../../test/customers/setups.ts';
import {
  aClient,
  aCustomer,
  aToken,
  callAs,
  callerOf,
  newId,
  type TestToken,
} from '../../../test/harness.ts';
import { bodyOf, decline, readState } from '../../../test/payments/checkouts.ts';
import { advance } from '../../../test/payments/planted.ts';
import { aServer, type TestServer } from '../../../test/server.ts';
import { pay, startWorld, type World } from '../../../test/world.ts';
import { refuse } from '../../engine/implement.ts';
import type { Ports } from '../../engine/ports.ts';
import { contractLimits } from '../../http/limits/limits.ts';
import { sql } from '../../storage/database/sql.ts';
import { operations } from '../index.ts';

let world: World;
let server: TestServer;
let app: FastifyInstance;
beforeAll(async () => {
  world = await startWorld();
  server = await aServer(world.ports);
  app = server.app;
});
afterAll(async () => {
  await server?.close();
  await world?.close();
});

const create = (body: object, token: TestToken | null = world.token) =>
  callAs(app, token, 'POST /v1/checkouts/sessions/setup', { body });

describe('createSetupSession', () => {
  it('Spec 4.1.8 · Spec 3.2.1 · Spec 2.2 checkoutMode · Contract §3 setup life · 201: setup mode, no products, no amount, an embedded vault block, an hour to live', async () => {
    const { id: userId, email } = await aCustomer(world.database, world.client);
    const given = { userId, successUrl: 'http://localhost:3000/saved', cancelUrl: '/cards' };
    const response = await create(given);
    const body = response.json();
    expect(response.statusCode).toBe(201);
    expect(body).toMatchObject({
      checkoutMode: 'setup',
      status: 'open',
      accountData: { userId, email },
      products: [],
      couponCodes: [],
      totals: null,
      currency: null,
      paymentId: null,
      authorizationExpiresAt: null,
      latestTransactionAttempt: null,
      gateways: { cardprovider: { publishableKey: world.account.publishableKey } },
      vault: { mountToken: expect.stringMatching(/^svcm_/), formUrl: expect.any(String) },
      successUrl: 'http://localhost:3000/saved',
    });
    expect(body.url).toBe(`http://localhost:4000/c/${body.id}#${body.nonce}`);
    expect(Date.parse(body.expiresAt) - Date.parse(body.createdAt)).toBe(3600 * 1000);
    // The card exists and stays unusable.
    expect(await methodsOf(world, { userId })).toMatchObject([
      { status: 'pending', type: 'card', brand: null, provider_payment_method_id: null },
    ]);
  });

  it('Spec 7.3.1 · 404 customer_not_found: alike for unknown and foreign users, before anything is asked', async () => {
    const other = await aClient(world.database);
    const foreign = await aCustomer(world.database, other);
    const asked: string[] = [];
    const deaf: Ports = {
      ...world.ports,
      methodKeeper: () => {
        asked.push('provider');
        return world.ports.methodKeeper({} as never);
      },
      vault: {
        ...world.ports.vault,
        mount: (call) => {
          asked.push('vault');
          return world.ports.vault.mount(call);
        },
      },
    };
    const bare = await aServer(deaf);
    const createSetup = async (userId: string) => {
      const answer = await callAs(bare.app, world.token, 'POST /v1/checkouts/sessions/setup', {
        // Invalid addresses are accepted too: they are checked later.
        body: { userId, successUrl: 'http://elsewhere.example/' },
      });
      const { requestId: _, ...rest } = answer.json();
      return JSON.stringify([answer.statusCode, rest]);
    };
    const [unknown, ofOther] = [await createSetup(newId()), await createSetup(foreign.id)];
    await bare.close();
    expect(unknown).toContain('404');
    expect(unknown).toContain('customer_not_found');
    expect(ofOther).toBe(unknown);
    expect(asked).toEqual([]);
    expect(await methodsOf(world, { userId: foreign.id })).toEqual([]);
  });

  it('Spec 4.3 keys · 400 invalid_request: no UUID, a foreign address, a field that is not known', async () => {
    const { id: userId } = await aCustomer(world.database, world.client);
    for (const [body, param] of [
      [{ userId: 'nobody' }, 'userId'],
      [{}, 'userId'],
      [{ userId, successUrl: 'http://elsewhere.example/' }, 'successUrl'],
      [{ userId, cancelUrl: 'javascript:alert(1)' }, 'cancelUrl'],
      [{ userId, currency: 'EUR' }, 'currency'],
    ] as const) {
      const answer = await create(body);
      expect([answer.statusCode, answer.json().code], param).toEqual([400, 'invalid_request']);
      expect(answer.body).toContain(param);
    }
  });

  it('401 without the merchant’s credential, a session’s nonce included · 403 insufficient_scope', async () => {
    const { id: userId } = await aCustomer(world.database, world.client);
    const session = await aSetupSession(world);
    expect((await create({ userId }, null)).statusCode).toBe(401);
    const byNonce = await callAs(app, session, 'POST /v1/checkouts/sessions/setup', {
      body: { userId },
    });
    expect(byNonce.statusCode).toBe(401);
    const reader = await aToken(world.database, world.client, { scopes: ['payment_methods:read'] });
    const answer = await create({ userId }, reader);
    expect([answer.statusCode, answer.json().code]).toEqual([403, 'insufficient_scope']);
  });

  it('409 gateway_not_configured: no gateway of the merchant serves the customer’s country', async () => {
    const client = await aClient(world.database);
    const token = await aToken(world.database, client);
    const { id: userId } = await aCustomer(world.database, client);
    await expect(
      operations.createSetupSession({ body: { userId } }, callerOf(token), world.ports, refuse),
    ).rejects.toEqual(expect.objectContaining({ code: 'gateway_not_configured' }));
    expect(await methodsOf(world, { userId })).toEqual([]);
  });

  it('Spec 4.1 setup never processed: process, intents, vault charge and coupons are 409 checkout_session_is_setup', async () => {
    const session = await aSetupSession(world);
    const refusal = expect.objectContaining({ code: 'checkout_session_is_setup' });
    await expect(pay(world, session)).rejects.toEqual(refusal);
    const { sessionId } = session;
    for (const [call, body] of [
      [`POST /v1/checkouts/sessions/${sessionId}/vault-charge`, { token: 'svct_x' }],
      [
        'POST /v1/checkouts/payments/intents',
        { sessionId, email: 'a@b.test', paymentMethod: 'card' },
      ],
      [`PATCH /v1/checkouts/sessions/${sessionId}/coupons`, { couponCodes: [] }],
    ] as const) {
      const answer = await callAs(app, session, call, { body });
      expect([answer.statusCode, answer.json().code]).toEqual([409, 'checkout_session_is_setup']);
    }
    expect(await world.ledger()).toEqual([]);
  });

  it('buyer_canceled ends it: canceled, without an event, and repeatable', async () => {
    const session = await aSetupSession(world);
    for (let n = 0; n < 2; n += 1) {
      expect(await bodyOf(decline(world, session))).toMatchObject({ data: { status: 'canceled' } });
    }
    expect(await readState(world, session)).toMatchObject({
      status: 'canceled',
      paymentMethodId: null,
    });
    const [count] = await world.database.read(countEvents, [session.sessionId]);
    expect(count?.n).toBe(0);
  });

  it('429 rate_limited: ten in an hour for one customer, however many at once; then again', async () => {
    const attemptLimits = { ...contractLimits };
    const ports = { ...world.ports, settings: { ...world.ports.settings, attemptLimits } };
    const { id: userId } = await aCustomer(world.database, world.client);
    const other = await aCustomer(world.database, world.client);
    const openSetup = (id: string) =>
      operations.createSetupSession({ body: { userId: id } }, callerOf(world.token), ports, refuse);
    const settled = await Promise.allSettled(Array.from({ length: 14 }, () => openSetup(userId)));
    const refused = settled.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []));
    expect(refused).toHaveLength(4);
    for (const reason of refused) {
      expect(reason).toMatchObject({ code: 'rate_limited' });
      expect(reason.facts.retryAfter).toBeGreaterThan(3500);
      expect(reason.facts.retryAfter).toBeLessThanOrEqual(3600);
    }
    expect(await openSetup(other.id)).toMatchObject({ status: 201 });
    await advance(world, 3601);
    expect(await openSetup(userId)).toMatchObject({ status: 201 });
  });
});

const countEvents = sql<{ n: number }>(
  'test_setup_events',
  'select count(*)::int as n from events where resource_id = $1',
);

// A merchant ends a session before its time, also while a buyer is paying it.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { aClient, aToken, callAs, newId, type TestToken } from '../../../test/harness.ts';
import { aShell, runRecovery } from '../../../test/payments/checkouts.ts';
import { advance } from '../../../test/payments/planted.ts';
import { aServer, type TestServer } from '../../../test/server.ts';
import { aSession, cards, pay, startWorld, type World } from '../../../test/world.ts';
import { sql } from '../../storage/database/sql.ts';

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

async function expire(sessionId: string, as: TestToken = world.token) {
  const answer = await callAs(server.app, as, `POST /v1/checkout-sessions/${sessionId}/expire`);
  return { status: answer.statusCode, body: answer.json() };
}

const eventsOf = sql<{ type: string }>(
  'test_expire_events',
  `select type from events where resource_id = $1 and type like 'checkout.session.%'`,
);
const readSession = async (sessionId: string) =>
  (await world.database.transaction(world.client.id, (tx) => tx.query(eventsOf, [sessionId]))).map(
    ({ type }) => type,
  );

const audited = async (sessionId: string) => {
  const query = `resourceType[eq]=checkout_session&resourceId[eq]=${sessionId}`;
  return (await callAs(server.app, world.token, `GET /v1/audit-entries?${query}`)).json().total;
};

describe('expireMerchantSession', () => {
  it('200: it has expired, with one event and who did it, also when asked twice; nobody pays it then', async () => {
    const session = await aSession(world, {});
    const first = await expire(session.sessionId.toUpperCase());
    expect(first).toMatchObject({
      status: 200,
      body: { status: 'expired', id: session.sessionId },
    });
    expect(await expire(session.sessionId)).toEqual(first);
    expect(await readSession(session.sessionId)).toEqual(['checkout.session.expired']);
    expect(await audited(session.sessionId)).toBe(1);
    await expect(pay(world, session)).rejects.toMatchObject({ code: 'checkout_session_expired' });
  });

  it('200: a buyer at the bank’s question is ended at the provider first, and nothing is held', async () => {
    const session = await aSession(world, {});
    await pay(world, session, cards.needs3ds);
    expect((await expire(session.sessionId)).body).toMatchObject({ status: 'expired' });
    const details = await callAs(
      server.app,
      world.token,
      `GET /v1/checkout-sessions/${session.sessionId}`,
    );
    expect(details.json().attempts).toMatchObject([{ status: 'failed' }]);
    expect(await readSession(session.sessionId)).toEqual(['checkout.session.expired']);
    expect(await audited(session.sessionId)).toBe(1);
  });

  it('409 checkout_session_completed: what is paid stays paid', async () => {
    const session = await aSession(world, { captureMethod: 'automatic' });
    await pay(world, session);
    expect(await expire(session.sessionId)).toMatchObject({
      status: 409,
      body: { code: 'checkout_session_completed' },
    });
  });

  it('409 checkout_attempt_in_progress: a payment in doubt keeps the session, and ends as it ended', async () => {
    const session = await aSession(world, { captureMethod: 'automatic' });
    await world.fault({ path: '/v1/payment_intents/*/confirm' }, 'drop_request', { count: 2 });
    await pay(world, session);
    expect(await expire(session.sessionId)).toMatchObject({
      status: 409,
      body: { code: 'checkout_attempt_in_progress' },
    });
    await runRecovery(world);
    expect((await expire(session.sessionId)).body.code).toBe('checkout_session_completed');
    expect(await readSession(session.sessionId)).toEqual(['checkout.session.completed']);
    expect(await audited(session.sessionId)).toBe(0);
  });

  it('502 gateway_outcome_unknown: the provider does not say that the buyer’s attempt is over', async () => {
    const session = await aSession(world, {});
    await pay(world, session, cards.needs3ds);
    await world.fault({ path: '/v1/payment_intents/*/cancel' }, 'drop_request', { count: 2 });
    expect(await expire(session.sessionId)).toMatchObject({
      status: 502,
      body: { code: 'gateway_outcome_unknown' },
    });
    await runRecovery(world);
    expect((await expire(session.sessionId)).body.status).toBe('expired');
  });

  it('409 checkout_session_data_attachment_required: a shell has nothing to end', async () => {
    // A shell belongs to the merchant that its create named.
    const { sessionId } = await aShell(world);
    expect(await expire(sessionId)).toMatchObject({
      status: 409,
      body: { code: 'checkout_session_data_attachment_required' },
    });
  });

  it('a payment and its end at once: paid and told so, or expired and nothing held', async () => {
    for (let round = 0; round < 4; round++) {
      const session = await aSession(world, { captureMethod: 'automatic' });
      const [paid, ended] = await Promise.all([
        pay(world, session).then(
          () => true,
          () => false,
        ),
        expire(session.sessionId),
      ]);
      const { body } = await callAs(
        server.app,
        world.token,
        `GET /v1/payments?status[eq]=succeeded&sessionId[eq]=${session.sessionId}`,
      ).then((answer) => ({ body: answer.json() }));
      expect(body.total).toBe(paid ? 1 : 0);
      expect(ended.status).toBe(paid ? 409 : 200);
    }
  });

  it('200: one whose time is over is answered as it is', async () => {
    const session = await aSession(world, {});
    await advance(world, 2 * 86_400);
    expect(await expire(session.sessionId)).toMatchObject({
      status: 200,
      body: { status: 'expired' },
    });
  });

  it('404, 403, 400: another merchant’s, none, a scope or role that lacks it, no id', async () => {
    const { sessionId } = await aSession(world, {});
    for (const answer of [await expire(sessionId, stranger), await expire(newId())]) {
      expect([answer.status, answer.body.code]).toEqual([404, 'checkout_session_not_found']);
    }
    const scoped = await aToken(world.database, world.client, { scopes: ['payments:read'] });
    expect((await expire(sessionId, scoped)).body.code).toBe('insufficient_scope');
    expect((await expire('7')).body.code).toBe('invalid_request');
    expect((await expire(sessionId)).status).toBe(200);
  });
});

// Sessions whose time is over. Contract §3, Life; §7.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { moveClock } from '../../../../test/harness.ts';
import {
  answerChallenge,
  aShell,
  claim,
  eventsOf,
  expireNow,
  openIntent,
  paymentsOf,
  readState,
  runRecovery,
} from '../../../../test/payments/checkouts.ts';
import { plantInDatabase } from '../../../../test/payments/planted.ts';
import { breakGatewayOf, mendGateway } from '../../../../test/payments/reconcile.ts';
import { aSession, cards, pay, startWorld, type World } from '../../../../test/world.ts';
import { sql } from '../../../storage/database/sql.ts';
import { removeBatches } from '../retention/remove-old.ts';
import { expireSessions } from './expire-sessions.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world?.close());

const sweep = (ports = world.ports) =>
  expireSessions(ports, {
    limit: 50,
    onError: (_, error) => {
      throw error;
    },
  });
const frozen = sql<{ payload: string }>(
  'test_expired_event',
  'select payload from events where resource_id = $1',
);

describe('expireSessions', () => {
  it('Contract §3 expiry: an open session expires once, and the merchant hears of it', async () => {
    const session = await aSession(world);
    await sweep();
    expect(await readState(world, session)).toMatchObject({ status: 'open' });
    await expireNow(world, session);
    expect(await Promise.all([sweep(), sweep(), sweep()])).toContain(1);
    expect(await readState(world, session)).toMatchObject({ status: 'expired' });
    expect(await eventsOf(world, session.sessionId)).toEqual(['checkout.session.expired']);
    const [event] = await world.database.read(frozen, [session.sessionId]);
    expect(JSON.parse(event?.payload ?? '')).toMatchObject({
      type: 'checkout.session.expired',
      data: {
        object: { id: session.sessionId, status: 'expired', paymentId: null },
        previousAttributes: { status: 'open' },
      },
    });
    expect(await sweep()).toBe(0);
  });

  it('a claimed shell lives its own day, and expires like any other', async () => {
    const shell = await aShell(world);
    await claim(world, shell);
    await expireNow(world, shell);
    await sweep();
    expect(await eventsOf(world, shell.sessionId)).toEqual(['checkout.session.expired']);
  });

  it('an open challenge is closed at the provider first', async () => {
    const session = await aSession(world, { captureMethod: 'automatic' });
    await pay(world, session, cards.needs3ds);
    await expireNow(world, session);
    expect(await readState(world, session)).toMatchObject({ status: 'requires_action' });
    await sweep();
    expect(await readState(world, session)).toMatchObject({
      status: 'expired',
      latestTransactionAttempt: { result: 'CANCELED', declineCode: 'authentication_abandoned' },
    });
    const [payment] = await paymentsOf(world, session);
    expect(payment?.status).toBe('failed');
    const response = await fetch(
      `${world.sandbox.url}/v1/payment_intents/${payment?.provider_intent_id}`,
      { headers: { authorization: `Bearer ${world.account.secretKey}` } },
    );
    expect(await response.json()).toMatchObject({ status: 'canceled' });
  });

  it('one that cannot be closed at its provider keeps nobody else from expiring', async () => {
    const stuck = [await aSession(world), await aSession(world)];
    const payments: string[] = [];
    for (const session of stuck) {
      await pay(world, session, cards.needs3ds);
      payments.push((await paymentsOf(world, session))[0]?.id ?? '');
      await expireNow(world, session);
    }
    const broken = await breakGatewayOf(world, payments);
    const other = await aSession(world);
    await expireNow(world, other);
    const failed = new Set<string>();
    for (let pass = 0; pass < 4; pass++) {
      await expireSessions(world.ports, { limit: 1, onError: ({ id }) => failed.add(id) });
      // The clock moves by more than a lease lasts.
      await moveClock(world.database, 31_000);
    }
    expect(await eventsOf(world, other.sessionId)).toEqual(['checkout.session.expired']);
    expect([...failed].sort()).toEqual(stuck.map(({ sessionId }) => sessionId).sort());
    await mendGateway(world, broken);
    await runRecovery(world);
    await sweep();
    for (const session of stuck) {
      expect(await readState(world, session)).toMatchObject({ status: 'expired' });
    }
  });

  it('never a payment that has succeeded: the buyer approved at the last moment', async () => {
    const session = await aSession(world, { captureMethod: 'automatic' });
    const answer = await pay(world, session, cards.needs3ds);
    const { challenge } = (answer as { body: { challenge: { url: string } } }).body;
    await expireNow(world, session);
    await answerChallenge(challenge.url, 'approve');
    await sweep();
    expect(await readState(world, session)).toMatchObject({ status: 'completed' });
    expect(await eventsOf(world, session.sessionId)).toEqual(['checkout.session.completed']);
    await sweep();
    expect(await readState(world, session)).toMatchObject({ status: 'completed' });
  });

  it('a hold that was approved is never released for want of a reading', async () => {
    const session = await aSession(world, { captureMethod: 'manual' });
    const answer = await pay(world, session, cards.needs3ds);
    const { challenge } = (answer as { body: { challenge: { url: string } } }).body;
    await expireNow(world, session);
    await answerChallenge(challenge.url, 'approve');
    const match = { method: 'GET', path: '/v1/payment_intents/*' };
    await world.fault(match, 'error_503_unrecorded', { count: 20 });
    await sweep();
    await world.control('DELETE', '/_control/faults');
    expect(await readState(world, session)).not.toMatchObject({ status: 'expired' });
    const [payment] = await paymentsOf(world, session);
    const moves = (await world.ledger(payment?.provider_intent_id ?? '')).map(({ kind }) => kind);
    expect(moves).not.toContain('void');
    await runRecovery(world);
    expect(await readState(world, session)).toMatchObject({ status: 'authorized' });
  });

  it('approved between the last look and the close: the hold is released, and the record says why', async () => {
    const session = await aSession(world, { captureMethod: 'manual' });
    const answer = await pay(world, session, cards.needs3ds);
    const { challenge } = (answer as { body: { challenge: { url: string } } }).body;
    await expireNow(world, session);
    const late: World['ports'] = {
      ...world.ports,
      provider: (gateway) => {
        const real = world.ports.provider(gateway);
        return {
          ...real,
          cancel: async (call) => {
            await answerChallenge(challenge.url, 'approve');
            return real.cancel(call);
          },
        };
      },
    };
    await sweep(late);
    expect(await readState(world, session)).toMatchObject({
      status: 'expired',
      latestTransactionAttempt: { result: 'CANCELED', declineCode: 'approved_too_late' },
    });
    const [payment] = await paymentsOf(world, session);
    const moves = (await world.ledger(payment?.provider_intent_id ?? '')).map(({ kind }) => kind);
    expect(moves).toEqual(['authorize', 'void']);
    expect(payment?.status).toBe('failed');
  });

  it('a sweep and an approval at once, over and over: paid or expired, in step with the provider', async () => {
    for (let round = 0; round < 8; round++) {
      const captureMethod = round % 2 ? 'manual' : 'automatic';
      const session = await aSession(world, { captureMethod });
      const answer = await pay(world, session, cards.needs3ds);
      const { challenge } = (answer as { body: { challenge: { url: string } } }).body;
      await expireNow(world, session);
      await Promise.all([
        sweep(),
        answerChallenge(challenge.url, 'approve').catch(() => undefined),
      ]);
      await runRecovery(world);
      await sweep();
      const { status } = await readState(world, session);
      const [payment] = await paymentsOf(world, session);
      const moves = (await world.ledger(payment?.provider_intent_id ?? '')).map(({ kind }) => kind);
      const isHeld = moves.includes('authorize') && !moves.includes('void');
      const isPaid = moves.includes('capture');
      expect(['expired', 'authorized', 'completed']).toContain(status);
      expect(status !== 'expired').toBe(isHeld || isPaid);
    }
  });

  it('an open intent is closed too, and its secret buys nothing more', async () => {
    const session = await aSession(world);
    await openIntent(world, session);
    await expireNow(world, session);
    await sweep();
    expect(await readState(world, session)).toMatchObject({ status: 'expired' });
    const [payment] = await paymentsOf(world, session);
    expect(payment?.status).toBe('failed');
  });

  it('what is in doubt waits for the provider’s word, and is not expired', async () => {
    const session = await aSession(world, { captureMethod: 'automatic' });
    await pay(world, session, cards.needs3ds);
    await expireNow(world, session);
    await world.fault({ path: '/v1/payment_intents/*/cancel' }, 'drop_request', { count: 2 });
    await sweep();
    expect((await readState(world, session)).status).not.toBe('expired');
    expect(await eventsOf(world, session.sessionId)).toEqual([]);
  });

  it('paid, held and canceled sessions are left alone', async () => {
    const paid = await aSession(world, { captureMethod: 'automatic' });
    const held = await aSession(world, { captureMethod: 'manual' });
    await pay(world, paid);
    await pay(world, held);
    await expireNow(world, paid);
    await expireNow(world, held);
    await sweep();
    expect(await readState(world, paid)).toMatchObject({ status: 'completed' });
    expect(await readState(world, held)).toMatchObject({ status: 'authorized' });
  });

  it('what nobody tried to pay goes after 30 days, and what was tried stays', async () => {
    const unpaid = await aSession(world);
    const tried = await aSession(world);
    await expect(pay(world, tried, cards.declined)).rejects.toMatchObject({
      code: 'card_declined',
    });
    await expireNow(world, unpaid);
    await expireNow(world, tried);
    await sweep();
    await moveClock(world.database, 29 * 86_400_000);
    await removeBatches(world.ports);
    expect(await readState(world, unpaid)).toMatchObject({ status: 'expired' });
    await moveClock(world.database, 30 * 86_400_000 + 60_000);
    await removeBatches(world.ports);
    await expect(readState(world, unpaid)).rejects.toMatchObject({
      code: 'checkout_session_not_found',
    });
    expect(await readState(world, tried)).toMatchObject({ status: 'expired' });
  });

  it('goes with the wallet’s orders that were ready for it', async () => {
    const unpaid = await Promise.all([aSession(world), aSession(world)]);
    for (const session of unpaid) {
      await expireNow(world, session);
      await world.database.write(insertOrder, [session.sessionId]);
    }
    await sweep();
    await moveClock(world.database, 30 * 86_400_000 + 60_000);
    await removeBatches(world.ports);
    for (const session of unpaid) {
      await expect(readState(world, session)).rejects.toMatchObject({
        code: 'checkout_session_not_found',
      });
    }
  });

  it('a session ends though another one cannot be deleted', async () => {
    const [kept, due] = await Promise.all([aSession(world), aSession(world)]);
    await expireNow(world, kept);
    await sweep();
    await moveClock(world.database, 30 * 86_400_000 + 60_000);
    await expireNow(world, due);
    await plantInDatabase(world.ownerUrl, (plant) =>
      plant(`create function refuse_deletion() returns trigger language plpgsql as
        $$ begin raise exception 'as planted'; end $$;
        create trigger refuse_deletion before delete on checkout_sessions
          for each row execute function refuse_deletion()`),
    );
    try {
      await expect(removeBatches(world.ports)).rejects.toThrow('as planted');
      await sweep();
      expect(await world.database.read(findStatus, [due.sessionId])).toEqual([
        { status: 'expired' },
      ]);
    } finally {
      await plantInDatabase(world.ownerUrl, (plant) =>
        plant('drop function refuse_deletion cascade'),
      );
    }
  });
});

const findStatus = sql('t_find_status', 'select status from checkout_sessions where id = $1');
const insertOrder = sql(
  't_insert_order',
  `insert into wallet_orders (id, client_id, session_id, gateway_id, amount_minor, currency, made_at,
     is_open, is_given_up)
   select gen_random_uuid(), client_id, id, gateway_id, 100, 'EUR', svc_clock(), false, true
   from checkout_sessions where id = $1`,
);

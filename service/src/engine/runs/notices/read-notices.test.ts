// Reliability §2.5: any multiset and order of genuine notices ends in the provider's truth (W1),
// nothing moves backwards (W4), unknown intents are kept for a day (W6), F25 to F28 and F35.

import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { moveClock, newId } from '../../../../test/harness.ts';
import {
  deliverNotice,
  noticeState,
  type ProviderEvent,
  providerEvents,
  readAllNotices,
} from '../../../../test/payments/notices.ts';
import { type PlantStatement, plantInDatabase } from '../../../../test/payments/planted.ts';
import { aHold, aSession, moveHold, pay, startWorld, type World } from '../../../../test/world.ts';
import { sql } from '../../../storage/database/sql.ts';
import { claimOperation } from '../../../storage/payments/claim-operation.ts';
import { findPayment } from '../../../storage/payments/payments.ts';
import { settleInDoubt } from '../payments/settle-in-doubt.ts';
import { readNotices } from './read-notices.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterEach(() => world.control('DELETE', '/_control/faults'));
afterAll(() => world?.close());

const events = sql<{ type: string }>(
  'test_notice_events',
  'select type from events where resource_id = $1 order by sequence',
);
const history = sql<{ status: string }>(
  'test_notice_history',
  'select status from payment_history where payment_id = $1 order by version',
);
const typesOf = async (id: string) =>
  (await world.database.read(events, [id])).map((event) => event.type);
const paymentOf = async (id: string) => {
  const payment = await findPayment(world.database, world.client.id, id);
  if (!payment) throw new Error('no payment');
  return payment;
};
const intentOf = async (id: string) => (await paymentOf(id)).providerIntentId ?? '';
const letGo = sql(
  'test_notice_let_go',
  `update payment_operations set lease_until = null, next_check_at = svc_clock()
   where payment_id = $1`,
);
const recoverOperations = () =>
  settleInDoubt(world.ports, {
    limit: 50,
    onError: (_, error) => {
      throw error;
    },
  });
const notice = (intentId: string, type = 'payment_intent.succeeded') => ({
  object: 'event',
  id: `evt_${newId()}`,
  type,
  created: Math.floor(Date.now() / 1000),
  livemode: false,
  data: { object: { object: 'payment_intent', id: intentId } },
});

type End = {
  act: (paymentId: string, intentId: string) => Promise<unknown>;
  status: string;
  reason: string | null;
  types: string[];
};
const changeByHand = (path: (intent: string) => string) => (_: string, intentId: string) =>
  world.control('POST', `/_control/${path(intentId)}`);
const ends: Record<string, End> = {
  'captured by us': {
    act: (paymentId) => moveHold(world, 'capturePayment', { paymentId, key: newId() }),
    status: 'succeeded',
    reason: null,
    types: ['payment.authorized', 'item.purchased'],
  },
  'cancelled by us': {
    act: (paymentId) => moveHold(world, 'cancelPayment', { paymentId, key: newId() }),
    status: 'voided',
    reason: 'merchant_requested',
    types: ['payment.authorized', 'payment.authorization_voided'],
  },
  'captured by hand at the provider': {
    act: changeByHand((intent) => `intents/${intent}/capture`),
    status: 'succeeded',
    reason: null,
    types: ['payment.authorized', 'item.purchased'],
  },
  'cancelled by hand at the provider': {
    act: changeByHand((intent) => `intents/${intent}/cancel`),
    status: 'voided',
    reason: 'provider_canceled',
    types: ['payment.authorized', 'payment.authorization_voided'],
  },
  'expired at the provider': {
    act: changeByHand((intent) => `holds/${intent}/expire`),
    status: 'voided',
    reason: 'expired',
    types: ['payment.authorized', 'payment.authorization_expired'],
  },
};

describe('any multiset and order of notices', () => {
  // Each number picks an event, any number of times; a negative number runs the worker once.
  const plan = fc.array(fc.integer({ min: -3, max: 40 }), { minLength: 1, maxLength: 12 });

  it.each(Object.entries(ends))(
    '%s: ends in the truth of the provider, told once, never back',
    async (_, end) => {
      await fc.assert(
        fc.asyncProperty(plan, async (picks) => {
          const { paymentId } = await aHold(world);
          const intentId = await intentOf(paymentId);
          await end.act(paymentId, intentId);
          const genuine = await providerEvents(world, intentId);
          expect(genuine.length).toBeGreaterThan(3);
          for (const pick of picks) {
            if (pick < 0) await readAllNotices(world);
            else await deliverNotice(world, genuine[pick % genuine.length] as ProviderEvent);
          }
          await deliverNotice(world, genuine[0] as ProviderEvent);
          await readAllNotices(world);
          expect(await paymentOf(paymentId)).toMatchObject({
            status: end.status,
            authorizationVoidReason: end.reason,
          });
          expect(await typesOf(paymentId)).toEqual(end.types);
          const statuses = (await world.database.read(history, [paymentId])).map(
            (row) => row.status,
          );
          const lastHeld = statuses.lastIndexOf('authorized');
          expect(statuses.slice(lastHeld + 1).every((status) => status === end.status)).toBe(true);
        }),
        { numRuns: 8 },
      );
    },
    30_000,
  );

  it('a payment captured at once is left alone by its own notices', async () => {
    const session = await aSession(world, { captureMethod: 'automatic' });
    const answer = await pay(world, session);
    const { paymentId } = (answer as { body: { paymentId: string } }).body;
    const before = await paymentOf(paymentId);
    for (const event of await providerEvents(world, await intentOf(paymentId))) {
      await deliverNotice(world, event);
    }
    await readAllNotices(world);
    expect(await paymentOf(paymentId)).toEqual(before);
  });
});

describe('a notice that says what is not so', () => {
  it('moves nothing: the provider is read, the notice is not believed', async () => {
    const { paymentId } = await aHold(world);
    const intentId = await intentOf(paymentId);
    for (const type of ['payment_intent.succeeded', 'payment_intent.canceled']) {
      const said = notice(intentId, type);
      await deliverNotice(world, said);
      await readAllNotices(world);
      // The copy that was read may lag behind the notice.
      expect(await noticeState(world, said.id)).toMatchObject({ is_read: false });
    }
    expect((await paymentOf(paymentId)).status).toBe('authorized');
    expect(await typesOf(paymentId)).toEqual(['payment.authorized']);
  });

  it('a stale one after the capture moves nothing back', async () => {
    const { paymentId } = await aHold(world);
    await moveHold(world, 'capturePayment', { paymentId, key: newId() });
    const stale = notice(await intentOf(paymentId), 'payment_intent.amount_capturable_updated');
    await deliverNotice(world, stale);
    await readAllNotices(world);
    expect((await paymentOf(paymentId)).status).toBe('succeeded');
  });

  it('about nothing of ours is put away', async () => {
    const said = { ...notice(''), data: { object: { object: 'customer', id: 'cus_1' } } };
    await deliverNotice(world, said);
    await readAllNotices(world);
    expect(await noticeState(world, said.id)).toMatchObject({ outcome: 'not_ours' });
  });
});

describe('a notice and an operation', () => {
  it('while a holder works: left for later, the provider is not asked', async () => {
    const { paymentId } = await aHold(world);
    const intentId = await intentOf(paymentId);
    const claim = await claimOperation(world.database, {
      kind: 'capture',
      clientId: world.client.id,
      paymentId,
      idempotencyKey: newId(),
      rawSha256: Buffer.alloc(32),
      canonSha256: Buffer.alloc(32),
      requestId: 'req_1',
      asker: { via: 'token', userId: world.token.userId, tokenId: world.token.id },
      isUnderway: false,
      operationId: newId(),
      leaseOwner: newId(),
      leaseMs: 30_000,
    });
    expect(claim.kind).toBe('claimed');
    await world.control('POST', `/_control/intents/${intentId}/capture`);
    const said = notice(intentId);
    await deliverNotice(world, said);
    await readAllNotices(world);
    expect(await noticeState(world, said.id)).toMatchObject({ is_read: false, tries: 1 });
    expect((await paymentOf(paymentId)).status).toBe('authorized');

    await world.database.write(letGo, [paymentId]);
    world.nudged.length = 0;
    await readAllNotices(world);
    expect(await noticeState(world, said.id)).toMatchObject({ is_read: false, tries: 2 });
    expect(world.nudged).toContain('settle-in-doubt');
    await recoverOperations();
    expect((await paymentOf(paymentId)).status).toBe('succeeded');
    await readAllNotices(world);
    expect(await noticeState(world, said.id)).toMatchObject({ outcome: 'nothing_to_change' });
    expect(await typesOf(paymentId)).toEqual(['payment.authorized', 'item.purchased']);
  });

  it('before our own settlement: handed to it, and settled at once, not at the next look', async () => {
    const session = await aSession(world, { captureMethod: 'automatic' });
    await world.fault({ path: '/v1/payment_intents/*/confirm' }, 'drop_reply', { count: 2 });
    await world.fault({ method: 'GET', path: '/v1/payment_intents/*' }, 'error_503_unrecorded', {
      count: 1,
    });
    const answer = await pay(world, session);
    const { paymentId } = (answer as { body: { paymentId: string } }).body;
    expect((await paymentOf(paymentId)).status).toBe('unknown');
    const putOff = sql(
      'test_notice_put_off',
      `update payment_operations set next_check_at = svc_clock() + interval '1 hour'
       where payment_id = $1`,
    );
    await world.database.write(putOff, [paymentId]);
    expect(await recoverOperations()).toBe(0);
    for (const event of await providerEvents(world, await intentOf(paymentId))) {
      await deliverNotice(world, event);
    }
    await readAllNotices(world);
    expect(await recoverOperations()).toBe(1);
    expect((await paymentOf(paymentId)).status).toBe('succeeded');
    expect(await typesOf(paymentId)).toEqual(['item.purchased']);
  });

  it('the buyer who authenticated is seen as soon as the notice comes', async () => {
    const session = await aSession(world);
    const answer = await pay(world, session, '4000002760003184');
    const { paymentId, challenge } = (
      answer as { body: { paymentId: string; challenge: { url: string } } }
    ).body;
    await fetch(challenge.url, {
      method: 'POST',
      body: new URLSearchParams({ outcome: 'approve' }),
      redirect: 'manual',
    });
    await deliverNotice(world, notice(await intentOf(paymentId)));
    await readAllNotices(world);
    expect(await recoverOperations()).toBe(1);
    expect((await paymentOf(paymentId)).status).toBe('authorized');
  });
});

describe('a notice that cannot be read now', () => {
  it('is tried again with growing pauses, and then settles', async () => {
    const { paymentId } = await aHold(world);
    const intentId = await intentOf(paymentId);
    await world.control('POST', `/_control/intents/${intentId}/capture`);
    await world.fault(
      { method: 'GET', path: `/v1/payment_intents/${intentId}` },
      'error_503_unrecorded',
      { count: 3 },
    );
    const said = notice(intentId);
    await deliverNotice(world, said);
    const pauses: number[] = [];
    for (let i = 0; i < 3; i++) {
      await readAllNotices(world);
      pauses.push(Math.round((await noticeState(world, said.id))?.pause ?? 0));
    }
    expect(pauses).toEqual([1, 2, 4]);
    await readAllNotices(world);
    expect(await noticeState(world, said.id)).toMatchObject({ outcome: 'settled', tries: 4 });
    expect((await paymentOf(paymentId)).status).toBe('succeeded');
  });

  it('does not keep the others waiting, and is told', async () => {
    const bad = notice('pi_bad');
    const { paymentId } = await aHold(world);
    const intentId = await intentOf(paymentId);
    await world.control('POST', `/_control/intents/${intentId}/capture`);
    const good = notice(intentId);
    await deliverNotice(world, bad);
    await deliverNotice(world, good);
    const { read } = world.database;
    const database = {
      ...world.database,
      read: ((query: never, values: readonly unknown[]) => {
        if (values.includes('pi_bad')) throw new Error('planted');
        return read(query, values);
      }) as typeof read,
    };
    const told: string[] = [];
    await readNotices(
      { ...world.ports, database },
      { limit: 200, onError: ({ id }) => void told.push(id) },
    );
    expect(told).toEqual([bad.id]);
    expect((await paymentOf(paymentId)).status).toBe('succeeded');
    expect(await noticeState(world, bad.id)).toMatchObject({ is_read: false });
  });

  it('waits for none of another payment, and for each of its own', async () => {
    const asked: string[] = [];
    const underWay = new Set<string>();
    const provider: World['ports']['provider'] = (gateway) => {
      const real = world.ports.provider(gateway);
      const retrieve = async (id: string) => {
        expect(underWay.has(id)).toBe(false);
        underWay.add(id);
        asked.push(id);
        await expect.poll(() => new Set(asked).size).toBeGreaterThan(1);
        return real.retrieve(id).finally(() => underWay.delete(id));
      };
      return { ...real, retrieve };
    };
    for (const { paymentId } of [await aHold(world), await aHold(world)]) {
      const intentId = await intentOf(paymentId);
      await deliverNotice(world, notice(intentId, 'charge.succeeded'));
      await deliverNotice(world, notice(intentId, 'charge.succeeded'));
    }
    await readAllNotices({ ...world, ports: { ...world.ports, provider } });
    expect(asked.length).toBeGreaterThan(3);
  });

  it('is taken up by one of several readers', async () => {
    await readAllNotices(world);
    const { paymentId } = await aHold(world);
    const intentId = await intentOf(paymentId);
    await world.control('POST', `/_control/intents/${intentId}/cancel`);
    const all = Array.from({ length: 12 }, () => notice(intentId, 'payment_intent.canceled'));
    await Promise.all(all.map((said) => deliverNotice(world, said)));
    const passes = await Promise.all(
      [1, 2, 3, 4].map(() =>
        readNotices(world.ports, {
          limit: 5,
          onError: (_, error) => {
            throw error;
          },
        }),
      ),
    );
    expect(passes.reduce((sum, count) => sum + count, 0)).toBe(12);
    expect(await typesOf(paymentId)).toEqual([
      'payment.authorized',
      'payment.authorization_voided',
    ]);
  });
});

describe('an intent that we do not know', () => {
  it('is kept: it may become ours', async () => {
    const { paymentId } = await aHold(world);
    const intentId = await intentOf(paymentId);
    await world.control('POST', `/_control/intents/${intentId}/capture`);
    const clearIntent = (run: PlantStatement) =>
      run('update payments set provider_intent_id = null where id = $1', [paymentId]);
    await plantInDatabase(world.ownerUrl, clearIntent);
    const said = notice(intentId);
    await deliverNotice(world, said);
    await readAllNotices(world);
    expect(await noticeState(world, said.id)).toMatchObject({ is_read: false });
    const learn = sql(
      'test_notice_learn_intent',
      'update payments set provider_intent_id = $2 where id = $1',
    );
    await world.database.write(learn, [paymentId, intentId]);
    await readAllNotices(world);
    expect(await noticeState(world, said.id)).toMatchObject({ outcome: 'settled' });
    expect((await paymentOf(paymentId)).status).toBe('succeeded');
  });

  it('for a day, and then given up', async () => {
    const said = notice('pi_of_somebody');
    await deliverNotice(world, said);
    await readAllNotices(world);
    await moveClock(world.database, 24 * 3_600_000 - 60_000);
    await readAllNotices(world);
    expect(await noticeState(world, said.id)).toMatchObject({ is_read: false });
    await moveClock(world.database, 61_000);
    await readAllNotices(world);
    expect(await noticeState(world, said.id)).toMatchObject({ outcome: 'unknown_object' });
  });
});

// Disputes through notices, against the sandbox. Spec: Payment rules 1 to 4. Contract §2, §7, §12.

import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  aPurchase,
  chargebacksOf,
  deliver,
  dispute,
  eventsOf,
  hear,
  outcomes,
  readAll,
  step,
  typesOf,
} from '../../../test/disputes.ts';
import { callerOf } from '../../../test/harness.ts';
import { startWorld, type World } from '../../../test/world.ts';
import { findPayment } from '../../storage/payments.ts';
import { sql } from '../../storage/sql.ts';
import { refuse } from '../implement.ts';
import { operations } from '../index.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld();
}, 60_000);
afterAll(() => world?.close());

async function disputeOf(paymentId: string, of: World = world) {
  const query = { page: 1, limit: 20, sortField: 'createdAt', sortDirection: 'DESC' } as const;
  const filters = [{ field: 'paymentId', op: 'eq', values: [paymentId] }] as const;
  const answer = await operations.listDisputes(
    { ...query, filters },
    callerOf(of.token),
    of.ports,
    refuse,
  );
  if (!('body' in answer)) throw new Error('a list has a body');
  const [found] = answer.body.data;
  if (!found || answer.body.total !== 1) throw new Error(`${answer.body.total} disputes`);
  return found;
}

async function refund(paymentId: string) {
  const digest = Buffer.alloc(32, paymentId);
  const keys = { idempotencyKey: randomUUID(), rawSha256: digest, canonSha256: digest };
  const input = { paymentId, body: { amount: 1 }, ...keys };
  return operations.createRefund(input, callerOf(world.token), world.ports, refuse);
}
const disputed = expect.objectContaining({ code: 'payment_disputed' });

/** What the provider's own record says was taken and not given back. */
async function movedAtProvider(intent: string): Promise<number> {
  const sign: Record<string, number> = { dispute_withdrawn: 1, dispute_reinstated: -1 };
  const entries = await world.ledger(intent);
  return entries.reduce((sum, { kind, amount }) => sum + (sign[kind] ?? 0) * amount, 0);
}

describe('a chargeback', () => {
  it('withdraws: one row, positive, at the time of the balance transaction', async () => {
    const { paymentId, intent } = await aPurchase(world);
    const before = await findPayment(world.database, world.client.id, paymentId);
    const id = await dispute(world, intent, { reason: 'product_not_received' });
    await hear(world, id);
    const [row, ...more] = await chargebacksOf(world, paymentId);
    expect(more).toEqual([]);
    expect(row).toMatchObject({
      amount_minor: '1990',
      status: 'succeeded',
      provider_dispute_id: id,
      gateway_charge_id: before?.gatewayChargeId,
    });
    expect(row?.financial_effective_at.getMilliseconds()).toBe(0);
    const shown = await disputeOf(paymentId);
    expect(shown).toMatchObject({
      status: 'needs_response',
      reason: 'product_not_received',
      amount: 19.9,
      withdrawnAmount: 19.9,
      providerDisputeId: id,
      closedAt: null,
    });
    expect(shown.evidenceDueBy).not.toBeNull();
    expect(await typesOf(world, shown.id)).toEqual(['dispute.opened']);
    expect(await typesOf(world, row?.id ?? '')).toEqual(['chargeback.withdrawn']);
    expect(await findPayment(world.database, world.client.id, paymentId)).toEqual(before);
  });

  it('won: the money comes back as a negative row, the sum is zero', async () => {
    const { paymentId, intent } = await aPurchase(world);
    const id = await dispute(world, intent);
    await hear(world, id);
    await step(world, id, 'close', { outcome: 'won' });
    await hear(world, id);
    const rows = await chargebacksOf(world, paymentId);
    expect(rows.map((row) => row.amount_minor)).toEqual(['1990', '-1990']);
    expect(await typesOf(world, rows[1]?.id ?? '')).toEqual(['chargeback.reinstated']);
    const shown = await disputeOf(paymentId);
    expect(shown).toMatchObject({ status: 'won', withdrawnAmount: 0, version: 1 });
    expect(shown.closedAt).not.toBeNull();
    expect(await typesOf(world, shown.id)).toEqual(['dispute.opened', 'dispute.closed']);
  });

  it('evidence, an update and an end add no row', async () => {
    const { paymentId, intent } = await aPurchase(world);
    const id = await dispute(world, intent);
    await hear(world, id);
    await step(world, id, 'evidence');
    await hear(world, id);
    await step(world, id, 'close', { outcome: 'lost' });
    await hear(world, id);
    expect(await chargebacksOf(world, paymentId)).toHaveLength(1);
    const shown = await disputeOf(paymentId);
    expect(shown).toMatchObject({ status: 'lost', withdrawnAmount: 19.9 });
    const types = ['dispute.opened', 'dispute.updated', 'dispute.closed'];
    expect(await typesOf(world, shown.id)).toEqual(types);
  });

  it('first heard of at its end: opened and closed, both movements', async () => {
    const { paymentId, intent } = await aPurchase(world);
    const id = await dispute(world, intent);
    await step(world, id, 'close', { outcome: 'won' });
    const last = (await eventsOf(world, id)).at(-1);
    await deliver(world, last ?? {});
    await readAll(world);
    const shown = await disputeOf(paymentId);
    expect(await typesOf(world, shown.id)).toEqual(['dispute.opened', 'dispute.closed']);
    expect(await chargebacksOf(world, paymentId)).toHaveLength(2);
  });

  it('money that moves after the end changes the withdrawn amount and the version', async () => {
    const { paymentId, intent } = await aPurchase(world);
    const id = await dispute(world, intent);
    await step(world, id, 'close', { outcome: 'won', movesFunds: false });
    await hear(world, id);
    const before = await disputeOf(paymentId);
    await step(world, id, 'reinstate', { amount: 990 });
    await hear(world, id);
    const after = await disputeOf(paymentId);
    expect([before.withdrawnAmount, after.withdrawnAmount]).toEqual([19.9, 10]);
    expect(after.version).toBe(before.version + 1);
    expect(await typesOf(world, after.id)).toEqual(['dispute.opened', 'dispute.closed']);
  });

  it('several on one charge: grouped by the provider dispute', async () => {
    const { paymentId, intent } = await aPurchase(world);
    const one = await dispute(world, intent, { amount: 500 });
    const other = await dispute(world, intent, { amount: 700 });
    await hear(world, one);
    await hear(world, other);
    const sums = new Map<string, number>();
    for (const row of await chargebacksOf(world, paymentId)) {
      const sum = sums.get(row.provider_dispute_id) ?? 0;
      sums.set(row.provider_dispute_id, sum + Number(row.amount_minor));
    }
    expect(Object.fromEntries(sums)).toEqual({ [one]: 500, [other]: 700 });
  });

  it('20 notices at once, read by four workers: each row and event once', async () => {
    const { paymentId, intent } = await aPurchase(world);
    const id = await dispute(world, intent);
    await step(world, id, 'close', { outcome: 'won' });
    const events = await eventsOf(world, id);
    const copies = Array.from({ length: 5 }, () => events).flat();
    await Promise.all(
      copies.map((event, i) => deliver(world, { ...event, id: `${event.id}_${i}` })),
    );
    for (let pass = 0; pass < 5; pass++) {
      await Promise.all([readAll(world), readAll(world), readAll(world), readAll(world)]);
    }
    const rows = await chargebacksOf(world, paymentId);
    expect(rows.map((row) => row.amount_minor)).toEqual(['1990', '-1990']);
    const shown = await disputeOf(paymentId);
    expect(await typesOf(world, shown.id)).toEqual(['dispute.opened', 'dispute.closed']);
    const ended = await outcomes(world);
    for (const [i, event] of copies.entries()) {
      expect(['settled', 'nothing_to_change']).toContain(ended.get(`${event.id}_${i}`));
    }
  }, 30_000);
});

describe('refunds under dispute', () => {
  it('409 payment_disputed while a chargeback is open or lost', async () => {
    const { paymentId, intent } = await aPurchase(world);
    const id = await dispute(world, intent, { amount: 500 });
    await hear(world, id);
    await expect(refund(paymentId)).rejects.toEqual(disputed);
    await step(world, id, 'evidence');
    await hear(world, id);
    await expect(refund(paymentId)).rejects.toEqual(disputed);
    await step(world, id, 'close', { outcome: 'lost' });
    await hear(world, id);
    await expect(refund(paymentId)).rejects.toEqual(disputed);
  });

  it('refused from the opening on, before any money has moved', async () => {
    const { paymentId, intent } = await aPurchase(world);
    await hear(world, await dispute(world, intent, { movesFunds: false }));
    expect(await chargebacksOf(world, paymentId)).toEqual([]);
    await expect(refund(paymentId)).rejects.toEqual(disputed);
  });

  it('allowed once won, even before the money is back, and under an inquiry', async () => {
    const won = await aPurchase(world);
    const id = await dispute(world, won.intent, { amount: 500 });
    await step(world, id, 'close', { outcome: 'won', movesFunds: false });
    await hear(world, id);
    expect(await refund(won.paymentId)).toMatchObject({ status: 201 });

    const asked = await aPurchase(world);
    const inquiry = await dispute(world, asked.intent, { status: 'warning_needs_response' });
    await hear(world, inquiry);
    expect(await disputeOf(asked.paymentId)).toMatchObject({ withdrawnAmount: 0 });
    expect(await refund(asked.paymentId)).toMatchObject({ status: 201 });
    await step(world, inquiry, 'close', { outcome: 'warning_closed' });
    await hear(world, inquiry);
    expect(await refund(asked.paymentId)).toMatchObject({ status: 201 });
  });

  it('a chargeback never takes part in what is refunded or refundable', async () => {
    const { paymentId, intent } = await aPurchase(world);
    await refund(paymentId);
    const id = await dispute(world, intent, { amount: 500 });
    await step(world, id, 'close', { outcome: 'won', movesFunds: false });
    await hear(world, id);
    expect(await findPayment(world.database, world.client.id, paymentId)).toMatchObject({
      status: 'partially_refunded',
      refundedMinor: 100,
      refundPendingMinor: 0,
    });
  });
});

const classifyFrom = sql(
  'test_classified_from',
  `update gateways set classified_from = svc_clock() + make_interval(secs => $2) where id = $1`,
);

describe('what is not for us', () => {
  it('a movement from before the classification began writes no row', async () => {
    const { paymentId, intent } = await aPurchase(world);
    const id = await dispute(world, intent);
    await world.database.write(classifyFrom, [world.gatewayId, 3600]);
    await hear(world, id);
    expect(await chargebacksOf(world, paymentId)).toEqual([]);
    expect(await disputeOf(paymentId)).toMatchObject({ withdrawnAmount: 0 });
    await world.database.write(classifyFrom, [world.gatewayId, -3600]);
    const another = await aPurchase(world);
    await hear(world, await dispute(world, another.intent));
    expect(await chargebacksOf(world, another.paymentId)).toHaveLength(1);
  });

  it('an intent that nobody knows keeps its notice for later', async () => {
    const { paymentId, intent } = await aPurchase(world);
    const id = await dispute(world, intent);
    const [event] = await eventsOf(world, id);
    const object = { ...event?.data.object, payment_intent: 'pi_unknown' };
    await deliver(world, { ...event, id: 'evt_unknown_intent', data: { object } });
    await deliver(world, {
      ...event,
      id: 'evt_no_intent',
      data: { object: { ...object, payment_intent: null } },
    });
    await readAll(world);
    const ended = await outcomes(world);
    expect(ended.get('evt_unknown_intent')).toBeNull();
    expect(ended.get('evt_no_intent')).toBe('not_ours');
    expect(await chargebacksOf(world, paymentId)).toEqual([]);
  });

  it('a notice that names another payment than the provider does changes nothing', async () => {
    const [one, other] = [await aPurchase(world), await aPurchase(world)];
    const id = await dispute(world, one.intent);
    const [event] = await eventsOf(world, id);
    const object = { ...event?.data.object, payment_intent: other.intent };
    await deliver(world, { ...event, id: 'evt_crossed', data: { object } });
    await readAll(world);
    expect((await outcomes(world)).get('evt_crossed')).toBe('not_ours');
    expect(await chargebacksOf(world, other.paymentId)).toEqual([]);
  });
});

const steps = ['withdraw', 'reinstate', 'evidence', 'won', 'lost', 'hear some'] as const;

describe('any history', () => {
  it('and any multiset and order of its notices end in the provider’s truth', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.boolean(),
        fc.array(fc.tuple(fc.constantFrom(...steps), fc.integer({ min: 1, max: 1990 })), {
          maxLength: 7,
        }),
        fc.infiniteStream(fc.nat()),
        async (movesFunds, history, chance) => {
          const pick = (below: number) => Number(chance.next().value) % below;
          const { paymentId, intent } = await aPurchase(world);
          const id = await dispute(world, intent, { movesFunds });
          for (const [name, amount] of history) {
            if (name === 'hear some') {
              for (const event of await eventsOf(world, id)) {
                if (pick(2) === 0) await deliver(world, event);
              }
              await readAll(world);
              continue;
            }
            const isEnd = name === 'won' || name === 'lost';
            const body = isEnd ? { outcome: name } : name === 'evidence' ? {} : { amount };
            // What the bank may not do at this moment it does not do.
            await step(world, id, isEnd ? 'close' : name, body).catch(() => undefined);
          }
          const events = await eventsOf(world, id);
          const bag = [...events, ...events.filter(() => pick(3) === 0)];
          for (let left = bag.length; left > 0; left--) {
            await deliver(world, bag.splice(pick(left), 1)[0] ?? {});
            if (pick(2) === 0) await readAll(world);
          }
          await readAll(world);
          await expectTruth(id, { paymentId, intent });
        },
      ),
      { numRuns: 12 },
    );
  }, 120_000);
});

async function expectTruth(id: string, { paymentId, intent }: Record<string, string>) {
  const headers = { authorization: `Bearer ${world.account.secretKey}` };
  const read = await fetch(`${world.sandbox.url}/v1/disputes/${id}`, { headers });
  const truth = (await read.json()) as {
    status: string;
    balance_transactions: { id: string; amount: number }[];
  };
  const rows = await chargebacksOf(world, paymentId ?? '');
  const booked = truth.balance_transactions.map((one) => [one.id, String(-one.amount)]);
  expect(rows.map((row) => [row.provider_movement_id, row.amount_minor]).sort()).toEqual(
    booked.sort(),
  );
  const shown = await disputeOf(paymentId ?? '');
  expect(shown.status).toBe(truth.status);
  expect(Math.round(shown.withdrawnAmount * 100)).toBe(await movedAtProvider(intent ?? ''));
  for (const row of rows) {
    const type = Number(row.amount_minor) > 0 ? 'withdrawn' : 'reinstated';
    expect(await typesOf(world, row.id)).toEqual([`chargeback.${type}`]);
  }
  const types = await typesOf(world, shown.id);
  const count = (type: string) => types.filter((one) => one === type).length;
  const isClosed = ['won', 'lost'].includes(truth.status);
  expect([count('dispute.opened'), count('dispute.closed')]).toEqual([1, isClosed ? 1 : 0]);
}

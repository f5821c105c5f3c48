// Disputes through notices, against the sandbox. Spec: Payment rules 1 to 4. Contract §2, §7, §12.

import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { callerOf } from '../../../../test/harness.ts';
import {
  aPurchase,
  chargebacksOf,
  deliver,
  deliverDisputeEvents,
  dispute,
  disputeOf,
  eventsOf,
  outcomes,
  readAll,
  step,
  typesOf,
} from '../../../../test/payments/disputes.ts';
import { startWorld, type World } from '../../../../test/world.ts';
import { operations } from '../../../operations/index.ts';
import { readAskingTime } from '../../../storage/database/clock.ts';
import { sql } from '../../../storage/database/sql.ts';
import { findPayment } from '../../../storage/payments/payments.ts';
import { refuse } from '../../implement.ts';
import { openGateway } from '../gateways/open-gateway.ts';
import { settleDispute } from './settle-dispute.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world?.close());

async function refund(paymentId: string) {
  const digest = Buffer.alloc(32, paymentId);
  const keys = { idempotencyKey: randomUUID(), rawSha256: digest, canonSha256: digest };
  const input = { paymentId, body: { amount: 1 }, ...keys };
  return operations.createRefund(input, callerOf(world.token), world.ports, refuse);
}
const disputed = expect.objectContaining({ code: 'payment_disputed' });

describe('a chargeback', () => {
  it('Spec 2.1: withdraws: one row, positive, at the time of the balance transaction', async () => {
    const { paymentId, intent } = await aPurchase(world);
    const before = await findPayment(world.database, world.client.id, paymentId);
    const id = await dispute(world, intent, { reason: 'product_not_received' });
    await deliverDisputeEvents(world, id);
    const [row, ...more] = await chargebacksOf(world, paymentId);
    expect(more).toEqual([]);
    expect(row).toMatchObject({
      amount_minor: '1990',
      status: 'succeeded',
      provider_dispute_id: id,
      gateway_charge_id: before?.gatewayChargeId,
    });
    expect(row?.financial_effective_at.getMilliseconds()).toBe(0);
    const shown = await disputeOf(world, paymentId);
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

  it('Spec 2.1 rule 1: won: the money comes back as a negative row, the sum is zero', async () => {
    const { paymentId, intent } = await aPurchase(world);
    const id = await dispute(world, intent);
    await deliverDisputeEvents(world, id);
    await step(world, id, 'close', { outcome: 'won' });
    await deliverDisputeEvents(world, id);
    const rows = await chargebacksOf(world, paymentId);
    expect(rows.map((row) => row.amount_minor)).toEqual(['1990', '-1990']);
    expect(await typesOf(world, rows[1]?.id ?? '')).toEqual(['chargeback.reinstated']);
    const shown = await disputeOf(world, paymentId);
    expect(shown).toMatchObject({ status: 'won', withdrawnAmount: 0, version: 1 });
    expect(shown.closedAt).not.toBeNull();
    expect(await typesOf(world, shown.id)).toEqual(['dispute.opened', 'dispute.closed']);
  });

  it('evidence, an update and an end add no row', async () => {
    const { paymentId, intent } = await aPurchase(world);
    const id = await dispute(world, intent);
    await deliverDisputeEvents(world, id);
    await step(world, id, 'evidence');
    await deliverDisputeEvents(world, id);
    await step(world, id, 'close', { outcome: 'lost' });
    await deliverDisputeEvents(world, id);
    expect(await chargebacksOf(world, paymentId)).toHaveLength(1);
    const shown = await disputeOf(world, paymentId);
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
    const shown = await disputeOf(world, paymentId);
    expect(await typesOf(world, shown.id)).toEqual(['dispute.opened', 'dispute.closed']);
    expect(await chargebacksOf(world, paymentId)).toHaveLength(2);
  });

  it('money that moves after the end changes the withdrawn amount and the version', async () => {
    const { paymentId, intent } = await aPurchase(world);
    const id = await dispute(world, intent);
    await step(world, id, 'close', { outcome: 'won', movesFunds: false });
    await deliverDisputeEvents(world, id);
    const before = await disputeOf(world, paymentId);
    await step(world, id, 'reinstate', { amount: 990 });
    await deliverDisputeEvents(world, id);
    const after = await disputeOf(world, paymentId);
    expect([before.withdrawnAmount, after.withdrawnAmount]).toEqual([19.9, 10]);
    expect(after.version).toBe(before.version + 1);
    expect(await typesOf(world, after.id)).toEqual(['dispute.opened', 'dispute.closed']);
  });

  it('Spec 2.1 rule 2: several on one charge: grouped by the provider dispute', async () => {
    const { paymentId, intent } = await aPurchase(world);
    const one = await dispute(world, intent, { amount: 500 });
    const other = await dispute(world, intent, { amount: 700 });
    await deliverDisputeEvents(world, one);
    await deliverDisputeEvents(world, other);
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
    // A notice that could not be settled because another worker held the dispute waits for a later
    // pass.
    const countUnread = async () => {
      await readAll(world, 4);
      return [...(await outcomes(world)).values()].filter((outcome) => outcome === null).length;
    };
    await expect.poll(countUnread, { timeout: 20_000 }).toBe(0);
    const rows = await chargebacksOf(world, paymentId);
    expect(rows.map((row) => row.amount_minor)).toEqual(['1990', '-1990']);
    const shown = await disputeOf(world, paymentId);
    expect(await typesOf(world, shown.id)).toEqual(['dispute.opened', 'dispute.closed']);
    const ended = await outcomes(world);
    for (const [i, event] of copies.entries()) {
      expect(['settled', 'nothing_to_change']).toContain(ended.get(`${event.id}_${i}`));
    }
  });
});

describe('refunds under dispute', () => {
  it('422 payment_is_chargeback: a refund of the chargeback itself', async () => {
    const { paymentId, intent } = await aPurchase(world);
    await deliverDisputeEvents(world, await dispute(world, intent, { amount: 500 }));
    const [row] = await chargebacksOf(world, paymentId);
    await expect(refund(row?.id ?? '')).rejects.toMatchObject({ code: 'payment_is_chargeback' });
  });

  it('409 payment_disputed while a chargeback is open or lost', async () => {
    const { paymentId, intent } = await aPurchase(world);
    const id = await dispute(world, intent, { amount: 500 });
    await deliverDisputeEvents(world, id);
    await expect(refund(paymentId)).rejects.toEqual(disputed);
    await step(world, id, 'evidence');
    await deliverDisputeEvents(world, id);
    await expect(refund(paymentId)).rejects.toEqual(disputed);
    await step(world, id, 'close', { outcome: 'lost' });
    await deliverDisputeEvents(world, id);
    await expect(refund(paymentId)).rejects.toEqual(disputed);
  });

  it('refused from the opening on, before any money has moved', async () => {
    const { paymentId, intent } = await aPurchase(world);
    await deliverDisputeEvents(world, await dispute(world, intent, { movesFunds: false }));
    expect(await chargebacksOf(world, paymentId)).toEqual([]);
    await expect(refund(paymentId)).rejects.toEqual(disputed);
  });

  it('allowed once won, even before the money is back, and under an inquiry', async () => {
    const won = await aPurchase(world);
    const id = await dispute(world, won.intent, { amount: 500 });
    await step(world, id, 'close', { outcome: 'won', movesFunds: false });
    await deliverDisputeEvents(world, id);
    expect(await refund(won.paymentId)).toMatchObject({ status: 201 });

    const asked = await aPurchase(world);
    const inquiry = await dispute(world, asked.intent, { status: 'warning_needs_response' });
    await deliverDisputeEvents(world, inquiry);
    expect(await disputeOf(world, asked.paymentId)).toMatchObject({ withdrawnAmount: 0 });
    expect(await refund(asked.paymentId)).toMatchObject({ status: 201 });
    await step(world, inquiry, 'close', { outcome: 'warning_closed' });
    await deliverDisputeEvents(world, inquiry);
    expect(await refund(asked.paymentId)).toMatchObject({ status: 201 });
  });

  it('Spec 2.1 rule 3: a chargeback never takes part in what is refunded or refundable', async () => {
    const { paymentId, intent } = await aPurchase(world);
    await refund(paymentId);
    const id = await dispute(world, intent, { amount: 500 });
    await step(world, id, 'close', { outcome: 'won', movesFunds: false });
    await deliverDisputeEvents(world, id);
    expect(await findPayment(world.database, world.client.id, paymentId)).toMatchObject({
      status: 'partially_refunded',
      refundedMinor: 100,
      refundPendingMinor: 0,
    });
  });
});

describe('a reading that lags', () => {
  const pathOfDispute = (id: string) => ({ path: `/v1/disputes/${id}` });

  it('behind its own notice: the notice waits, and the next reading settles it', async () => {
    const { paymentId, intent } = await aPurchase(world);
    const id = await dispute(world, intent, { movesFunds: false });
    await deliverDisputeEvents(world, id);
    await step(world, id, 'withdraw');
    const told = (await eventsOf(world, id)).at(-1);
    await world.fault(pathOfDispute(id), 'stale_read');
    await deliver(world, told ?? {});
    await readAll(world);
    expect(await chargebacksOf(world, paymentId)).toEqual([]);
    expect((await outcomes(world)).get(told?.id ?? '')).toBeNull();
    await readAll(world);
    expect(await chargebacksOf(world, paymentId)).toHaveLength(1);
    expect((await outcomes(world)).get(told?.id ?? '')).toBe('settled');
  });

  it('behind the second movement of one kind: its notice waits as well', async () => {
    const { paymentId, intent } = await aPurchase(world);
    const id = await dispute(world, intent, { movesFunds: false });
    await step(world, id, 'withdraw', { amount: 500 });
    await deliverDisputeEvents(world, id);
    await step(world, id, 'withdraw', { amount: 1490 });
    const told = (await eventsOf(world, id)).at(-1);
    await world.fault(pathOfDispute(id), 'stale_read');
    await deliver(world, told ?? {});
    await readAll(world);
    expect((await outcomes(world)).get(told?.id ?? '')).toBeNull();
    await readAll(world);
    const amounts = (await chargebacksOf(world, paymentId)).map((row) => row.amount_minor);
    expect(amounts).toEqual(['500', '1490']);
    expect((await disputeOf(world, paymentId)).withdrawnAmount).toBe(19.9);
  });

  it('behind a step that moves no money: its notice waits, and none takes the step back', async () => {
    const { paymentId, intent } = await aPurchase(world);
    const id = await dispute(world, intent);
    const [opened] = await eventsOf(world, id);
    await deliver(world, opened ?? {});
    await readAll(world);
    await step(world, id, 'evidence');
    const told = (await eventsOf(world, id)).at(-1);
    await world.fault(pathOfDispute(id), 'stale_read');
    await deliver(world, told ?? {});
    await readAll(world);
    expect((await outcomes(world)).get(told?.id ?? '')).toBeNull();
    await readAll(world);
    const after = await disputeOf(world, paymentId);
    expect(after.status).toBe('under_review');

    await world.fault(pathOfDispute(id), 'stale_read', { count: 3 });
    await deliver(world, { ...opened, id: 'evt_again' });
    await readAll(world);
    expect(await disputeOf(world, paymentId)).toEqual(after);
    await readAll(world);
    expect((await outcomes(world)).get('evt_again')).toBe('nothing_to_change');
    expect(await disputeOf(world, paymentId)).toEqual(after);
  });

  it('behind what is known: asked for again at once, nothing goes back', async () => {
    const { paymentId, intent } = await aPurchase(world);
    const id = await dispute(world, intent);
    await step(world, id, 'close', { outcome: 'lost' });
    await deliverDisputeEvents(world, id);
    const before = await disputeOf(world, paymentId);
    await world.fault(pathOfDispute(id), 'stale_read');
    await deliver(world, { ...(await eventsOf(world, id))[0], id: 'evt_late_copy' });
    await readAll(world);
    expect((await outcomes(world)).get('evt_late_copy')).toBe('nothing_to_change');
    expect(await disputeOf(world, paymentId)).toEqual(before);
  });

  it('asked before the last change was written: not believed', async () => {
    const { paymentId, intent } = await aPurchase(world);
    const id = await dispute(world, intent);
    await deliverDisputeEvents(world, id);
    const gateway = await openGateway(world.ports, world.client.id, world.gatewayId);
    const askedAt = await readAskingTime(world.database);
    const read = await world.ports.provider(gateway).retrieveDispute(id);
    if (read.kind !== 'found') throw new Error(`the dispute is ${read.kind}`);
    await step(world, id, 'evidence');
    await deliverDisputeEvents(world, id);
    const before = await disputeOf(world, paymentId);
    expect(before.status).toBe('under_review');
    const word = { clientId: world.client.id, purchaseId: paymentId, said: read.dispute, askedAt };
    expect(await settleDispute(word, world.ports)).toBe('behind');
    expect(await disputeOf(world, paymentId)).toEqual(before);
  });

  it.each(['error_500', 'drop_reply', 'truncated'])(
    'no answer (%s): the notice waits',
    async (action) => {
      const { paymentId, intent } = await aPurchase(world);
      const id = await dispute(world, intent);
      const [told] = await eventsOf(world, id);
      await world.fault(pathOfDispute(id), action);
      await deliver(world, told ?? {});
      await readAll(world);
      expect((await outcomes(world)).get(told?.id ?? '')).toBeNull();
      await readAll(world);
      expect((await outcomes(world)).get(told?.id ?? '')).toBe('settled');
      expect(await chargebacksOf(world, paymentId)).toHaveLength(1);
    },
  );
});

const classifyFrom = sql(
  'test_settle_classified_from',
  `update gateways set classified_from = svc_clock() + make_interval(secs => $2) where id = $1`,
);

describe('what is not for us', () => {
  it('a movement from before the classification began writes no row', async () => {
    const { paymentId, intent } = await aPurchase(world);
    const id = await dispute(world, intent);
    await world.database.write(classifyFrom, [world.gatewayId, 3600]);
    await deliverDisputeEvents(world, id);
    expect(await chargebacksOf(world, paymentId)).toEqual([]);
    expect(await disputeOf(world, paymentId)).toMatchObject({ withdrawnAmount: 0 });
    await world.database.write(classifyFrom, [world.gatewayId, -3600]);
    const another = await aPurchase(world);
    await deliverDisputeEvents(world, await dispute(world, another.intent));
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

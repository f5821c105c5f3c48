// Refunds. Contract §2, Refunds. Spec: Payment rules 3 and 4.

import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { aClient, aToken, callerOf, newId, repeatUntilServed } from '../../../test/harness.ts';
import { unclearDue } from '../../../test/payments/checkouts.ts';
import {
  aHold,
  aSession,
  cards,
  moveHold,
  pay,
  startWorld,
  type World,
} from '../../../test/world.ts';
import { refuse } from '../../engine/implement.ts';
import { readNotices } from '../../engine/runs/notices/read-notices.ts';
import { receiveNotice } from '../../engine/runs/notices/receive-notice.ts';
import { settleInDoubt } from '../../engine/runs/payments/settle-in-doubt.ts';
import { sql } from '../../storage/database/sql.ts';
import { findPayment } from '../../storage/payments/payments.ts';
import { operations } from '../index.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world?.close());

const code = (name: string) => expect.objectContaining({ code: name });
const eventsOf = sql<{ type: string }>(
  'test_refund_events',
  'select type from events where resource_id = $1 order by sequence',
);
const typesOf = async (id: string) =>
  (await world.database.read(eventsOf, [id])).map((event) => event.type);
const paymentOf = async (id: string) => {
  const payment = await findPayment(world.database, world.client.id, id);
  if (!payment) throw new Error('the payment is missing');
  return payment;
};

async function aPurchase(number: string = cards.approved): Promise<string> {
  const session = await aSession(world, { captureMethod: 'automatic' });
  const answer = await pay(world, session, number);
  return (answer as { body: { paymentId: string } }).body.paymentId;
}

type RefundOptions = {
  ports?: World['ports'];
  key?: string;
  amount?: number;
  token?: World['token'];
  raw?: string;
  ifVersion?: number;
};

async function refund(paymentId: string, given: RefundOptions = {}) {
  const digest = Buffer.alloc(32, `${given.amount ?? ''}${given.raw ?? ''}${paymentId}`);
  const answer = await operations.createRefund(
    {
      paymentId,
      body: {
        ...(given.amount === undefined ? {} : { amount: given.amount }),
        ...(given.ifVersion === undefined ? {} : { ifVersion: given.ifVersion }),
      },
      idempotencyKey: given.key ?? randomUUID(),
      rawSha256: digest,
      canonSha256: digest,
    },
    callerOf(given.token ?? world.token),
    given.ports ?? world.ports,
    refuse,
  );
  const shown = 'replay' in answer ? JSON.parse(answer.replay) : answer.body;
  return { answer, shown: shown as { id: string; status: string; amount: number } };
}

const refundsInLedger = async (paymentId: string) => {
  const { providerIntentId } = await paymentOf(paymentId);
  return (await world.ledger(providerIntentId ?? '')).filter((one) => one.kind === 'refund');
};

async function recoverOperations(): Promise<void> {
  await world.database.write(unclearDue, []);
  await settleInDoubt(world.ports, {
    limit: 50,
    onError: (_, error) => {
      throw error;
    },
  });
}

describe('createRefund', () => {
  it('Contract §2 refund pending to succeeded, succeeded to refunded · 201: everything that is left; the purchase is refunded, the refund a row of its own', async () => {
    const paymentId = await aPurchase();
    const { shown } = await refund(paymentId);
    expect(shown).toMatchObject({ status: 'succeeded', amount: 19.9, parentPaymentId: paymentId });
    const purchase = await paymentOf(paymentId);
    expect(purchase).toMatchObject({ status: 'refunded', refundedMinor: 1990 });
    const row = await paymentOf(shown.id);
    expect(row).toMatchObject({ type: 'refund', gatewayChargeId: purchase.gatewayChargeId });
    expect(row.financialEffectiveAt).not.toBeNull();
    expect(await typesOf(shown.id)).toEqual(['refund.created', 'refund.succeeded']);
    expect(await refundsInLedger(paymentId)).toMatchObject([{ amount: 1990 }]);
  });

  it('Contract §2 succeeded to partially_refunded, partially_refunded to refunded: many parts: partially_refunded until the last one', async () => {
    const paymentId = await aPurchase();
    await refund(paymentId, { amount: 5 });
    expect(await paymentOf(paymentId)).toMatchObject({ status: 'partially_refunded' });
    await refund(paymentId, { amount: 14.9 });
    expect(await paymentOf(paymentId)).toMatchObject({ status: 'refunded' });
    await expect(refund(paymentId, { amount: 0.01 })).rejects.toEqual(
      code('refund_amount_exceeds_available'),
    );
  });

  it('409 payment_changed: the version that was read is over; the payment comes with it', async () => {
    const paymentId = await aPurchase();
    const { version } = await paymentOf(paymentId);
    const first = { key: randomUUID(), amount: 5, ifVersion: version };
    const { shown } = await refund(paymentId, first);
    const refused = await refund(paymentId, { amount: 5, ifVersion: version }).catch(
      (error) => error,
    );
    const now = await paymentOf(paymentId);
    expect(refused).toMatchObject({
      code: 'payment_changed',
      facts: { param: 'ifVersion', payment: { id: paymentId, version: now.version } },
    });
    expect(refused.facts.payment).toMatchObject({ amountRefunded: 5, amountRefundable: 14.9 });
    expect(await refundsInLedger(paymentId)).toMatchObject([{ amount: 500 }]);
    // The repeat of the first refund gets its own response, whatever the version is now.
    expect((await refund(paymentId, first)).shown.id).toBe(shown.id);
    await refund(paymentId, { amount: 5, ifVersion: now.version });
    expect(await refundsInLedger(paymentId)).toHaveLength(2);
  });

  it('of two who read the same version one refunds, whoever comes first', async () => {
    const paymentId = await aPurchase();
    const { version } = await paymentOf(paymentId);
    const asked = { amount: 5, ifVersion: version };
    const ends = await Promise.allSettled([refund(paymentId, asked), refund(paymentId, asked)]);
    expect(ends.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect(ends.find(({ status }) => status === 'rejected')).toMatchObject({
      reason: { code: 'payment_changed' },
    });
    expect(await refundsInLedger(paymentId)).toHaveLength(1);
  });

  it('50 parts at once never give back more than was captured', async () => {
    const paymentId = await aPurchase();
    const answers = await Promise.allSettled(
      Array.from({ length: 50 }, () => {
        const key = randomUUID();
        return repeatUntilServed(() => refund(paymentId, { key, amount: 1 }));
      }),
    );
    const done = answers.filter((answer) => answer.status === 'fulfilled');
    expect(done).toHaveLength(19);
    for (const answer of answers) {
      if (answer.status === 'rejected') {
        expect(answer.reason).toEqual(code('refund_amount_exceeds_available'));
      }
    }
    expect(await refundsInLedger(paymentId)).toHaveLength(19);
  }, 90_000);

  it('the same key replays byte for byte, 20 at once make one refund', async () => {
    const paymentId = await aPurchase();
    const key = randomUUID();
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => refund(paymentId, { key, amount: 2 })),
    );
    expect(new Set(answers.map(({ shown }) => JSON.stringify(shown))).size).toBe(1);
    expect(await refundsInLedger(paymentId)).toHaveLength(1);
  });

  it('409 idempotency_key_reused: another amount or another payment', async () => {
    const paymentId = await aPurchase();
    const other = await aPurchase();
    const key = randomUUID();
    await refund(paymentId, { key, amount: 2 });
    await expect(refund(paymentId, { key, amount: 3 })).rejects.toEqual(
      code('idempotency_key_reused'),
    );
    await expect(refund(other, { key, amount: 2 })).rejects.toEqual(code('idempotency_key_reused'));
  });

  it('422 payment_voided: the hold was released', async () => {
    const { paymentId } = await aHold(world);
    await moveHold(world, 'cancelPayment', { paymentId, key: newId() });
    await expect(refund(paymentId)).rejects.toEqual(code('payment_voided'));
  });

  it('422 payment_unfinished: the capture is in doubt', async () => {
    const { paymentId } = await aHold(world);
    await world.fault({ path: '/v1/payment_intents/*/capture' }, 'drop_request', { count: 2 });
    await expect(moveHold(world, 'capturePayment', { paymentId, key: newId() })).rejects.toEqual(
      code('gateway_outcome_unknown'),
    );
    await expect(refund(paymentId)).rejects.toEqual(code('payment_unfinished'));
    await recoverOperations();
    expect((await refund(paymentId)).shown).toMatchObject({ status: 'succeeded' });
  });

  it('422 payment_not_captured, 422 payment_is_refund, 422 refund_amount_exceeds_available', async () => {
    const { paymentId } = await aHold(world);
    await expect(refund(paymentId)).rejects.toEqual(code('payment_not_captured'));
    await moveHold(world, 'capturePayment', { paymentId, key: newId() });
    await expect(refund(paymentId, { amount: 19.91 })).rejects.toEqual(
      code('refund_amount_exceeds_available'),
    );
    const { shown } = await refund(paymentId, { amount: 1 });
    await expect(refund(shown.id)).rejects.toEqual(code('payment_is_refund'));
  });

  it('422 amount_precision: more decimals than the currency has', async () => {
    await expect(refund(await aPurchase(), { amount: 1.001 })).rejects.toEqual(
      code('amount_precision'),
    );
  });

  it('404 payment_not_found: missing and foreign alike', async () => {
    const paymentId = await aPurchase();
    const stranger = await aToken(world.database, await aClient(world.database));
    await expect(refund(paymentId, { token: stranger })).rejects.toEqual(code('payment_not_found'));
    await expect(refund(newId())).rejects.toEqual(code('payment_not_found'));
  });

  it('Contract §2 refund pending to refund_failed: refused by the provider: answered as refund_failed, the purchase untouched', async () => {
    const paymentId = await aPurchase();
    await world.fault({ path: '/v1/refunds', method: 'POST' }, 'decline');
    const { shown } = await refund(paymentId, { amount: 5 });
    expect(shown).toMatchObject({ status: 'refund_failed' });
    expect(await paymentOf(paymentId)).toMatchObject({
      status: 'succeeded',
      refundedMinor: 0,
      refundPendingMinor: 0,
    });
    expect(await typesOf(shown.id)).toEqual(['refund.created', 'refund.failed']);
  });

  it.each(['drop_reply', 'timeout_after_commit', 'drop_request', 'error_500', 'truncated'])(
    'lost by %s: never given back twice, settled by recovery, the purchase never unknown',
    async (action) => {
      const paymentId = await aPurchase();
      const key = randomUUID();
      await world.fault({ path: '/v1/refunds', method: 'POST' }, action, { count: 2 });
      await refund(paymentId, { key, amount: 4, ports: world.impatientPorts }).catch((error) => {
        expect(error).toEqual(code('gateway_outcome_unknown'));
      });
      expect((await paymentOf(paymentId)).status).not.toBe('unknown');
      await world.control('DELETE', '/_control/faults');
      await recoverOperations();
      const known = await refundsInLedger(paymentId);
      expect(known.length).toBeLessThanOrEqual(1);
      const purchase = await paymentOf(paymentId);
      if (known.length === 1) {
        expect(purchase).toMatchObject({ refundedMinor: 400, refundPendingMinor: 0 });
        expect((await refund(paymentId, { key, amount: 4 })).shown.status).toBe('succeeded');
      } else {
        // After a recorded server error the refund is in doubt: its money is reserved, and it is
        // not called failed.
        expect(purchase).toMatchObject({ refundedMinor: 0, refundPendingMinor: 400 });
      }
    },
  );

  it('Contract §2 refunded to succeeded, refund succeeded to refund_failed: a refund that fails late: the purchase is as before, and the money can be refunded again', async () => {
    const paymentId = await aPurchase('4000000000005126');
    const { shown } = await refund(paymentId);
    expect(shown.status).toBe('succeeded');
    await world.control('POST', '/_control/clock/advance', { seconds: 60 });
    const listFailed = async () => {
      const listed = await fetch(`${world.sandbox.url}/v1/events?type=refund.failed&limit=1`, {
        headers: { authorization: `Bearer ${world.account.secretKey}` },
      });
      return ((await listed.json()) as { data: object[] }).data;
    };
    await expect.poll(listFailed).toHaveLength(1);
    const [event] = await listFailed();
    expect(await deliver(event ?? {})).toBe('stored');
    await readNotices(world.ports, {
      limit: 50,
      onError: (_, error) => {
        throw error;
      },
    });
    expect(await paymentOf(shown.id)).toMatchObject({ status: 'refund_failed' });
    expect(await paymentOf(paymentId)).toMatchObject({ status: 'succeeded', refundedMinor: 0 });
    expect(await typesOf(shown.id)).toEqual([
      'refund.created',
      'refund.succeeded',
      'refund.failed',
    ]);
  });

  it('an answer that names another refund: ours is found among those of the payment, and settled', async () => {
    const paymentId = await aPurchase('4000000000007726');
    await world.fault({ path: '/v1/refunds', method: 'POST' }, 'wrong_id');
    const { shown } = await refund(paymentId);
    expect(shown.status).toBe('processing');
    expect((await paymentOf(shown.id)).providerRefundId).toMatch(/0000$/);
    await world.control('POST', '/_control/clock/advance', { seconds: 3600 });
    await recoverOperations();
    const row = await paymentOf(shown.id);
    expect(row.status).toBe('succeeded');
    const listed = await providerRefunds(row.providerIntentId ?? '');
    expect(listed.map(({ id }) => id)).toEqual([row.providerRefundId]);
    expect(await refundsInLedger(paymentId)).toHaveLength(1);
  });

  it('and when that one fails late, the notice of it is known by our operation', async () => {
    const paymentId = await aPurchase('4000000000005126');
    await world.fault({ path: '/v1/refunds', method: 'POST' }, 'wrong_id');
    const { shown } = await refund(paymentId);
    expect(shown.status).toBe('succeeded');
    await world.control('POST', '/_control/clock/advance', { seconds: 60 });
    const row = await paymentOf(shown.id);
    const [real] = await providerRefunds(row.providerIntentId ?? '');
    expect(real?.status).toBe('failed');
    const listed = await fetch(`${world.sandbox.url}/v1/events?type=refund.failed&limit=20`, {
      headers: { authorization: `Bearer ${world.account.secretKey}` },
    });
    const { data } = (await listed.json()) as { data: { data: { object: { id: string } } }[] };
    const event = data.find((one) => one.data.object.id === real?.id);
    expect(await deliver(event ?? {})).toBe('stored');
    await readNotices(world.ports, {
      limit: 50,
      onError: (_, error) => {
        throw error;
      },
    });
    expect(await paymentOf(shown.id)).toMatchObject({
      status: 'refund_failed',
      providerRefundId: real?.id,
    });
    expect(await paymentOf(paymentId)).toMatchObject({ status: 'succeeded', refundedMinor: 0 });
  });
});

async function providerRefunds(intentId: string): Promise<{ id: string; status: string }[]> {
  const listed = await fetch(`${world.sandbox.url}/v1/refunds?payment_intent=${intentId}`, {
    headers: { authorization: `Bearer ${world.account.secretKey}` },
  });
  return ((await listed.json()) as { data: { id: string; status: string }[] }).data;
}

/** Signs an event as the provider does, and delivers it. */
async function deliver(event: object): Promise<string> {
  const { createHmac } = await import('node:crypto');
  const rawBody = Buffer.from(JSON.stringify(event));
  const time = Math.floor(Date.now() / 1000);
  const mac = createHmac('sha256', world.noticeSecret).update(`${time}.`).update(rawBody);
  const headers = { 'stripe-signature': `t=${time},v1=${mac.digest('hex')}` };
  return receiveNotice({ gatewayId: world.gatewayId, rawBody, headers }, world.ports);
}

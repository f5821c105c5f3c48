import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Bench, createHold, openBench, refusal } from '../../test/sandbox.ts';
import { startSandbox } from '../index.ts';

const week = 7 * 86_400;

let bench: Bench;
beforeAll(async () => {
  bench = await openBench();
});
afterAll(() => bench.sandbox.close());

const typesOf = async (object: string): Promise<string[]> => {
  const events = await bench.stripe.events.list({ limit: 100 });
  return events.data
    .filter((event) => (event.data.object as { id?: string }).id === object)
    .map((event) => event.type as string);
};

describe('clock', () => {
  test('moves `created` and stays moved', async () => {
    const before = await bench.control.get<{ shiftSeconds: number }>('/clock');
    await bench.control.advance(3600);
    const after = await bench.control.get<{ now: string; shiftSeconds: number }>('/clock');
    expect(after.shiftSeconds - before.shiftSeconds).toBe(3600);
    const { created } = await createHold(bench);
    expect(Math.abs(created - Date.parse(after.now) / 1000)).toBeLessThan(5);
  });

  test('tells its listeners the total shift before it answers; says who refuses', async () => {
    const told: unknown[] = [];
    let status = 204;
    const server = createServer((request, response) => {
      let body = '';
      request.on('data', (chunk: Buffer) => {
        body += chunk.toString();
      });
      request.on('end', () => {
        told.push([request.headers.authorization, JSON.parse(body)]);
        response.writeHead(status).end(status === 204 ? undefined : 'live mode');
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/clock`;
    const told2 = await openBench({ clockListeners: [{ url, secret: 'shared' }] });
    await told2.control.advance(60);
    await told2.control.advance(30);
    expect(told).toEqual([
      ['Bearer shared', { shiftMs: 60_000 }],
      ['Bearer shared', { shiftMs: 90_000 }],
    ]);
    status = 403;
    await expect(told2.control.advance(1)).rejects.toThrow(/502 .*403: live mode/);
    await told2.sandbox.close();
    server.closeAllConnections();
    server.close();
  });

  test('begins in the past in a sandbox without accounts, once; 400 for one that has them', async () => {
    await expect(bench.control.post('/clock/begin', { secondsAgo: 60 })).rejects.toThrow(/^400/);
    const sandbox = await startSandbox({ limits: null });
    try {
      const beginClock = (secondsAgo: unknown) =>
        fetch(`${sandbox.url}/_control/clock/begin`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ secondsAgo }),
        });
      for (const none of [0, -1, '5', 367 * 86_400])
        expect((await beginClock(none)).status).toBe(400);
      const begun = await beginClock(week);
      expect([begun.status, await begun.json()]).toMatchObject([200, { shiftSeconds: -week }]);
      expect((await beginClock(week)).status).toBe(400);
    } finally {
      await sandbox.close();
    }
  });

  test.each([-1, '5', null])('400 for seconds: %j', async (seconds) => {
    await expect(bench.control.post('/clock/advance', { seconds })).rejects.toThrow(/^400/);
  });
});

describe('holds', () => {
  test('run out at capture_before, not a minute sooner', async () => {
    const { id, latest_charge: charge } = await createHold(bench, 800);
    await bench.control.advance(week - 60);
    expect((await bench.stripe.paymentIntents.retrieve(id)).status).toBe('requires_capture');
    await bench.control.advance(61);
    const expired = await bench.stripe.paymentIntents.retrieve(id);
    expect(expired).toMatchObject({
      status: 'canceled',
      cancellation_reason: 'expired',
      amount_capturable: 0,
    });
    expect(await bench.control.ledger(id)).toMatchObject([
      { kind: 'authorize' },
      { kind: 'void', amount: 800, origin: 'automatic' },
    ]);
    expect(await typesOf(id)).toContain('payment_intent.canceled');
    expect(await typesOf(String(charge))).toContain('charge.expired');
    expect((await refusal(bench.stripe.paymentIntents.capture(id))).code).toBe(
      'payment_intent_unexpected_state',
    );
  });

  test('that were captured stay captured', async () => {
    const { id } = await createHold(bench);
    await bench.stripe.paymentIntents.capture(id);
    await bench.control.advance(week + 1);
    expect((await bench.stripe.paymentIntents.retrieve(id)).status).toBe('succeeded');
  });

  test('can be ended at once; 400 when there is none', async () => {
    const { id } = await createHold(bench);
    expect(await bench.control.post(`/holds/${id}/expire`)).toMatchObject({
      status: 'canceled',
      cancellation_reason: 'expired',
    });
    await expect(bench.control.post(`/holds/${id}/expire`)).rejects.toThrow(/^400/);
    await expect(bench.control.post('/holds/pi_none/expire')).rejects.toThrow(/^404/);
  });
});

describe('a person in the dashboard', () => {
  test('captures and cancels out of band; the ledger says so', async () => {
    const one = await createHold(bench);
    const two = await createHold(bench);
    await bench.control.post(`/intents/${one.id}/capture`, { amount_to_capture: 300 });
    await bench.control.post(`/intents/${two.id}/cancel`);
    expect((await bench.control.ledger(one.id))[1]).toMatchObject({
      kind: 'capture',
      amount: 300,
      origin: 'dashboard',
      idempotencyKey: null,
    });
    expect((await bench.control.ledger(two.id))[1]).toMatchObject({ kind: 'void' });
    await expect(bench.control.post(`/intents/${one.id}/cancel`)).rejects.toThrow(/^400/);
  });
});

describe('what comes later', () => {
  const buy = (card: string) =>
    bench.stripe.paymentIntents.create({
      amount: 2000,
      currency: 'usd',
      confirm: true,
      allowed_payment_method_types: ['card'],
      payment_method: card,
    });

  test('pm_card_refundFail: the refund succeeds, then fails, and the money is back', async () => {
    const { id, latest_charge: charge } = await buy('pm_card_refundFail');
    const refund = await bench.stripe.refunds.create({ payment_intent: id });
    expect(refund.status).toBe('succeeded');
    await bench.control.advance(10);
    const failed = await bench.stripe.refunds.retrieve(refund.id, {
      expand: ['failure_balance_transaction'],
    });
    expect(failed).toMatchObject({
      status: 'failed',
      failure_reason: 'expired_or_canceled_card',
      failure_balance_transaction: { amount: 2000 },
    });
    expect(await bench.stripe.charges.retrieve(String(charge))).toMatchObject({
      amount_refunded: 0,
      refunded: false,
    });
    expect((await typesOf(refund.id)).sort()).toEqual([
      'charge.refund.updated',
      'refund.created',
      'refund.failed',
      'refund.updated',
    ]);
    expect((await bench.control.ledger(id)).map((entry) => entry.kind)).toEqual([
      'authorize',
      'capture',
      'refund',
      'refund_failed',
    ]);
  });

  test('pm_card_createDispute: disputed after the capture, funds withdrawn', async () => {
    const { id, latest_charge: charge } = await buy('pm_card_createDispute');
    await bench.control.advance(10);
    const disputed = await bench.stripe.charges.retrieve(String(charge));
    expect(disputed.disputed).toBe(true);
    const entries = await bench.control.ledger(id);
    expect(entries[2]).toMatchObject({ kind: 'dispute_withdrawn', amount: 2000 });
    expect((await typesOf(entries[2]?.object ?? '')).sort()).toEqual([
      'charge.dispute.created',
      'charge.dispute.funds_withdrawn',
    ]);
    const error = await refusal(bench.stripe.refunds.create({ payment_intent: id }));
    expect(error.code).toBe('charge_disputed');
  });
});

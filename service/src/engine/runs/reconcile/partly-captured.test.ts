// Tests of a hold of which a reading shows a capture of another amount. No status of ours expresses
// that, so it stays undecided and is read again, until the whole amount is shown or the operator decides.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runOn } from '../../../../test/command-line.ts';
import { newId } from '../../../../test/harness.ts';
import { eventsOf, runRecovery } from '../../../../test/payments/checkouts.ts';
import { advance } from '../../../../test/payments/planted.ts';
import { lastOperation } from '../../../../test/payments/stuck-operations.ts';
import { aHold, moveHold, startWorld, type World } from '../../../../test/world.ts';
import { sql } from '../../../storage/database/sql.ts';
import { findPayment } from '../../../storage/payments/payments.ts';
import { showPayment } from '../../steps/payments/show-payment.ts';
import { runAudit } from '../audit/run-audit.ts';
import { expireHolds } from '../payments/expire-holds.ts';
import { describeDifference } from './describe-difference.ts';
import { runReconcile } from './run-reconcile.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world?.close());

/** Captures a part by hand, in the provider's dashboard; returns the intent. */
async function capturePart(paymentId: string) {
  const held = await findPayment(world.database, world.client.id, paymentId);
  const intentId = held?.providerIntentId ?? '';
  const path = `/_control/intents/${intentId}/capture`;
  await world.control('POST', path, { amount_to_capture: 1000 });
  return intentId;
}

async function aPartlyCaptured() {
  const { paymentId } = await aHold(world);
  return { paymentId, intentId: await capturePart(paymentId) };
}

const findOpen = sql<{ kind: string; state: string }>(
  't_partly_open',
  'select kind, state from payment_operations where payment_id = $1 and finished_at is null',
);
const listOpen = (paymentId: string) => world.database.read(findOpen, [paymentId]);

const day = 24 * 3600;

const differs = {
  status: 'unknown',
  amountCaptured: 0,
  failureCode: 'captured_amount_differs',
  failureMessage: 'The provider captured 10.00 EUR of 19.90 EUR.',
};

async function reconcile() {
  const lines: string[] = [];
  await runReconcile(world.ports, {
    isSettling: true,
    olderThanMs: 0,
    sample: 1,
    onDifference: (difference, end) =>
      void lines.push(`${end} ${difference.paymentId}: ${describeDifference(difference)}`),
  });
  return lines;
}

const readShown = async (id: string) => {
  const payment = await findPayment(world.database, world.client.id, id);
  return payment && showPayment(payment);
};

/** The rules of the audit that are broken; R1 is, because the clock moves while no worker runs. */
async function brokenRules() {
  const { results } = await runAudit({ url: world.url });
  const broken = results.filter(({ rule, violations }) => violations > 0 && rule !== 'R1');
  return broken.map(({ rule }) => rule);
}

describe('a part captured at the provider', () => {
  it('stays unknown, payment and reconcile tell both amounts, and an operation goes on reading', async () => {
    const { paymentId, intentId } = await aPartlyCaptured();
    const line = `stands ${paymentId}: we say unknown 19.9 EUR, the provider (${intentId}) captured 10 EUR`;
    // Every later lookup gives the same result.
    for (const _ of [1, 2]) {
      expect(await reconcile()).toEqual([line]);
      expect(await readShown(paymentId)).toMatchObject(differs);
    }
    for (const operation of ['capturePayment', 'cancelPayment'] as const) {
      const moving = moveHold(world, operation, { paymentId, key: newId() });
      await expect(moving).rejects.toMatchObject({ code: 'payment_not_authorized' });
    }
    expect(await listOpen(paymentId)).toEqual([{ kind: 'expire', state: 'in_doubt' }]);
    expect(await brokenRules()).toEqual([]);
  });

  it.each(['capturePayment', 'cancelPayment'] as const)(
    '%s finds it first: in doubt for its key, refused for others, and nobody is told of an end',
    async (operation) => {
      const { paymentId, intentId } = await aPartlyCaptured();
      const key = newId();
      for (const each of [key, key, newId()]) {
        const asked = moveHold(world, operation, { paymentId, key: each });
        const code = each === key ? 'gateway_outcome_unknown' : 'payment_not_authorized';
        await expect(asked).rejects.toMatchObject({ code });
      }
      expect(await reconcile()).toContain(
        `stands ${paymentId}: we say unknown 19.9 EUR, the provider (${intentId}) captured 10 EUR`,
      );
      expect(await readShown(paymentId)).toMatchObject(differs);
      expect(await listOpen(paymentId)).toHaveLength(1);
      expect(await eventsOf(world, paymentId)).toEqual(['payment.authorized']);
      expect(await brokenRules()).toEqual([]);
    },
  );

  it.each(['capturePayment', 'cancelPayment', 'nobody'] as const)(
    '%s: the operator ends it with svc operations, and the payment has failed',
    async (operation) => {
      const { paymentId } = await aPartlyCaptured();
      const key = newId();
      if (operation === 'nobody') await reconcile();
      else {
        const asked = moveHold(world, operation, { paymentId, key });
        await expect(asked).rejects.toMatchObject({ code: 'gateway_outcome_unknown' });
      }
      await advance(world, 1);
      await runRecovery(world);
      const { id } = await lastOperation(world);
      const svc = (...args: string[]) => runOn(world.ports, ['operations', ...args]);
      expect((await svc('list')).out).toContain(id);
      const settle = (outcome: string) =>
        svc('settle', id, '--outcome', outcome, '--reason', 'the part is booked by hand');
      expect((await settle('succeeded')).err).toContain('provider_says_otherwise');
      await advance(world, 180);
      expect(await settle('failed')).toMatchObject({ code: 0, err: '' });
      expect(await readShown(paymentId)).toMatchObject({ ...differs, status: 'failed' });
      expect(await listOpen(paymentId)).toEqual([]);
      expect(await eventsOf(world, paymentId)).toEqual([
        'payment.authorized',
        'payment.capture_failed',
      ]);
      if (operation !== 'nobody') {
        const asked = moveHold(world, operation, { paymentId, key });
        await expect(asked).rejects.toMatchObject({ code: 'payment_not_authorized' });
      }
      expect(await brokenRules()).toEqual([]);
    },
  );

  it.each(['capturePayment', 'cancelPayment'] as const)(
    '%s was in doubt before: the next look finds both amounts',
    async (operation) => {
      const { paymentId } = await aHold(world);
      for (const path of ['/v1/payment_intents/*', '/v1/payment_intents/*/*']) {
        await world.fault({ path }, 'drop_request', { count: 1000 });
      }
      const asked = moveHold(world, operation, { paymentId, key: newId() });
      await expect(asked).rejects.toMatchObject({ code: 'gateway_outcome_unknown' });
      await world.control('DELETE', '/_control/faults');
      const moved = await world.ledger(await capturePart(paymentId));
      await runRecovery(world);
      expect(moved.map(({ kind, amount }) => [kind, amount])).toEqual([
        ['authorize', 1990],
        ['capture', 1000],
      ]);
      expect(await readShown(paymentId)).toMatchObject(differs);
      expect(await listOpen(paymentId)).toHaveLength(1);
    },
  );

  it('the hold runs out and nobody has told us: it is read, and ends the same', async () => {
    const { paymentId } = await aPartlyCaptured();
    // Operations that nobody can settle do not block it.
    const pass = { limit: 1, onError: (_: unknown, error: unknown) => expect.fail(`${error}`) };
    await advance(world, 6.5 * day);
    await expireHolds(world.ports, pass);
    expect(await eventsOf(world, paymentId)).toContain('payment.authorization_expiring');
    await advance(world, day);
    await expireHolds(world.ports, pass);
    expect(await readShown(paymentId)).toMatchObject(differs);
    expect(await listOpen(paymentId)).toEqual([{ kind: 'expire', state: 'in_doubt' }]);
  });
});

describe('a reading that shows another amount than the provider has', () => {
  const intents = '/v1/payment_intents/*';
  const misread = async (paymentId: string) => {
    const held = await findPayment(world.database, world.client.id, paymentId);
    const object = held?.providerIntentId ?? '';
    await world.fault({ method: 'GET', object }, 'wrong_amount');
    return object;
  };
  const settled = { status: 'succeeded', amountCaptured: 19.9, failureCode: null };

  it('of a capture that was answered 500: the next reading settles it, under the same key', async () => {
    const { paymentId } = await aHold(world);
    const more = { count: 3, executes: true };
    await world.fault({ path: `${intents}/capture` }, 'error_500', more);
    await misread(paymentId);
    const key = newId();
    const asked = () => moveHold(world, 'capturePayment', { paymentId, key });
    await expect(asked()).rejects.toMatchObject({ code: 'gateway_outcome_unknown' });
    expect(await readShown(paymentId)).toMatchObject({ status: 'unknown', amountCaptured: 0 });
    expect(await brokenRules()).toEqual([]);
    await advance(world, 5);
    await runRecovery(world);
    expect(await readShown(paymentId)).toMatchObject({ ...settled, failureMessage: null });
    await asked();
    expect(await eventsOf(world, paymentId)).toEqual(['payment.authorized', 'item.purchased']);
    expect(await brokenRules()).toEqual([]);
  });

  it('of a hold that somebody captured: the next reading settles it', async () => {
    const { paymentId } = await aHold(world);
    const intentId = await misread(paymentId);
    await world.control('POST', `/_control/intents/${intentId}/capture`);
    const olderThanMs = 0;
    await runReconcile(world.ports, { isSettling: true, olderThanMs, sample: 0 });
    await runRecovery(world);
    expect(await readShown(paymentId)).toMatchObject(settled);
    expect(await eventsOf(world, paymentId)).toEqual(['payment.authorized', 'item.purchased']);
    expect(await brokenRules()).toEqual([]);
  });

  it('of a hold that is still there: held again, and captured', async () => {
    const { paymentId, intentId: object } = await aPartlyCaptured();
    // The copy that was read lags behind, and shows the hold before the capture.
    await reconcile();
    await world.fault({ method: 'GET', object }, 'stale_read');
    await advance(world, 5);
    await runRecovery(world);
    expect(await readShown(paymentId)).toMatchObject({ status: 'authorized', failureCode: null });
    await reconcile();
    expect(await readShown(paymentId)).toMatchObject(differs);
  });
});

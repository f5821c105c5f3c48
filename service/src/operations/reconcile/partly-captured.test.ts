// A hold of which somebody captured a part at the provider. No status of ours says that, and nothing
// that we know of is whole: it stays undecided, and whoever looks finds both amounts.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '../../../test/harness.ts';
import { aHold, moveHold, startWorld, type World } from '../../../test/world.ts';
import { findPayment } from '../../storage/payments.ts';
import { runAudit } from '../audit/run-audit.ts';
import { showPayment } from '../payments/show-payment.ts';
import { describeDifference } from './describe-difference.ts';
import { runReconcile } from './run-reconcile.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld();
}, 60_000);
afterAll(() => world?.close());

async function aPartlyCaptured() {
  const { paymentId } = await aHold(world);
  const held = await findPayment(world.database, world.client.id, paymentId);
  const intentId = held?.providerIntentId ?? '';
  const path = `/_control/intents/${intentId}/capture`;
  await world.control('POST', path, { amount_to_capture: 1000 });
  return { paymentId, intentId };
}

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

const shown = async (id: string) => {
  const payment = await findPayment(world.database, world.client.id, id);
  return payment && showPayment(payment);
};

describe('a part captured at the provider', () => {
  it('stays unknown, and payment, reconcile and audit each tell both amounts', async () => {
    const { paymentId, intentId } = await aPartlyCaptured();
    const line = `stands ${paymentId}: we say unknown 19.9 EUR, the provider (${intentId}) captured 10 EUR`;
    // The same at every later look.
    for (const _ of [1, 2]) {
      expect(await reconcile()).toEqual([line]);
      expect(await shown(paymentId)).toMatchObject({
        status: 'unknown',
        amountCaptured: 0,
        failureCode: 'captured_amount_differs',
        failureMessage: 'The provider captured 10.00 EUR of 19.90 EUR.',
      });
    }
    for (const operation of ['capturePayment', 'cancelPayment'] as const) {
      const moving = moveHold(world, operation, { paymentId, key: newId() });
      await expect(moving).rejects.toMatchObject({ code: 'payment_not_authorized' });
    }
    const found: string[] = [];
    await runAudit({
      url: world.url,
      onViolation: (one) => void found.push(`${one.rule} ${one.subject} ${one.found}`),
    });
    expect(found).toEqual([
      `R1c ${paymentId} purchase unknown: The provider captured 10.00 EUR of 19.90 EUR.`,
    ]);
  });

  it.each(['capturePayment', 'cancelPayment'] as const)(
    '%s of it is never answered as done, and reconcile tells both amounts',
    async (operation) => {
      const { paymentId, intentId } = await aPartlyCaptured();
      const asking = () => moveHold(world, operation, { paymentId, key: newId() });
      await expect(asking()).rejects.toMatchObject({ code: 'gateway_outcome_unknown' });
      expect(await reconcile()).toContain(
        `stands ${paymentId}: we say unknown 19.9 EUR, the provider (${intentId}) captured 10 EUR`,
      );
      expect(await shown(paymentId)).toMatchObject({ status: 'unknown', amountCaptured: 0 });
    },
  );
});

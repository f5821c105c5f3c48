// Tests of a hold of which somebody captured a part at the provider. No status of ours expresses
// that, so it stays undecided, and every lookup finds both amounts.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '../../../../test/harness.ts';
import { eventsOf, runRecovery } from '../../../../test/payments/checkouts.ts';
import { advance } from '../../../../test/payments/planted.ts';
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

describe('a part captured at the provider', () => {
  it('stays unknown, and payment, reconcile and audit each tell both amounts', async () => {
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
    '%s finds it first: refused for good, and payment and reconcile tell both amounts',
    async (operation) => {
      const { paymentId, intentId } = await aPartlyCaptured();
      const key = newId();
      // The call is repeated with the stored key and with a new key.
      for (const each of [key, key, newId()]) {
        const asked = moveHold(world, operation, { paymentId, key: each });
        await expect(asked).rejects.toMatchObject({ code: 'payment_not_authorized' });
      }
      expect(await reconcile()).toContain(
        `stands ${paymentId}: we say unknown 19.9 EUR, the provider (${intentId}) captured 10 EUR`,
      );
      expect(await readShown(paymentId)).toMatchObject(differs);
      expect(await listOpen(paymentId)).toEqual([]);
    },
  );

  it.each(['capturePayment', 'cancelPayment'] as const)(
    '%s was in doubt before: its operation ends with the next look',
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
      expect(await listOpen(paymentId)).toEqual([]);
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
    expect(await listOpen(paymentId)).toEqual([]);
  });
});

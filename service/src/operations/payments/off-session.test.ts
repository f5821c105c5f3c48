// Charges without a buyer: renewals of subscriptions, through the one payment engine. Contract §5.
// docs/decisions/saved-cards.md.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { aSavedCard, payBy, vouchedSession } from '../../../test/customers/saved-cards.ts';
import { eventsOf, runRecovery } from '../../../test/payments/checkouts.ts';
import { cards, startWorld, type World } from '../../../test/world.ts';
import type { PaymentMethod } from '../../domain/payments/payment-method.ts';
import { askForAttempt } from '../../engine/steps/payments/ask-for-attempt.ts';
import { settleAttempt } from '../../engine/steps/payments/settle-attempt.ts';
import { sql } from '../../storage/database/sql.ts';
import { hasLiveUse } from '../../storage/payment-methods/payment-method-uses.ts';
import { findMethod } from '../../storage/payment-methods/payment-methods.ts';
import { findPayment } from '../../storage/payments/payments.ts';
import { claimRenewal } from '../../storage/subscriptions/claim-renewal.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world?.close());

const letBeDue = sql<{ id: string }>(
  'test_let_be_due',
  `update subscriptions set next_renewal_at = svc_clock() - interval '1 second'
   where session_id = $1 returning id`,
);
const fund = sql(
  'test_fund',
  'update subscriptions set payment_method_id = $2, version = version + 1 where id = $1',
);

/** A subscription that is due, funded by a card of the given number. */
async function aDueSubscription(number: string = cards.approved) {
  const session = await vouchedSession(world, { products: [{ code: 'club', quantity: 1 }] });
  const buying = await aSavedCard(world, { userId: session.userId });
  await payBy(world, session, { paymentMethodId: buying.id });
  const method = await aSavedCard(world, { userId: session.userId, number });
  const [row] = await world.database.write(letBeDue, [session.sessionId]);
  const subscriptionId = row?.id ?? '';
  await world.database.write(fund, [subscriptionId, method.id]);
  return { subscriptionId, method };
}

/** Claims the renewal, calls the provider, and settles, as the renewal worker does. */
async function renew({
  subscriptionId,
  method,
}: {
  subscriptionId: string;
  method: PaymentMethod;
}) {
  const { ports } = world;
  const claim = await world.database.transaction(world.client.id, (tx) =>
    claimRenewal(tx, {
      clientId: world.client.id,
      subscriptionId,
      paymentMethodId: method.id,
      paymentId: ports.newId(),
      operationId: ports.newId(),
      leaseOwner: ports.newId(),
      leaseMs: 30_000,
    }),
  );
  if (claim?.kind !== 'claimed') throw new Error('nothing was claimed');
  const { payment, operation, now } = claim;
  const outcome = await askForAttempt({ payment, operation, isFirstSend: true, now }, ports);
  await settleAttempt({ operation, sessionId: null, startedAt: now }, outcome, ports);
  return payment.id;
}

const readPayment = (id: string) => findPayment(world.database, world.client.id, id);
const readMethod = ({ id }: PaymentMethod) => findMethod(world.database, world.client.id, id);
const isInUse = (method: PaymentMethod) =>
  world.database.transaction(world.client.id, (tx) => hasLiveUse(tx, method));
const listCaptures = async (paymentId: string) => {
  const payment = await readPayment(paymentId);
  const entries = await world.ledger(payment?.providerIntentId ?? '');
  return entries.filter(({ kind }) => kind === 'capture').length;
};

describe('a charge off session', () => {
  it('succeeds without a session: charged once, told as payment.succeeded, its card most recent', async () => {
    const due = await aDueSubscription();
    const paymentId = await renew(due);
    expect(await readPayment(paymentId)).toMatchObject({
      status: 'succeeded',
      sessionId: null,
      card: { id: due.method.id, lastFour: '4242' },
    });
    expect(await eventsOf(world, paymentId)).toEqual(['payment.succeeded']);
    expect((await readMethod(due.method))?.lastChargedAt).not.toBeNull();
    expect(await listCaptures(paymentId)).toBe(1);
  });

  it('authentication_required is a decline with that code: failed, its intent closed, nobody is challenged', async () => {
    const due = await aDueSubscription(cards.needs3ds);
    const paymentId = await renew(due);
    const payment = await readPayment(paymentId);
    expect(payment).toMatchObject({
      status: 'failed',
      failureCode: 'declined',
      declineCode: 'authentication_required',
    });
    const intent = await readIntent(payment?.providerIntentId ?? '');
    expect(intent).toBe('canceled');
    expect(await readMethod(due.method)).toEqual(due.method);
    expect(await isInUse(due.method)).toBe(false);
  });

  it('a declined card: failed, the method active and its recency as it was', async () => {
    const due = await aDueSubscription('4000000000000341');
    const paymentId = await renew(due);
    expect(await readPayment(paymentId)).toMatchObject({
      status: 'failed',
      declineCode: 'generic_decline',
    });
    expect(await readMethod(due.method)).toEqual(due.method);
  });

  it.each(['drop_request', 'drop_reply'])(
    'in doubt (%s) is never failed: in use until recovery has settled it, charged once',
    async (fault) => {
      const due = await aDueSubscription();
      await world.fault({ path: '/v1/payment_intents/*/confirm' }, fault, { count: 2 });
      await world.fault({ path: '/v1/payment_intents/*', method: 'GET' }, 'error_503_unrecorded', {
        count: 2,
      });
      const paymentId = await renew(due);
      await world.control('DELETE', '/_control/faults');
      expect(await readPayment(paymentId)).toMatchObject({ status: 'unknown' });
      expect(await isInUse(due.method)).toBe(true);
      await runRecovery(world);
      expect(await readPayment(paymentId)).toMatchObject({ status: 'succeeded' });
      expect(await isInUse(due.method)).toBe(false);
      expect(await listCaptures(paymentId)).toBe(1);
    },
  );

  it('in doubt past the life of the provider’s key: read, closed and failed, never sent again', async () => {
    const due = await aDueSubscription();
    await world.fault({ path: '/v1/payment_intents/*/confirm' }, 'drop_request', { count: 2 });
    const paymentId = await renew(due);
    expect(await readPayment(paymentId)).toMatchObject({ status: 'unknown' });
    await world.database.write(grow, [paymentId]);
    await runRecovery(world);
    expect(await readPayment(paymentId)).toMatchObject({
      status: 'failed',
      failureCode: 'unavailable',
    });
    expect(await listCaptures(paymentId)).toBe(0);
  });
});

const grow = sql(
  'test_grow_old',
  `update payment_operations set first_sent_at = first_sent_at - interval '21 hours'
   where payment_id = $1`,
);

async function readIntent(intentId: string): Promise<string> {
  const response = await fetch(`${world.sandbox.url}/v1/payment_intents/${intentId}`, {
    headers: { authorization: `Bearer ${world.account.secretKey}` },
  });
  return ((await response.json()) as { status: string }).status;
}

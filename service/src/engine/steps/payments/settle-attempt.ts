// Applies a provider's outcome to an attempt to pay: payment, event, saved method, subscriptions,
// session and answer in one transaction. The request, the recovery worker, renewals and provider
// notices all use it.

import { decideAttempt } from '../../../domain/payments/attempt-settlement.ts';
import type { CheckoutSession } from '../../../domain/payments/checkout-session.ts';
import type { Operation } from '../../../domain/payments/operation.ts';
import type { Payment } from '../../../domain/payments/payment.ts';
import type { Settlement } from '../../../domain/payments/settlement.ts';
import {
  lockSessionOfPayment,
  settleSession,
} from '../../../storage/checkout-sessions/checkout-sessions.ts';
import { repeatWhenLost, type Tx } from '../../../storage/database/database.ts';
import {
  findMethodUse,
  type MethodUse,
} from '../../../storage/payment-methods/payment-method-uses.ts';
import { appendEvent } from '../../../storage/webhooks/events.ts';
import type { Outcome, Ports, ProviderPayment } from '../../ports.ts';
import { completedEvent } from '../checkout-sessions/end-session.ts';
import { nameMethod, settleUse } from '../payment-methods/settle-use.ts';
import { findSale, startFreeSubscriptions } from '../subscriptions/start-subscriptions.ts';
import { type AppliedChange, applyToPayment } from './apply-to-payment.ts';
import {
  type LeasedOperation,
  lockLeased,
  type SettledOperation,
  settleInTransaction,
  writeSettled,
} from './settle-operation.ts';

/** An attempt whose lease the caller has. A renewal has no session. */
export type LeasedAttempt = LeasedOperation & { readonly sessionId: string | null };

/**
 * Settles under the locks of session, payment and operation, in this order. Returns undefined when
 * the caller has lost the lease on the operation. Repeatable: after a commit with an unknown result
 * it runs again and finds its own rows.
 */
export async function settleAttempt(
  held: LeasedAttempt,
  outcome: Outcome,
  ports: Ports,
): Promise<SettledOperation | undefined> {
  return repeatWhenLost(() =>
    settleInTransaction(held, (tx) => settleOnce(tx, held, { outcome, ports }), ports),
  );
}

async function settleOnce(
  tx: Tx,
  held: LeasedAttempt,
  { outcome, ports }: { outcome: Outcome; ports: Ports },
): Promise<SettledOperation | undefined> {
  const { sessionId } = held;
  const { clientId } = held.operation;
  const session = sessionId ? await lockSessionOfPayment(tx, { clientId, sessionId }) : undefined;
  const locked = await lockLeased(tx, held);
  if (!locked) return undefined;
  const { payment, operation, now } = locked;

  const decided = decideAttempt({ ...locked, answer: outcome });
  const used = await findUse(tx, { payment, settlement: decided, outcome });
  const settlement = used ? await nameMethod(tx, decided, used) : decided;
  const next = await applyToPayment(tx, { payment, operation, settlement, now, ports });
  if (used) {
    const request = { id: operation.requestId, idempotencyKey: null };
    await settleUse(tx, { ...used, next, saved: used.said?.saved, request, now, ports });
  }
  if (session?.isBuyerVerified && next.status === 'succeeded' && payment.status !== next.status) {
    const sale = findSale(next, { lines: session.lines, now, ports });
    if (sale) await startFreeSubscriptions(tx, sale);
  }
  if (session && settlement.session) {
    await applyToSession(tx, { session, payment: next, operation, settlement, now, ports });
  }
  return writeSettled(tx, held, { payment: next, operation, settlement, outcome, now, ports });
}

/** Finds the saved method that the attempt uses or saves, where its payment changes. */
async function findUse(
  tx: Tx,
  { payment, settlement, outcome }: { payment: Payment; settlement: Settlement; outcome: Outcome },
): Promise<{ use: MethodUse; payment: Payment; said: ProviderPayment | null } | undefined> {
  if (!settlement.change) return undefined;
  const use = await findMethodUse(tx, payment.clientId, payment.id);
  return use && { use, payment, said: outcome.kind === 'in_doubt' ? null : outcome.payment };
}

async function applyToSession(
  tx: Tx,
  applied: AppliedChange & {
    readonly session: CheckoutSession;
    readonly operation: Operation;
    readonly settlement: Settlement;
  },
): Promise<void> {
  const { session, payment, operation, settlement, now, ports } = applied;
  const change = settlement.session;
  // A later attempt may own the session by now; then only its outcome counts.
  if (!change || session.attemptId !== operation.id) return;
  const isCompleted = change.status === 'completed' || change.status === 'authorized';
  const eventSeq = session.eventSeq + (isCompleted ? 1 : 0);
  const next = await settleSession(tx, session, { ...change, eventSeq, now });
  if (!isCompleted) return;
  const request = { id: operation.requestId, idempotencyKey: null };
  const facts = { before: session.status, isLive: payment.isLive, request, now, ports };
  await appendEvent(tx, completedEvent(next, facts));
}

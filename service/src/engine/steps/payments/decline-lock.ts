// The limit of declines on an intent that the buyer's page confirms by itself. docs/decisions/attempts.md.

import type { Operation } from '../../../domain/payments/operation.ts';
import { countDeclines } from '../../../storage/checkout-sessions/session-calls.ts';
import { storeDeclines } from '../../../storage/payments/payment-operations.ts';
import { findPayment } from '../../../storage/payments/payments.ts';
import type { Outcome, Ports, Provider, ProviderPayment, Reading } from '../../ports.ts';
import { closeAttempt, type End } from './close-attempt.ts';
import { openProviderCall } from './open-provider-call.ts';
import type { ProviderCall } from './provider-call.ts';

/**
 * Whether too many of the session's cards were declined. The notices of declines arrive later than the page tries
 * cards, so this asks the provider for its count and stores it for all processes.
 */
export async function isLocked(
  { payment, operation }: Pick<ProviderCall, 'payment' | 'operation'>,
  { state, lastFailure, intentId }: Pick<ProviderPayment, 'state' | 'lastFailure' | 'intentId'>,
  { provider, ports }: { provider: Provider; ports: Ports },
): Promise<boolean> {
  const { clientId, sessionId } = payment;
  const most = ports.settings.attemptLimits?.sessionDeclines;
  if (most === undefined || !sessionId) return false;
  const session = { clientId, id: sessionId };
  if ((await countDeclines(ports.database, session)) >= most) return true;
  const mayHaveDeclined = state === 'requires_action' || lastFailure !== undefined;
  const declines = mayHaveDeclined ? await provider.countDeclines(intentId) : 0;
  if (!declines) return false;
  await storeDeclines(ports.database, operation, declines);
  return (await countDeclines(ports.database, session)) >= most;
}

export const lockedEnd = ({ lastFailure }: Pick<ProviderPayment, 'lastFailure'>): End => ({
  declineCode: null,
  ...lastFailure,
  code: 'declined',
});

/** The outcome of an intent that was closed because of the limit. */
export const lockedOutcome = ({
  payment,
  trace,
}: Extract<Reading, { kind: 'found' }>): Outcome => ({
  ...{ kind: 'refused', advice: null, message: null },
  ...lockedEnd(payment),
  ...{ payment: null, trace },
});

/**
 * Closes the intent at the provider once the stored notices report too many declines, although another process has
 * leased the operation: that process may have read the intent before the last decline, and until its lease ends
 * the page could try more cards. Uses the stored count only, because asking the provider would delay the close.
 * Settles nothing; money that was captured or held stays.
 */
export async function closeLocked(operation: Operation, now: Date, ports: Ports): Promise<void> {
  const { clientId, paymentId } = operation;
  const payment = await findPayment(ports.database, clientId, paymentId);
  const most = ports.settings.attemptLimits?.sessionDeclines;
  if (most === undefined || !payment?.providerIntentId || !payment.sessionId) return;
  const session = { clientId, id: payment.sessionId };
  if ((await countDeclines(ports.database, session)) < most) return;
  const asked = { payment, operation, isFirstSend: false, now };
  const provider = ports.provider(await openProviderCall(asked, ports), 'buyer');
  await closeAttempt(asked, provider, { code: 'declined', declineCode: null });
}

import { getSessionPaymentMethods as row } from '@svc/contract/customers/payment-methods';
import { hasEndedLongAgo } from '../../domain/payments/checkout-session.ts';
import { implement, refuse } from '../../engine/implement.ts';
import { getSession } from '../../engine/steps/checkout-sessions/get-session.ts';
import { showPaymentMethod } from '../../engine/steps/payment-methods/show-payment-method.ts';
import { listUsableMethods } from '../../storage/payment-methods/payment-methods.ts';

/**
 * Lists the cards that the session's buyer has saved and can pay with now: the default first, then
 * those verified or charged last. An hour after the session has ended the list is empty. Only where
 * the merchant vouched for the buyer, because a name proves nothing: refuses buyer_not_verified.
 * Contract §3, Buyer.
 */
export const getSessionPaymentMethods = implement(row)(async ({ sessionId }, caller, ports) => {
  const { session, now } = await getSession(sessionId, caller, ports);
  if (!session.isBuyerVerified) return refuse('buyer_not_verified');
  if (hasEndedLongAgo(session, now)) return { status: 200, body: { data: [] } };
  const methods = await listUsableMethods(ports.database, session);
  return { status: 200, body: { data: methods.map(showPaymentMethod) } };
});

// Reading a session by its nonce. Spec: Authentication 6. Contract §3.

import {
  type CheckoutSessionStatus,
  getCheckoutSession as row,
  getCheckoutSessionStatus as statusRow,
} from '@svc/contract/checkout-sessions';
import type { CheckoutSession } from '../../domain/payments/checkout-session.ts';
import { implement, refuse } from '../../engine/implement.ts';
import type { Caller, Ports } from '../../engine/ports.ts';
import { offerWallet } from '../../engine/runs/checkout-sessions/offer-wallet.ts';
import {
  showAttempt,
  showSession,
  statusOf,
} from '../../engine/steps/checkout-sessions/show-session.ts';
import { findClient } from '../../storage/accounts/clients.ts';
import { findSession } from '../../storage/checkout-sessions/checkout-sessions.ts';
import { countDeclines } from '../../storage/checkout-sessions/session-calls.ts';
import { hasActiveCoupons } from '../../storage/checkout-sessions/session-coupons.ts';
import { findGateway } from '../../storage/gateways/gateways.ts';
import {
  countSetupDeclines,
  findVerifiedMethod,
} from '../../storage/payment-methods/card-setups.ts';
import { findPayment } from '../../storage/payments/payments.ts';
import { hasRunning } from '../../storage/subscriptions/second-subscriptions.ts';

/** Unknown session and wrong nonce are the same refusal. */
export async function getSession(
  id: string,
  caller: Caller,
  ports: Ports,
): Promise<{ session: CheckoutSession; now: Date }> {
  if (caller.kind !== 'session') return refuse('checkout_session_token_required');
  const found = await findSession(ports.database, caller.nonceSha256, id);
  return found ?? refuse('checkout_session_not_found');
}

/** Reads the raw session. Spec: Checkout sessions, GET. */
export const getCheckoutSession = implement(row)(async (input, caller, ports) => {
  const { session, now } = await getSession(input.checkoutSessionId, caller, ports);
  const isOpen = session.status === 'open';
  const [client, gateway, wallet, couponsAccepted, cardsAccepted, isKnown] = await Promise.all([
    findClient(ports.database, session.clientId),
    findGateway(ports.database, session.clientId, session.gatewayId),
    isOpen ? offerWallet(session, now, ports) : findWalletOrder(session, ports),
    hasActiveCoupons(ports.database, session.clientId),
    takesCards(session, ports),
    isOpen && !session.allowsSecond && hasRunning(ports.database, session),
  ]);
  if (!client || !gateway) throw new Error(`session ${session.id} has no client or gateway`);
  const { allowedOrigins } = client;
  const takes = { couponsAccepted, cardsAccepted, subscriptionExists: isKnown };
  const shown = { gateway, allowedOrigins, merchant: client, wallet, ...takes, now };
  return { status: 200, body: showSession(session, shown, ports) };
});

/**
 * False once so many cards were declined that the next one is refused, whoever looks and wherever.
 * Whoever has not tried one yet has nothing to count.
 */
async function takesCards(session: CheckoutSession, { database, settings }: Ports) {
  const most = settings.attemptLimits?.sessionDeclines;
  if (most === undefined || !session.attemptId) return true;
  const count = session.mode === 'setup' ? countSetupDeclines : countDeclines;
  return (await count(database, session)) < most;
}

/** The order that waits for its buyer's approval, where the session's attempt is one. */
async function findWalletOrder({ status, clientId, paymentId }: CheckoutSession, ports: Ports) {
  if (status !== 'requires_action' || !paymentId) return undefined;
  const payment = await findPayment(ports.database, clientId, paymentId);
  if (payment?.provider !== 'wallet' || !payment.providerIntentId) return undefined;
  const gateway = await findGateway(ports.database, clientId, payment.gatewayId);
  return gateway && { clientId: gateway.publishableKey, orderId: payment.providerIntentId };
}

const pollMs = 250;

/**
 * Reads the status; with `wait` answers as soon as it changes, or the caller is gone, and at once where
 * the session has ended. Spec: Checkout sessions, status.
 */
export const getCheckoutSessionStatus = implement(statusRow)(async (input, caller, ports) => {
  const read = () => getSession(input.sessionId, caller, ports);
  let { session, now } = await read();
  const before = statusOf(session, now);
  const deadline = performance.now() + (input.wait ?? 0) * 1000;
  const { gone } = caller;
  while (!hasEnded(before) && statusOf(session, now) === before) {
    const leftMs = deadline - performance.now();
    if (leftMs <= 0) break;
    // What was read last is the answer then.
    if (await isGoneWithin(Math.ceil(Math.min(pollMs, leftMs)), gone)) break;
    ({ session, now } = await read());
  }
  return { status: 200, body: await showStatus(session, now, ports) };
});

/** Nothing more happens to it: nobody waits for that. */
const hasEnded = (status: CheckoutSession['status']): boolean =>
  status === 'completed' ||
  status === 'authorized' ||
  status === 'expired' ||
  status === 'canceled';

/** Pauses; true at once when the caller is gone. */
function isGoneWithin(ms: number, gone: AbortSignal | undefined): Promise<boolean> {
  if (gone?.aborted) return Promise.resolve(true);
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      gone?.removeEventListener('abort', end);
      resolve(gone?.aborted === true);
    };
    const timer = setTimeout(end, ms);
    gone?.addEventListener('abort', end);
  });
}

/** Where a session stands, in the specification's shape. */
export const showStatus = async (
  session: CheckoutSession,
  now: Date,
  ports: Ports,
): Promise<CheckoutSessionStatus> => ({
  data: {
    uuid: session.id,
    status: statusOf(session, now),
    paymentId: session.paymentId,
    paymentMethodId:
      session.mode === 'setup' && session.status === 'completed'
        ? await findVerifiedMethod(ports.database, session)
        : null,
    authorizationExpiresAt: session.authorizationExpiresAt?.toISOString() ?? null,
    latestTransactionAttempt: showAttempt(session),
  },
});

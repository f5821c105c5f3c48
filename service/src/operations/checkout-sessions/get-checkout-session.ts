import { getCheckoutSession as row } from '@svc/contract/checkout-sessions/checkout-sessions';
import type { CheckoutSession } from '../../domain/payments/checkout-session.ts';
import { implement } from '../../engine/implement.ts';
import type { Ports } from '../../engine/ports.ts';
import { offerWallet } from '../../engine/runs/checkout-sessions/offer-wallet.ts';
import { getSession } from '../../engine/steps/checkout-sessions/get-session.ts';
import { showSession } from '../../engine/steps/checkout-sessions/show-session.ts';
import { showMerchant } from '../../engine/steps/clients/show-client.ts';
import { countDeclines } from '../../storage/checkout-sessions/session-calls.ts';
import { hasActiveCoupons } from '../../storage/checkout-sessions/session-coupons.ts';
import { findClient } from '../../storage/clients/clients.ts';
import { findGateway } from '../../storage/gateways/gateways.ts';
import { countSetupDeclines } from '../../storage/payment-methods/card-setups.ts';
import { findPayment } from '../../storage/payments/payments.ts';
import { hasRunningSubscription } from '../../storage/subscriptions/second-subscriptions.ts';

/**
 * Reads the whole session, authenticated by its nonce. Spec: Checkout sessions, GET; Authentication
 * 6. Contract §3.
 */
export const getCheckoutSession = implement(row)(async (input, caller, ports) => {
  const { session, now } = await getSession(input.checkoutSessionId, caller, ports);
  const isOpen = session.status === 'open';
  const [client, gateway, wallet, couponsAccepted, cardsAccepted, isKnown] = await Promise.all([
    findClient(ports.database, session.clientId),
    findGateway(ports.database, session.clientId, session.gatewayId),
    isOpen ? offerWallet(session, now, ports) : findWalletOrder(session, ports),
    hasActiveCoupons(ports.database, session.clientId),
    takesCards(session, ports),
    isOpen && !session.allowsSecond && hasRunningSubscription(ports.database, session),
  ]);
  if (!client || !gateway) throw new Error(`session ${session.id} has no client or gateway`);
  const { allowedOrigins } = client;
  const { cancel: cancelOnPage } = client.customerPage;
  const takes = { couponsAccepted, cardsAccepted, subscriptionExists: isKnown, cancelOnPage };
  const shown = { gateway, allowedOrigins, merchant: showMerchant(client), wallet, ...takes, now };
  return { status: 200, body: showSession(session, shown, ports) };
});

/**
 * False once so many cards were declined that the next one is refused. A session without an attempt
 * has nothing to count.
 */
async function takesCards(session: CheckoutSession, { database, settings }: Ports) {
  const most = settings.attemptLimits?.sessionDeclines;
  if (most === undefined || !session.attemptId) return true;
  const count = session.mode === 'setup' ? countSetupDeclines : countDeclines;
  return (await count(database, session)) < most;
}

/** Finds the order that waits for its buyer's approval, where it is the session's attempt. */
async function findWalletOrder({ status, clientId, paymentId }: CheckoutSession, ports: Ports) {
  if (status !== 'requires_action' || !paymentId) return undefined;
  const payment = await findPayment(ports.database, clientId, paymentId);
  if (payment?.provider !== 'wallet' || !payment.providerIntentId) return undefined;
  const gateway = await findGateway(ports.database, clientId, payment.gatewayId);
  return gateway && { clientId: gateway.publishableKey, orderId: payment.providerIntentId };
}

// A buyer pays with a wallet: an order, its approval on the wallet's page, then the capture. Contract
// §3, Process; decision 0026.

import type { ProcessBody } from '@svc/contract/checkout-sessions';
import type { ErrorCode } from '@svc/contract/errors';
import { type CheckoutSession, refuseAttempt } from '../../domain/checkout-session.ts';
import { walletApproved } from '../../domain/operation.ts';
import { allowsWallet } from '../../domain/wallet-order.ts';
import { chooseGateway } from '../../storage/gateways.ts';
import { findPayment } from '../../storage/payments.ts';
import { findGatewayOfOrder } from '../../storage/wallet-orders.ts';
import { refuse } from '../implement.ts';
import type { Caller, Ports } from '../ports.ts';
import { getSession } from './read-session.ts';
import { runAttempt } from './run-attempt.ts';

/**
 * The first call makes the order and answers where to approve it; the same call again, on return,
 * captures what was approved. One order per session at a time; a card that is sent meanwhile gives
 * it up. Refuses, beside what every attempt does: invalid_request, capture_method_not_supported,
 * gateway_unavailable.
 */
export async function payWithWallet(body: ProcessBody, caller: Caller, ports: Ports) {
  if (caller.kind !== 'session') return refuse('checkout_session_token_required');
  const sessionId = body.sessionId.toLowerCase();
  const { session, now } = await getSession(sessionId, caller, ports);
  const code = refuseWallet(session, body, now);
  if (code) return refuse(code);
  const orderGatewayId = await findOwnOrder(session, body, { caller, ports });
  const walletGatewayId = orderGatewayId ?? (await chooseWallet(session, ports));
  return runAttempt(
    {
      sessionId,
      nonceSha256: caller.nonceSha256,
      fingerprint: walletApproved,
      cardTokenSha256: null,
      walletGatewayId,
      orderId: body.tokenizedData.token,
      refuse: (locked, at) => refuseWallet(locked, body, at),
    },
    caller,
    ports,
  );
}

async function chooseWallet(
  { clientId, country }: CheckoutSession,
  { database }: Ports,
): Promise<string> {
  const gateway = await chooseGateway(database, clientId, { provider: 'wallet', country });
  if (!gateway) return refuse('gateway_unavailable', { message: 'The merchant takes no wallet.' });
  return gateway.id;
}

function refuseWallet(session: CheckoutSession, body: ProcessBody, now: Date): ErrorCode | null {
  const code = refuseAttempt(session, body.accountData, now);
  if (code) return code;
  if (allowsWallet(session)) return null;
  return refuse('capture_method_not_supported', {
    message: 'A wallet pays at once and items only: no hold, and no subscription.',
  });
}

/**
 * The token of a wallet is its order's id: the open attempt's, or the one that is ready for the
 * session, which the attempt then goes on with, at the gateway that made it.
 */
async function findOwnOrder(
  session: CheckoutSession,
  { tokenizedData }: ProcessBody,
  { caller, ports }: { caller: Caller; ports: Ports },
): Promise<string | undefined> {
  const { token, paymentMethodId, type } = tokenizedData;
  const isOdd = paymentMethodId !== undefined || type !== 'wallet';
  if (!isOdd && token === undefined) return undefined;
  if (!isOdd && token !== undefined) {
    if (await isOrderOfAttempt(session, token, ports)) return undefined;
    const gatewayId = await findGatewayOfOrder(ports.database, session, token);
    if (gatewayId) return gatewayId;
    // Its notice may have taken it in between: refused, the buyer would pay once more elsewhere.
    const { session: again } = await getSession(session.id, caller, ports);
    if (await isOrderOfAttempt(again, token, ports)) return undefined;
  }
  return refuse('invalid_request', {
    param: 'tokenizedData',
    message: 'A wallet takes type wallet, and no token but the id of its open order.',
  });
}

async function isOrderOfAttempt(
  { clientId, paymentId }: CheckoutSession,
  orderId: string,
  { database }: Ports,
): Promise<boolean> {
  const payment = paymentId && (await findPayment(database, clientId, paymentId));
  return payment ? payment.providerIntentId === orderId : false;
}

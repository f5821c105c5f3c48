// Pays with a wallet: an order, its approval on the wallet's page, then the capture. Contract §3,
// Process; docs/decisions/wallet.md.

import type { ProcessBody } from '@svc/contract/checkout-sessions/checkout-sessions';
import type { ErrorCode } from '@svc/contract/errors/errors';
import {
  type CheckoutSession,
  isFree,
  isSettled,
} from '../../../domain/payments/checkout-session.ts';
import { walletApproved } from '../../../domain/payments/page-confirmed.ts';
import {
  allowsWallet,
  isCarriedByWallet,
  keepsWallet,
} from '../../../domain/payments/wallet-order.ts';
import type { MethodWish } from '../../../storage/checkout-sessions/attempt-claim.ts';
import { findGatewayOfOrder } from '../../../storage/checkout-sessions/wallet-orders.ts';
import { chooseGateway } from '../../../storage/gateways/gateways.ts';
import { findMethod } from '../../../storage/payment-methods/payment-methods.ts';
import { findPayment } from '../../../storage/payments/payments.ts';
import { refuse } from '../../implement.ts';
import type { Caller, Ports } from '../../ports.ts';
import { getSession } from '../../steps/checkout-sessions/get-session.ts';
import {
  impliedWish,
  methodWishOf,
  refuseBuyer,
  refuseUnverified,
  variantWithoutMethod,
} from './attempt-variants.ts';
import { runAttempt } from './run-attempt.ts';

/** A process call that names what it pays with. */
export type PayingBody = ProcessBody & Required<Pick<ProcessBody, 'tokenizedData'>>;

/**
 * The first call creates the order and returns where to approve it; the same call after the buyer's
 * return captures what was approved. A session has one order at a time; a card that is sent
 * meanwhile gives it up. A saved wallet is charged at once. Refuses, in addition to what every
 * attempt refuses: invalid_request, capture_method_not_supported, buyer_not_verified,
 * payment_method_not_found, gateway_unavailable.
 */
export async function payWithWallet(body: PayingBody, caller: Caller, ports: Ports) {
  if (caller.kind !== 'session') return refuse('checkout_session_token_required');
  const sessionId = body.sessionId.toLowerCase();
  const { session, now } = await getSession(sessionId, caller, ports);
  const code = refuseWallet(session, body, now);
  if (code) return refuse(code);
  assertOneSource(body);
  // Nothing is due, so no order is created or looked up.
  if (isFree(session)) return completeFreely(body, caller, ports);
  const walletGatewayId =
    (await findKeptGateway(session, body, ports)) ??
    (await findOwnOrder(session, body, { caller, ports })) ??
    (await chooseWallet(session, ports));
  return runAttempt(
    {
      sessionId,
      nonceSha256: caller.nonceSha256,
      fingerprint: walletApproved,
      cardTokenSha256: null,
      walletGatewayId,
      orderId: body.tokenizedData.token,
      expectedTotal: body.expectedTotal,
      methodOf: (locked) => walletVariant(locked, body),
      refuse: (locked, at) => refuseWallet(locked, body, at),
    },
    caller,
    ports,
  );
}

function completeFreely(body: PayingBody, caller: Caller, ports: Ports) {
  if (caller.kind !== 'session') return refuse('checkout_session_token_required');
  const { refuseDue, ...nothing } = variantWithoutMethod('tokenizedData');
  return runAttempt(
    {
      ...nothing,
      free: { methodId: body.tokenizedData.paymentMethodId?.toLowerCase() },
      sessionId: body.sessionId.toLowerCase(),
      nonceSha256: caller.nonceSha256,
      expectedTotal: body.expectedTotal,
      refuse: (locked, at) => refuseBuyer(locked, body, at) ?? refuseDue(locked),
    },
    caller,
    ports,
  );
}

/**
 * The saved method of the call. A call that asks for nothing to be saved gives up an order that
 * would save the wallet; a call without that field does not.
 */
const walletVariant = (
  session: CheckoutSession,
  { tokenizedData }: PayingBody,
): MethodWish | undefined =>
  tokenizedData.saveForLater === undefined && tokenizedData.paymentMethodId === undefined
    ? impliedWish(session)
    : (methodWishOf(session, tokenizedData) ?? { kind: 'none' });

async function chooseWallet(
  { clientId, country }: CheckoutSession,
  { database }: Ports,
): Promise<string> {
  const gateway = await chooseGateway(database, clientId, { provider: 'wallet', country });
  if (!gateway)
    return refuse('gateway_not_configured', {
      message: 'The merchant does not accept wallet payments.',
    });
  return gateway.id;
}

function refuseWallet(session: CheckoutSession, body: PayingBody, now: Date): ErrorCode | null {
  const code = refuseBuyer(session, body, now);
  if (code) return code;
  if (isFree(session)) return null;
  if (!allowsWallet(session)) {
    return refuse('capture_method_not_supported', {
      message: 'Wallet payments do not support manual capture.',
    });
  }
  // Once an order exists it may be approved already, so it is not refused here.
  if (session.status === 'open' && !isCarriedByWallet(session)) {
    return refuse('capture_method_not_supported', {
      message: `The wallet cannot carry what is due in ${session.currency}, now or in a later period.`,
    });
  }
  return refuseUnverified(session, body.tokenizedData);
}

function assertOneSource({ tokenizedData }: PayingBody): void {
  const { token, paymentMethodId, type } = tokenizedData;
  if (type === 'wallet' && (token === undefined || paymentMethodId === undefined)) return;
  refuse('invalid_request', {
    param: 'tokenizedData',
    message: 'A wallet takes type wallet, and at most one of token and paymentMethodId.',
  });
}

/**
 * Finds the gateway at which a saved wallet is charged, which is the one that saved it; undefined
 * where the call names none.
 */
async function findKeptGateway(
  session: CheckoutSession,
  { tokenizedData: { paymentMethodId } }: PayingBody,
  { database }: Ports,
): Promise<string | undefined> {
  if (paymentMethodId === undefined) return undefined;
  const method = await findMethod(database, session.clientId, paymentMethodId.toLowerCase());
  if (method?.provider === 'wallet') return method.gatewayId;
  return isSettled(session) ? session.gatewayId : refuse('payment_method_not_found');
}

/**
 * Finds the gateway of the order that the call names. A wallet's token is its order's id: that of
 * the open attempt, or of the order that is ready for the session, which the attempt then continues
 * at the gateway that created it.
 */
async function findOwnOrder(
  session: CheckoutSession,
  { tokenizedData: { token, saveForLater } }: PayingBody,
  { caller, ports }: { caller: Caller; ports: Ports },
): Promise<string | undefined> {
  if (token === undefined) return undefined;
  if (await isOrderOfAttempt(session, token, ports)) return undefined;
  const gatewayId = await findGatewayOfOrder(ports.database, session, token);
  const isFit = saveForLater !== true || keepsWallet(session);
  if (gatewayId && isFit) return gatewayId;
  // A notice may have started the attempt in between; if this call were refused, the buyer would
  // pay again elsewhere.
  const { session: again } = await getSession(session.id, caller, ports);
  if (await isOrderOfAttempt(again, token, ports)) return undefined;
  return refuse('invalid_request', {
    param: 'tokenizedData.token',
    message: isFit
      ? 'A wallet takes no token but the id of its open order.'
      : 'The order that was ready for the session cannot save the wallet: leave the token out.',
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

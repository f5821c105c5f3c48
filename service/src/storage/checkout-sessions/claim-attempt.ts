// Claims a buyer's attempt to pay: payment, operation and session in one transaction, before the
// vault or the provider is asked.

import {
  type CheckoutSession,
  isFree,
  isSettled,
  isTotal,
} from '../../domain/payments/checkout-session.ts';
import { isLeasedByOther, type Operation } from '../../domain/payments/operation.ts';
import { isPageConfirmed } from '../../domain/payments/page-confirmed.ts';
import type { CardFacts, Payment } from '../../domain/payments/payment.ts';
import { keepsWallet } from '../../domain/payments/wallet-order.ts';
import { reserveCoupons } from '../catalog/coupons.ts';
import { readClock } from '../database/clock.ts';
import { type Database, repeatWhenLost, type Tx } from '../database/database.ts';
import { findMethodUse } from '../payment-methods/payment-method-uses.ts';
import { claimMethodUse, insertSave, isMethodUsable } from '../payments/attempt-methods.ts';
import {
  findEarlierAttempt,
  findOperation,
  holdOperation,
  insertOperation,
  lockOperation,
} from '../payments/payment-operations.ts';
import { copyPaymentCard, findPayment, insertPurchase, lockPayment } from '../payments/payments.ts';
import { isSecondSubscription } from '../subscriptions/second-subscriptions.ts';
import type { AttemptClaim, AttemptRequest, MethodWish } from './attempt-claim.ts';
import { insertAttemptPurchase } from './attempt-purchase.ts';
import { findSession, lockSession, startSessionAttempt } from './checkout-sessions.ts';
import { claimFree } from './claim-free.ts';
import { countSessionCall, waitAfterDeclines } from './session-calls.ts';

/** Repeatable: when the commit was lost, the lease owner identifies the claim. */
export async function claimAttempt(
  database: Database,
  request: AttemptRequest,
): Promise<AttemptClaim> {
  // The nonce determines the session; the claim reads it again under its lock.
  const found = await findSession(database, request.nonceSha256, request.sessionId);
  if (!found) return { kind: 'refused', code: 'checkout_session_not_found' };
  const { clientId } = found.session;
  try {
    return await repeatWhenLost(() =>
      database.transaction(clientId, (tx) => claimOnce(tx, request)),
    );
  } catch (error) {
    if (error instanceof MethodTaken) return unusable;
    throw error;
  }
}

/** Thrown to roll back: a detachment began between the check of the method and its lock. */
class MethodTaken extends Error {}

// The same refusal for a method that is missing, foreign, pending, removed or being removed: it
// reveals nothing about other customers.
const unusable: AttemptClaim = { kind: 'refused', code: 'payment_method_not_found' };

async function claimOnce(tx: Tx, request: AttemptRequest): Promise<AttemptClaim> {
  const session = await lockSession(tx, request.nonceSha256, request.sessionId);
  if (!session) return { kind: 'refused', code: 'checkout_session_not_found' };
  const now = await readClock(tx);
  const code = request.refuse(session, now);
  if (code) return { kind: 'refused', code };
  const { limits } = request;
  if (limits && !request.isCounted) {
    const met = await countSessionCall(tx, session, { limits, now });
    // A buyer who may not pay here at all must not be told to wait a minute.
    const locked =
      met && session.status === 'open' ? await findLock(tx, session, request, now) : null;
    if (met) return locked ?? { kind: 'limited', ...met };
  }
  if (isFree(session)) return claimFree(tx, session, { request, now });
  const wish = request.methodOf?.(session);
  if (wish?.kind === 'charge' && !isSettled(session)) {
    const gatewayId = request.walletGatewayId ?? session.gatewayId;
    if (!(await isMethodUsable(tx, { ...session, gatewayId }, wish.methodId))) return unusable;
  }
  let card: RedeemedCard | undefined;
  if (session.attemptId && session.paymentId) {
    const earlier = await judgeEarlier(tx, session, { request, wish, now });
    if ('kind' in earlier) return earlier;
    card = earlier.card;
    const locked = await findLock(tx, session, request, now);
    if (locked) return locked;
  }
  if (!isTotal(session, request.expectedTotal)) {
    return { kind: 'refused', code: 'checkout_session_total_changed' };
  }
  request.countAttempt?.();
  return startAttempt(tx, session, { request, now, card });
}

/**
 * This lock applies to cards only: an order that the buyer has approved is captured by this call or
 * by the wallet's notice.
 */
async function findLock(
  tx: Tx,
  session: CheckoutSession,
  { limits, walletGatewayId }: AttemptRequest,
  now: Date,
): Promise<AttemptClaim | null> {
  if (limits === null || walletGatewayId !== null) return null;
  const waitSeconds = await waitAfterDeclines(tx, session, { limits, now });
  return waitSeconds === null ? null : { kind: 'locked', waitSeconds };
}

type Start = Pick<
  AttemptRequest,
  | 'walletGatewayId'
  | 'orderId'
  | 'fingerprint'
  | 'cardTokenSha256'
  | 'paymentId'
  | 'operationId'
  | 'leaseOwner'
  | 'leaseMs'
  | 'isLive'
> &
  Partial<Pick<AttemptRequest, 'methodOf' | 'newMethodId' | 'locale'>> & {
    readonly requestId: string | null;
    /** True when the order was created before, for this payment: no other ready order is taken instead. */
    readonly isAdopted?: boolean;
  };

/** Starts an attempt on a locked session that has none. */
export async function startAttempt(
  tx: Tx,
  session: CheckoutSession,
  given: { request: Start; now: Date; card: RedeemedCard | undefined },
): Promise<AttemptClaim> {
  const { request, now, card } = given;
  const { clientId, id: sessionId } = session;
  // The database gives the redeemed coupons back when this payment fails.
  if (await isSecondSubscription(tx, session))
    return { kind: 'refused', code: 'subscription_exists' };
  const reserved = await reserveCoupons(tx, session);
  if (reserved === 'coupon_inactive') return { kind: 'refused', code: reserved };
  if (reserved === 'coupons_used') return { kind: 'coupons_used', session };
  const isReadyOrderFit = fitsReadyOrder(session, request.methodOf?.(session));
  const insert = isReadyOrderFit && !request.isAdopted ? insertAttemptPurchase : insertPurchase;
  let payment = await insert(
    tx,
    {
      id: request.paymentId,
      clientId,
      sessionId,
      userId: session.userId,
      externalId: session.externalId,
      email: session.email,
      isBuyerVerified: session.isBuyerVerified,
      provider: request.walletGatewayId ? 'wallet' : 'cardprovider',
      gatewayId: request.walletGatewayId ?? session.gatewayId,
      amountMinor: session.totalMinor ?? 0,
      currency: session.currency ?? '',
      captureMethod: session.captureMethod,
      metadata: session.metadata,
      reference: session.reference,
      isLive: request.isLive,
      createdAt: now,
    },
    request.orderId ?? null,
  );
  if (card) payment = await copyPaymentCard(tx, payment, card);
  const operation = await insertOperation(tx, {
    id: request.operationId,
    clientId,
    paymentId: payment.id,
    kind: 'authorize',
    amountMinor: payment.amountMinor,
    leaseOwner: request.leaseOwner,
    leaseUntil: new Date(now.getTime() + request.leaseMs),
    now,
    idempotencyKey: null,
    rawSha256: null,
    canonSha256: request.fingerprint,
    cardTokenSha256: request.cardTokenSha256,
    requestId: request.requestId,
  });
  if (!operation) throw new Error('a new payment has no other operation');
  payment = await claimMethod(tx, payment, { request, session, now });
  await startSessionAttempt(tx, session, {
    paymentId: payment.id,
    operationId: operation.id,
    locale: request.locale ?? null,
    now,
  });
  return { kind: 'claimed', session, payment, operation, isFirstSend: true, now };
}

/** A ready order saves its buyer's wallet exactly when the cart asks for that. */
const fitsReadyOrder = (session: CheckoutSession, wish: MethodWish | undefined): boolean =>
  wish?.kind !== 'charge' && (wish?.kind !== 'save' || keepsWallet(session));

/** Claims the use of a saved method, or inserts the method to save, as the attempt asks. */
async function claimMethod(
  tx: Tx,
  payment: Payment,
  { request, session, now }: { request: Start; session: CheckoutSession; now: Date },
): Promise<Payment> {
  const wish = request.methodOf?.(session);
  if (!wish || wish.kind === 'none') return payment;
  if (wish.kind === 'save') {
    await insertSave(tx, payment, { methodId: request.newMethodId ?? '', now });
    return payment;
  }
  const use = { paymentMethodId: wish.methodId, purpose: 'charge', subscriptionId: null } as const;
  const paying = await claimMethodUse(tx, payment, { ...use, now });
  if (!paying) throw new MethodTaken();
  return paying;
}

/** The card that an earlier attempt redeemed from its token: the token cannot be redeemed again. */
type RedeemedCard = { readonly providerPaymentMethodId: string; readonly facts: CardFacts };

/** Returns what the session's newest attempt means for this request, or what a new attempt starts with. */
async function judgeEarlier(
  tx: Tx,
  session: CheckoutSession,
  { request, wish, now }: { request: AttemptRequest; wish: MethodWish | undefined; now: Date },
): Promise<AttemptClaim | { readonly card: RedeemedCard | undefined }> {
  const own = await findOwnAttempt(tx, session, request);
  if (own) return own;
  const { payment, operation } = await lockAttempt(tx, session);
  const stands: AttemptClaim = { kind: 'stands', session, payment, operation };
  // The buyer has approved another order than the one that waits.
  const isNamedOther =
    operation.state === 'awaiting_customer' &&
    request.orderId !== undefined &&
    request.orderId !== payment.providerIntentId;
  const isSame =
    !isNamedOther &&
    operation.canonSha256.equals(request.fingerprint) &&
    (!isPageConfirmed(operation) || (await hasSameMethodWish(tx, payment, wish)));
  if (operation.state === 'succeeded') return stands;
  if (!isSame && request.isReturn) {
    // For example, another tab gave this attempt up and has begun a new one since: the new one continues.
    const earlier = await findEarlierAttempt(tx, session, request.fingerprint);
    const ended =
      earlier && earlier.id !== operation.id && (await earlierResultOf(tx, session, earlier));
    if (ended) return ended;
  }
  if (operation.state === 'failed') {
    // This very request began the attempt and another process settled it meanwhile: that result is
    // the answer.
    if (operation.id === request.operationId) return stands;
    const isNamed = payment.providerIntentId === request.orderId;
    if (isNamed && payment.failureCode === 'declined') return stands;
    const hasComeAlong = operation.id === request.waitedFor;
    if (isSame && payment.provider === 'wallet' && wish?.kind === 'charge' && hasComeAlong) {
      return stands;
    }
    if (!isSame || isPageConfirmed(operation)) return { card: undefined };
    // A saved card can be tried again, unlike a token; but not by a call that arrived together with
    // the first one, or that asks about the attempt after a notice settled it.
    if (wish?.kind === 'charge') {
      return hasComeAlong || request.isReturn ? stands : { card: undefined };
    }
    // Nothing was confirmed and the intent is closed: the same request may try again.
    const { providerPaymentMethodId, card: facts } = payment;
    if (payment.failureCode === 'unavailable' && providerPaymentMethodId && facts) {
      return { card: { providerPaymentMethodId, facts } };
    }
    // The token is single use, so the same request can only be a retry after a lost answer.
    return stands;
  }
  if (!isSame && !isPageConfirmed(operation)) return inProgress;
  if (isLeasedByOther(operation, request.leaseOwner, now)) {
    return { kind: 'wait', clientId: session.clientId, operationId: operation.id };
  }
  if (!isSame && operation.state !== 'awaiting_customer') return inProgress;
  if (operation.state === 'manual') return stands;
  const held = await holdAttempt(tx, operation, { ...request, now });
  const kind = isSame ? 'claimed' : 'superseded';
  return { kind, session, payment, operation: held, isFirstSend: false, now };
}

/** Returns the result of the attempt that this very request began, when a newer attempt has begun since. */
async function findOwnAttempt(
  tx: Tx,
  session: CheckoutSession,
  { operationId }: AttemptRequest,
): Promise<AttemptClaim | undefined> {
  if (session.attemptId === operationId) return;
  const operation = await findOperation(tx, session.clientId, operationId);
  return operation && earlierResultOf(tx, session, operation);
}

/** Returns the result of an attempt that is not the session's newest. */
async function earlierResultOf(
  tx: Tx,
  session: CheckoutSession,
  operation: Operation,
): Promise<AttemptClaim | undefined> {
  const payment = await findPayment(tx, session.clientId, operation.paymentId);
  return payment && { kind: 'stands', session, payment, operation };
}

/** Returns whether the attempt's payment treats saved methods as this request asks. */
async function hasSameMethodWish(
  tx: Tx,
  { clientId, id, provider }: Payment,
  wish: MethodWish | undefined,
): Promise<boolean> {
  // A buyer who returns from the wallet's page names no method: the call is about the order that
  // was approved.
  if (provider === 'wallet' && !wish) return true;
  const use = await findMethodUse(tx, clientId, id);
  if (wish?.kind === 'charge') return use?.paymentMethodId === wish.methodId;
  return use?.purpose === (wish?.kind === 'none' ? undefined : wish?.kind);
}

const inProgress: AttemptClaim = { kind: 'refused', code: 'checkout_attempt_in_progress' };

/** Locks the session's newest attempt in the common lock order: payment, then operation. */
export async function lockAttempt(
  tx: Tx,
  session: CheckoutSession,
): Promise<{ payment: Payment; operation: Operation }> {
  const payment = await lockPayment(tx, session.clientId, session.paymentId ?? '');
  const locked = await lockOperation(tx, session.clientId, session.attemptId ?? '');
  if (!payment || !locked) throw new Error(`session ${session.id} has lost its attempt`);
  return { payment, operation: locked.operation };
}

/** Takes the lease of a locked attempt. */
export const holdAttempt = (
  tx: Tx,
  operation: Operation,
  lease: { readonly leaseOwner: string; readonly leaseMs: number; readonly now: Date },
): Promise<Operation> =>
  holdOperation(tx, operation, {
    owner: lease.leaseOwner,
    until: new Date(lease.now.getTime() + lease.leaseMs),
    attemptStep: 0,
  });

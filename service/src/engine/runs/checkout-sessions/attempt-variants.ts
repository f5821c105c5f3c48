// The variants of a processPayment call: the means of payment, the hash by which a repeat is
// recognised, and the saved card that the call uses or saves. Contract §3, Process;
// docs/decisions/saved-cards.md.

import { createHash } from 'node:crypto';
import type { ProcessBody } from '@svc/contract/checkout-sessions/checkout-sessions';
import type { ErrorCode } from '@svc/contract/errors/errors';
import {
  type CheckoutSession,
  isFree,
  isSettled,
  mismatchOf,
  refuseAttempt,
} from '../../../domain/payments/checkout-session.ts';
import { isCharged } from '../../../domain/payments/line.ts';
import type { MethodWish } from '../../../storage/checkout-sessions/attempt-claim.ts';
import { refuse } from '../../implement.ts';
import type { AttemptVariant } from './run-attempt.ts';

type PaymentChoice = {
  readonly token?: string;
  readonly paymentMethodId?: string;
  readonly saveForLater?: boolean;
};

/**
 * An attempt with a card. `chv` is not part of its identity, because only the repeat sends it. A
 * token is used once, so the token and the wish to save its card identify the request. Refuses
 * invalid_request unless exactly one of token and saved card is sent.
 */
export function attemptWith(
  paying: PaymentChoice,
  param: string,
): Pick<AttemptVariant, 'fingerprint' | 'cardTokenSha256' | 'walletGatewayId' | 'methodOf'> {
  const { token, paymentMethodId, saveForLater } = paying;
  if ((token === undefined) === (paymentMethodId === undefined)) {
    return refuse('invalid_request', {
      param,
      message: 'Send exactly one of token and paymentMethodId.',
    });
  }
  const identity = [
    'attempt',
    token ?? `saved\n${paymentMethodId?.toLowerCase()}`,
    ...(token !== undefined && saveForLater ? ['keep'] : []),
  ].join('\n');
  return {
    walletGatewayId: null,
    fingerprint: createHash('sha256').update(identity).digest(),
    cardTokenSha256: token === undefined ? null : createHash('sha256').update(token).digest(),
    methodOf: (session) => methodWishOf(session, paying),
  };
}

/**
 * The attempt of a call that names nothing to pay with: a free session is completed, a settled
 * session returns its result, and any other refuses invalid_request.
 */
export const variantWithoutMethod = (
  param: string,
): Pick<AttemptVariant, 'fingerprint' | 'cardTokenSha256' | 'walletGatewayId'> & {
  readonly refuseDue: (session: CheckoutSession) => ErrorCode | null;
} => ({
  walletGatewayId: null,
  fingerprint: createHash('sha256').update('attempt\nnothing').digest(),
  cardTokenSha256: null,
  refuseDue: (session) =>
    isFree(session) || isSettled(session)
      ? null
      : refuse('invalid_request', {
          param,
          message: 'An amount is due. Send a payment method.',
        }),
});

/**
 * A subscription is renewed with the method that bought it, so that method is saved whatever the
 * call asks.
 */
export const impliedWish = ({ lines }: CheckoutSession): MethodWish | undefined =>
  lines.some(isCharged) ? { kind: 'save' } : undefined;

/**
 * Whether the attempt charges a saved method, or saves the new one because the call or a subscription in the
 * cart requires it.
 */
export function methodWishOf(
  session: CheckoutSession,
  { paymentMethodId, saveForLater }: Omit<PaymentChoice, 'token'>,
): MethodWish | undefined {
  if (paymentMethodId !== undefined) {
    return { kind: 'charge', methodId: paymentMethodId.toLowerCase() };
  }
  return saveForLater ? { kind: 'save' } : impliedWish(session);
}

/**
 * Why the session accepts no attempt of the named buyer; null when it does. Throws buyer_mismatch
 * itself, naming the field that differs.
 */
export function refuseBuyer(
  session: CheckoutSession,
  { accountData }: Pick<ProcessBody, 'accountData'>,
  now: Date,
): ErrorCode | null {
  const code = refuseAttempt(session, accountData, now);
  return code === 'buyer_mismatch' ? refuse(code, mismatchOf(session, accountData)) : code;
}

/**
 * Saved cards are for buyers whom the merchant vouched for: returns buyer_not_verified for others,
 * else null. A settled session returns its result, whatever is sent.
 */
export const refuseUnverified = (
  session: CheckoutSession,
  paying: Omit<PaymentChoice, 'token'>,
): ErrorCode | null =>
  !isFree(session) &&
  methodWishOf(session, paying) &&
  !session.isBuyerVerified &&
  !isSettled(session)
    ? 'buyer_not_verified'
    : null;

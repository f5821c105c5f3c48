// What a call pays with, what it is recognised by, and what it has to do with saved cards. Contract §3,
// Process; decision 0052.

import { createHash } from 'node:crypto';
import type { ProcessBody } from '@svc/contract/checkout-sessions';
import type { ErrorCode } from '@svc/contract/errors';
import {
  type CheckoutSession,
  isCharged,
  isFree,
  isSettled,
  mismatchOf,
  refuseAttempt,
} from '../../../domain/payments/checkout-session.ts';
import type { MethodWish } from '../../../storage/checkout-sessions/attempt-claim.ts';
import { refuse } from '../../implement.ts';
import type { Wanted } from './run-attempt.ts';

type Paying = {
  readonly token?: string;
  readonly paymentMethodId?: string;
  readonly saveForLater?: boolean;
};

/**
 * An attempt with a card: `chv` is no part of its identity, for it comes with the repeat. A token is
 * used once, so with the wish to keep its card it alone identifies the request. Refuses both and
 * neither of token and saved card.
 */
export function attemptWith(
  paying: Paying,
  param: string,
): Pick<Wanted, 'fingerprint' | 'cardTokenSha256' | 'walletGatewayId' | 'methodOf'> {
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
    methodOf: (session) => wishOf(session, paying),
  };
}

/**
 * The call says nothing to pay with: a session that costs nothing is completed, one that is settled
 * answers what settled it, and any other asks for a card.
 */
export const attemptWithNothing = (
  param: string,
): Pick<Wanted, 'fingerprint' | 'cardTokenSha256' | 'walletGatewayId'> & {
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

/** A subscription is renewed with what bought it, so that is kept, whatever the call says. */
export const impliedWish = ({ lines }: CheckoutSession): MethodWish | undefined =>
  lines.some(isCharged) ? { kind: 'save' } : undefined;

/** What the call wishes, or its cart. */
export function wishOf(
  session: CheckoutSession,
  { paymentMethodId, saveForLater }: Omit<Paying, 'token'>,
): MethodWish | undefined {
  if (paymentMethodId !== undefined) {
    return { kind: 'charge', methodId: paymentMethodId.toLowerCase() };
  }
  return saveForLater ? { kind: 'save' } : impliedWish(session);
}

/**
 * Why the session takes no attempt of the named buyer; null when it does. Refuses buyer_mismatch itself,
 * naming what differs.
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
 * Saved cards are for a buyer that the merchant vouched for; null when nothing stands in the way. A
 * settled session answers what settled it, whatever is sent.
 */
export const refuseUnverified = (
  session: CheckoutSession,
  paying: Omit<Paying, 'token'>,
): ErrorCode | null =>
  !isFree(session) && wishOf(session, paying) && !session.isBuyerVerified && !isSettled(session)
    ? 'buyer_not_verified'
    : null;

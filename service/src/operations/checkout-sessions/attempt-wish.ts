// What a call pays with, what it is recognised by, and what it has to do with saved cards. Contract §3,
// Process; decision 0052.

import { createHash } from 'node:crypto';
import type { ErrorCode } from '@svc/contract/errors';
import { type CheckoutSession, isSettled } from '../../domain/checkout-session.ts';
import type { MethodWish } from '../../storage/claim-attempt.ts';
import { refuse } from '../implement.ts';
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

/** A subscription is renewed with what bought it, so that is kept, whatever the call says. */
export const impliedWish = ({ lines }: CheckoutSession): MethodWish | undefined =>
  lines.some((line) => line.kind === 'subscription') ? { kind: 'save' } : undefined;

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
 * Saved cards are for a buyer that the merchant vouched for; null when nothing stands in the way. A
 * settled session answers what settled it, whatever is sent.
 */
export const refuseUnverified = (
  session: CheckoutSession,
  paying: Omit<Paying, 'token'>,
): ErrorCode | null =>
  wishOf(session, paying) && !session.isBuyerVerified && !isSettled(session)
    ? 'buyer_not_verified'
    : null;

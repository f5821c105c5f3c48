// An attempt to save a card without a charge, and what the provider's outcome means for it. Spec:
// Saved payment method status. Contract §3, §5. A set-up in doubt never becomes failed.

import type {
  Advice,
  AttemptResult,
  SessionStatus,
} from '@svc/contract/checkout-sessions/checkout-sessions';
import { resultOf, shownCode } from './attempt-failures.ts';
import { challengeMs, type drivenStates, nextCheck } from './operation.ts';
import type { CardFacts, PaidWith } from './payment.ts';
import type { MethodFacts, PaymentMethod } from './payment-method.ts';

export type SetupState = (typeof drivenStates)[number] | 'succeeded' | 'failed';

/** A row of `card_setups`. */
export type CardSetup = {
  readonly id: string;
  readonly clientId: string;
  readonly sessionId: string;
  readonly paymentMethodId: string;
  readonly gatewayId: string;
  /** The owner of the card: the session's buyer. */
  readonly userId: string;
  /** `page`: the buyer's page itself confirms the set-up at the provider. */
  readonly confirmedBy: 'service' | 'page';
  readonly cardTokenSha256: Buffer | null;
  readonly providerSetupId: string | null;
  readonly providerPaymentMethodId: string | null;
  readonly card: CardFacts | null;
  readonly challenge: { readonly url: string | null; readonly clientSecret: string | null } | null;
  readonly failureCode: string | null;
  readonly declineCode: string | null;
  /** The provider's own advice, as it was reported with the decline. */
  readonly declineAdvice: Advice | null;
  readonly requestId: string | null;
  readonly firstSentAt: Date;
  readonly createdAt: Date;
  readonly state: SetupState;
  readonly attempt: number;
  /** Goes up with every lease holder; a lease holder with an older epoch writes nothing. */
  readonly epoch: number;
  readonly leaseOwner: string | null;
  readonly leaseUntil: Date | null;
  readonly checks: number;
};

/** The life of a setup session, in milliseconds. Contract §3, Life. */
export const setupLifeMs = 3600 * 1000;

/** How often an open set-up is read, in milliseconds, in case the provider's notice of its end is lost. */
const lookMs = 600 * 1000;

export const isSetupOver = ({ state }: Pick<CardSetup, 'state'>): boolean =>
  state === 'succeeded' || state === 'failed';

/** Another process works on the set-up, and its lease has not expired. */
export const isSetupHeldByOther = (setup: CardSetup, owner: string, now: Date): boolean =>
  setup.leaseUntil !== null && setup.leaseUntil > now && setup.leaseOwner !== owner;

/** The provider's idempotency key of the confirmation: nothing in it changes with a retry. */
export const confirmationKey = ({ id, attempt }: CardSetup): string => `setup-${id}-${attempt}`;

/** The buyer has had an hour for the bank's challenge, or for the page's form. */
export const isSetupAbandoned = ({ firstSentAt }: CardSetup, now: Date): boolean =>
  now.getTime() - firstSentAt.getTime() > challengeMs;

/** When the worker reads the set-up again. */
export function nextSetupCheck(
  setup: CardSetup,
  state: SetupState,
  { now, jitter }: { now: Date; jitter: number },
): Date {
  if (state !== 'awaiting_customer') return nextCheck(now, setup.checks, jitter);
  const end = setup.firstSentAt.getTime() + challengeMs;
  return new Date(Math.max(now.getTime() + 1000, Math.min(end, now.getTime() + lookMs)));
}

const ifBetween = (value: number | null, least: number, most: number): number | null =>
  value !== null && value >= least && value <= most ? value : null;

/** A card's facts as they can be stored: what the provider left out or sent in a wrong form is null. */
const storableFacts = (facts: MethodFacts): MethodFacts => ({
  brand: facts.brand,
  lastFour: facts.lastFour !== null && /^\d{4}$/.test(facts.lastFour) ? facts.lastFour : null,
  expiryMonth: ifBetween(facts.expiryMonth, 1, 12),
  expiryYear: ifBetween(facts.expiryYear, 2000, 2199),
  payerEmail: facts.payerEmail,
});

const types: readonly PaymentMethod['type'][] = ['google_pay', 'apple_pay'];

/** A card as a saved method shows it. */
export const factsOfCard = (
  card: CardFacts,
): MethodFacts & { readonly type: PaymentMethod['type'] } => ({
  ...storableFacts({ ...card, payerEmail: null }),
  type: types.find((type) => type === card.type) ?? 'card',
});

/** The provider's state of a set-up, as far as a decision needs it. */
export type SetupFacts = {
  readonly state: 'new' | 'requires_action' | 'processing' | 'succeeded' | 'canceled';
  readonly customerId: string | null;
  readonly providerPaymentMethodId: string | null;
  readonly paidWith?: PaidWith;
  readonly lastFailure?: SetupFailure;
};

type SetupFailure = {
  readonly code: string;
  readonly declineCode: string | null;
  readonly advice?: Advice | null;
};

export type SetupWord =
  | { readonly kind: 'confirmed' | 'requires_action'; readonly setup: SetupFacts }
  | ({ readonly kind: 'refused' } & SetupFailure)
  | { readonly kind: 'in_doubt'; readonly cause: string };

export type SetupEnd =
  | {
      readonly state: 'succeeded';
      readonly customerId: string;
      readonly methodId: string;
      readonly card: CardFacts;
    }
  | ({ readonly state: 'failed' } & SetupFailure)
  | { readonly state: 'awaiting_customer' }
  | { readonly state: 'in_doubt'; readonly isProcessing: boolean };

const setupFailed = ({ code, declineCode, advice = null }: SetupFailure): SetupEnd => ({
  state: 'failed',
  code,
  declineCode,
  advice,
});

/**
 * Decides what the provider's outcome means. Only `succeeded` with customer, method and card saves
 * the method.
 */
export function decideSetup(setup: CardSetup, word: SetupWord): SetupEnd {
  if (word.kind === 'refused') return setupFailed(word);
  if (word.kind === 'in_doubt') return { state: 'in_doubt', isProcessing: false };
  const {
    state,
    customerId,
    providerPaymentMethodId: methodId,
    paidWith,
    lastFailure,
  } = word.setup;
  if (state === 'canceled') {
    return setupFailed(lastFailure ?? { code: 'canceled', declineCode: null });
  }
  if (state === 'succeeded') {
    const card = paidWith?.card ?? setup.card;
    return customerId && methodId && card
      ? { state: 'succeeded', customerId, methodId, card }
      : { state: 'in_doubt', isProcessing: false };
  }
  if (state === 'processing') return { state: 'in_doubt', isProcessing: true };
  return word.kind === 'requires_action'
    ? { state: 'awaiting_customer' }
    : { state: 'in_doubt', isProcessing: false };
}

/** How a setup session reports the end of a set-up. */
export function reportSetup(end: SetupEnd): {
  status: SessionStatus;
  attemptResult: AttemptResult;
  attemptDeclineCode: string | null;
} {
  switch (end.state) {
    case 'succeeded':
      return { status: 'completed', attemptResult: 'SUCCEEDED', attemptDeclineCode: null };
    case 'awaiting_customer':
      return {
        status: 'requires_action',
        attemptResult: 'REQUIRES_ACTION',
        attemptDeclineCode: null,
      };
    case 'in_doubt': {
      const attemptResult = end.isProcessing ? 'PROCESSING' : 'UNKNOWN';
      return { status: 'processing', attemptResult, attemptDeclineCode: null };
    }
    default:
      return {
        status: 'open',
        attemptResult: resultOf(end.code),
        attemptDeclineCode: shownCode(end),
      };
  }
}

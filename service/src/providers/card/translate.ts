// Translates the card provider's answers. Pure.

import { disputeStatuses } from '@svc/contract/payments/disputes';
import type Stripe from 'stripe';
import { adviceFor } from '../../domain/payments/decline-advice.ts';
import { signalKindOf } from '../../domain/payments/dispute.ts';
import type { CardFacts } from '../../domain/payments/payment.ts';
import { readMaker, readMarks } from '../../domain/protocol/marks.ts';
import { wordsOf } from '../../domain/protocol/provider-words.ts';
import type { Advice, Notice, ProviderPayment } from '../../engine/ports.ts';
import { fromProviderAmount } from './amounts.ts';
import { readBalance, readReversal } from './balance.ts';

const fromUnix = (seconds: number | null | undefined): Date | null =>
  seconds === null || seconds === undefined ? null : new Date(seconds * 1000);

const states: Readonly<Record<Stripe.PaymentIntent.Status, ProviderPayment['state']>> = {
  requires_payment_method: 'new',
  requires_confirmation: 'new',
  requires_action: 'requires_action',
  processing: 'processing',
  requires_capture: 'authorized',
  succeeded: 'captured',
  canceled: 'released',
};

/**
 * Returns whether an answer has the fields that an intent is judged by; the SDK's types only
 * promise them.
 */
export function isIntent(answer: Stripe.PaymentIntent): boolean {
  const { object, id, currency, status, amount, amount_received: received } = answer;
  return (
    object === 'payment_intent' &&
    typeof id === 'string' &&
    typeof currency === 'string' &&
    typeof status === 'string' &&
    Number.isInteger(amount) &&
    Number.isInteger(received)
  );
}

/**
 * Translates the fields of an intent that the service uses; `latest_charge.balance_transaction`
 * should be expanded.
 */
export function translateIntent(intent: Stripe.PaymentIntent): ProviderPayment {
  const currency = intent.currency.toUpperCase();
  const charge = typeof intent.latest_charge === 'object' ? intent.latest_charge : null;
  const balance =
    typeof charge?.balance_transaction === 'object' ? charge.balance_transaction : null;
  const state = states[intent.status] ?? 'new';
  return {
    intentId: intent.id,
    state,
    // `expired` since API version 2025-03-31.basil; earlier versions ended an expired hold as `automatic`.
    releasedBecause:
      state === 'released'
        ? intent.cancellation_reason === 'expired'
          ? 'expired'
          : 'canceled'
        : null,
    ...(intent.capture_method
      ? { captureMethod: intent.capture_method === 'manual' ? 'manual' : 'automatic' }
      : {}),
    amountMinor: fromProviderAmount(
      state === 'captured' ? intent.amount_received : intent.amount,
      currency,
    ),
    currency,
    chargeId:
      charge?.id ?? (typeof intent.latest_charge === 'string' ? intent.latest_charge : null),
    captureBefore: fromUnix(charge?.payment_method_details?.card?.capture_before),
    effectiveAt: fromUnix(balance?.created),
    balance: readBalance(balance),
    // Only a reversal that was booked counts: a declined charge fails as well.
    refundedMinor: fromProviderAmount(charge?.amount_refunded ?? 0, currency),
    isTakenBack: charge?.status === 'failed' && charge.failure_balance_transaction !== null,
    ...readReversal(charge?.failure_balance_transaction),
    ...(charge?.disputed ? { isDisputed: true } : {}),
    ...(state === 'released' && charge?.status === 'succeeded' ? { wasHeld: true } : {}),
    ...readPaidCard(charge),
    ...readSavedMethod(intent, state),
    ...(intent.last_payment_error
      ? { lastFailure: translateFailure(intent.last_payment_error) }
      : {}),
  };
}

/** The card of the charge that took effect: of several tries on a page only this one counts. */
type ProviderCard = {
  readonly brand: string | null;
  readonly last4: string | null;
  readonly exp_month: number;
  readonly exp_year: number;
  readonly wallet: { readonly type: string } | null;
  readonly fingerprint?: string | null;
  readonly country?: string | null;
};

/** Returns the country of the card's issuer; undefined where the provider knows none. */
const countryOf = ({ country }: Pick<ProviderCard, 'country'>): string | undefined =>
  country && /^[A-Z]{2}$/.test(country) ? country : undefined;

/**
 * Returns what may be shown of a card, and the fingerprint that identifies the card within the
 * provider's account.
 */
export const cardFacts = (card: ProviderCard): CardFacts => {
  const country = countryOf(card);
  return {
    type: walletTypes.find((type) => type === card.wallet?.type) ?? 'card',
    brand: card.brand ?? 'unknown',
    lastFour: card.last4 ?? '',
    expiryMonth: card.exp_month,
    expiryYear: card.exp_year,
    ...(card.fingerprint ? { fingerprint: card.fingerprint } : {}),
    ...(country ? { country } : {}),
  };
};

function readPaidCard(charge: Stripe.Charge | null): Pick<ProviderPayment, 'paidWith'> {
  const card = charge?.payment_method_details?.card;
  if (!card || !charge?.payment_method || charge.status !== 'succeeded') return {};
  return {
    paidWith: {
      providerPaymentMethodId: charge.payment_method,
      card: cardFacts(card),
    },
  };
}

/** Returns the method that the provider saved for its customer when it paid. */
function readSavedMethod(
  { customer, payment_method: method, setup_future_usage: usage }: Stripe.PaymentIntent,
  state: ProviderPayment['state'],
): Pick<ProviderPayment, 'saved'> {
  const customerId = typeof customer === 'string' ? customer : customer?.id;
  const providerPaymentMethodId = typeof method === 'string' ? method : method?.id;
  const isKept = usage && (state === 'authorized' || state === 'captured');
  return isKept && customerId && providerPaymentMethodId
    ? { saved: { customerId, providerPaymentMethodId, payerEmail: null } }
    : {};
}

const walletTypes = ['google_pay', 'apple_pay'];

type ProviderError = {
  readonly code?: string | undefined;
  readonly decline_code?: string | undefined;
  readonly advice_code?: string | undefined;
  readonly message?: string | undefined;
  readonly payment_method?: { readonly card?: Pick<ProviderCard, 'country'> } | undefined;
};

/** How an authentication ended, when the provider's record of the attempt states it. */
const endings: Readonly<Record<string, string>> = {
  abandoned: 'authentication_abandoned',
  canceled: 'authentication_canceled',
};

/**
 * Translates why a confirmation failed: the bank declined, or an authentication did not complete.
 * The provider gives the same code and sentence for each way an authentication can end.
 */
export function translateFailure(
  error: ProviderError,
  ending?: string | null,
): {
  code: string;
  declineCode: string | null;
  advice?: Advice;
  message: string | null;
  cardCountry?: string;
} {
  const country = countryOf(error.payment_method?.card ?? {});
  const details = { message: wordsOf(error.message), ...(country ? { cardCountry: country } : {}) };
  if (!error.code?.endsWith('_intent_authentication_failure')) {
    return { code: 'declined', ...translateDecline(error), ...details };
  }
  const code = endings[ending ?? ''] ?? 'authentication_failed';
  return { code, declineCode: code, ...details };
}

/** Translates a decline. Contract §3, `advice`. */
export function translateDecline(error: ProviderError): {
  declineCode: string | null;
  advice: Advice;
} {
  // Where `code` already says why, the provider sends no decline code, and its SDK makes that an empty text.
  const declineCode =
    error.decline_code || (error.code === 'card_declined' ? 'generic_decline' : error.code) || null;
  return { declineCode, advice: adviceFor(declineCode, error.advice_code) };
}

/** Reduces a verified notice to what the service uses: which intent to read again. */
export function translateNotice(event: Stripe.Event): Notice {
  const object = event.data.object as {
    id?: string;
    object?: string;
    payment_intent?: unknown;
    metadata?: Readonly<Record<string, unknown>> | null;
  };
  const intentId =
    object.object === 'payment_intent' || object.object === 'setup_intent'
      ? object.id
      : typeof object.payment_intent === 'string'
        ? object.payment_intent
        : undefined;
  return {
    id: event.id,
    type: event.type,
    intentId: intentId ?? null,
    createdAt: new Date(event.created * 1000),
    livemode: event.livemode,
    kept: {
      objectId: object.id ?? null,
      object: object.object ?? null,
      account: event.account ?? null,
      ...(isMarked(object.metadata) ? { isMarked: true, ...readMaker(object.metadata) } : {}),
      ...(object.object === 'dispute' ? readDisputeState(event.data.object as Stripe.Dispute) : {}),
      ...readSignalState(event.data.object as SignalState),
    },
  };
}

/**
 * Returns whether the service made the object, by the marks that it writes to intents and refunds;
 * charges copy an intent's marks.
 */
const isMarked = (metadata: Readonly<Record<string, unknown>> | null | undefined): boolean =>
  readMarks({
    paymentId: metadata?.payment_id ?? metadata?.refund_id,
    operationId: metadata?.operation_id,
  }) !== null;

/** Returns the dispute's state in the notice, as far as a later reading can be compared with it. */
function readDisputeState({ balance_transactions: booked, status }: Stripe.Dispute) {
  const disputeStatus = disputeStatuses.find((known) => known === status);
  return {
    ...(Array.isArray(booked) ? { movements: booked.length } : {}),
    ...(disputeStatus ? { disputeStatus } : {}),
  };
}

type SignalState = {
  readonly object: string;
  readonly actionable?: unknown;
  readonly open?: unknown;
};

/** Returns whether a warning of fraud or a review was open, for the same comparison. */
function readSignalState({ object, actionable, open }: SignalState) {
  const isOpen = object === 'review' ? open : actionable;
  return signalKindOf(object) && typeof isOpen === 'boolean' ? { isOpen } : {};
}

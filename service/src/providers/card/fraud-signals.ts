// Warnings of fraud and reviews at the card provider. Of a review, the buyer's address and browser are
// never taken over.

import type Stripe from 'stripe';
import type { ProviderSignal, SignalKind } from '../../domain/payments/dispute.ts';
import type { SignalReading } from '../../engine/ports.ts';
import { read, type Wire, type WireAnswer } from './wire.ts';

export async function retrieveSignal(
  wire: Wire,
  kind: SignalKind,
  signalId: string,
): Promise<SignalReading> {
  const answer: WireAnswer<Stripe.Radar.EarlyFraudWarning | Stripe.Review> = await read(
    wire,
    (options): Promise<Stripe.Response<Stripe.Radar.EarlyFraudWarning | Stripe.Review>> =>
      kind === 'warning'
        ? wire.sdk.radar.earlyFraudWarnings.retrieve(signalId, {}, options)
        : wire.sdk.reviews.retrieve(signalId, {}, options),
  );
  const { trace } = answer;
  if (answer.kind === 'ok') {
    const signal = translateSignal(answer.value);
    return signal?.signalId === signalId && signal.kind === kind
      ? { kind: 'found', signal, trace }
      : { kind: 'in_doubt', cause: 'answer_malformed', trace };
  }
  const isMissing = answer.kind === 'error' && answer.status === 404;
  return isMissing ? { kind: 'missing', trace } : { kind: 'in_doubt', cause: 'read_failed', trace };
}

const mostWord = 100;
const isWord = (value: unknown): value is string =>
  typeof value === 'string' && value.length > 0 && value.length <= mostWord;

/** Returns null for an answer that lacks a required field: the SDK's types only promise the shape. */
export function translateSignal(
  said: Stripe.Radar.EarlyFraudWarning | Stripe.Review,
): ProviderSignal | null {
  const { payment_intent: intent } = said;
  const isWarning = said.object === 'radar.early_fraud_warning';
  if (!isWarning && said.object !== 'review') return null;
  const reason = isWarning ? said.fraud_type : said.opened_reason;
  const isOpen = isWarning ? said.actionable : said.open;
  if (!isWord(reason) || typeof isOpen !== 'boolean' || !Number.isInteger(said.created))
    return null;
  const closedReason = isWarning || isOpen ? null : said.closed_reason;
  return {
    kind: isWarning ? 'warning' : 'review',
    signalId: said.id,
    intentId: typeof intent === 'string' ? intent : (intent?.id ?? null),
    reason,
    isOpen,
    closedReason: isWord(closedReason) ? closedReason : null,
    raisedAt: new Date(said.created * 1000),
  };
}

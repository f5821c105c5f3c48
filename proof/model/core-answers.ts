// The provider's results as the service's adapter passes them to the core.

import type { ProviderFacts } from '../../service/src/domain/payments/provider-facts.ts';
import type { RefundAnswer } from '../../service/src/domain/payments/refund.ts';
import type { ProviderAnswer } from '../../service/src/domain/payments/settlement.ts';
import type { Kind, Word } from './reference.ts';

/** The amount of every payment in the pure layer, in a currency without decimals. */
export const amount = 6;

const states = {
  captured: 'captured',
  held: 'authorized',
  released: 'released',
  action: 'requires_action',
  processing: 'processing',
  taken_back: 'new',
} as const;

/** Returns the payment as the provider shows it. */
export function factsOf(word: Word, deadline: number | null): ProviderFacts {
  return {
    state: states[word.said as keyof typeof states],
    releasedBecause: word.said === 'released' ? word.because : null,
    amountMinor: amount,
    currency: 'JPY',
    chargeId: null,
    isTakenBack: word.said === 'taken_back',
    captureBefore: deadline === null ? null : new Date(deadline),
    effectiveAt: null,
  };
}

export function refundAnswer(word: Word): RefundAnswer {
  if (word.said === 'silence') return { kind: 'in_doubt', cause: 'no_answer' };
  if (word.said === 'refused') return { kind: 'refused', code: word.code };
  const refundStates = { given: 'succeeded', under_way: 'pending', returned: 'failed' } as const;
  const state = refundStates[word.said as keyof typeof refundStates];
  return { kind: 'confirmed', refund: { state, failureReason: null } };
}

export function coreAnswer(
  word: Word,
  { kind, deadline }: { kind: Kind; deadline: number | null },
): ProviderAnswer {
  if (word.said === 'silence') return { kind: 'in_doubt', cause: 'no_answer' };
  // The adapter refuses to cancel what somebody else has ended, and reports the state.
  const isOthers = word.said === 'captured' || (word.said === 'released' && word.isOthers);
  if (isOthers && kind === 'cancel') {
    const payment = factsOf(word, deadline);
    return { kind: 'refused', code: 'unexpected', declineCode: null, message: null, payment };
  }
  if (word.said === 'refused') {
    return { kind: 'refused', code: word.code, declineCode: null, message: null, payment: null };
  }
  return {
    kind: word.said === 'action' ? 'requires_action' : 'confirmed',
    payment: factsOf(word, deadline),
  };
}

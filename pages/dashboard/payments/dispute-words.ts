// What the banks' reasons for a dispute mean, and what helps against each. The values are the provider's.

import type { Dispute } from '@svc/contract/payments/disputes';
import { timeLeftText } from '../../kit/times.ts';
import { needsAnswer, type Words } from '../../kit/words.ts';

type Reason = { readonly text: string; readonly helps: string };

const reasons: Readonly<Record<string, Reason>> = {
  fraudulent: {
    text: 'The card holder says that somebody else paid',
    helps:
      'Links between the buyer and the purchase: earlier purchases with the same card and address, the bank’s authentication at payment, and proof of delivery.',
  },
  product_not_received: {
    text: 'The buyer says that nothing arrived',
    helps: 'Proof of delivery: the date, the address and who received it.',
  },
  product_unacceptable: {
    text: 'The buyer says that it was not as described',
    helps: 'The description as the buyer saw it, and what you offered when the buyer complained.',
  },
  duplicate: {
    text: 'The buyer claims to have paid twice',
    helps: 'What each of the payments was for, or that one of them was refunded.',
  },
  subscription_canceled: {
    text: 'The buyer says that the subscription had ended',
    helps: 'The cancellation terms, and evidence that it was not cancelled before this payment.',
  },
  credit_not_processed: {
    text: 'The buyer waits for a refund that did not come',
    helps: 'The refund and its date, or the terms that excluded a refund.',
  },
  unrecognized: {
    text: 'The card holder does not recognise the payment',
    helps: 'What was bought, when and by whom, and the name that stands on the statement.',
  },
  general: {
    text: 'The bank gives no specific reason',
    helps: 'Everything that shows the purchase, the buyer and the delivery.',
  },
};

/** Returns the meaning of a reason. An unknown reason is shown as the provider wrote it. */
export const reasonOfDispute = (reason: string): Reason =>
  reasons[reason] ?? {
    text: reason.replaceAll('_', ' '),
    helps: reasons.general?.helps ?? '',
  };

/** The time that is left to answer a dispute; null for one that the merchant need not answer. */
export function dueWords(
  { evidenceDueBy: at, awaits }: Pick<Dispute, 'evidenceDueBy' | 'awaits'>,
  now: number,
): Words | null {
  if (at === null || !needsAnswer({ awaits })) return null;
  const text = timeLeftText(at, now);
  return text === 'over' ? { text: 'Overdue', tone: 'bad' } : { text, tone: 'plain' };
}

const intentions: Readonly<Record<string, string>> = {
  prefer_manual: 'If you send no evidence, your card provider answers when the time ends.',
  prefer_smart_disputes:
    'Your card provider answers by itself where it has evidence; otherwise your answer decides.',
};

/** Who answers, in a sentence; null where it is the merchant alone, as usual. */
export function answererSentence({
  awaits,
  answeredBy,
  intendedSubmission,
}: Pick<Dispute, 'awaits' | 'answeredBy' | 'intendedSubmission'>): string | null {
  if (awaits === 'provider') {
    return 'Your card provider answers this dispute by itself. You have nothing to do.';
  }
  if (awaits === 'merchant') return intentions[intendedSubmission ?? ''] ?? null;
  return answeredBy === 'provider' ? 'Your card provider answered by itself.' : null;
}

/** Who answered and how often; null where nobody has. */
export function answerWords({
  answeredBy,
  submissionCount,
  isPastDue,
}: Pick<Dispute, 'answeredBy' | 'submissionCount' | 'isPastDue'>): string | null {
  if (answeredBy === null && submissionCount === 0) return null;
  const who = answeredBy === 'provider' ? 'The card provider' : 'You';
  const often = submissionCount > 1 ? `, ${submissionCount} times` : '';
  return `${who}${often}${isPastDue ? ', too late' : ''}`;
}

const ruleNames: Readonly<Record<string, string>> = {
  visa_compelling_evidence_3: 'Visa Compelling Evidence 3.0',
  visa_compliance: 'Visa compliance',
  mastercard_compliance: 'Mastercard compliance',
};

/** `Visa Compelling Evidence 3.0: requires action (missing customer identifiers)`. */
export function ruleWords({ type, status, requiredActions }: EligibleRule): string {
  const plain = (word: string) => word.replaceAll('_', ' ');
  const missing = requiredActions.length > 0 ? ` (${requiredActions.map(plain).join(', ')})` : '';
  return `${ruleNames[type] ?? plain(type)}${status ? `: ${plain(status)}` : ''}${missing}`;
}

type EligibleRule = Dispute['enhancedEligibility'][number];

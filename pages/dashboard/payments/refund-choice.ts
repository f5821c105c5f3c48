// Reads the values typed into the refund dialog: finds faults, decides whether approval is needed, and composes
// the body to send.

import type { Payment } from '@svc/contract/payments/payments';
import { money, readAmount, type SumChoice } from '../../kit/money.ts';
import { needsApproval, type RefundBound } from './refund-limit.ts';

export type RefundDraft = {
  readonly amount: string;
  readonly reason: string;
  /** Why, for colleagues; empty for none. */
  readonly note: string;
  readonly isMailed: boolean;
  /** Ambiguous texts whose meaning is settled: the amount that the dialog filled in, and the person's choice. */
  readonly settled: readonly string[];
};

export type RefundSubmit =
  | { readonly to: 'amount' }
  | { readonly to: 'reason' }
  | {
      readonly to: 'ask';
      readonly body: { readonly amount: number; readonly [field: string]: unknown };
    }
  | {
      readonly to: 'refund';
      readonly body: { readonly amount: number; readonly [field: string]: unknown };
    };

type Refundable = Pick<Payment, 'currency' | 'amountRefundable'>;

export type RefundChoice = {
  /** Null while no amount can be read from what was typed. */
  readonly amount: number | null;
  readonly fault: string | null;
  /** The two amounts that the typed text can mean; empty when it has one meaning. */
  readonly choices: readonly SumChoice[];
  /** Whether the amount is above the person's limit. */
  readonly isAbove: boolean;
  /** Whether the button asks a colleague for approval instead of making the refund. */
  readonly isForApproval: boolean;
  readonly button: string;
  /** Returns the field to correct, or the body to send. `version` is that of the payment on the page. */
  readonly submit: (version: number) => RefundSubmit;
};

export function refundChoice(
  { currency, amountRefundable }: Refundable,
  { amount: typed, reason, note: typedNote, isMailed, settled }: RefundDraft,
  bound: RefundBound,
): RefundChoice {
  const read = readAmount(typed, currency, { most: amountRefundable, settled });
  if ('fault' in read) {
    const none = { amount: null, isAbove: false, isForApproval: false, button: 'Refund' };
    const { fault, choices = [] } = read;
    return { ...none, fault, choices, submit: () => ({ to: 'amount' }) };
  }
  const { amount } = read;
  const isAbove = needsApproval(bound, amount);
  const isForApproval = isAbove && bound.approvers.length > 0;
  const buttonText = () => {
    if (!bound.isKnown) return 'Refund';
    return isForApproval ? 'Ask for approval' : `Refund ${money(amount, currency)}`;
  };
  return {
    amount,
    fault: null,
    choices: [],
    isAbove,
    isForApproval,
    button: buttonText(),
    submit: (ifVersion) => {
      if (reason === '') return { to: 'reason' };
      const note = typedNote.trim() === '' ? null : { note: typedNote.trim() };
      if (isForApproval) return { to: 'ask', body: { amount, reason, ...note } };
      const mail = isMailed ? { notifyBuyer: true } : {};
      const about = note && { metadata: note };
      return { to: 'refund', body: { amount, reason, ifVersion, ...mail, ...about } };
    },
  };
}

/** What the person may give back alone, and who may approve more; null where nothing bounds the person. */
export function boundText(
  { most, approvers }: RefundBound,
  currency: string,
  isAbove: boolean,
): string | null {
  if (most === null && !isAbove) return null;
  const alone = most === null ? '' : `Alone you may refund ${money(most, currency)} now. `;
  if (!isAbove) return alone;
  return approvers.length > 0
    ? `${alone}More takes approval. Who may approve it: ${approvers.join(', ')}.`
    : `${alone}More takes approval, and nobody else here may give it.`;
}

// The fields of a refund.

import type { Payment } from '@svc/contract/payments/payments';
import { refundMailText } from '@svc/contract/payments/refund-mail';
import type { RefundReason } from '@svc/contract/payments/refunds';
import { languageOf } from '@svc/contract/settings/languages';
import { useId } from 'preact/hooks';
import { mailSum, money, plainAmount } from '../../kit/money.ts';
import { SumChoices } from '../../kit/parts/form.tsx';
import type { RefundChoice } from './refund-choice.ts';

export const reasonNames: Readonly<Record<RefundReason, string>> = {
  requested_by_customer: 'Requested by the customer',
  duplicate: 'Paid twice',
  fraudulent: 'Fraud',
  other: 'Another reason',
};

type AmountProps = {
  readonly box: { current: HTMLInputElement | null };
  readonly payment: Payment;
  readonly typed: string;
  readonly choice: Pick<RefundChoice, 'fault' | 'choices'>;
  readonly onType: (typed: string) => void;
  /** Called with the text whose meaning the person has chosen. */
  readonly onChoose: (typed: string) => void;
};

export function AmountField({ box, payment, typed, choice, onType, onChoose }: AmountProps) {
  const id = useId();
  const { currency, amountRefundable: most } = payment;
  const rest = plainAmount(most, currency);
  const { fault, choices } = choice;
  const choose = (text: string) => {
    box.current?.focus();
    onChoose(text);
  };
  return (
    <div class="field">
      <label for={id}>Amount</label>
      <input
        id={id}
        ref={box}
        value={typed}
        inputMode="decimal"
        autoComplete="off"
        aria-invalid={fault ? true : undefined}
        aria-describedby={`${id}-hint`}
        onFocus={({ currentTarget }) => currentTarget.select()}
        onInput={({ currentTarget }) => onType(currentTarget.value)}
      />
      <p class={fault ? 'field-error' : 'hint'} id={`${id}-hint`}>
        {fault ?? `In ${currency}.`}
      </p>
      {choices.length > 0 && <SumChoices choices={choices} onChoose={choose} />}
      {typed !== rest && (
        <button type="button" class="quiet" onClick={() => onType(rest)}>
          The full remaining amount ({money(most, currency)})
        </button>
      )}
    </div>
  );
}

type MailProps = {
  readonly email: string;
  readonly isMailed: boolean;
  readonly about: {
    readonly currency: string;
    readonly reason: string;
    readonly reference: string;
    readonly locale: string;
  };
  /** Null while no amount can be read from what was typed. */
  readonly amount: number | null;
  readonly onChange: (isMailed: boolean) => void;
};

/** The text of the mail to the buyer, as it is sent. */
function mailText(
  { currency, reason, reference, locale }: MailProps['about'],
  amount: number | null,
) {
  const sum = amount === null ? '…' : mailSum(amount, currency, locale);
  const about = { sum, reason: (reason || null) as RefundReason | null, reference };
  return refundMailText(about, locale);
}

export function MailField({ email, isMailed, about, amount, onChange }: MailProps) {
  const id = useId();
  return (
    <div>
      <label class="check">
        <input
          type="checkbox"
          checked={isMailed}
          aria-describedby={isMailed ? id : undefined}
          onChange={({ currentTarget }) => onChange(currentTarget.checked)}
        />{' '}
        Mail the buyer
      </label>
      {isMailed && (
        <div id={id} class="hint">
          <p>To {email}:</p>
          <p class="lines" lang={languageOf(about.locale)} dir="auto">
            {mailText(about, amount)}
          </p>
        </div>
      )}
    </div>
  );
}

type ReasonProps = {
  readonly box: { current: HTMLSelectElement | null };
  readonly reason: string;
  readonly isMissing: boolean;
  readonly onChoose: (reason: string) => void;
};

export function ReasonField({ box, reason, isMissing, onChoose }: ReasonProps) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>Reason</label>
      <select
        id={id}
        ref={box}
        required
        value={reason}
        aria-invalid={isMissing || undefined}
        aria-describedby={isMissing ? `${id}-error` : undefined}
        onChange={({ currentTarget }) => onChoose(currentTarget.value)}
      >
        <option value="">Choose a reason</option>
        {Object.entries(reasonNames).map(([value, title]) => (
          <option key={value} value={value} selected={value === reason}>
            {title}
          </option>
        ))}
      </select>
      {isMissing && (
        <p class="field-error" id={`${id}-error`}>
          Choose a reason. It is stored with the refund.
        </p>
      )}
    </div>
  );
}

type NoteProps = { readonly note: string; readonly onType: (note: string) => void };

/** Why, for colleagues: with the request for approval, or with the refund. */
export function NoteField({ note, onType }: NoteProps) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>Note for colleagues (optional)</label>
      <textarea
        id={id}
        rows={2}
        maxLength={500}
        value={note}
        aria-describedby={`${id}-hint`}
        onInput={({ currentTarget }) => onType(currentTarget.value)}
      />
      <p class="hint" id={`${id}-hint`}>
        The buyer does not see it. No card numbers.
      </p>
    </div>
  );
}

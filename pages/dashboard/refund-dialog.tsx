// The dialog for a refund: the amount and the reason.

import type { Payment } from '@svc/contract/payments';
import { refundMailText } from '@svc/contract/refund-mail';
import type { RefundReason } from '@svc/contract/refunds';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import type { CallFailure } from '../account/calls.ts';
import { Busy } from '../account/parts.tsx';
import { money, plainAmount, readAmount } from './money.ts';
import { type ActOf, beginAct, keepDraft } from './money-act.ts';
import { MoneyDialog, useMoneyAct } from './money-dialog.tsx';

export const reasonNames: Readonly<Record<RefundReason, string>> = {
  requested_by_customer: 'Requested by the customer',
  duplicate: 'Paid twice',
  fraudulent: 'Fraud',
  other: 'Another reason',
};

type RefundProps = {
  readonly payment: Payment;
  /** The payment's short name, which the buyer's mail contains. */
  readonly reference: string;
  readonly act: ActOf;
  readonly onDone: (refund: Payment) => void;
  /** Called when the payment must be read again. */
  readonly onRefused: () => void;
  readonly onClose: () => void;
};

export function RefundDialog({ payment, reference, act, onDone, onRefused, onClose }: RefundProps) {
  const run = useMoneyAct(act, { onDone, onRefused });
  return (
    <MoneyDialog title="Refund" act={act} run={run} verb="refund" onClose={onClose}>
      {(close) => (
        <RefundForm
          payment={payment}
          reference={reference}
          act={act}
          isBusy={run.state === 'busy'}
          failure={run.failure}
          onAsk={(body) => void run.ask(body)}
          close={close}
        />
      )}
    </MoneyDialog>
  );
}

type FormProps = {
  readonly payment: Payment;
  /** The payment's short name, which the buyer's mail contains. */
  readonly reference: string;
  readonly act: ActOf;
  readonly isBusy: boolean;
  readonly failure: CallFailure | null;
  readonly onAsk: (body: object) => void;
  readonly close: () => void;
};

function RefundForm({ payment, reference, act, isBusy, failure, onAsk, close }: FormProps) {
  const { currency, amountRefundable: most } = payment;
  const rest = plainAmount(most, currency);
  const begun = beginAct(act, { amount: rest, reason: '' }).draft;
  const [typed, setTyped] = useState(begun.amount ?? rest);
  const [reason, setReason] = useState(begun.reason ?? '');
  const [isTried, setTried] = useState(false);
  const amountBox = useRef<HTMLInputElement>(null);
  const reasonBox = useRef<HTMLSelectElement>(null);
  const version = useVersionSeen(payment, failure);
  const [isMailed, setMailed] = useState(begun.mail === 'yes');
  const read = readAmount(typed, currency, most);
  const fault = 'fault' in read ? read.fault : null;
  const keep = (change: { amount?: string; reason?: string; mail?: string }) => {
    const draft = { amount: typed, reason, mail: isMailed ? 'yes' : '', ...change };
    setTyped(draft.amount);
    setReason(draft.reason);
    setMailed(draft.mail === 'yes');
    keepDraft(act, draft);
  };
  const submit = (event: Event) => {
    event.preventDefault();
    setTried(true);
    if ('fault' in read) amountBox.current?.focus();
    else if (reason === '') reasonBox.current?.focus();
    else {
      const mail = isMailed ? { notifyBuyer: true } : {};
      onAsk({ amount: read.amount, reason, ifVersion: version.current, ...mail });
    }
  };
  return (
    <form class="form" noValidate onSubmit={submit}>
      <AmountField
        box={amountBox}
        currency={currency}
        typed={typed}
        fault={fault}
        onType={(amount) => keep({ amount })}
      />
      {typed !== rest && (
        <button type="button" class="quiet" onClick={() => keep({ amount: rest })}>
          Everything that is left ({money(most, currency)})
        </button>
      )}
      <ReasonField
        box={reasonBox}
        reason={reason}
        isMissing={isTried && reason === ''}
        onChoose={(chosen) => keep({ reason: chosen })}
      />
      {payment.email && (
        <MailField
          email={payment.email}
          isMailed={isMailed}
          text={refundMailText({
            sum: 'amount' in read ? `${plainAmount(read.amount, currency)} ${currency}` : '…',
            reason: (reason || null) as RefundReason | null,
            reference,
          })}
          onChange={(isOn) => keep({ mail: isOn ? 'yes' : '' })}
        />
      )}
      {payment.amountRefunded > 0 && (
        <p class="fine">Refunded before: {money(payment.amountRefunded, currency)}.</p>
      )}
      <div class="form-ways">
        <Busy type="submit" isBusy={isBusy}>
          {'amount' in read ? `Refund ${money(read.amount, currency)}` : 'Refund'}
        </Busy>
        <button type="button" class="second" onClick={close}>
          Cancel
        </button>
      </div>
    </form>
  );
}

/**
 * Returns the version that the person sees: that of the opening, although the page behind is read again,
 * until a refusal has shown a newer one. When a colleague was first, nothing is moved.
 */
function useVersionSeen({ version }: Payment, failure: CallFailure | null) {
  const seen = useRef(version);
  useEffect(() => {
    const told = failure?.facts.payment as Payment | undefined;
    if (told) seen.current = told.version;
  }, [failure]);
  return seen;
}

type AmountProps = {
  readonly box: { current: HTMLInputElement | null };
  readonly currency: string;
  readonly typed: string;
  readonly fault: string | null;
  readonly onType: (typed: string) => void;
};

function AmountField({ box, currency, typed, fault, onType }: AmountProps) {
  const id = useId();
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
        onInput={({ currentTarget }) => onType(currentTarget.value)}
      />
      <p class={fault ? 'field-error' : 'hint'} id={`${id}-hint`}>
        {fault ?? `In ${currency}.`}
      </p>
    </div>
  );
}

type MailProps = {
  readonly email: string;
  readonly isMailed: boolean;
  /** The text of the mail to the buyer. */
  readonly text: string;
  readonly onChange: (isMailed: boolean) => void;
};

function MailField({ email, isMailed, text, onChange }: MailProps) {
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
          <p class="lines">{text}</p>
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

function ReasonField({ box, reason, isMissing, onChoose }: ReasonProps) {
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
          Choose the reason: it stays with the refund.
        </p>
      )}
    </div>
  );
}

// The dialog for a refund: how much, why, and who is told.

import type { Payment } from '@svc/contract/payments/payments';
import type { RefundRequest } from '@svc/contract/payments/refund-requests';
import type { RefundRule } from '@svc/contract/settings/refund-rule';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { CallFailure } from '../../kit/calls.ts';
import { useMerchant } from '../../kit/merchant.ts';
import { money, plainAmount } from '../../kit/money.ts';
import { endWords } from '../../kit/parts/bits.tsx';
import { Dialog } from '../../kit/parts/dialog.tsx';
import { Busy } from '../../kit/parts/form.tsx';
import { useResource } from '../../kit/read.ts';
import {
  type ActionIdentity,
  beginAction,
  endAction,
  keepDraft,
  readStoredAction,
} from './money-action.ts';
import { MoneyDialog, useMoneyAction } from './money-dialog.tsx';
import { askedNews } from './payment-words.ts';
import { boundText, refundChoice } from './refund-choice.ts';
import { AmountField, MailField, NoteField, ReasonField } from './refund-fields.tsx';
import { limitWithoutApproval, type RefundBound } from './refund-limit.ts';

type RefundProps = {
  readonly payment: Payment;
  /** The payment's short name, which the buyer's mail contains. */
  readonly reference: string;
  /** Of the buyer's mail. */
  readonly locale: string;
  readonly action: ActionIdentity<'refund'>;
  readonly onDone: (refund: Payment) => void;
  /** Called when approval was asked for, with the text to show. */
  readonly onAsked: (text: string) => void;
  /** Called when the payment must be read again. */
  readonly onRefused: () => void;
  readonly onClose: () => void;
};

export function RefundDialog(props: RefundProps) {
  const { payment, reference, locale, action, onDone, onAsked, onRefused, onClose } = props;
  const { currency } = payment;
  const asking: ActionIdentity<'ask'> = { ...action, kind: 'ask' };
  const rule = useResource('GET /v1/refund-rule', {});
  const [asked, setAsked] = useState<RefundRequest | null>(null);
  const [isAsking, setAsking] = useState(Boolean(readStoredAction(asking)?.sent));
  const [refused, setRefused] = useState<number | null>(null);
  const amount = useRef(0);
  const refund = useMoneyAction(action, {
    onDone,
    onRefused: ({ code }) => {
      if (code === 'refund_limit_exceeded') {
        // After a reload the amount that was sent is not known, and the rule alone decides.
        if (amount.current > 0) setRefused(amount.current);
        void rule.again();
      }
      onRefused();
    },
  });
  const ask = useMoneyAction(asking, {
    onDone: (made) => {
      // A refund that was sent may still be made: it keeps its key.
      if (!readStoredAction(action)?.sent) endAction(action);
      setAsked(made);
      // The page behind shows the request.
      onRefused();
    },
    onRefused,
  });
  const bound = boundOf(rule, currency, refused);
  const { approvers } = bound;
  if (asked) {
    const close = () => onAsked(askedNews(asked));
    return <Asked request={asked} approvers={approvers} onClose={close} />;
  }
  const run = isAsking ? ask : refund;
  const closeDialog = () => {
    for (const each of [action, asking]) if (!readStoredAction(each)?.sent) endAction(each);
    onClose();
  };
  return (
    <MoneyDialog
      title="Refund"
      action={isAsking ? asking : action}
      run={run}
      verb={isAsking ? 'ask' : 'refund'}
      onClose={closeDialog}
    >
      {(close) => (
        <RefundForm
          payment={payment}
          reference={reference}
          locale={locale}
          action={action}
          bound={bound}
          isBusy={run.state === 'busy'}
          failure={refund.failure}
          onAsk={(body) => {
            setAsking(false);
            amount.current = body.amount;
            void refund.ask(body);
          }}
          onAskApproval={(body) => {
            setAsking(true);
            void ask.ask(body);
          }}
          close={close}
        />
      )}
    </MoneyDialog>
  );
}

const boundOf = (
  { content, failure }: { readonly content: RefundRule | null; readonly failure: unknown },
  currency: string,
  refused: number | null,
): RefundBound => ({
  isKnown: content !== null || failure !== null,
  most: content && limitWithoutApproval(content, currency),
  refused,
  approvers: content?.approvers ?? [],
});

type AskedProps = {
  readonly request: RefundRequest;
  readonly approvers: readonly string[];
  readonly onClose: () => void;
};

/** After approval was asked for: who may give it, and until when. */
function Asked({ request, approvers, onClose }: AskedProps) {
  const { zone } = useMerchant();
  return (
    <Dialog title="Waiting for approval" onClose={onClose}>
      {(close) => (
        <>
          <p>
            You asked to refund {money(request.amount, request.currency)}. No money has moved. Who
            may approve it: <strong>{approvers.join(', ')}</strong>.
          </p>
          <p class="fine">
            Until {endWords(request.expiresAt, zone)} ({zone}). You can take it back on this page.
          </p>
          <div class="form-ways">
            <button type="button" class="pay" onClick={close}>
              Close
            </button>
          </div>
        </>
      )}
    </Dialog>
  );
}

type FormProps = {
  readonly payment: Payment;
  /** The payment's short name, which the buyer's mail contains. */
  readonly reference: string;
  /** Of the buyer's mail. */
  readonly locale: string;
  readonly action: ActionIdentity;
  readonly bound: RefundBound;
  readonly isBusy: boolean;
  readonly failure: CallFailure | null;
  readonly onAsk: (body: { readonly amount: number; readonly [field: string]: unknown }) => void;
  readonly onAskApproval: (body: object) => void;
  readonly close: () => void;
};

function RefundForm(props: FormProps) {
  const { payment, reference, locale, action, bound, isBusy, failure } = props;
  const { onAsk, onAskApproval, close } = props;
  const rest = plainAmount(payment.amountRefundable, payment.currency);
  const begun = beginAction(action, { amount: rest, reason: '' }).draft;
  const [draft, setDraft] = useState({ amount: rest, reason: '', note: '', mail: '', ...begun });
  const { amount: typed, reason, note } = draft;
  const isMailed = draft.mail === 'yes';
  const [isTried, setTried] = useState(false);
  const [chosen, setChosen] = useState(rest);
  const amountBox = useRef<HTMLInputElement>(null);
  const reasonBox = useRef<HTMLSelectElement>(null);
  const version = useVersionSeen(payment, failure);
  const choice = refundChoice(
    payment,
    { amount: typed, reason, note, isMailed, settled: [rest, chosen] },
    bound,
  );
  const limit = boundText(bound, payment.currency, choice.isAbove);
  const keep = (change: Partial<typeof draft>) => {
    const next = { ...draft, ...change };
    setDraft(next);
    keepDraft(action, next);
  };
  const submit = (event: Event) => {
    event.preventDefault();
    setTried(true);
    const next = choice.submit(version.current);
    if (next.to === 'amount') amountBox.current?.focus();
    else if (next.to === 'reason') reasonBox.current?.focus();
    else if (next.to === 'ask') onAskApproval(next.body);
    else onAsk(next.body);
  };
  return (
    <form class="form" noValidate onSubmit={submit}>
      <AmountField
        box={amountBox}
        payment={payment}
        typed={typed}
        choice={choice}
        onType={(amount) => keep({ amount })}
        onChoose={(amount) => {
          setChosen(amount);
          keep({ amount });
        }}
      />
      <ReasonField
        box={reasonBox}
        reason={reason}
        isMissing={isTried && reason === ''}
        onChoose={(named) => keep({ reason: named })}
      />
      <NoteField note={note} onType={(text) => keep({ note: text })} />
      {payment.email && !choice.isForApproval && (
        <MailField
          email={payment.email}
          isMailed={isMailed}
          about={{ currency: payment.currency, reason, reference, locale }}
          amount={choice.amount}
          onChange={(isOn) => keep({ mail: isOn ? 'yes' : '' })}
        />
      )}
      {payment.amountRefunded > 0 && (
        <p class="fine">Refunded before: {money(payment.amountRefunded, payment.currency)}.</p>
      )}
      {limit && (
        <p class="hint" role="status">
          {limit}
        </p>
      )}
      <div class="form-ways">
        <Busy type="submit" isBusy={isBusy || !bound.isKnown}>
          {choice.button}
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

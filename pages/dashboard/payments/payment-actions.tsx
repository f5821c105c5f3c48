// The actions on a payment, and the reason when one is not possible.

import type { Payment } from '@svc/contract/payments/payments';
import type { RefundRequest } from '@svc/contract/payments/refund-requests';
import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { mayDo, useMerchant } from '../../kit/merchant.ts';
import { money } from '../../kit/money.ts';
import { NotAllowed } from '../../kit/parts/states.tsx';
import { person } from '../../kit/person.ts';
import { buyerOf } from '../../kit/words.ts';
import type { FullPayment } from './full-payment.ts';
import { HoldDialog } from './hold-dialog.tsx';
import {
  type ActionIdentity,
  type ActionKind,
  endAction,
  readStoredAction,
} from './money-action.ts';
import { useMoneyAction } from './money-dialog.tsx';
import {
  actionsOf,
  askedNews,
  holdNews,
  refundButton,
  refundNews,
  requiredPermissionOf,
  whyNoRefund,
} from './payment-words.ts';
import { RefundDialog } from './refund-dialog.tsx';

type ActionsProps = {
  readonly whole: FullPayment;
  readonly again: () => Promise<void>;
  readonly onNews: (text: string) => void;
  /** Acts that move no money, in the line of those that do. */
  readonly children?: ComponentChildren;
};

const kinds: readonly ActionKind[] = ['refund', 'ask', 'capture', 'cancel'];

export function PaymentActions({ whole, again, onNews, children }: ActionsProps) {
  const merchant = useMerchant();
  const { payment } = whole;
  const buyer = buyerOf({ email: payment.email, customerName: whole.details.customerName });
  const identifyAction = <K extends ActionKind>(kind: K): ActionIdentity<K> => ({
    clientId: merchant.clientId,
    personId: person.value?.id ?? '',
    paymentId: payment.id,
    kind,
  });
  // An action that was begun in this tab before a reload or a new sign-in continues.
  const [open, setOpen] = useState<ActionKind | null>(
    () => kinds.find((kind) => readStoredAction(identifyAction(kind)) !== null) ?? null,
  );
  // Leaving the page discards what was typed. An action that was sent keeps its key until its result is known.
  useEffect(
    () => () => {
      for (const action of kinds.map(identifyAction)) {
        if (!readStoredAction(action)?.sent) endAction(action);
      }
    },
    [],
  );
  const unknown = kinds.find((kind) => readStoredAction(identifyAction(kind))?.sent);
  const asked = requiredPermissionOf(whole);
  const isAllowed = asked === null || mayDo(merchant, asked.permission);
  const shared = {
    payment,
    onRefused: () => void again(),
    onClose: () => setOpen(null),
  };
  const closeAction = (text: string) => {
    setOpen(null);
    onNews(text);
  };
  return (
    <section class="acts" aria-label="What you can do">
      {asked && !isAllowed && <NotAllowed id="why-not" {...asked} />}
      <div class="ways">
        <Buttons whole={whole} isAllowed={isAllowed} onChoose={setOpen} />
        {children}
      </div>
      <WhyNoRefund whole={whole} />
      {unknown && open === null && (
        <UnknownAction
          key={unknown}
          action={identifyAction(unknown)}
          buyer={buyer}
          onEnd={closeAction}
          onOpen={() => setOpen(unknown)}
        />
      )}
      {(open === 'refund' || open === 'ask') && (
        <RefundDialog
          {...shared}
          reference={whole.details.reference}
          locale={whole.details.buyerLocale}
          action={identifyAction('refund')}
          onDone={(refund) => closeAction(refundNews(refund, buyer))}
          onAsked={(text) => closeAction(text)}
        />
      )}
      {(open === 'capture' || open === 'cancel') && (
        <HoldDialog
          {...shared}
          action={identifyAction(open)}
          onDone={(moved) => closeAction(holdNews(moved, buyer))}
        />
      )}
    </section>
  );
}

type UnknownProps = {
  readonly action: ActionIdentity;
  readonly buyer: string | null;
  readonly onEnd: (text: string) => void;
  readonly onOpen: () => void;
};

/** Repeats a sent action after its dialog was closed, until the service reports the result. */
function UnknownAction({ action, buyer, onEnd, onOpen }: UnknownProps) {
  const { kind } = action;
  useMoneyAction(action, {
    onDone: (result) => {
      if (kind === 'refund') onEnd(refundNews(result as Payment, buyer));
      else if (kind === 'ask') onEnd(askedNews(result as RefundRequest));
      else onEnd(holdNews(result as Payment, buyer));
    },
    onRefused: ({ message }) => onEnd(`Nothing was moved. ${message}`),
  });
  return (
    <p class="hold-line">
      The result of your last action is not known yet. Do not repeat it.{' '}
      <button type="button" class="quiet" onClick={onOpen}>
        Check the result
      </button>
    </p>
  );
}

type ButtonsProps = {
  readonly whole: FullPayment;
  readonly isAllowed: boolean;
  readonly onChoose: (kind: ActionKind) => void;
};

function Buttons({ whole, isAllowed, onChoose }: ButtonsProps) {
  const { payment } = whole;
  const actionHandlers = (kind: ActionKind) => ({
    onClick: () => isAllowed && onChoose(kind),
    ...(isAllowed ? {} : { 'aria-disabled': true, 'aria-describedby': 'why-not' }),
  });
  const [first] = actionsOf(whole);
  if (first === 'capture') {
    return (
      <>
        <button type="button" class="second main" {...actionHandlers('capture')}>
          Capture {money(payment.amount, payment.currency)}
        </button>
        <button type="button" class="second" {...actionHandlers('cancel')}>
          Release the hold
        </button>
      </>
    );
  }
  if (first === 'refund') {
    return (
      <button type="button" class="second main" {...actionHandlers('refund')}>
        {refundButton(whole)}
      </button>
    );
  }
  return null;
}

function WhyNoRefund({ whole }: { whole: FullPayment }) {
  const why = actionsOf(whole).length === 0 && whyNoRefund(whole);
  return why ? <p class="fine">{why}</p> : null;
}

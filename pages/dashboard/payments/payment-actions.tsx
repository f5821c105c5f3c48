// The actions on a payment, and the reason when one is not possible.

import type { Payment } from '@svc/contract/payments';
import type { Permission } from '@svc/contract/roles';
import { useState } from 'preact/hooks';
import { mayDo, useMerchant } from '../../kit/merchant.ts';
import { money } from '../../kit/money.ts';
import { NotAllowed } from '../../kit/parts/states.tsx';
import { person } from '../../kit/person.ts';
import { blocksRefund } from '../../kit/words.ts';
import type { FullPayment } from './full-payment.ts';
import { HoldDialog } from './hold-dialog.tsx';
import { type ActionIdentity, type ActionKind, readStoredAction } from './money-action.ts';
import { RefundDialog } from './refund-dialog.tsx';

type ActionsProps = {
  readonly whole: FullPayment;
  readonly again: () => Promise<void>;
  readonly onNews: (text: string) => void;
};

const kinds: readonly ActionKind[] = ['refund', 'ask', 'capture', 'cancel'];

export function PaymentActions({ whole, again, onNews }: ActionsProps) {
  const merchant = useMerchant();
  const { payment } = whole;
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
      <Buttons whole={whole} isAllowed={isAllowed} onChoose={setOpen} />
      {unknown && open === null && (
        <p class="hold-line">
          What became of your last act is not known yet. Do not do it again.{' '}
          <button type="button" class="quiet" onClick={() => setOpen(unknown)}>
            Check the result
          </button>
        </p>
      )}
      {(open === 'refund' || open === 'ask') && (
        <RefundDialog
          {...shared}
          reference={whole.details.reference}
          locale={whole.details.buyerLocale}
          action={identifyAction('refund')}
          onDone={(refund) => closeAction(refundNews(refund))}
          onAsked={(text) => closeAction(text)}
        />
      )}
      {(open === 'capture' || open === 'cancel') && (
        <HoldDialog
          {...shared}
          action={identifyAction(open)}
          onDone={(moved) => closeAction(holdNews(moved))}
        />
      )}
    </section>
  );
}

function refundNews({ amount, currency, status }: Payment): string {
  const sum = money(amount, currency);
  if (status === 'succeeded') return `${sum} refunded.`;
  if (status === 'refund_failed') return `The refund of ${sum} was refused: nothing was refunded.`;
  return `The refund of ${sum} is on its way.`;
}

function holdNews({ amount, currency, status }: Payment): string {
  const sum = money(amount, currency);
  if (status === 'voided') return `The hold of ${sum} is released.`;
  return status === 'succeeded' ? `${sum} captured.` : `The capture of ${sum} is under way.`;
}

const isRefundable = ({ payment }: FullPayment) =>
  payment.type === 'purchase' &&
  payment.amountRefundable > 0 &&
  /^(succeeded|partially_refunded)$/.test(payment.status);

const isDisputed = ({ disputes }: FullPayment) => disputes.some(blocksRefund);

type RequiredPermission = { readonly action: string; readonly permission: Permission };

/** What can be done here, and what it takes. */
function requiredPermissionOf(whole: FullPayment): RequiredPermission | null {
  if (whole.payment.status === 'authorized') {
    return { action: 'capture or release a hold', permission: 'holds.end' };
  }
  const canRefund = isRefundable(whole) && !isDisputed(whole);
  return canRefund ? { action: 'give money back', permission: 'refunds.make' } : null;
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
  if (payment.status === 'authorized') {
    return (
      <p class="ways">
        <button type="button" class="second main" {...actionHandlers('capture')}>
          Capture {money(payment.amount, payment.currency)}
        </button>
        <button type="button" class="second" {...actionHandlers('cancel')}>
          Release the hold
        </button>
      </p>
    );
  }
  if (isRefundable(whole) && !isDisputed(whole)) {
    return (
      <p class="ways">
        <button type="button" class="second main" {...actionHandlers('refund')}>
          Refund
        </button>
      </p>
    );
  }
  const why = whyNoRefund(whole);
  return why ? <p class="fine">{why}</p> : null;
}

function whyNoRefund(whole: FullPayment): string | null {
  const { payment, refunds } = whole;
  if (payment.type !== 'purchase') return null;
  if (isDisputed(whole)) {
    return 'This payment is disputed, so it cannot be refunded: the bank would pay the buyer twice.';
  }
  if (payment.status === 'refunded') return 'All of it was refunded: nothing is left to give back.';
  const isOnItsWay = refunds.some(({ status }) => /^(pending|processing|unknown)$/.test(status));
  return isOnItsWay && payment.amountRefundable === 0
    ? 'All that is left is on its way back.'
    : null;
}

// One payment: its status, what to do, and everything that happened to it.

import type { Payment } from '@svc/contract/payments/payments';
import { msOf } from '@svc/contract/values/instants';
import { useEffect } from 'preact/hooks';
import { addressOf } from '../../kit/addresses.ts';
import { type Merchant, mayDo, useMerchant } from '../../kit/merchant.ts';
import { money } from '../../kit/money.ts';
import { endWords, InstantText, Tag } from '../../kit/parts/bits.tsx';
import { DetailPage } from '../../kit/parts/detail-page.tsx';
import { News, useNews } from '../../kit/parts/news.tsx';
import { serviceTime } from '../../kit/parts/sandbox-clock.tsx';
import { FactLine } from '../../kit/parts/time.tsx';
import { Title } from '../../kit/parts/title.tsx';
import { useRead, useRepeat } from '../../kit/read.ts';
import { goTo } from '../../kit/router.ts';
import { buyerOf, cardWords, statusWords } from '../../kit/words.ts';
import { MailPageLink } from '../customers/help-customer.tsx';
import { noteBox } from '../frame/keyboard.ts';
import { Notes } from '../notes/notes.tsx';
import { type FullPayment, readWhole } from './full-payment.ts';
import { PaymentActions } from './payment-actions.tsx';
import { WhatToDo } from './payment-advice.tsx';
import {
  Developers,
  DisputeBlock,
  Facts,
  FraudSignals,
  Refunds,
  Timeline,
} from './payment-parts.tsx';
import { ReceiptActs } from './payment-receipt.tsx';
import { RefundRequests } from './refund-requests.tsx';

const isUnderWay = ({ payment, refunds }: FullPayment) =>
  [payment, ...refunds].some(({ status }) => /^(pending|processing|unknown)$/.test(status));

/** A delivery that takes longer than this is retried for hours: the page does not wait for it. */
const firstTryMs = 30_000;

/** Events of a moment ago whose deliveries are on their way: their lines are about to change. */
const isBeingTold = ({ timeline }: FullPayment) =>
  timeline.some(
    ({ kind, status, at }) =>
      kind === 'delivery' && status === 'pending' && serviceTime() - msOf(at) < firstTryMs,
  );

export function PaymentPage({ id }: { id: string }) {
  const merchant = useMerchant();
  const { clientId } = merchant;
  const read = useRead(`${clientId} payment ${id}`, () => readWhole(clientId, id));
  const { content, again } = read;
  const isFollowed = content !== null && (isUnderWay(content) || isBeingTold(content));
  useRepeat(again, 3_000, isFollowed);
  const parent = content?.payment.parentPaymentId;
  useEffect(() => {
    // A refund or chargeback is shown on the page of its purchase.
    if (parent) goTo(addressOf(clientId, 'payments', parent), { replaces: true });
  }, [parent]);
  return (
    <DetailPage
      part="payments"
      title="Payment"
      read={{ ...read, content: parent ? null : content }}
    >
      {(whole) => <PaymentPageShown whole={whole} again={again} merchant={merchant} />}
    </DetailPage>
  );
}

/** Returns for example `Held until 3 Dec 2026, 12:40: capture or release it`. */
function statusSentence(
  { status, authorizationExpiresAt: ends }: Payment,
  zone: string,
): string | null {
  if (status !== 'authorized' || ends === null) return null;
  return `Held until ${endWords(ends, zone)}: capture or release it`;
}

type BandProps = { readonly whole: FullPayment; readonly clientId: string };
type ShownProps = { whole: FullPayment; again: () => Promise<void>; merchant: Merchant };

function PaymentPageShown({ whole, again, merchant }: ShownProps) {
  const { payment } = whole;
  const [news, tell] = useNews(again);
  return (
    <>
      <section class="band" aria-label="Overview">
        <BandHead payment={payment} zone={merchant.zone} />
        <PaymentActions whole={whole} again={again} onNews={tell}>
          <ReceiptActs whole={whole} onNews={tell} />
          {payment.userId && payment.buyerVerified && (
            <MailPageLink customerId={payment.userId} onDone={tell} />
          )}
          {mayDo(merchant, 'notes.write') && (
            <button type="button" class="second" onClick={() => noteBox.value?.focus()}>
              Write a note
            </button>
          )}
        </PaymentActions>
        <BandFacts whole={whole} clientId={merchant.clientId} />
      </section>
      <News text={news} />
      <RefundRequests whole={whole} again={again} onNews={tell} />
      <WhatToDo whole={whole} />
      <Facts whole={whole} />
      <div class="detail-columns">
        <div>
          <Refunds whole={whole} />
          <FraudSignals whole={whole} />
          <DisputeBlock whole={whole} />
          <Timeline whole={whole} />
        </div>
        <Notes about="payment" id={payment.id} />
      </div>
      <Developers whole={whole} />
    </>
  );
}

function BandHead({ payment, zone }: { payment: Payment; zone: string }) {
  const sum = money(payment.amount, payment.currency);
  const more = statusSentence(payment, zone);
  return (
    <div class="band-head">
      <Title title={`${sum} payment`}>{sum}</Title>
      <span role="status">
        <Tag words={statusWords(payment)} />
      </span>
      {more && <span>{more}</span>}
    </div>
  );
}

/** What a buyer on the phone is asked for: who, with which card, when, and the payment's short name. */
function BandFacts({ whole: { payment, details }, clientId }: BandProps) {
  const { customerName } = details;
  const who = buyerOf({ email: payment.email, customerName }) ?? 'No address';
  return (
    <FactLine>
      {[
        payment.userId ? <a href={addressOf(clientId, 'customers', payment.userId)}>{who}</a> : who,
        cardWords(payment.paymentMethod),
        <InstantText key="at" at={payment.createdAt} />,
        <code key="reference">{details.reference}</code>,
      ]}
    </FactLine>
  );
}

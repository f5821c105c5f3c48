// Advice about a payment that needs action.

import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';
import { addressOf } from '../../kit/addresses.ts';
import { useMerchant } from '../../kit/merchant.ts';
import { money } from '../../kit/money.ts';
import { InstantText } from '../../kit/parts/bits.tsx';
import { needsAnswer } from '../../kit/words.ts';
import { declineOf } from '../reports/declines.ts';
import type { FullPayment } from './full-payment.ts';
import { openWarningOf, plainWords } from './payment-words.ts';

export function WhatToDo({ whole }: { whole: FullPayment }) {
  const id = useId();
  const { clientId } = useMerchant();
  const advice = adviceFor(whole, clientId);
  if (advice.length === 0) return null;
  return (
    <section class="block advice" aria-labelledby={id}>
      <h2 id={id}>What to do</h2>
      {advice.map((each, place) => (
        <div key={place}>{each}</div>
      ))}
    </section>
  );
}

function adviceFor(whole: FullPayment, clientId: string): readonly ComponentChildren[] {
  const { payment, refunds, disputes } = whole;
  const advice: ComponentChildren[] = [];
  const toAnswer = disputes.find(needsAnswer);
  if (toAnswer) {
    advice.push(
      <p>
        The bank asks about this payment.{' '}
        {toAnswer.evidenceDueBy && (
          <>
            Answer before <InstantText at={toAnswer.evidenceDueBy} />.{' '}
          </>
        )}
        <a href={addressOf(clientId, 'disputes', toAnswer.id)}>Go to the dispute</a>
      </p>,
    );
  }
  const warning = openWarningOf(whole);
  if (warning) {
    const isHold = payment.status === 'authorized';
    advice.push(
      <p>
        The card’s bank reports this payment as fraud ({plainWords(warning.fraudType)}).{' '}
        <strong>
          {isHold
            ? 'Release the hold, and deliver nothing.'
            : 'Refund it before it becomes a dispute'}
        </strong>
        {isHold
          ? null
          : ', which would cost a fee as well, and do not deliver what was not sent yet.'}
      </p>,
    );
  }
  if (whole.details.reviews.some(({ isOpen }) => isOpen)) {
    advice.push(
      <p>
        Your card provider has put this payment under review. Approve or refund it on the provider’s
        website, and deliver nothing until then.
      </p>,
    );
  }
  if (payment.status === 'failed') {
    const { what, ask } = declineOf(payment.declineCode ?? payment.failureCode);
    advice.push(
      <p>{what}</p>,
      <p>
        <strong>{ask}</strong>
      </p>,
    );
  }
  if (payment.status === 'authorized') {
    advice.push(
      <p>
        The money is held, not charged. Capture it when you send the goods, or release it. After{' '}
        <InstantText at={payment.authorizationExpiresAt} /> the hold ends by itself.
      </p>,
    );
  }
  if (payment.status === 'unknown') {
    advice.push(
      <p>
        The provider has not reported the result. The service keeps asking. Do nothing, and do not
        ask the buyer to pay again.
      </p>,
    );
  }
  for (const refund of refunds.filter(({ status }) => status === 'refund_failed')) {
    const sum = money(refund.amount, refund.currency);
    advice.push(
      <p key={refund.id}>
        The refund of {sum} failed: <strong>the buyer did not get the money.</strong> Ask the buyer
        how the money can be sent, or refund again.
      </p>,
    );
  }
  if (refunds.some(({ status }) => status === 'unknown')) {
    advice.push(
      <p>
        The result of a refund is not known yet. Do not refund again: the service keeps asking.
      </p>,
    );
  }
  return advice;
}

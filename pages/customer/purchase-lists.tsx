// Subscriptions and payments, each with its actions and its error.

import type {
  PagePayment,
  PageSubscription,
} from '@svc/contract/customers/customer-page-purchases';
import { NewsLine } from '../kit/parts/news-line.tsx';
import { Notice } from './notice.tsx';
import {
  endNewsText,
  paymentText,
  purchaseTroubleText,
  subscriptionText,
} from './purchase-words.ts';
import type { PartProps } from './words.ts';

export function Subscriptions({ customer, language }: PartProps) {
  const { own } = language;
  const { subscriptions, news } = customer.purchases;
  if (subscriptions.value.length === 0) return null;
  return (
    <section aria-labelledby="subscriptions">
      <h2 id="subscriptions" class="part-title">
        {own.subscriptions}
      </h2>
      <NewsLine
        look="card-news"
        news={news.value}
        text={news.value && endNewsText(news.value, language)}
      />
      <ul class="panel cards">
        {subscriptions.value.map((one) => (
          <SubscriptionRow
            key={one.id}
            customer={customer}
            subscription={one}
            language={language}
          />
        ))}
      </ul>
    </section>
  );
}

type RowProps = PartProps & { subscription: PageSubscription };

function SubscriptionRow({ customer, subscription, language }: RowProps) {
  const { own } = language;
  const { purchases } = customer;
  const text = subscriptionText(subscription, customer.cards.value, language);
  const isBusy = purchases.work.value === subscription.id;
  const isBlocked = purchases.work.value !== null;
  const { may } = subscription;
  return (
    <li class="card">
      <div class="card-line">
        <bdi class="choice-name long">{text.name}</bdi>
        <span class="card-sum">{text.price}</span>
      </div>
      {text.next && <p class={`choice-news ${text.isBad ? 'bad' : ''}`}>{text.next}</p>}
      {text.card && <p class="choice-news">{text.card}</p>}
      {text.end && <p class="choice-news">{text.end}</p>}
      {(may.cancel || may.resume) && (
        <div class="card-ways">
          <button
            type="button"
            class={may.cancel ? 'quiet danger' : 'quiet'}
            aria-label={`${may.cancel ? own.end : own.takeBack}: ${text.name}`}
            aria-disabled={isBlocked}
            onClick={() => {
              if (isBlocked) return;
              if (may.cancel) purchases.ask(subscription);
              else void purchases.resume(subscription);
            }}
          >
            {isBusy ? own.changing : may.cancel ? own.end : own.takeBack}
          </button>
        </div>
      )}
      <Trouble customer={customer} id={subscription.id} language={language} />
    </li>
  );
}

export function Payments({ customer, language }: PartProps) {
  const { own } = language;
  const { payments, hasMore, work, trouble } = customer.purchases;
  const isFailed = trouble.value?.kind === 'purchasesFailed';
  if (payments.value.length === 0 && !isFailed) return null;
  return (
    <section aria-labelledby="payments">
      <h2 id="payments" class="part-title">
        {own.payments}
      </h2>
      {payments.value.length > 0 && (
        <ul class="panel cards">
          {payments.value.map((one) => (
            <PaymentRow key={one.id} customer={customer} payment={one} language={language} />
          ))}
        </ul>
      )}
      <Trouble customer={customer} id={null} language={language} />
      {hasMore.value && (
        <button
          type="button"
          class="quiet"
          aria-disabled={work.value !== null}
          onClick={() => void customer.purchases.showMore()}
        >
          {own.older}
        </button>
      )}
    </section>
  );
}

function PaymentRow({ customer, payment, language }: PartProps & { payment: PagePayment }) {
  const { own } = language;
  const { purchases } = customer;
  const text = paymentText(payment, language);
  const isBlocked = purchases.work.value !== null;
  // In this window: a new one that is opened after an answer is blocked. The way back shows this page again.
  const open = async () => {
    const url = await purchases.receiptOf(payment);
    if (url) location.assign(url);
  };
  return (
    <li class="card">
      <div class="card-line">
        <bdi class="choice-name long">{text.what}</bdi>
        <span class="card-sum">{text.sum}</span>
      </div>
      <p class="choice-news">{[text.day, text.state, text.means].filter(Boolean).join(' · ')}</p>
      {payment.hasReceipt && (
        <div class="card-ways">
          <button
            type="button"
            class="quiet"
            aria-label={`${own.receipt}: ${text.what}, ${text.day}`}
            aria-disabled={isBlocked}
            onClick={() => !isBlocked && void open()}
          >
            {own.receipt}
          </button>
        </div>
      )}
      <Trouble customer={customer} id={payment.id} language={language} />
    </li>
  );
}

function Trouble({ customer, id, language }: PartProps & { id: string | null }) {
  const { value } = customer.purchases.trouble;
  if (!value || value.id !== id) return null;
  return (
    <Notice trouble={value} {...purchaseTroubleText(value, language)}>
      {value.kind === 'purchasesFailed' && (
        <button type="button" class="quiet" onClick={() => void customer.purchases.load()}>
          {language.texts.retry}
        </button>
      )}
    </Notice>
  );
}

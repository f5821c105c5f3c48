// The words of subscriptions and payments: prices, dates, what was done, and why something was not.

import type {
  PagePayment,
  PageSubscription,
} from '@svc/contract/customers/customer-page-purchases';
import type { PaymentMethod } from '@svc/contract/customers/payment-methods';
import { msOf } from '@svc/contract/values/instants';
import { brandName } from '../checkout/state/cards.ts';
import { localeOf } from '../checkout/texts/locale.ts';
import { formatAmount } from '../kit/amounts.ts';
import type { CustomerLanguage } from './language.ts';
import type { EndNews, FailedPurchase } from './purchases.ts';
import { cardName, failureText } from './words.ts';

const dayOf = (instant: string, language: CustomerLanguage): string => {
  const { timeZone } = language;
  const day = new Intl.DateTimeFormat(localeOf(language), { dateStyle: 'long', timeZone });
  return day.format(msOf(instant));
};

/** `Coffee club`, of two seats `2 × Coffee club`. */
const subscriptionName = ({ productName, quantity }: PageSubscription): string =>
  quantity === 1 ? productName : `${quantity} × ${productName}`;

/** What a row says: the price, what comes next, the card that pays, and who ends it where the page may not. */
export function subscriptionText(
  subscription: PageSubscription,
  cards: readonly PaymentMethod[],
  language: CustomerLanguage,
) {
  const { own } = language;
  const { amount, currency, interval, paymentMethodId } = subscription;
  const sum = formatAmount(amount, currency, localeOf(language));
  const card = cards.find(({ id }) => id === paymentMethodId);
  const { may, cancelAt, status } = subscription;
  const runs = subscription.nextRenewalAt !== null && amount > 0;
  return {
    name: subscriptionName(subscription),
    price: own.every[interval](sum),
    next: nextText(subscription, language),
    isBad: subscription.status === 'past_due',
    card: card && runs ? own.paidWith(cardName(card, language)) : null,
    end: status !== 'canceled' && !cancelAt && !may.cancel ? own.endByShop : null,
  };
}

function nextText(subscription: PageSubscription, language: CustomerLanguage): string | null {
  const { own } = language;
  const { amount, cancelAt, canceledAt, nextRenewalAt, status } = subscription;
  if (canceledAt) return own.endedOn(dayOf(canceledAt, language));
  if (cancelAt) return own.endsOn(dayOf(cancelAt, language));
  if (!nextRenewalAt) return null;
  const day = dayOf(nextRenewalAt, language);
  if (status === 'past_due') return own.triedAgainOn(day);
  return amount > 0 ? own.nextPaymentOn(day) : own.renewedOn(day);
}

/** The question before a subscription ends. After a failed payment no paid time is left: it ends at once. */
export function endQuestion(subscription: PageSubscription, language: CustomerLanguage) {
  const { own } = language;
  const isOver = msOf(subscription.currentPeriodEnd) <= Date.now();
  const day = dayOf(subscription.currentPeriodEnd, language);
  return {
    title: own.endTitle(subscriptionName(subscription)),
    text: isOver ? own.endNowText : own.endText(day),
    keep: own.endNo,
    remove: own.endYes,
  };
}

export function endNewsText({ kind, subscription }: EndNews, language: CustomerLanguage): string {
  const { own } = language;
  const name = subscriptionName(subscription);
  const { cancelAt, nextRenewalAt } = subscription;
  if (kind === 'planned' && cancelAt) return own.ends(name, dayOf(cancelAt, language));
  if (kind === 'resumed' && nextRenewalAt) return own.goesOn(name, dayOf(nextRenewalAt, language));
  return own.hasEnded(name);
}

export function purchaseTroubleText(
  { kind, failure }: FailedPurchase,
  language: CustomerLanguage,
): { readonly title: string | null; readonly text: string; readonly reference: string | null } {
  const isCertain = failure.status !== 0 || kind === 'receiptFailed' || kind === 'purchasesFailed';
  return { title: isCertain ? language.own[kind] : null, ...failureText(failure, language) };
}

/** What a row of the payments says; a refund is money that came back. */
export function paymentText(payment: PagePayment, language: CustomerLanguage) {
  const { texts, own } = language;
  const { amount, currency, paymentMethod, productNames, status, type } = payment;
  const brand = paymentMethod && (brandName(paymentMethod.brand) ?? texts.anyBrand);
  const lastFour = paymentMethod?.lastFour;
  const sum = formatAmount(amount, currency, localeOf(language));
  return {
    what: productNames.join(', ') || own.payment,
    sum: type === 'refund' ? `+ ${sum}` : sum,
    day: dayOf(payment.createdAt, language),
    means: brand && lastFour ? texts.savedCard(brand, lastFour) : null,
    state: type === 'refund' && status === 'refunded' ? own.refund : own.states[status],
  };
}

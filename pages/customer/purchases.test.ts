// What a customer bought, on the customer's page: subscriptions end and go on, payments have receipts. Without a browser.

import type {
  PagePayment,
  PageSubscription,
} from '@svc/contract/customers/customer-page-purchases';
import { describe, expect, it } from 'vitest';
import { aPagePayment, aPageSubscription } from '../test/customer-stub.ts';
import { customerTest } from '../test/customer-test.ts';
import { refusal, savedCard } from '../test/stub-answers.ts';
import {
  endNewsText,
  endQuestion,
  paymentText,
  purchaseTroubleText,
  subscriptionText,
} from './purchase-words.ts';

const test = customerTest();
const visa = savedCard('4242');
const club = aPageSubscription();

const shown = () =>
  test.customer.purchases.subscriptions.value.map((one) =>
    subscriptionText(one, test.customer.cards.value, test.own),
  );
const news = () => {
  const { value } = test.customer.purchases.news;
  return value && endNewsText(value, test.own);
};
const trouble = () => {
  const { value } = test.customer.purchases.trouble;
  return value && { id: value.id, ...purchaseTroubleText(value, test.own) };
};
const sent = () =>
  test.service
    .calls(/cancel$|resume$|receipt$/)
    .map(({ method, url }) => `${method} ${url.replace('/v1/customer-page', '')}`);

async function open(subscriptions: PageSubscription[], payments: PagePayment[] = []) {
  test.setCards(visa);
  Object.assign(test.service.customer, { subscriptions, payments });
  await test.open();
}
const first = () => test.customer.purchases.subscriptions.value[0] as PageSubscription;
async function end() {
  void test.customer.purchases.end(first());
  await test.settle();
}

describe('subscriptions', () => {
  it('say price, next payment and the card', async () => {
    await open([club]);
    expect(shown()).toEqual([
      {
        name: 'Coffee club',
        price: '€24.00 every month',
        next: 'Next payment on May 5, 2040',
        isBad: false,
        card: 'Paid with Visa ending in 4242',
        end: null,
      },
    ]);
  });

  it('one that the page may not end says to ask the shop; one that has its end, or has ended, does not', async () => {
    const may = { cancel: false, resume: false };
    const { currentPeriodEnd: day } = club;
    await open([
      { ...club, may },
      { ...club, may, nextRenewalAt: null, cancelAt: day },
      { ...club, may, nextRenewalAt: null, canceledAt: day, status: 'canceled' },
    ]);
    const ask = 'To cancel this subscription, ask the shop.';
    expect(shown().map(({ end }) => end)).toEqual([ask, null, null]);
  });

  it.each([
    [{ cancelAt: club.currentPeriodEnd, nextRenewalAt: null }, 'Ends on May 5, 2040. Nothing more'],
    [{ canceledAt: club.currentPeriodEnd, nextRenewalAt: null }, 'Ended on May 5, 2040'],
    [{ status: 'past_due' as const }, 'The payment failed. It is tried again on May 5, 2040.'],
    [{ amount: 0 }, 'Renewed on May 5, 2040'],
    [{ nextRenewalAt: null }, null],
  ])('%j: %s', async (given, text) => {
    await open([{ ...club, ...given }]);
    const [row] = shown();
    if (text === null) expect(row?.next).toBeNull();
    else expect(row?.next).toContain(text);
    if (!('status' in given)) expect(row?.card).toBeNull();
  });

  it('end with the period after one confirmation; nothing is sent before', async () => {
    await open([{ ...club, quantity: 2 }]);
    test.customer.purchases.ask(first());
    expect(endQuestion(first(), test.own)).toMatchObject({
      title: 'Cancel 2 × Coffee club?',
      text: 'It runs until May 5, 2040, and nothing more is charged. Until then you can continue it here.',
    });
    test.customer.purchases.ask(null);
    expect(sent()).toEqual([]);
    await end();
    expect(sent()).toEqual([`POST /subscriptions/${club.id}/cancel`]);
    expect(news()).toBe('2 × Coffee club ends on May 5, 2040.');
    expect(first().may).toEqual({ cancel: false, resume: true });
    void test.customer.purchases.resume(first());
    await test.settle();
    expect(news()).toBe('2 × Coffee club continues. Next payment on May 5, 2040.');
    expect(first().cancelAt).toBeNull();
  });

  it('one whose payment failed says that it ends at once', async () => {
    const overdue = { ...club, currentPeriodEnd: '2026-01-05T10:00:00.000Z' };
    expect(endQuestion(overdue, test.own).text).toContain('it ends at once');
  });

  it.each([
    ['customer_page_limited', 'The subscription was not cancelled', 'does not open this'],
    ['subscription_ended', 'The subscription was not cancelled', 'has ended already'],
    ['customer_page_cancel_off', 'The subscription was not cancelled', 'ask the shop'],
  ] as const)('%s: says so beside it, and the list is read again', async (code, title, text) => {
    await open([club]);
    test.service.customer.ending = () => refusal(code);
    const before = test.service.calls(/subscriptions$/).length;
    await end();
    expect(trouble()).toMatchObject({ id: club.id, title });
    expect(trouble()?.text).toContain(text);
    expect(test.service.calls(/subscriptions$/)).toHaveLength(before + 1);
    expect(news()).toBeNull();
  });

  it('no answer: not said to be refused, and the list says what holds', async () => {
    await open([club]);
    const { customer } = test.service;
    customer.ending = () => {
      customer.subscriptions = [{ ...club, cancelAt: club.currentPeriodEnd }];
      return 'break off';
    };
    await end();
    expect(trouble()).toMatchObject({ title: null });
    expect(first().cancelAt).toBe(club.currentPeriodEnd);
  });

  it('a page that is over says so', async () => {
    await open([club]);
    test.service.customer.ending = () => refusal('customer_page_not_found');
    await end();
    expect(test.customer.view.value).toBe('expired');
  });
});

describe('payments', () => {
  it('say what, how much, when and how; a refund comes back', async () => {
    const refund = aPagePayment(2, { type: 'refund', status: 'refunded' });
    await open([], [refund, aPagePayment(1)]);
    const said = test.customer.purchases.payments.value.map((one) => paymentText(one, test.own));
    expect(said).toEqual([
      expect.objectContaining({ what: 'Coffee club', sum: '+ €24.00', state: 'Refund' }),
      {
        what: 'Coffee club',
        sum: '€24.00',
        day: 'January 6, 2026',
        means: 'Visa ending in 4242',
        state: 'Paid',
      },
    ]);
  });

  it('older ones follow at a press, each once', async () => {
    await open(
      [],
      Array.from({ length: 13 }, (_, at) => aPagePayment(at)),
    );
    const { purchases } = test.customer;
    expect([purchases.payments.value.length, purchases.hasMore.value]).toEqual([10, true]);
    await purchases.showMore();
    const ids = purchases.payments.value.map(({ id }) => id);
    expect([new Set(ids).size, purchases.hasMore.value]).toEqual([13, false]);
  });

  it('the receipt is asked for by a press; an address that is none opens nothing', async () => {
    await open([], [aPagePayment(1)]);
    const { purchases } = test.customer;
    expect(sent()).toEqual([]);
    expect(await purchases.receiptOf(aPagePayment(1))).toBe('https://pay.example/r/1');
    expect(sent()).toEqual([`GET /payments/${aPagePayment(1).id}/receipt`]);
    test.service.customer.receipt = () => ({ status: 200, body: { url: 'javascript:alert(1)' } });
    expect(await purchases.receiptOf(aPagePayment(1))).toBeNull();
    test.service.customer.receipt = () => refusal('receipt_not_available');
    expect(await purchases.receiptOf(aPagePayment(1))).toBeNull();
    expect(trouble()).toMatchObject({ title: 'The receipt could not be opened' });
  });

  it('what cannot be read leaves the cards, and is read again at a press', async () => {
    test.service.customer.reading = () => refusal('internal_error');
    await open([club], [aPagePayment(1)]);
    expect(test.names()).toEqual(['Visa ending in 4242']);
    expect(trouble()?.title).toBe('Your subscriptions and payments could not be loaded');
    test.service.customer.reading = null;
    await test.customer.purchases.load();
    expect([shown().length, trouble()]).toEqual([1, null]);
  });

  it('by a link that does not open them nothing is asked for', async () => {
    test.service.customer.may = { ...test.service.customer.may, seePurchases: false };
    await open([club], [aPagePayment(1)]);
    expect(shown()).toEqual([]);
    expect(test.service.calls(/subscriptions|payments/)).toEqual([]);
  });
});

// A buyer whom the merchant vouched for: pays with a saved card, keeps another, and what a
// subscription says of both. Contract §3, Buyer and Process.

import { describe, expect, it } from 'vitest';
import { cardNumber, checkoutTest } from '../test/checkout-test.ts';
import {
  type Answer,
  attempt,
  paymentId,
  refusal,
  savedCard,
  sessionId,
  success,
} from '../test/stub-answers.ts';
import { cardNews } from './state/cards.ts';
import { showsForm } from './state/pay-button.ts';
import { hasSubscription, offersSaved } from './state/view.ts';
import { en } from './texts/en.ts';

const test = checkoutTest();

const setVouchedSession = (...cards: ReturnType<typeof savedCard>[]) => {
  test.service.session = { ...test.service.session, buyerVerified: true };
  test.service.cards = () => ({ status: 200, body: { data: cards } });
};
const cards = () => test.checkout.cards;
/** The last four digits of the chosen card; null for another card. */
const chosen = () => cards().chosen?.lastFour ?? null;
const listed = () => cards().cards.value.map(({ lastFour }) => lastFour);
const news = (lastFour: string) => {
  const card = cards().cards.value.find((one) => one.lastFour === lastFour);
  return card && cardNews(card, cards().declined.value.has(card.id), en)?.text;
};
const choose = (card: ReturnType<typeof savedCard> | null) => {
  cards().choice.value = card?.id ?? null;
};
const paidWith = (index: number) =>
  test.processCalls()[index]?.body?.tokenizedData as Record<string, unknown>;
const isPaid = () => test.news() === 'Payment complete';
const mayBeKept = () => {
  const session = test.checkout.session.value;
  return session !== null && offersSaved(session) && !hasSubscription(session);
};

describe('a checkout of a buyer whom nobody vouched for', () => {
  it('asks for no cards and offers to save none: no call more than before', async () => {
    await test.visit();
    expect(test.service.calls(/payment-methods/)).toEqual([]);
    expect([mayBeKept(), listed()]).toEqual([false, []]);
    await test.fillAndPay();
    expect(paidWith(0)).toEqual({ provider: 'cardprovider', type: 'card', token: 'svct_1' });
  });
});

describe('saved cards', () => {
  const [visa, master] = [savedCard('4242'), savedCard('4444', { brand: 'mastercard' })];

  it('the first one is chosen, and pays without the form', async () => {
    setVouchedSession(visa, master);
    await test.visit();
    expect(chosen()).toBe('4242');
    expect(showsForm(test.checkout)).toBe(false);
    await test.press();
    expect(isPaid()).toBe(true);
    const card = { provider: 'cardprovider', type: 'card', paymentMethodId: visa.id };
    expect(paidWith(0)).toEqual(card);
    expect(test.service.calls(/payment-methods/)).toHaveLength(1);
  });

  it('another card: the form takes it, and keeps nothing unasked', async () => {
    setVouchedSession(visa);
    await test.visit();
    choose(null);
    expect(showsForm(test.checkout)).toBe(true);
    await test.fillAndPay();
    expect(paidWith(0)).toEqual({ provider: 'cardprovider', type: 'card', token: 'svct_1' });
  });

  it('a card to keep is sent as one', async () => {
    setVouchedSession();
    await test.visit();
    expect(mayBeKept()).toBe(true);
    cards().isKept.value = true;
    await test.fillAndPay();
    expect(paidWith(0)).toMatchObject({ token: 'svct_1', saveForLater: true });
  });

  it('a wish to keep the other card is not sent with a saved one', async () => {
    setVouchedSession(visa);
    await test.visit();
    cards().isKept.value = true;
    await test.press();
    expect(paidWith(0)?.paymentMethodId).toBe(visa.id);
    expect(paidWith(0)).not.toHaveProperty('saveForLater');
  });

  it('an expired one is shown as that and not chosen', async () => {
    setVouchedSession(savedCard('1111', { expiryYear: 2021 }), visa);
    await test.visit();
    expect(news('1111')).toBe('Expired 12/21');
    expect(news('4242')).toBe('Expires 12/40');
    expect(chosen()).toBe('4242');
  });

  it('declined: says so, marks it, and offers the others', async () => {
    setVouchedSession(savedCard('0341'), visa);
    test.service.process = [
      refusal('card_declined', { declineCode: 'insufficient_funds', advice: 'try_again_later' }),
      success('succeeded'),
    ];
    await test.visit();
    await test.press();
    expect(test.notice()).toContain('The card does not have enough funds.');
    expect(news('0341')).toBe('Declined');
    expect(chosen()).toBe('4242');
    await test.press();
    expect(paidWith(1)?.paymentMethodId).toBe(visa.id);
  });

  it('the only one declined: the form takes another', async () => {
    setVouchedSession(savedCard('0341'));
    test.service.process = [refusal('card_declined'), success('succeeded')];
    await test.visit();
    await test.press();
    expect(chosen()).toBeNull();
    await test.fillAndPay();
    expect(paidWith(1)).toHaveProperty('token');
  });

  it('cancelled at the bank: the card stays chosen, and is not called declined', async () => {
    setVouchedSession(savedCard('3184'), visa);
    const declineCode = 'authentication_canceled';
    test.service.process = [refusal('card_declined', { declineCode }), success('succeeded')];
    await test.visit();
    await test.press();
    expect(test.notice()).toContain('The confirmation was cancelled.');
    expect(news('3184')).toBe('Expires 12/40');
    expect(chosen()).toBe('3184');
  });

  it('payment_method_not_found: it is gone from the list, and an expired one does not take its place', async () => {
    setVouchedSession(savedCard('1881'), savedCard('1111', { expiryYear: 2021 }), visa);
    test.service.process = [refusal('payment_method_not_found')];
    await test.visit();
    await test.press();
    expect(test.notice()).toContain('This card is no longer saved.');
    expect(listed()).toEqual(['1111', '4242']);
    expect(chosen()).toBe('4242');
  });

  it('the bank asks for a saved one: the same call again with what it gave back', async () => {
    setVouchedSession(savedCard('3184'));
    const challenge = { kind: 'redirect', url: 'https://bank.example/question' };
    const body = { type: '3ds_required', sessionId, paymentId, challenge };
    test.service.process = [
      () => {
        const asked = attempt('REQUIRES_ACTION');
        test.service.standings = [{ status: 'requires_action', attempt: asked }];
        return { status: 200, body };
      },
      success('succeeded'),
    ];
    await test.visit();
    await test.press();
    void test.checkout.noteReturn('payment_intent=pi_1');
    await test.settle();
    expect(isPaid()).toBe(true);
    expect(paidWith(1)).toEqual(paidWith(0));
    expect(test.processCalls()[1]?.body?.chv).toBe('payment_intent=pi_1');
  });

  it.each<[string, () => Answer | Promise<Answer>]>([
    ['refused', () => refusal('buyer_not_verified')],
    ['broken off', () => 'break off'],
    ['answered by nobody', () => new Promise<never>(() => {})],
  ])(
    'a list that is %s keeps nobody from paying for longer than four seconds',
    async (_, answer) => {
      test.service.session = { buyerVerified: true };
      test.service.cards = answer;
      await test.visit();
      await test.pass(4);
      expect(showsForm(test.checkout)).toBe(true);
      await test.fillAndPay();
      expect(isPaid()).toBe(true);
    },
  );

  it('the form loads while the cards are read, and nothing is paid before they are known', async () => {
    const held = Promise.withResolvers<Answer>();
    test.service.session = { buyerVerified: true };
    test.service.cards = () => held.promise;
    await test.visit();
    expect(test.checkout.form.isReady.value).toBe(true);
    expect(showsForm(test.checkout)).toBe(false);
    expect(test.button().isBlocked).toBe(true);
    test.form.typed = cardNumber;
    await test.checkout.pay();
    expect(test.processCalls()).toEqual([]);
    held.resolve({ status: 200, body: { data: [] } });
    await test.settle();
    expect(showsForm(test.checkout)).toBe(true);
    expect(test.button().isBlocked).toBe(false);
  });

  it('a form that is blocked does not stand in a saved card’s way', async () => {
    setVouchedSession(visa);
    test.formLoads = 'never';
    await test.visit();
    test.checkout.form.noteProblem('blocked_by_csp');
    expect(test.button().isBlocked).toBe(false);
    await test.press();
    expect(isPaid()).toBe(true);
  });
});

describe('a subscription', () => {
  const setMonthly = () => {
    const line = { overrideAmount: null, currency: 'EUR', interval: 'month' as const };
    const products = [{ code: 'club', name: 'Club', quantity: 1, totalAmount: 24, ...line }];
    const totals = { subtotal: 24, discount: 4, total: 20, currency: 'EUR' };
    test.service.session = { products, totals };
  };
  const signIn = 'please sign in at the shop and start again';

  it('says that the card is kept; there is nothing to tick', async () => {
    setMonthly();
    setVouchedSession();
    await test.visit();
    expect(test.lines()).toContain('until the subscription is cancelled');
    expect(mayBeKept()).toBe(false);
    expect(test.button().label).toBe('Pay €20.00');
  });

  it('a buyer whom nobody vouched for is told at once what to do, and asked for no card', async () => {
    setMonthly();
    const cardprovider = { publishableKey: 'pk_test_1', accountId: 'acct_1' };
    const wallet = { clientId: 'wallet_1', orderId: 'O-1' };
    test.service.session = { ...test.service.session, gateways: { cardprovider, wallet } };
    await test.visit();
    expect(test.notice()).toContain(signIn);
    expect([test.hasForm(), test.wallet().isOffered]).toEqual([false, false]);
    expect(test.wayBack()).toContain('/cart');
  });

  it('that the buyer has already is not sold again', async () => {
    test.service.session = { subscriptionExists: true };
    await test.visit();
    expect(test.notice()).toContain('You have this subscription already');
    expect(test.hasForm()).toBe(false);
  });

  it('buyer_not_verified: certain that nothing was charged, and what to do', async () => {
    setMonthly();
    setVouchedSession();
    test.service.process = [refusal('buyer_not_verified')];
    await test.visit();
    await test.fillAndPay();
    expect(test.notice()).toContain(signIn);
  });
});

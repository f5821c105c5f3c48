// Discount codes: what a buyer types, what the service returns, and what is charged then.

import { describe, expect, it, vi } from 'vitest';
import { checkoutTest } from '../test/checkout-test.ts';
import { refusal, sessionId, success, userId } from '../test/stub-answers.ts';
import { showsForm } from './state/pay-button.ts';

const test = checkoutTest();

const cheaper = { subtotal: 49.7, discount: 4.97, total: 44.73, currency: 'EUR' };
const changes = () => test.service.calls(/\/coupons$/);
const codes = () => test.checkout.coupons;
const isPaid = () => test.news() === 'Payment complete';
const shownTotals = () => test.processCalls().map(({ body }) => body?.expectedTotal);

/** Makes the service take ten percent off while there is a code. */
function discountTenth(): void {
  const answer = test.service.coupons;
  test.service.coupons = (given) => {
    const { totals: _, ...rest } = test.service.session;
    test.service.session = given.length > 0 ? { ...rest, totals: cheaper } : rest;
    return answer(given);
  };
}

async function openField(): Promise<void> {
  test.service.session = { couponsAccepted: true };
  await test.visit();
}

async function type(code: string): Promise<void> {
  codes().typed.value = code;
  void codes().apply();
  await test.settle();
}

describe('discount codes', () => {
  it('are offered only where the merchant has some, or the order came with one', async () => {
    await test.visit();
    expect(codes().isOffered).toBe(false);
    await openField();
    expect(codes().isOffered).toBe(true);
    test.service.session = { couponCodes: ['SPRING'], totals: cheaper };
    await test.visit();
    expect(codes().isOffered).toBe(true);
  });

  it('are not offered where only the merchant changes them', async () => {
    test.service.session = {
      ...{ couponsAccepted: false, couponsByMerchantOnly: true },
      ...{ couponCodes: ['SPRING'], totals: cheaper },
    };
    await test.visit();
    expect(codes().isOffered).toBe(false);
  });

  it('a code: new total and button say so, and the card stays as typed', async () => {
    discountTenth();
    await openField();
    test.form.typed = '4242424242424242';
    await type(' spring ');
    expect(changes().map(({ method, body }) => [method, body])).toEqual([
      ['PATCH', { couponCodes: ['spring'] }],
    ]);
    expect(test.couponNews()).toBe('The code was applied. New total: €44.73');
    expect(test.checkout.session.value?.totals?.discount).toBe(4.97);
    expect(test.button().label).toBe('Pay €44.73');
    expect(test.form.typed).toBe('4242424242424242');
    expect(codes().typed.value).toBe('');
  });

  it('an order that came with a code can lose it where nothing else is offered', async () => {
    test.service.session = { couponCodes: ['SPRING'], totals: cheaper };
    discountTenth();
    await test.visit();
    await codes().remove('SPRING');
    expect(changes().at(-1)?.body).toEqual({ couponCodes: [] });
    expect(test.couponNews()).toBe('The code was removed. New total: €49.70');
    expect(test.button().label).toBe('Pay €49.70');
    // The news stays in the page.
    expect(codes().isOffered).toBe(true);
  });

  it.each([
    ['coupon_unknown', 'This code does not exist.'],
    ['coupon_inactive', 'cannot be used at present'],
    ['coupon_not_started', 'not valid yet'],
    ['coupon_ended', 'no longer valid'],
    ['coupon_exhausted', 'already been used as often'],
    ['coupon_currency_differs', 'currency of your order'],
    ['coupon_without_effect', 'takes nothing off'],
    ['of_tomorrow', 'cannot be used for your order'],
  ])('%s has its own words, and what was typed stays', async (code, words) => {
    await openField();
    const errors = [{ path: 'couponCodes[0]', code, message: 'No.' }];
    test.service.coupons = () => refusal('invalid_catalog_data', { errors });
    await type('spring');
    expect(test.couponNews()).toMatch(/^spring: /);
    expect(test.couponNews()).toContain(words);
    expect(codes().typed.value).toBe('spring');
    expect(test.button().label).toBe('Pay €49.70');
  });

  it('applied with nothing in it: what was said of the code before is gone', async () => {
    await openField();
    const errors = [{ path: 'couponCodes[0]', code: 'coupon_ended', message: 'No.' }];
    test.service.coupons = () => refusal('invalid_catalog_data', { errors });
    await type('spring');
    await type('');
    expect(test.couponNews()).toBe('');
    expect(changes()).toHaveLength(1);
  });

  it('the same code twice is told without asking', async () => {
    discountTenth();
    await openField();
    await type('spring');
    await type('Spring');
    expect(test.couponNews()).toBe('Spring: This code is already part of your order.');
    expect(changes()).toHaveLength(1);
  });

  it.each([
    ['rate_limited', 'Too many codes were tried.'],
    ['checkout_attempt_in_progress', 'A payment is under way.'],
  ] as const)('%s: said, and nothing changes', async (code, words) => {
    await openField();
    test.service.coupons = () => refusal(code);
    await type('spring');
    expect(test.couponNews()).toContain(words);
    expect(test.checkout.session.value?.couponCodes).toEqual([]);
  });

  it('while the price is being changed nothing can be paid, and no other code applied', async () => {
    await openField();
    const held = Promise.withResolvers<void>();
    const answer = test.service.coupons;
    test.service.coupons = async (given) => {
      await held.promise;
      return answer(given);
    };
    test.form.typed = '4242424242424242';
    await type('spring');
    expect(test.button().isBlocked).toBe(true);
    // The card form has an Enter key of its own.
    await test.checkout.pay();
    await test.checkout.payWithWallet();
    await type('other');
    held.resolve();
    await test.settle();
    expect(test.couponNews()).toContain('The code was applied.');
    expect(changes()).toHaveLength(1);
    expect(test.processCalls()).toEqual([]);
  });

  it('a lost answer: what the session says now is shown, and is what is paid', async () => {
    await openField();
    test.service.coupons = () => {
      test.service.session = { couponsAccepted: true, couponCodes: ['SPRING'], totals: cheaper };
      return 'break off';
    };
    await type('spring');
    expect(test.button().label).toBe('Pay €44.73');
    await test.fillAndPay();
    expect(shownTotals()).toEqual([44.73]);
  });

  it('a lost answer, and the session out of reach for a while: what is typed stays', async () => {
    await openField();
    test.form.typed = '4242424242424242';
    test.service.coupons = () => {
      test.service.sessionAnswer = refusal('service_unavailable');
      return 'break off';
    };
    await type('spring');
    expect(test.news()).toBe('We cannot reach the payment service');
    test.service.sessionAnswer = null;
    await test.checkout.load();
    await test.press();
    expect(isPaid()).toBe(true);
    expect(test.processCalls()).toHaveLength(1);
  });

  it('an order that has ended meanwhile is shown as ended', async () => {
    await openField();
    test.service.coupons = () => refusal('checkout_session_expired');
    test.service.standings = [{ status: 'expired' }];
    await type('spring');
    expect(test.news()).toBe('This payment link has expired');
  });

  it('a code taken off in another tab: not paid unseen, the new total is shown, then it is paid', async () => {
    test.service.session = { couponCodes: ['SPRING'], totals: cheaper };
    test.service.process = [
      () => {
        test.service.session = { couponCodes: [] };
        return refusal('checkout_session_total_changed');
      },
      ...test.service.process,
    ];
    await test.visit();
    expect(test.button().label).toBe('Pay €44.73');
    await test.fillAndPay();
    expect(test.notice()).toContain('has changed. Nothing was charged');
    expect(test.button().label).toBe('Pay €49.70');
    await test.press();
    expect(isPaid()).toBe(true);
    expect(shownTotals()).toEqual([44.73, 49.7]);
  });

  it('a code taken off in another tab while the form was renewed: what the button said counts', async () => {
    test.service.session = { couponCodes: ['SPRING'], totals: cheaper };
    const { process } = test.service;
    test.service.process = [() => refusal('checkout_session_total_changed'), ...process];
    await test.visit();
    test.form.isExpired = true;
    test.service.session = { couponCodes: [] };
    await test.fillAndPay();
    expect(test.notice()).toContain('has changed. Nothing was charged');
    await test.press();
    expect(isPaid()).toBe(true);
    expect(shownTotals()).toEqual([44.73, 49.7]);
  });

  it('a cart that the merchant changed: shown without a reload, said, and paid at the new total', async () => {
    vi.stubGlobal('document', { visibilityState: 'visible' });
    await test.visit();
    test.form.typed = '4242424242424242';
    test.service.session = { cartVersion: 1, totals: { ...cheaper, discount: 0, subtotal: 44.73 } };
    await test.pass(6);
    expect(test.button().label).toBe('Pay €44.73');
    expect(test.notice()).toContain('has changed. Nothing was charged');
    expect(test.form.typed).toBe('4242424242424242');
    await test.press();
    expect(isPaid()).toBe(true);
    expect(shownTotals()).toEqual([44.73]);
    vi.unstubAllGlobals();
  });

  it('a code that was used up since: said, taken off, paid', async () => {
    test.service.session = { couponCodes: ['SPRING'], totals: cheaper };
    discountTenth();
    test.service.process = [refusal('coupon_exhausted'), ...test.service.process];
    await test.visit();
    await test.fillAndPay();
    expect(test.notice()).toContain('has been used up. Nothing was charged');
    await codes().remove('SPRING');
    expect(test.couponNews()).toContain('The code was removed.');
    expect(test.notice()).toBe('');
    await test.press();
    expect(isPaid()).toBe(true);
  });
});

describe('an order that costs nothing. Additions §3, Free orders', () => {
  const free = { subtotal: 49.7, discount: 49.7, total: 0, currency: 'EUR' };

  it('asks for no card and is completed by one press, with the total that was shown', async () => {
    test.service.session = { totals: free };
    test.service.process = [success('succeeded', { paymentId: null })];
    await test.visit();
    expect(showsForm(test.checkout)).toBe(false);
    expect(test.button()).toMatchObject({
      label: 'Complete order',
      isBlocked: false,
      hint: 'Nothing is due, so no card is needed.',
    });
    void test.checkout.pay();
    await test.press();
    expect(test.outcome()).toContain('Order complete Nothing was due');
    expect(test.processCalls().map(({ body }) => body)).toEqual([
      {
        sessionId,
        accountData: { userId, externalId: null, email: 'ada@example.com' },
        expectedTotal: 0,
      },
    ]);
  });

  it('by a code: the typed card stays and comes back when the code is taken off', async () => {
    const answer = test.service.coupons;
    test.service.coupons = (given) => {
      const { totals: _, ...rest } = test.service.session;
      test.service.session = given.length > 0 ? { ...rest, totals: free } : rest;
      return answer(given);
    };
    await openField();
    test.form.typed = '4242424242424242';
    await type('all');
    expect(test.button().label).toBe('Complete order');
    expect(showsForm(test.checkout)).toBe(false);
    await codes().remove('ALL');
    expect(test.button().label).toBe('Pay €49.70');
    expect(showsForm(test.checkout)).toBe(true);
    expect(test.form.typed).toBe('4242424242424242');
  });

  it('a code that another order took first: said, and the order waits', async () => {
    test.service.session = { totals: free, couponCodes: ['ALL'] };
    test.service.process = [refusal('coupon_exhausted')];
    await test.visit();
    await test.press();
    expect(test.notice()).toContain('A discount code of your order has been used up.');
    expect(test.button()).toMatchObject({ label: 'Complete order', isBlocked: false });
  });
});

import { describe, expect, it } from 'vitest';
import { checkoutTest } from '../../test/checkout-test.ts';
import { refusal, success } from '../../test/stub-answers.ts';
import { type ExpressResult, takeExpressResult } from './express-payment.ts';

const test = checkoutTest();
const approved: ExpressResult = { type: 'expressToken', token: 'svct_express' };
const take = async (result: ExpressResult) => {
  void takeExpressResult(test.checkout, result, () => {});
  await test.settle();
};

describe('the express buttons', () => {
  it('pay for the session’s buyer and with the total that is shown', async () => {
    await test.visit();
    await take(approved);
    expect(test.news()).toBe('Payment complete');
    expect(test.processCalls()[0]?.body).toMatchObject({
      tokenizedData: { provider: 'cardprovider', type: 'card', token: 'svct_express' },
      accountData: { email: 'ada@example.com' },
      expectedTotal: 49.7,
    });
  });

  it('no token: told, nothing sent, and the form pays', async () => {
    await test.visit();
    await take({ type: 'expressError', code: 'unavailable', message: 'no' });
    expect(test.notice()).toContain('Nothing was charged; please try again');
    expect(test.processCalls()).toEqual([]);
    await test.fillAndPay();
    expect(test.news()).toBe('Payment complete');
  });

  it('the total has changed while the sheet was open: told, nothing sent', async () => {
    await test.visit();
    await take({ type: 'expressError', code: 'checkout_session_total_changed', message: 'no' });
    expect(test.notice()).toContain('The total of your order has changed.');
    expect(test.processCalls()).toEqual([]);
  });

  it('approved while a code changes the total: told, nothing sent', async () => {
    const held = Promise.withResolvers<void>();
    const answer = test.service.coupons;
    test.service.session = { couponsAccepted: true };
    test.service.coupons = async (codes) => {
      await held.promise;
      return answer(codes);
    };
    await test.visit();
    test.checkout.coupons.typed.value = 'spring';
    void test.checkout.coupons.apply();
    await take(approved);
    expect(test.notice()).toContain('The total of your order has changed.');
    held.resolve();
    await test.settle();
    expect(test.couponNews()).toContain('The code was applied.');
    expect(test.processCalls()).toEqual([]);
  });

  it('declined: told, and the same buttons pay', async () => {
    test.service.process = [
      refusal('card_declined', { declineCode: 'generic_decline' }),
      success('succeeded'),
    ];
    await test.visit();
    await take(approved);
    expect(test.notice()).toContain('The card was declined');
    await take(approved);
    expect(test.news()).toBe('Payment complete');
    expect(test.processCalls()).toHaveLength(2);
  });
});

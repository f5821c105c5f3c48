// An order that costs nothing: no card, one button. Contract §3, Free orders.

import { describe, expect, it } from 'vitest';
import { pageTest } from '../test/page-test.ts';
import { refusal, sessionId, success, userId } from '../test/stub-answers.ts';

const test = pageTest();

const free = { subtotal: 49.7, discount: 49.7, total: 0, currency: 'EUR' };
const completed = success('succeeded', { paymentId: null });
const complete = () => test.page.getByRole('button', { name: 'Complete order' });
const button = async () =>
  ((await test.page.locator('button.pay').textContent()) ?? '').replaceAll('\u00a0', ' ');

describe('an order that costs nothing', () => {
  it('asks for no card and is completed by one press, with the total that was shown', async () => {
    test.wire.session = { totals: free };
    test.wire.process = [completed];
    const page = await test.visit();
    await complete().dblclick();
    expect(await test.news().textContent()).toBe('Order complete');
    expect(await page.getByText('Nothing was due').count()).toBe(1);
    expect(await page.locator('.reference').count()).toBe(0);
    expect(test.processCalls().map(({ body }) => body)).toEqual([
      {
        sessionId,
        accountData: { userId, externalId: null, email: 'ada@example.com' },
        expectedTotal: 0,
      },
    ]);
    await page.waitForURL(`${test.wire.formOrigin}/thanks?order=7&session_id=${sessionId}`);
  });

  it('by keyboard, and the form is out of sight', async () => {
    test.wire.session = { totals: free };
    test.wire.process = [completed];
    await test.visit();
    await complete().focus();
    expect(await test.number().isVisible()).toBe(false);
    await test.page.keyboard.press('Enter');
    expect(await test.news().textContent()).toBe('Order complete');
  });

  it('offers no wallet', async () => {
    const cardprovider = { publishableKey: 'pk_test_1', accountId: 'acct_1' };
    const wallet = { clientId: 'wallet_1', orderId: 'O-1' };
    test.wire.session = { totals: free, gateways: { cardprovider, wallet } };
    await test.visit();
    await complete().waitFor();
    expect(await test.page.getByRole('button', { name: 'Pay with your wallet' }).count()).toBe(0);
  });

  it('by a code: the typed card stays and comes back when the code is taken off', async () => {
    const answer = test.wire.coupons;
    test.wire.coupons = (codes) => {
      const { totals: _, ...rest } = test.wire.session;
      test.wire.session = codes.length > 0 ? { ...rest, totals: free } : rest;
      return answer(codes);
    };
    test.wire.session = { couponsAccepted: true };
    await test.visit();
    await test.number().fill('4242424242424242');
    await test.page.getByRole('button', { name: 'Add a discount code' }).click();
    await test.page.getByLabel('Discount code').fill('all');
    await test.page.keyboard.press('Enter');
    await complete().waitFor();
    expect(await test.number().isVisible()).toBe(false);
    await test.page.getByRole('button', { name: 'Remove code ALL' }).click();
    await expect.poll(button).toBe('Pay €49.70');
    expect(await test.number().inputValue()).toBe('4242424242424242');
  });

  it('a code that another order took first: said, and the order waits', async () => {
    test.wire.session = { totals: free, couponCodes: ['ALL'] };
    test.wire.process = [refusal('coupon_exhausted')];
    await test.visit();
    await complete().click();
    await test.page.getByText('A discount code of your order has been used up.').waitFor();
    expect(await complete().getAttribute('aria-disabled')).toBe('false');
  });
});

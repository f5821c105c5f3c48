// The express buttons of the page: when their script is fetched, where they stand, what the keyboard
// reaches, and what is shown when they cannot be had. What they pay: proof/journey/express-buttons.ts.

import { describe, expect, it } from 'vitest';
import { faultsOf } from '../test/looks.ts';
import { pageTest } from '../test/page-test.ts';
import { refusal, success } from '../test/stub-answers.ts';

const test = pageTest();

const frame = () => test.page.frameLocator('.express iframe');
const button = (name: string) => frame().getByRole('button', { name });
const shown = () => test.page.locator('.express[data-shown]').count();
const scripts = (): Promise<number> =>
  test.page.evaluate(
    () =>
      performance
        .getEntriesByType('resource')
        .filter(({ name }) => /express-[\w-]+\.js$/.test(name)).length,
  );
const offer = (methods: string) => {
  test.wire.form = `express=${methods}`;
};
const wallet = { clientId: 'wallet_1', orderId: 'O-1' };
const gateways = { cardprovider: { publishableKey: 'pk_test_1', accountId: 'acct_1' }, wallet };

describe('the script', () => {
  it('is not fetched for a form without such buttons', async () => {
    await test.visit();
    await test.number().waitFor();
    await test.fillAndPay();
    await test.news().waitFor();
    expect(await scripts()).toBe(0);
  });

  it('is fetched once for a form that has them', async () => {
    offer('google_pay,link');
    await test.visit();
    await button('google_pay').waitFor();
    expect(await scripts()).toBe(1);
  });

  it('cannot be had: the card form pays', async () => {
    offer('google_pay');
    await test.open();
    await test.page.route('**/express-*.js', (route) => route.fulfill({ status: 503 }));
    await test.page.goto(test.wire.url);
    await test.fillAndPay();
    await test.news().waitFor();
    expect(await shown()).toBe(0);
    // Firefox compares the empty body of the refusal with the hash of the script.
    test.violations = test.violations.filter((said) => !/^None of the “sha384” hashes/.test(said));
  });
});

describe('the buttons', () => {
  it('pay for the session’s buyer and with the total that is shown', async () => {
    offer('google_pay');
    await test.visit();
    await button('google_pay').click();
    await test.news().waitFor();
    const [call] = test.processCalls();
    expect(call?.body).toMatchObject({
      tokenizedData: { provider: 'cardprovider', type: 'card', token: 'svct_express' },
      accountData: { email: 'ada@example.com' },
      expectedTotal: 49.7,
    });
  });

  it('stand above the wallet and the form; the keyboard goes the same way', async () => {
    offer('google_pay');
    test.wire.session = { gateways };
    await test.visit();
    await button('google_pay').waitFor();
    await expect.poll(shown).toBe(1);
    expect(await test.page.getByText('or by card').filter({ visible: true }).count()).toBe(1);
    await test.page.getByRole('link', { name: /^Back to/ }).focus();
    const reached: string[] = [];
    for (let n = 0; n < 3; n++) {
      await test.page.keyboard.press('Tab');
      reached.push(
        await test.page.evaluate(() => {
          const at = document.activeElement;
          return at instanceof HTMLIFrameElement ? at.title : (at?.textContent ?? '').trim();
        }),
      );
    }
    expect(reached).toEqual([
      'Google Pay',
      'Pay with your wallet',
      'Card number, expiry date and security code',
    ]);
    await button('google_pay').focus();
    await test.page.keyboard.press('Enter');
    await test.news().waitFor();
  });

  it('are not there, nor a gap, where the browser offers none', async () => {
    offer('none');
    await test.visit();
    await test.number().waitFor();
    await expect.poll(() => test.page.locator('.express iframe').count()).toBe(0);
    expect(await scripts()).toBe(1);
    const tops = await test.page.evaluate(() =>
      ['.panel section', '#card-title'].map(
        (one) => document.querySelector(one)?.getBoundingClientRect().top,
      ),
    );
    expect(tops[0]).toBe(tops[1]);
  });

  it('are not there for an order that costs nothing, and out of the keyboard’s reach', async () => {
    offer('google_pay');
    test.wire.session = { totals: { subtotal: 10, discount: 10, total: 0, currency: 'EUR' } };
    await test.visit();
    await test.payButton().getByText('Complete order').waitFor();
    await expect.poll(scripts).toBe(1);
    // The script has run by the time that the order is complete.
    await test.payButton().click();
    await test.news().waitFor();
    expect(await test.page.locator('.express iframe').count()).toBe(0);
  });

  it('no token: told, nothing sent, and the form pays', async () => {
    test.wire.form = 'express=link&refuses=unavailable';
    await test.visit();
    await button('link').click();
    await test.alert().getByText('Nothing was charged; please try again').waitFor();
    expect(test.processCalls()).toEqual([]);
    await test.fillAndPay();
    await test.news().waitFor();
  });

  it('the total has changed while the sheet was open: told, nothing sent', async () => {
    test.wire.form = 'express=link&refuses=checkout_session_total_changed';
    await test.visit();
    await button('link').click();
    await test.alert().getByText(/total/i).waitFor();
    expect(test.processCalls()).toEqual([]);
  });

  it('approved while a code changes the total: told, nothing sent', async () => {
    offer('link');
    const held = Promise.withResolvers<void>();
    const answer = test.wire.coupons;
    test.wire.session = { couponsAccepted: true };
    test.wire.coupons = async (codes) => {
      await held.promise;
      return answer(codes);
    };
    await test.visit();
    await test.page.getByRole('button', { name: 'Add a discount code' }).click();
    await test.page.getByLabel('Discount code').fill('spring');
    await test.page.getByRole('button', { name: 'Apply' }).click();
    await button('link').click();
    await test.alert().getByText(/total/i).waitFor();
    held.resolve();
    await test.page.locator('.coupon-news:not(:empty)').waitFor();
    expect(test.processCalls()).toEqual([]);
  });

  it('declined: told, and the same buttons pay', async () => {
    offer('link');
    test.wire.process = [
      refusal('card_declined', { declineCode: 'generic_decline' }),
      success('succeeded'),
    ];
    await test.visit();
    await button('link').click();
    await test.alert().getByText('The card was declined').waitFor();
    await button('link').click();
    await test.news().waitFor();
    expect(test.processCalls()).toHaveLength(2);
  });

  it('in each look: nothing for axe to find, no sideways scrolling', async () => {
    offer('google_pay,link');
    test.wire.session = { gateways };
    await test.visit();
    await button('link').waitFor();
    await expect.poll(shown).toBe(1);
    expect(await faultsOf(test.page, 'express')).toEqual({});
  });
});

// The express buttons of the page: when their script is fetched, where they stand, what the keyboard
// reaches, and what is shown when they cannot be had. What they pay: express-payment.test.ts, and
// proof/journey/express-buttons.test.ts.

import { describe, expect, it } from 'vitest';
import { faultsOf } from '../test/looks.ts';
import { pageTest } from '../test/page-test.ts';

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
  it('stand above the wallet and the form; the keyboard goes the same way', async () => {
    offer('google_pay');
    test.wire.session = { gateways };
    await test.visit();
    await button('google_pay').waitFor();
    await expect.poll(shown).toBe(1);
    expect(await scripts()).toBe(1);
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
    expect(test.processCalls()[0]?.body).toMatchObject({
      tokenizedData: { provider: 'cardprovider', type: 'card', token: 'svct_express' },
      expectedTotal: 49.7,
    });
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

  it('in each look: nothing for axe to find, no sideways scrolling', async () => {
    offer('google_pay,link');
    test.wire.session = { gateways };
    await test.visit();
    await button('link').waitFor();
    await expect.poll(shown).toBe(1);
    expect(await faultsOf(test.page, 'express')).toEqual({});
  });
});

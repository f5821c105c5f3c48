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
  });
});

describe('the buttons', () => {
  it('come below the wallet and the form, and move nothing; the keyboard goes the same way', async () => {
    offer('google_pay');
    test.wire.session = { gateways };
    await test.visit();
    const place = await test.payButton().boundingBox();
    await button('google_pay').waitFor();
    await expect.poll(shown).toBe(1);
    expect(await test.payButton().boundingBox()).toEqual(place);
    expect(await scripts()).toBe(1);
    await test.page.getByRole('link', { name: /^Back to/ }).focus();
    // The form's three fields are one frame.
    const reached = new Set<string>();
    for (let n = 0; n < 6; n++) {
      await test.page.keyboard.press('Tab');
      reached.add(
        await test.page.evaluate(() => {
          const at = document.activeElement;
          return at instanceof HTMLIFrameElement ? at.title : (at?.textContent ?? '').trim();
        }),
      );
    }
    expect([...reached]).toEqual([
      'Pay with your wallet',
      'Card number, expiry date and security code',
      'Pay €49.70',
      'Google Pay',
    ]);
    await button('google_pay').focus();
    // Pressed down only: that removes the button's frame, and Firefox releases no key in a removed frame.
    await test.page.keyboard.down('Enter');
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
    const ends = await test.page.evaluate(() =>
      ['.panel section', '.panel .fine:last-of-type'].map(
        (one) => document.querySelector(one)?.getBoundingClientRect().bottom,
      ),
    );
    expect(ends[0]).toBe(ends[1]);
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

// What only a browser shows of the page: the ways through its parts, the keyboard, announcements and policy.
// States and words: the tests beside this one, without a browser.

import { describe, expect, it } from 'vitest';
import { pageTest } from '../test/page-test.ts';
import {
  type Answer,
  attempt,
  nonce,
  paymentId,
  refusal,
  savedCard,
  sessionId,
  success,
} from '../test/stub-answers.ts';

const test = pageTest();

const cheaper = { subtotal: 1049.7, discount: 4.97, total: 1044.73, currency: 'EUR' };
const focusedId = () => test.page.evaluate(() => document.activeElement?.id);
const cardOf = (index: number) =>
  test.processCalls()[index]?.body?.tokenizedData as Record<string, unknown>;
const shop = () => `${test.wire.formOrigin}/thanks?order=7&session_id=${sessionId}`;

describe('the way through the page', () => {
  it('session and card form are on their way before the script of the page, and fetched once', async () => {
    const reads = () => test.wire.calls(/\/sessions\/[^/]+$/).length;
    const early = () => [reads(), test.wire.formReads];
    test.wire.opensForm = true;
    test.wire.beforeScript = () => expect.poll(early).toEqual([1, 1]);
    const page = await test.visit();
    await test.number().waitFor();
    expect(early()).toEqual([1, 1]);
    expect(await page.locator('iframe').count()).toBe(1);
  });

  it('by keyboard alone: from the field, with Enter, to the result and back to the shop', async () => {
    const page = await test.visit({ hasClock: true });
    await test.number().waitFor();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Tab');
    await page.keyboard.type('4242424242424242');
    await page.keyboard.press('Enter');
    expect(await test.news().textContent()).toBe('Payment complete');
    expect(await test.news().evaluate((heading) => heading === document.activeElement)).toBe(true);
    expect(await page.locator('.reference dd').textContent()).toBe(paymentId);
    expect(test.processCalls()).toHaveLength(1);
    const way = page.getByRole('link', { name: 'Continue to Bean Shop' });
    expect(await way.getAttribute('href')).toBe(shop());
    await page.clock.fastForward(3_000);
    await page.waitForURL(shop());
  });

  it('to the wallet, which is offered above the card, and back', async () => {
    const wallet = { clientId: 'wallet_1', orderId: 'O-1' };
    const cardprovider = { publishableKey: 'pk_test_1', accountId: 'acct_1' };
    test.wire.session = { gateways: { cardprovider, wallet } };
    const url = `${test.wire.bankOrigin}/checkoutnow?token=O-1`;
    const body = { type: 'wallet_redirect_required', sessionId, paymentId, redirect: { url } };
    test.wire.process = [{ status: 200, body }, success('succeeded')];
    const page = await test.visit();
    const button = page.getByRole('button', { name: 'Pay with your wallet' });
    const [above, below] = [await button.boundingBox(), await test.payButton().boundingBox()];
    expect(above?.y).toBeLessThan(below?.y ?? 0);
    await button.click();
    await page.waitForURL(url);
    test.wire.standings = [{ status: 'requires_action', attempt: attempt('REQUIRES_ACTION') }];
    await page.goto(`${test.wire.pageOrigin}/c/${sessionId}`);
    await page.getByRole('button', { name: 'Continue in your wallet' }).waitFor();
    await page.goto(`${test.wire.pageOrigin}/c/${sessionId}?token=O-1&PayerID=P-1`);
    await page.getByRole('heading', { name: 'Payment complete' }).waitFor();
    expect(page.url()).toBe(`${test.wire.pageOrigin}/c/${sessionId}`);
  });

  it('with saved cards: chosen with the arrow keys; another one is typed, and kept if asked', async () => {
    test.wire.session = { buyerVerified: true };
    const data = [savedCard('4242'), savedCard('4444', { brand: 'mastercard' })];
    test.wire.cards = () => ({ status: 200, body: { data } });
    test.wire.process = [refusal('gateway_unavailable'), success('succeeded')];
    const page = await test.visit();
    const choice = (name: string) => page.getByRole('radio', { name });
    await choice('Visa ending in 4242').focus();
    expect(await test.number().isVisible()).toBe(false);
    await page.keyboard.press('ArrowDown');
    expect(await choice('Mastercard ending in 4444').isChecked()).toBe(true);
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await test.alert().getByText('cannot be reached').waitFor();
    await choice('Another card').check();
    await page.getByRole('checkbox', { name: 'Save this card' }).check();
    await test.fillAndPay();
    await test.news().waitFor();
    expect(cardOf(0)?.paymentMethodId).toBe(data[1]?.id);
    expect(cardOf(1)).toMatchObject({ token: 'svct_1', saveForLater: true });
  });

  it('of a card that is saved without a payment: no order, and the card is named at the end', async () => {
    const none = { products: [], totals: null, currency: null };
    test.wire.session = { checkoutMode: 'setup', buyerVerified: true, successUrl: null, ...none };
    const saved = savedCard('4242', { brand: 'mastercard' });
    test.wire.cards = () => ({ status: 200, body: { data: [saved] } });
    const page = await test.visit();
    await page.getByRole('heading', { name: 'Save a card', level: 2 }).waitFor();
    await page.locator('.side .seller').getByText('Bean Shop').waitFor();
    expect(await page.locator('.summary').count()).toBe(0);
    await test.fillAndPay();
    expect(await test.news().textContent()).toBe('Card saved');
    await page.locator('.outcome').getByText('Mastercard ending in 4242').waitFor();
  });

  it('from the link: works again after a reload, and when it is followed again in the same tab', async () => {
    const page = await test.open();
    const bare = `${test.wire.pageOrigin}/c/${sessionId}`;
    await page.goto(bare);
    expect(await test.news().textContent()).toBe('This payment link does not work');
    expect(test.wire.received).toEqual([]);
    await page.goto(test.wire.url);
    await test.number().waitFor();
    expect(page.url()).toBe(bare);
    await page.getByRole('link', { name: 'Back to Bean Shop' }).waitFor();
    test.wire.session = { merchant: null };
    await page.reload();
    await page.getByRole('link', { name: 'Back to the shop' }).waitFor();
    // No host is named to a buyer.
    expect(await page.locator('main').textContent()).not.toMatch(/127\.0\.0\.1|localhost/);
    await test.number().waitFor();
    expect(page.url()).toBe(bare);
    expect(test.wire.received.every(({ url }) => !url.includes(nonce))).toBe(true);
    expect(test.wire.received[0]?.headers['x-checkout-session-token']).toBe(nonce);
  });

  it.each([1280, 390])(
    'of a cart that comes later, %i wide: the order appears and the button stays in its place',
    async (width) => {
      test.wire.session = { accountData: null, products: [], totals: null };
      test.wire.standings = [{ status: 'unclaimed' }];
      const page = await test.visit({ width });
      await test.number().fill('4242424242424242');
      expect(await page.locator('.amount').textContent()).toBe('Waiting for your order');
      await page.getByText('nothing is charged before that').waitFor();
      const before = await test.payButton().boundingBox();
      const cardprovider = { publishableKey: 'pk_test_1', accountId: 'acct_1' };
      const wallet = { clientId: 'wallet_1', orderId: 'O-1' };
      const price = { totalAmount: 49.7, overrideAmount: null, currency: 'EUR', interval: null };
      const mug = { code: 'mug', name: 'Mug', quantity: 1, ...price };
      test.wire.standings = [{ status: 'open' }];
      // On a phone the order is above the form, and there is room for one line.
      test.wire.session = {
        ...(width < 1000 ? { products: [mug] } : {}),
        gateways: { cardprovider, wallet },
      };
      await test.payButton().getByText('€49.70').waitFor();
      expect(await page.getByRole('button', { name: /wallet/ }).count()).toBe(1);
      const after = await test.payButton().boundingBox();
      expect(Math.abs((after?.y ?? 0) - (before?.y ?? 999))).toBeLessThan(2);
      expect(await test.number().inputValue()).toBe('4242424242424242');
    },
  );
});

describe('the keyboard', () => {
  it('a long order: the rest of it on demand, and the keyboard goes on from the list', async () => {
    const line = { overrideAmount: null, currency: 'EUR', interval: null, quantity: 1 };
    const products = ['Ink', 'Pen', 'Nib', 'Pad', 'Cap', 'Box'].map((name) => ({
      ...{ code: name, name, totalAmount: 5 },
      ...line,
    }));
    test.wire.session = { products };
    const page = await test.visit();
    await page.getByRole('button', { name: 'Show all 6 articles' }).focus();
    await page.keyboard.press('Enter');
    await page.getByText('Box', { exact: true }).waitFor();
    expect(await page.evaluate(() => document.activeElement?.className)).toBe('lines');
  });

  it('goes to the field for a code, and to the news once the code is taken off', async () => {
    const answer = test.wire.coupons;
    test.wire.coupons = (codes) => {
      const { totals: _, ...rest } = test.wire.session;
      test.wire.session = codes.length > 0 ? { ...rest, totals: cheaper } : rest;
      return answer(codes);
    };
    test.wire.session = { couponsAccepted: true };
    const page = await test.visit();
    await page.getByRole('button', { name: 'Add a discount code' }).click();
    expect(await focusedId()).toBe('coupon');
    await page.keyboard.type('spring');
    await page.keyboard.press('Enter');
    await page.getByText('The code was applied.').waitFor();
    expect(await page.getByLabel('Discount code').inputValue()).toBe('');
    await page.getByRole('button', { name: 'Remove code SPRING' }).click();
    await page.getByText('The code was removed.').waitFor();
    expect(await focusedId()).toBe('coupon-news');
    test.wire.coupons = () => refusal('rate_limited');
    await page.getByLabel('Discount code').fill('spring');
    await page.keyboard.press('Enter');
    await page.getByText('Too many codes were tried.').waitFor();
    expect(await page.getByLabel('Discount code').getAttribute('aria-invalid')).toBe('true');
    expect(await page.getByLabel('Discount code').inputValue()).toBe('spring');
  });

  it.each(['taken', 'taken off'])(
    'a code %s while the card is typed: the keyboard stays in the card form',
    async (how) => {
      const isThere = how === 'taken off';
      test.wire.session = { couponsAccepted: true, couponCodes: isThere ? ['SPRING'] : [] };
      if (isThere) test.wire.session.totals = cheaper;
      const held = Promise.withResolvers<void>();
      const answer = test.wire.coupons;
      test.wire.coupons = async (codes) => {
        await held.promise;
        return answer(codes);
      };
      const page = await test.visit();
      await page.getByRole('button', { name: 'Add a discount code' }).click();
      if (isThere) await page.getByRole('button', { name: 'Remove code SPRING' }).click();
      else {
        await page.getByLabel('Discount code').fill('spring');
        await page.keyboard.press('Enter');
      }
      await expect.poll(() => test.wire.calls(/\/coupons$/).length).toBe(1);
      await test.number().click();
      await page.keyboard.type('4242');
      held.resolve();
      await page.locator('.coupon-news:not(:empty)').waitFor();
      await page.keyboard.type('424242424242');
      expect(await test.number().inputValue()).toBe('4242424242424242');
    },
  );

  it('goes to a notice, and to what takes the form’s place; what was typed is there afterwards', async () => {
    test.wire.process = [refusal('card_declined', { declineCode: 'lost_card' }), 'break off'];
    const page = await test.visit();
    await test.fillAndPay();
    await test.alert().getByText('The bank does not accept this card.').waitFor();
    expect(await test.alert().evaluate((box) => box === document.activeElement)).toBe(true);
    const wait = Promise.withResolvers<void>();
    test.wire.beforeStatus = () => wait.promise;
    await test.payButton().click();
    await page.getByRole('heading', { name: 'We are checking your payment' }).waitFor();
    expect(await focusedId()).toBe('outcome-title');
    expect(await test.number().isVisible()).toBe(false);
    test.wire.standings = [{ status: 'open', attempt: attempt('ERROR', null, 'a2') }];
    wait.resolve();
    await test.alert().getByText('Nothing was charged').waitFor();
    expect(await test.number().inputValue()).toBe('4242424242424242');
  });
});

describe('the page', () => {
  it('sets no cookie and asks nobody but its own origin and the card form', async () => {
    const page = await test.open();
    const foreign: string[] = [];
    page.on('request', (request) => {
      const { origin } = new URL(request.url());
      if (![test.wire.pageOrigin, test.wire.formOrigin, 'null'].includes(origin))
        foreign.push(request.url());
    });
    await page.goto(test.wire.url);
    await test.fillAndPay();
    await test.news().waitFor();
    expect(foreign).toEqual([]);
    expect(await test.context.cookies()).toEqual([]);
  });

  it('shows hostile names as text, and makes no link or style of them', async () => {
    const price = { totalAmount: 1, overrideAmount: null, currency: 'EUR', interval: null };
    const hostile = '"><img src=x onerror=alert(1)>';
    test.wire.session = {
      products: [{ code: 'x', name: hostile, quantity: 1, ...price }],
      merchant: {
        name: hostile,
        logoUrl: null,
        supportEmail: null,
        termsUrl: 'javascript:alert(1)',
        brandColor: 'red;background:url(x)',
      },
      successUrl: 'javascript:alert(1)',
    };
    const page = await test.visit();
    await page.locator('.lines').getByText(hostile).waitFor();
    await page.locator('.seller').getByText(hostile).waitFor();
    expect(await page.locator('main img, a[href^="javascript"]').count()).toBe(0);
    expect(await page.locator('main').getAttribute('style')).toBeNull();
    await test.fillAndPay();
    await test.news().waitFor();
    expect(await page.locator('.outcome a').count()).toBe(0);
  });

  it('speaks the buyer’s language, writes money as the buyer does, and says that no money moves', async () => {
    test.wire.session = { couponCodes: ['SPRING'], totals: cheaper };
    const page = await test.open({ locale: 'de-DE' });
    await page.goto(test.wire.url);
    await page.getByRole('complementary', { name: 'Sandbox' }).waitFor();
    await test.number().waitFor();
    const plain = (text: string | null) => (text ?? '').replaceAll('\u00a0', ' ');
    const summary = plain(await page.locator('.summary').textContent());
    for (const text of ['Coffee beans', '29,80 €', '1.049,70 €', 'SPRING', '-4,97 €']) {
      expect(summary).toContain(text);
    }
    expect(plain(await test.payButton().textContent())).toContain('1.044,73 € bezahlen');
    expect(await page.getAttribute('html', 'lang')).toBe('de');
    // The service marks the document of a page that it serves in test mode.
    await page.route('**/c/*', async (route) => {
      const response = await route.fetch();
      const body = (await response.text()).replace('<html', '<html data-mode="test"');
      await route.fulfill({ response, body });
    });
    await page.reload();
    await page.getByRole('complementary', { name: 'Testmodus' }).waitFor();
    expect(await page.getByText('Sandbox').count()).toBe(0);
  });

  it('shows no button to pay before the saved cards are read, and then never moves it', async () => {
    const held = Promise.withResolvers<Answer>();
    test.wire.session = { buyerVerified: true };
    test.wire.cards = () => held.promise;
    const page = await test.visit();
    await page.locator('.bone-button').waitFor();
    await page.locator('#card-title').waitFor();
    expect(await test.payButton().count()).toBe(0);
    held.resolve({ status: 200, body: { data: [] } });
    const place = await test.payButton().boundingBox();
    await test.number().waitFor();
    await expect.poll(() => test.payButton().getAttribute('aria-disabled')).toBe('false');
    expect(await test.payButton().boundingBox()).toEqual(place);
  });

  it('tells a screen reader each change of state, and begins the window’s title with it', async () => {
    const held = Promise.withResolvers<Answer>();
    test.wire.process = [() => held.promise];
    const page = await test.visit();
    await test.fillAndPay();
    await page.getByRole('status').getByText('Paying…').waitFor({ state: 'attached' });
    expect(await test.payButton().getAttribute('aria-disabled')).toBe('true');
    await expect.poll(() => test.number().isDisabled()).toBe(true);
    held.resolve(success('succeeded'));
    await page.getByRole('status').getByText('Payment complete').waitFor({ state: 'attached' });
    expect(await page.title()).toBe('Payment complete · Bean Shop');
  });
});

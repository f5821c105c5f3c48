// How a buyer arrives, and what the page shows of the session then. What only a browser shows of it:
// page.test.ts.

import { describe, expect, it, vi } from 'vitest';
import { checkoutTest } from '../test/checkout-test.ts';
import { attempt, nonce, sessionId } from '../test/stub-answers.ts';
import { arrive } from './state/arrival.ts';
import { headlineOf } from './state/headline.ts';
import { isSandbox } from './state/view.ts';
import { languageFor } from './texts/index.ts';

const test = checkoutTest();

describe('arriving', () => {
  /** Opens an address of this tab, whose storage stays. Returns what the address bar shows then. */
  function open(address: string) {
    const { pathname, search, hash } = new URL(address, test.service.pageOrigin);
    let shown = address;
    vi.stubGlobal('location', { pathname, search, hash });
    const replaceState = (_: null, __: string, to: string) => {
      shown = to;
    };
    vi.stubGlobal('history', { replaceState });
    return { arrival: arrive(), shown };
  }
  const path = `/c/${sessionId}`;

  it('strips the nonce from the address, and knows it again after a reload', () => {
    const arrival = { sessionId, nonce, from: null };
    expect(open(`${path}#${nonce}`)).toEqual({ arrival, shown: path });
    expect(open(path)).toEqual({ arrival, shown: path });
  });

  it.each([
    ['payment_intent=pi_1', 'bank'],
    ['setup_intent=seti_1', 'bank'],
    ['token=O-1&PayerID=P-1', 'wallet'],
    ['token=O-1&wallet=canceled', 'wallet_canceled'],
  ])('back with %s: from %s, in a tab without a nonce no word of a link', (query, from) => {
    expect(open(`${path}?${query}`)).toEqual({ arrival: 'returned', shown: path });
    open(`${path}#${nonce}`);
    const arrival = { sessionId, nonce, from };
    expect(open(`${path}?${query}`)).toEqual({ arrival, shown: path });
  });

  it('a link without its nonce, or unknown to the service, says so', async () => {
    expect(open(path).arrival).toBe('notFound');
    expect(headlineOf({ name: 'notFound' }, test.language.texts, null)).toBe(
      'This payment link does not work',
    );
    expect(headlineOf({ name: 'returned' }, test.language.texts, null)).toBe(
      'You can close this page',
    );
    test.service.sessionAnswer = { status: 404, body: { code: 'checkout_session_not_found' } };
    await test.visit();
    expect(test.news()).toBe('This payment link does not work');
  });
});

describe('the session', () => {
  it.each([
    ['expired', 'This payment link has expired'],
    ['canceled', 'This payment was cancelled'],
    ['completed', 'Payment complete'],
  ] as const)('that is %s: %s', async (status, text) => {
    test.service.standings = [{ status }];
    await test.visit();
    expect(test.news()).toBe(text);
    expect(test.hasForm()).toBe(false);
    expect(test.checkout.view.value).not.toMatchObject({ isFresh: true });
  });

  it('a hold that is looked at later: when it was made, and not a word of what it is now', async () => {
    const made = attempt('AUTHORIZED');
    if (made) Object.assign(made, { createdAt: '2026-01-09T12:00:00.000Z' });
    const authorizationExpiresAt = '2026-02-01T09:30:00.000Z';
    test.service.standings = [{ status: 'authorized', authorizationExpiresAt, attempt: made }];
    await test.visit();
    expect(test.outcome()).toContain('€49.70 was reserved on your card on January 9, 2026.');
    expect(test.outcome()).not.toMatch(/is reserved|not charged|can charge|February/);
  });

  it('without buyer is not offered for payment', async () => {
    test.service.session = { accountData: null };
    await test.visit();
    expect(test.news()).toBe('This payment cannot be made here');
  });

  it('out of reach: a retry goes on from there', async () => {
    test.service.sessionAnswer = 'break off';
    await test.visit();
    expect(test.news()).toBe('We cannot reach the payment service');
    test.service.sessionAnswer = null;
    await test.checkout.load();
    expect(test.hasForm()).toBe(true);
  });

  it('that ends while the page is open is shown as expired', async () => {
    test.service.session = { expiresAt: new Date(Date.now() + 60_000).toISOString() };
    await test.visit();
    test.service.standings = [{ status: 'expired' }];
    await test.pass(60);
    expect(test.news()).toBe('');
    await test.pass(2);
    expect(test.news()).toBe('This payment link has expired');
  });

  it('leads back to the shop with session_id, and only to a web address', async () => {
    await test.visit();
    expect(test.wayBack()).toBe(`https://card.example/cart?session_id=${sessionId}`);
    for (const cancelUrl of ['javascript:alert(1)', 'https://user:pass@shop.example/', '/cart']) {
      test.service.session = { cancelUrl };
      await test.visit();
      expect(test.wayBack()).toBeNull();
    }
  });

  it('is in the sandbox with a test key, and not with a live one', async () => {
    await test.visit();
    expect(isSandbox(test.checkout.session.value)).toBe(true);
    const cardprovider = { publishableKey: 'pk_live_1', accountId: 'a' };
    test.service.session = { gateways: { cardprovider } };
    await test.visit();
    expect(isSandbox(test.checkout.session.value)).toBe(false);
  });

  it('names the merchant in the title; without a merchant it names the checkout', async () => {
    await test.visit();
    expect(test.title()).toBe('Checkout · Bean Shop');
    await test.fillAndPay();
    expect(test.title()).toBe('Payment complete · Bean Shop');
    test.service.session = { merchant: null };
    await test.visit();
    expect(test.title()).toBe('Checkout');
  });

  it('amounts are written as the buyer writes money', async () => {
    vi.stubGlobal('navigator', { languages: ['de-AT', 'de'] });
    test.language = await languageFor(navigator.languages);
    test.service.session = {
      totals: { subtotal: 1049.7, discount: 4.97, total: 1044.73, currency: 'EUR' },
    };
    await test.visit();
    expect(test.button().label).toBe('€ 1.044,73 bezahlen');
  });
});

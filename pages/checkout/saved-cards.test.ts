// A buyer whom the merchant vouched for: pays with a saved card, keeps another, and what a
// subscription says of both. Contract §3, Buyer and Process.

import { describe, expect, it } from 'vitest';
import { pageTest } from '../test/page-test.ts';
import {
  attempt,
  paymentId,
  refusal,
  savedCard,
  sessionId,
  success,
} from '../test/stub-answers.ts';

const test = pageTest();

const setVouchedSession = (...cards: ReturnType<typeof savedCard>[]) => {
  test.wire.session = { ...test.wire.session, buyerVerified: true };
  test.wire.cards = () => ({ status: 200, body: { data: cards } });
};
const choice = (name: string) => test.page.getByRole('radio', { name });
const saveCheckbox = () => test.page.getByRole('checkbox', { name: 'Save this card' });
const cardOf = (index: number) =>
  test.processCalls()[index]?.body?.tokenizedData as Record<string, unknown>;

describe('a checkout of a buyer whom nobody vouched for', () => {
  it('asks for no cards and offers to save none: no call more than before', async () => {
    await test.visit();
    await test.number().waitFor();
    expect(test.wire.calls(/payment-methods/)).toEqual([]);
    expect(await saveCheckbox().count()).toBe(0);
    expect(await test.page.getByRole('radio').count()).toBe(0);
    await test.fillAndPay();
    await test.news().waitFor();
    expect(cardOf(0)).toEqual({ provider: 'cardprovider', type: 'card', token: 'svct_1' });
  });
});

describe('saved cards', () => {
  it.each(['en-US', 'ar'])(
    'on a phone (%s) the expiry is never under the button',
    async (locale) => {
      setVouchedSession(savedCard('4242'), savedCard('1881', { brand: 'amex', expiryYear: 2020 }));
      const page = await test.visit({ width: 390, locale });
      const news = page.locator('.choice .choice-news').last();
      await news.waitFor();
      const [button, below] = [
        await page.getByRole('radio').nth(1).boundingBox(),
        await news.boundingBox(),
      ];
      if (!button || !below) throw new Error('both are shown');
      const isRight = below.x >= button.x + button.width;
      expect(isRight || below.x + below.width <= button.x).toBe(true);
    },
  );

  it('the first one is chosen, and pays without the form', async () => {
    setVouchedSession(savedCard('4242'), savedCard('4444', { brand: 'mastercard' }));
    await test.visit();
    await choice('Visa ending in 4242').waitFor();
    expect(await choice('Visa ending in 4242').isChecked()).toBe(true);
    expect(await test.number().isVisible()).toBe(false);
    await test.payButton().click();
    expect(await test.news().textContent()).toBe('Payment complete');
    const card = { provider: 'cardprovider', type: 'card', paymentMethodId: savedCard('4242').id };
    expect(cardOf(0)).toEqual(card);
    expect(test.wire.calls(/payment-methods/)).toHaveLength(1);
  });

  it('by keyboard alone: another one with the arrow keys, then the button', async () => {
    setVouchedSession(savedCard('4242'), savedCard('4444', { brand: 'mastercard' }));
    const page = await test.visit();
    await choice('Visa ending in 4242').focus();
    await page.keyboard.press('ArrowDown');
    expect(await choice('Mastercard ending in 4444').isChecked()).toBe(true);
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await test.news().waitFor();
    expect(cardOf(0)?.paymentMethodId).toBe(savedCard('4444').id);
  });

  it('another card: the form that was loading meanwhile takes it, and keeps nothing unasked', async () => {
    setVouchedSession(savedCard('4242'));
    await test.visit();
    await choice('Another card').check();
    expect(await saveCheckbox().isChecked()).toBe(false);
    await test.fillAndPay();
    await test.news().waitFor();
    expect(cardOf(0)).toEqual({ provider: 'cardprovider', type: 'card', token: 'svct_1' });
  });

  it('a card to keep is sent as one', async () => {
    setVouchedSession();
    await test.visit();
    await saveCheckbox().check();
    await test.fillAndPay();
    await test.news().waitFor();
    expect(cardOf(0)).toMatchObject({ token: 'svct_1', saveForLater: true });
  });

  it('a wish to keep the other card is not sent with a saved one', async () => {
    setVouchedSession(savedCard('4242'));
    await test.visit();
    await choice('Another card').check();
    await saveCheckbox().check();
    await choice('Visa ending in 4242').check();
    await test.payButton().click();
    await test.news().waitFor();
    expect(cardOf(0)).not.toHaveProperty('saveForLater');
  });

  it('an expired one is shown as that and not chosen', async () => {
    setVouchedSession(savedCard('1111', { expiryYear: 2021 }), savedCard('4242'));
    const page = await test.visit();
    await page.getByText('Expired 12/21').waitFor();
    expect(await choice('Visa ending in 4242').isChecked()).toBe(true);
  });

  it('declined: says so, marks it, and offers the others', async () => {
    setVouchedSession(savedCard('0341'), savedCard('4242'));
    test.wire.process = [
      refusal('card_declined', { declineCode: 'insufficient_funds', advice: 'try_again_later' }),
      success('succeeded'),
    ];
    const page = await test.visit();
    await choice('Visa ending in 0341').waitFor();
    await test.payButton().click();
    await test.alert().getByText('The card does not have enough funds.').waitFor();
    await page.locator('.choice', { hasText: '0341' }).getByText('Declined').waitFor();
    expect(await choice('Visa ending in 4242').isChecked()).toBe(true);
    await test.payButton().click();
    await test.news().waitFor();
    expect(cardOf(1)?.paymentMethodId).toBe(savedCard('4242').id);
  });

  it('the only one declined: the form takes another', async () => {
    setVouchedSession(savedCard('0341'));
    test.wire.process = [refusal('card_declined'), success('succeeded')];
    await test.visit();
    await choice('Visa ending in 0341').waitFor();
    await test.payButton().click();
    await test.alert().waitFor();
    expect(await choice('Another card').isChecked()).toBe(true);
    await test.fillAndPay();
    await test.news().waitFor();
    expect(cardOf(1)).toHaveProperty('token');
  });

  it('cancelled at the bank: the card stays chosen, and is not called declined', async () => {
    setVouchedSession(savedCard('3184'), savedCard('4242'));
    const declineCode = 'authentication_canceled';
    test.wire.process = [refusal('card_declined', { declineCode }), success('succeeded')];
    const page = await test.visit();
    await choice('Visa ending in 3184').waitFor();
    await test.payButton().click();
    await test.alert().getByText('The confirmation was cancelled.').waitFor();
    expect(await page.locator('.choice').getByText('Declined').count()).toBe(0);
    expect(await choice('Visa ending in 3184').isChecked()).toBe(true);
  });

  it('payment_method_not_found: it was removed meanwhile, and is gone from the list', async () => {
    setVouchedSession(savedCard('1881'), savedCard('4242'));
    test.wire.process = [refusal('payment_method_not_found'), success('succeeded')];
    await test.visit();
    await choice('Visa ending in 1881').waitFor();
    await test.payButton().click();
    await test.alert().getByText('This card is no longer saved.').waitFor();
    expect(await choice('Visa ending in 1881').count()).toBe(0);
    expect(await choice('Visa ending in 4242').isChecked()).toBe(true);
  });

  it('removed meanwhile: an expired one does not take its place', async () => {
    setVouchedSession(
      savedCard('1881'),
      savedCard('1111', { expiryYear: 2021 }),
      savedCard('4242'),
    );
    test.wire.process = [refusal('payment_method_not_found')];
    await test.visit();
    await choice('Visa ending in 1881').waitFor();
    await test.payButton().click();
    await test.alert().getByText('This card is no longer saved.').waitFor();
    expect(await choice('Visa ending in 4242').isChecked()).toBe(true);
  });

  it('the bank asks for a saved one: the same call again with what it gave back', async () => {
    setVouchedSession(savedCard('3184'));
    const challenge = { kind: 'redirect', url: `${test.wire.bankOrigin}/question` };
    const body = { type: '3ds_required', sessionId, paymentId, challenge };
    const request = () => {
      test.wire.standings = [{ status: 'requires_action', attempt: attempt('REQUIRES_ACTION') }];
      return { status: 200, body };
    };
    test.wire.process = [request, success('succeeded')];
    const page = await test.visit();
    await choice('Visa ending in 3184').waitFor();
    await test.payButton().click();
    await page.frameLocator('dialog iframe').getByText('Approve').click();
    await expect.poll(() => test.news().textContent()).toBe('Payment complete');
    expect(cardOf(1)).toEqual(cardOf(0));
    expect(test.processCalls()[1]?.body?.chv).toContain('payment_intent=pi_1');
  });

  it.each([
    ['refused', () => refusal('buyer_not_verified')],
    ['broken off', () => 'break off' as const],
    ['answered by nobody', () => new Promise<never>(() => {})],
  ])('a list that is %s keeps nobody from paying', async (_name, answer) => {
    test.wire.session = { buyerVerified: true };
    test.wire.cards = answer;
    await test.visit();
    await test.number().waitFor({ timeout: 10_000 });
    await test.fillAndPay();
    await test.news().waitFor();
  });

  it('the form loads while the cards are read: nothing waits for the list', async () => {
    const held = Promise.withResolvers<{ status: number; body: unknown }>();
    test.wire.session = { buyerVerified: true };
    test.wire.cards = () => held.promise;
    const page = await test.visit();
    await page.locator('.card-host:not(.waiting)').waitFor({ state: 'attached' });
    expect(await test.number().isVisible()).toBe(false);
    held.resolve({ status: 200, body: { data: [] } });
    await test.number().waitFor();
  });

  it('a form that is blocked does not stand in a saved card’s way', async () => {
    setVouchedSession(savedCard('4242'));
    test.wire.form = 'loaderror=blocked_by_csp';
    await test.visit();
    await choice('Visa ending in 4242').waitFor();
    await test.payButton().click();
    await test.news().waitFor();
  });
});

describe('a subscription', () => {
  const monthly = () => {
    const line = { overrideAmount: null, currency: 'EUR', interval: 'month' as const };
    const products = [{ code: 'club', name: 'Club', quantity: 1, totalAmount: 24, ...line }];
    const totals = { subtotal: 24, discount: 4, total: 20, currency: 'EUR' };
    test.wire.session = { products, totals };
  };

  it('says what is charged when, and that the card is kept; there is nothing to tick', async () => {
    monthly();
    setVouchedSession();
    const page = await test.visit();
    await page.getByText('then €24.00 every month').waitFor();
    await page.getByText('until the subscription is cancelled').waitFor();
    expect(await saveCheckbox().count()).toBe(0);
    expect(await test.payButton().textContent()).toContain('Pay €20.00');
  });

  it('a buyer whom nobody vouched for is told at once what to do, and asked for no card', async () => {
    monthly();
    const cardprovider = { publishableKey: 'pk_test_1', accountId: 'acct_1' };
    const wallet = { clientId: 'wallet_1', orderId: 'O-1' };
    test.wire.session = { ...test.wire.session, gateways: { cardprovider, wallet } };
    const page = await test.visit();
    await test.alert().getByText('please sign in at the shop and start again').waitFor();
    expect(await page.locator('iframe, button.pay, button.wallet').count()).toBe(0);
    expect(await page.getByRole('link', { name: 'Back to' }).count()).toBe(1);
  });

  it('buyer_not_verified: certain that nothing was charged, and what to do', async () => {
    monthly();
    setVouchedSession();
    test.wire.process = [refusal('buyer_not_verified')];
    await test.visit();
    await test.fillAndPay();
    await test.alert().getByText('please sign in at the shop and start again').waitFor();
  });
});

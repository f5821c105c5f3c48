import { describe, expect, it } from 'vitest';
import { pageTest } from '../test/page-test.ts';
import {
  type Answer,
  nonce,
  paymentId,
  refusal,
  sessionId,
  success,
  userId,
} from '../test/stub-answers.ts';

const test = pageTest();

describe('paying', () => {
  it('sends the token of the form once and leads back to the shop with session_id', async () => {
    const page = await test.visit();
    await test.number().fill('4242424242424242');
    await test.payButton().dblclick();
    expect(await test.news().textContent()).toBe('Payment complete');
    expect(await page.locator('.reference dd').textContent()).toBe(paymentId);
    expect(test.processCalls()).toHaveLength(1);
    const [call] = test.processCalls();
    expect(call?.headers['x-user-id']).toBe(userId);
    expect(call?.headers['x-checkout-session-token']).toBe(nonce);
    expect(call?.body).toEqual({
      sessionId,
      tokenizedData: { provider: 'cardprovider', type: 'card', token: 'svct_1' },
      accountData: { userId, externalId: null, email: 'ada@example.com' },
      expectedTotal: 49.7,
    });
    await page.waitForURL(`${test.wire.formOrigin}/thanks?order=7&session_id=${sessionId}`);
  });

  it('Contract §3 Buyer: names the buyer by the id that the shop gave', async () => {
    const accountData = { userId, externalId: 'Zoë 42', email: 'ada@example.com' };
    test.wire.session = { accountData };
    await test.visit();
    await test.number().fill('4242424242424242');
    await test.payButton().click();
    await test.news().waitFor();
    const [call] = test.processCalls();
    expect(call?.headers['x-user-id']).toBe('Zo%C3%AB%2042');
    expect(call?.body).toMatchObject({ accountData });
  });

  it('by keyboard alone: from the field, with Enter', async () => {
    const page = await test.visit();
    await test.number().waitFor();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Tab');
    await page.keyboard.type('4242424242424242');
    await page.keyboard.press('Enter');
    expect(await test.news().textContent()).toBe('Payment complete');
    expect(await test.news().evaluate((heading) => heading === document.activeElement)).toBe(true);
  });

  it('shows a busy button and blocks the form meanwhile', async () => {
    const held = Promise.withResolvers<Answer>();
    test.wire.process = [() => held.promise];
    const cardprovider = { publishableKey: 'pk_test_1', accountId: 'acct_1' };
    const wallet = { clientId: 'wallet_1', orderId: 'O-1' };
    test.wire.session = { gateways: { cardprovider, wallet } };
    const page = await test.visit();
    await test.fillAndPay();
    await page.getByText('Please keep this page open.').waitFor();
    expect(await test.payButton().getAttribute('aria-disabled')).toBe('true');
    await expect.poll(() => test.number().isDisabled()).toBe(true);
    expect(await page.locator('.back').count()).toBe(0);
    const other = page.getByRole('button', { name: 'Pay with your wallet' });
    expect(await other.getAttribute('aria-disabled')).toBe('true');
    await test.payButton().click({ force: true });
    held.resolve(success('succeeded'));
    await test.news().waitFor();
    expect(test.processCalls()).toHaveLength(1);
  });

  it('manual capture: authorises, says that the charge comes later, and until when', async () => {
    test.wire.session = { captureMethod: 'manual', successUrl: null };
    const authorizationExpiresAt = '2026-02-01T09:30:00.000Z';
    test.wire.process = [success('authorized', { authorizationExpiresAt })];
    const page = await test.visit();
    await page.getByText('Your card is not charged now.').waitFor();
    expect(await test.payButton().textContent()).toContain('Authorise €49.70');
    await test.fillAndPay();
    expect(await test.news().textContent()).toBe('Payment authorised');
    await page.getByText('February 1, 2026').waitFor();
  });

  it('in a browser of a language without words: English sentences hold English dates and sums', async () => {
    test.wire.session = { captureMethod: 'manual', successUrl: null };
    const authorizationExpiresAt = '2026-11-30T19:57:00.000Z';
    test.wire.process = [success('authorized', { authorizationExpiresAt })];
    const page = await test.visit({ locale: 'sv-SE' });
    expect(await test.payButton().textContent()).toContain('Authorise €49.70');
    await test.fillAndPay();
    await page.getByText('€49.70 is reserved on your card.').waitFor();
    await page.getByText('can charge it until November 30, 2026').waitFor();
    expect(await page.locator('.summary .amount').textContent()).toContain('€49.70');
  });

  it('an incomplete form stays open, and nothing is sent', async () => {
    await test.visit();
    await test.number().waitFor();
    await test.payButton().click();
    await expect.poll(() => test.number().evaluate((n) => n === document.activeElement)).toBe(true);
    await expect.poll(() => test.payButton().getAttribute('aria-disabled')).toBe('false');
    expect(await test.alert().count()).toBe(0);
    expect(test.processCalls()).toEqual([]);
  });

  it('an expired mount token is renewed, and the payment goes on', async () => {
    test.wire.form = 'expired';
    await test.visit();
    await test.fillAndPay();
    expect(await test.news().textContent()).toBe('Payment complete');
    expect(test.wire.calls(new RegExp(`${sessionId}$`))).toHaveLength(2);
  });

  it('a form that got no answer: says that nothing was charged', async () => {
    test.wire.form = 'fail=unavailable';
    await test.visit();
    await test.fillAndPay();
    await test.alert().getByText('The card form got no answer. Nothing was charged').waitFor();
    await test.payButton().click();
    expect(await test.news().textContent()).toBe('Payment complete');
  });
});

describe('a refusal', () => {
  it('402 card_declined: reason and advice, the number stays, a new token next time', async () => {
    const declined = { declineCode: 'insufficient_funds', advice: 'try_again_later' };
    test.wire.process = [refusal('card_declined', declined), success('succeeded')];
    const page = await test.visit();
    await test.fillAndPay();
    await test.alert().getByText('The card does not have enough funds.').waitFor();
    await test.alert().getByText('Try again in a while, or use another card.').waitFor();
    expect(await test.number().inputValue()).toBe('4242424242424242');
    expect(await page.title()).toContain('The card was declined');
    await test.payButton().click();
    expect(await test.news().textContent()).toBe('Payment complete');
    const tokens = test
      .processCalls()
      .map(({ body }) => body?.tokenizedData as { token: string } | undefined)
      .map((card) => card?.token);
    expect(tokens).toEqual(['svct_1', 'svct_2']);
  });

  it.each([
    ['do_not_try_again', 'stolen_card', 'Please use another card, or ask your bank.'],
    ['confirm_card_data', 'incorrect_cvc', 'The security code is not right.'],
    ['never_heard_of', 'never_heard_of', 'The bank has refused the payment.'],
  ])('402 with advice %s and decline code %s', async (advice, declineCode, text) => {
    test.wire.process = [refusal('card_declined', { declineCode, advice })];
    await test.visit();
    await test.fillAndPay();
    await test.alert().getByText(text).waitFor();
  });

  it.each([
    ['gateway_refused', 'The shop cannot take payments at the moment. Nothing was charged'],
    ['gateway_unavailable', 'The card network cannot be reached. Nothing was charged'],
    ['service_unavailable', 'The payment service is busy. Nothing was charged'],
    ['rate_limited', 'Too many attempts. Nothing was charged'],
    ['buyer_mismatch', 'This payment belongs to another buyer.'],
    ['invalid_request', 'invalid_request · req_01J8Z6Q4W3'],
  ] as const)(
    '%s: certain that nothing was charged, so it may be tried again',
    async (code, text) => {
      test.wire.process = [refusal(code), success('succeeded')];
      const page = await test.open();
      await page.goto(test.wire.url);
      await test.fillAndPay();
      await test.alert().getByText(text).waitFor();
      await test.payButton().click();
      expect(await test.news().textContent()).toBe('Payment complete');
    },
  );

  it('a token that is no good any more: the card is to be entered again, and no code is shown', async () => {
    test.wire.process = [
      refusal('invalid_request', { param: 'tokenizedData.token' }),
      success('succeeded'),
    ];
    await test.visit();
    await test.fillAndPay();
    await test.alert().getByText('Please enter your card again. Nothing was charged.').waitFor();
    expect(await test.alert().textContent()).not.toContain('invalid_request');
    await test.payButton().click();
    expect(await test.news().textContent()).toBe('Payment complete');
    const tokens = test.processCalls().map(({ body }) => body?.tokenizedData);
    expect(tokens).toMatchObject([{ token: 'svct_1' }, { token: 'svct_2' }]);
  });

  it('429 that no waiting ends: takes no card any more, also after a reload, but the wallet', async () => {
    const locked = refusal('rate_limited', { retryable: false }) as {
      status: number;
      body: object;
    };
    const cardprovider = { publishableKey: 'pk_test_1', accountId: 'acct_1' };
    test.wire.session = {
      gateways: { cardprovider, wallet: { clientId: 'wallet_1', orderId: 'O-1' } },
    };
    test.wire.process = [
      () => {
        test.wire.session = { ...test.wire.session, cardsAccepted: false };
        return { ...locked, headers: { 'retry-after': '84000' } };
      },
      refusal('card_declined', { declineCode: 'wallet_declined' }),
    ];
    const page = await test.visit();
    await test.fillAndPay();
    const words = 'no more cards are taken here. Go back to the shop and start again.';
    await test.alert().getByText(`Too many attempts. Nothing was charged, and ${words}`).waitFor();
    expect(await test.alert().textContent()).not.toMatch(/minute|hour|try again/);
    expect(await page.locator('iframe, button.pay').count()).toBe(0);
    await page.reload();
    await test.alert().getByText(words).waitFor();
    expect(await page.locator('iframe, button.pay').count()).toBe(0);
    await page.getByRole('button', { name: 'Pay with your wallet' }).click();
    await test.alert().getByText('Your wallet has declined.').waitFor();
    expect(await page.locator('iframe, button.pay').count()).toBe(0);
  });

  it('a session that takes no card any more offers none, also where nothing was tried', async () => {
    test.wire.session = { cardsAccepted: false };
    const page = await test.visit();
    await test.alert().getByText('no more cards are taken here.').waitFor();
    expect(await page.locator('iframe, button.pay').count()).toBe(0);
    expect(test.processCalls()).toEqual([]);
  });

  it('429 with a time to wait: says how long, and takes no payment before', async () => {
    const { status, body } = refusal('rate_limited') as { status: number; body: object };
    const answer = { status, body, headers: { 'retry-after': '3' } };
    test.wire.process = [answer, success('succeeded')];
    await test.visit();
    await test.fillAndPay();
    await test.alert().getByText('You can try again in 3 seconds.').waitFor();
    await test.payButton().click({ force: true });
    expect(test.processCalls()).toHaveLength(1);
    await expect.poll(() => test.alert().count(), { timeout: 5_000 }).toBe(0);
    await test.payButton().click();
    expect(await test.news().textContent()).toBe('Payment complete');
  });

  it.each([
    ['checkout_session_expired', 'This payment link has expired'],
    ['checkout_session_not_found', 'This payment link does not work'],
  ] as const)('%s: %s', async (code, text) => {
    test.wire.process = [refusal(code)];
    await test.visit();
    await test.fillAndPay();
    expect(await test.news().textContent()).toBe(text);
  });

  it('checkout_session_completed: shows the success that there is', async () => {
    test.wire.process = [
      () => {
        test.wire.standings = [{ status: 'completed' }];
        return refusal('checkout_session_completed');
      },
    ];
    await test.visit();
    await test.fillAndPay();
    expect(await test.news().textContent()).toBe('Payment complete');
  });
});

import { describe, expect, it, vi } from 'vitest';
import { checkoutTest } from '../test/checkout-test.ts';
import {
  type Answer,
  nonce,
  paymentId,
  refusal,
  sessionId,
  success,
  userId,
} from '../test/stub-answers.ts';
import { languageFor } from './texts/index.ts';

const test = checkoutTest();
const cardprovider = { publishableKey: 'pk_test_1', accountId: 'acct_1' };
const wallet = { clientId: 'wallet_1', orderId: 'O-1' };
const tokens = () => test.processCalls().map(({ body }) => body?.tokenizedData);

describe('paying', () => {
  it('sends the token of the form once, however often the button is pressed', async () => {
    await test.visit();
    test.form.typed = '4242424242424242';
    void test.checkout.pay();
    await test.press();
    expect(test.news()).toBe('Payment complete');
    expect(test.checkout.view.value).toMatchObject({ paymentId, isFresh: true });
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
  });

  it.each([
    ['42', '42'],
    ['ada@example.com', 'ada%40example.com'],
    ['Zoë 42', 'Zo%C3%AB%2042'],
  ])(
    'Contract §3 Buyer: names the buyer by the id that the shop gave, %s',
    async (externalId, sent) => {
      const accountData = { userId, externalId, email: 'ada@example.com' };
      test.service.session = { accountData };
      await test.visit();
      await test.fillAndPay();
      const [call] = test.processCalls();
      expect(call?.headers['x-user-id']).toBe(sent);
      expect(call?.body).toMatchObject({ accountData });
    },
  );

  it('says that it pays, and blocks form, wallet and way back meanwhile', async () => {
    const held = Promise.withResolvers<Answer>();
    test.service.process = [() => held.promise];
    test.service.session = { gateways: { cardprovider, wallet } };
    await test.visit();
    expect(test.wayBack()).toBe(`https://card.example/cart?session_id=${sessionId}`);
    expect(test.wallet()).toEqual({ isOffered: true, isBlocked: false });
    await test.fillAndPay();
    const button = { label: 'Paying…', isBlocked: true, hint: 'Please keep this page open.' };
    expect(test.button()).toMatchObject(button);
    expect(test.title()).toBe('Paying… · Bean Shop');
    expect(test.form.isDisabled).toBe(true);
    expect(test.wayBack()).toBeNull();
    expect(test.wallet()).toEqual({ isOffered: true, isBlocked: true });
    await test.checkout.payWithWallet();
    await test.checkout.pay();
    held.resolve(success('succeeded'));
    await test.settle();
    expect(test.news()).toBe('Payment complete');
    expect(test.processCalls()).toHaveLength(1);
  });

  it('manual capture: authorises, says that the charge comes later, and until when', async () => {
    test.service.session = { captureMethod: 'manual', successUrl: null };
    const authorizationExpiresAt = '2026-02-01T09:30:00.000Z';
    test.service.process = [success('authorized', { authorizationExpiresAt })];
    await test.visit();
    expect(test.lines()).toContain('Your card is not charged now.');
    expect(test.button().label).toBe('Authorise €49.70');
    await test.fillAndPay();
    expect(test.news()).toBe('Payment authorised');
    expect(test.outcome()).toContain('€49.70 is reserved on your card.');
    expect(test.outcome()).toContain('can charge it until February 1, 2026');
  });

  it('in a browser of a language without words: English sentences hold English dates and sums', async () => {
    vi.stubGlobal('navigator', { languages: ['sv-SE'] });
    test.language = await languageFor(navigator.languages);
    test.service.session = { captureMethod: 'manual', successUrl: null };
    const authorizationExpiresAt = '2026-11-30T19:57:00.000Z';
    test.service.process = [success('authorized', { authorizationExpiresAt })];
    await test.visit();
    expect(test.button().label).toBe('Authorise €49.70');
    await test.fillAndPay();
    expect(test.outcome()).toContain('€49.70 is reserved on your card.');
    expect(test.outcome()).toContain('can charge it until November 30, 2026');
  });

  it('an incomplete form stays open, and nothing is sent', async () => {
    await test.visit();
    await test.press();
    expect(test.button().isBlocked).toBe(false);
    expect(test.notice()).toBe('');
    expect(test.processCalls()).toEqual([]);
  });

  it('an expired mount token is renewed, and the payment goes on', async () => {
    await test.visit();
    test.form.isExpired = true;
    await test.fillAndPay();
    expect(test.news()).toBe('Payment complete');
    expect(test.service.calls(new RegExp(`${sessionId}$`))).toHaveLength(2);
  });

  it('a form that got no answer: says that nothing was charged', async () => {
    await test.visit();
    test.form.failure = { code: 'unavailable', retryable: true };
    await test.fillAndPay();
    expect(test.notice()).toContain('The card form got no answer. Nothing was charged');
    await test.press();
    expect(test.news()).toBe('Payment complete');
  });

  it('a form that has not loaded is not paid; one that comes later takes its place', async () => {
    test.formLoads = 'never';
    await test.visit();
    expect(test.button().isBlocked).toBe(true);
    const { form } = test.checkout;
    form.noteProblem('blocked_by_extension_or_network');
    expect(test.formProblem()).toContain('A browser extension or the network may block it.');
    form.noteReady();
    expect(test.formProblem()).toBe('');
    await test.fillAndPay();
    expect(test.news()).toBe('Payment complete');
  });

  it.each([
    ['blocked_by_csp', 'A security rule of this page blocks it.'],
    ['session_expired', 'The form was open for too long.'],
    ['provider_unreachable', 'A browser extension or the network may block it.'],
  ] as const)(
    'a form that did not load, %s: the reason, and another form',
    async (reason, text) => {
      await test.visit();
      const { form } = test.checkout;
      form.noteProblem(reason);
      expect(test.formProblem()).toContain(text);
      expect(test.button().isBlocked).toBe(true);
      await test.checkout.renew();
      form.replace();
      expect([test.formProblem(), form.renewals.value]).toEqual(['', 1]);
      // A form that has loaded after all is kept.
      form.replace();
      expect(form.renewals.value).toBe(1);
    },
  );
});

describe('a refusal', () => {
  it('402 card_declined: reason and advice, the number stays, a new token next time', async () => {
    const declined = { declineCode: 'insufficient_funds', advice: 'try_again_later' };
    test.service.process = [refusal('card_declined', declined), success('succeeded')];
    await test.visit();
    await test.fillAndPay();
    expect(test.notice()).toBe(
      'The card was declined The card does not have enough funds. ' +
        'Nothing was charged. Try again in a while, or use another card.',
    );
    expect(test.form).toMatchObject({ typed: '4242424242424242', isDisabled: false });
    expect(test.title()).toBe('The card was declined · Bean Shop');
    await test.press();
    expect(test.news()).toBe('Payment complete');
    expect(tokens()).toMatchObject([{ token: 'svct_1' }, { token: 'svct_2' }]);
  });

  it.each([
    ['do_not_try_again', 'stolen_card', 'Please use another card, or ask your bank.'],
    ['confirm_card_data', 'incorrect_cvc', 'The security code is not right.'],
    ['never_heard_of', 'never_heard_of', 'The bank has refused the payment.'],
  ])('402 with advice %s and decline code %s', async (advice, declineCode, text) => {
    test.service.process = [refusal('card_declined', { declineCode, advice })];
    await test.visit();
    await test.fillAndPay();
    expect(test.notice()).toContain(text);
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
      test.service.process = [refusal(code), success('succeeded')];
      await test.visit();
      await test.fillAndPay();
      expect(test.notice()).toContain(text);
      await test.press();
      expect(test.news()).toBe('Payment complete');
    },
  );

  it('a token that is no good any more: the card is to be entered again, and no code is shown', async () => {
    test.service.process = [
      refusal('invalid_request', { param: 'tokenizedData.token' }),
      success('succeeded'),
    ];
    await test.visit();
    await test.fillAndPay();
    expect(test.notice()).toContain('Please enter your card again. Nothing was charged.');
    expect(test.notice()).not.toContain('invalid_request');
    await test.press();
    expect(test.news()).toBe('Payment complete');
    expect(tokens()).toMatchObject([{ token: 'svct_1' }, { token: 'svct_2' }]);
  });

  it('429 that no waiting ends: takes no card any more, also after a reload, but the wallet', async () => {
    const locked = refusal('rate_limited', { retryable: false }) as Exclude<Answer, 'break off'>;
    test.service.session = { gateways: { cardprovider, wallet } };
    test.service.process = [
      () => {
        test.service.session = { ...test.service.session, cardsAccepted: false };
        return { ...locked, headers: { 'retry-after': '84000' } };
      },
      refusal('card_declined', { declineCode: 'wallet_declined' }),
    ];
    await test.visit();
    await test.fillAndPay();
    const words = 'no more cards are taken here. Go back to the shop and start again.';
    expect(test.notice()).toContain(`Too many attempts. Nothing was charged, and ${words}`);
    expect(test.notice()).not.toMatch(/minute|hour|try again/);
    expect(test.hasForm()).toBe(false);
    await test.visit();
    expect(test.notice()).toContain(words);
    expect(test.hasForm()).toBe(false);
    expect(test.wallet()).toEqual({ isOffered: true, isBlocked: false });
    await test.checkout.payWithWallet();
    expect(test.notice()).toContain('Your wallet has declined.');
    expect(test.hasForm()).toBe(false);
  });

  it('a session that takes no card any more offers none, also where nothing was tried', async () => {
    test.service.session = { cardsAccepted: false };
    await test.visit();
    expect(test.notice()).toContain('no more cards are taken here.');
    expect(test.hasForm()).toBe(false);
    await test.checkout.pay();
    expect(test.processCalls()).toEqual([]);
  });

  it('429 with a time to wait: says how long, and takes no payment before', async () => {
    const limited = refusal('rate_limited') as Exclude<Answer, 'break off'>;
    test.service.process = [{ ...limited, headers: { 'retry-after': '3' } }, success('succeeded')];
    await test.visit();
    await test.fillAndPay();
    expect(test.notice()).toContain('You can try again in 3 seconds.');
    expect(test.button().isBlocked).toBe(true);
    await test.checkout.pay();
    await test.pass(2);
    expect(test.processCalls()).toHaveLength(1);
    await test.pass(1);
    expect(test.notice()).toBe('');
    await test.press();
    expect(test.news()).toBe('Payment complete');
  });

  it.each([
    ['checkout_session_expired', 'This payment link has expired'],
    ['checkout_session_not_found', 'This payment link does not work'],
  ] as const)('%s: %s', async (code, text) => {
    test.service.process = [refusal(code)];
    await test.visit();
    await test.fillAndPay();
    expect(test.news()).toBe(text);
  });

  it('checkout_session_completed: shows the success that there is', async () => {
    test.service.process = [
      () => {
        test.service.standings = [{ status: 'completed' }];
        return refusal('checkout_session_completed');
      },
    ];
    await test.visit();
    await test.fillAndPay();
    expect(test.news()).toBe('Payment complete');
  });
});

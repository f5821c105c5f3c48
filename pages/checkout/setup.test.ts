// A setup session on the hosted page: a card is kept, nothing is charged, and no amount is named.
// Spec: setup sessions. Contract §4.

import { beforeEach, describe, expect, it } from 'vitest';
import { cardNumber, checkoutTest } from '../test/checkout-test.ts';
import {
  type Answer,
  attempt,
  nonce,
  refusal,
  savedAnswer,
  savedCard,
  sessionId,
} from '../test/stub-answers.ts';

const test = checkoutTest();

beforeEach(() => {
  const none = { products: [], totals: null, currency: null };
  test.service.session = { checkoutMode: 'setup', buyerVerified: true, ...none };
});
const listCalls = () => test.service.calls(/\/card-setup$/);
const tokens = () => listCalls().map(({ body }) => body?.token);
const answerSetup = (): Answer => {
  test.service.standings = [{ status: 'requires_action', attempt: attempt('REQUIRES_ACTION') }];
  const challenge = { kind: 'redirect', url: 'https://bank.example/question' };
  const body = { type: '3ds_required', sessionId, paymentMethodId: null, challenge };
  return { status: 200, body };
};

describe('a setup session', () => {
  it('saves the card once and charges nothing', async () => {
    await test.visit();
    expect(test.lines()).toContain('Nothing is charged now.');
    expect(test.button().label).toBe('Save card');
    expect(test.title()).toBe('Save a card · Bean Shop');
    test.form.typed = cardNumber;
    void test.checkout.pay();
    await test.press();
    expect(test.news()).toBe('Card saved');
    expect(listCalls()).toHaveLength(1);
    expect(listCalls()[0]?.body).toEqual({ token: 'svct_1' });
    expect(listCalls()[0]?.headers['x-checkout-session-token']).toBe(nonce);
    expect(test.processCalls()).toEqual([]);
  });

  it('finds the card that was saved, and stays without it where the list cannot be read', async () => {
    const saved = savedCard('4242', { brand: 'mastercard' });
    test.service.cards = () => ({ status: 200, body: { data: [savedCard('1881'), saved] } });
    await test.visit();
    await test.fillAndPay();
    const { cards, calls, view } = test.checkout;
    expect(view.value).toMatchObject({ name: 'saved', paymentMethodId: saved.id });
    await cards.findKept(saved.id, () => calls.listCards());
    expect(cards.kept.value?.lastFour).toBe('4242');
    test.service.cards = () => refusal('service_unavailable');
    await cards.findKept(saved.id, () => calls.listCards());
    expect(cards.kept.value).toBeNull();
  });

  it('names no amount and no order anywhere, and reads no saved cards', async () => {
    await test.visit();
    const said = [test.title(), test.button().label, test.button().hint, test.lines()];
    await test.fillAndPay();
    const all = [...said, test.outcome()].join(' ');
    expect(all).not.toMatch(/[€$]|EUR|\bpay\b|order:/i);
    expect(test.service.calls(/payment-methods/)).toEqual([]);
  });

  it('declined: says why, and another card is saved', async () => {
    test.service.setups = [
      refusal('card_declined', { declineCode: 'lost_card', advice: 'do_not_try_again' }),
      savedAnswer,
    ];
    await test.visit();
    await test.fillAndPay();
    expect(test.notice()).toContain('The bank does not accept this card.');
    await test.fillAndPay();
    expect(test.news()).toBe('Card saved');
    expect(tokens()).toEqual(['svct_1', 'svct_2']);
  });

  it('a token that is no good any more: the card is to be entered again', async () => {
    test.service.setups = [refusal('invalid_request', { param: 'token' }), savedAnswer];
    await test.visit();
    await test.fillAndPay();
    expect(test.notice()).toContain('Please enter your card again.');
  });

  it('3DS: the same call again with what the bank gave back', async () => {
    test.service.setups = [answerSetup, savedAnswer];
    await test.visit();
    await test.fillAndPay();
    expect(test.checkout.view.value.name).toBe('confirming');
    await test.checkout.noteReturn('redirect_status=succeeded');
    expect(test.news()).toBe('Card saved');
    expect(listCalls()[1]?.body).toEqual({ token: 'svct_1', chv: 'redirect_status=succeeded' });
  });

  it('3DS given up: the attempt ends, and the form takes another card', async () => {
    test.service.setups = [answerSetup, savedAnswer];
    await test.visit();
    await test.fillAndPay();
    expect(test.words.texts.stopText).toContain('Then the card is not saved');
    await test.checkout.stopAsking();
    expect(test.notice()).toContain('The card was not saved');
    const [call] = test.service.calls(/\/decline$/);
    expect(call?.body).toEqual({ reason: 'buyer_canceled', attemptId: 'a1' });
    await test.fillAndPay();
    expect(test.news()).toBe('Card saved');
  });

  it('a success that names no verified card is none: the status decides', async () => {
    test.service.setups = [
      () => {
        test.service.standings = [{ status: 'processing' }];
        return { status: 200, body: { type: 'success', sessionId, paymentMethodId: null } };
      },
    ];
    await test.visit();
    await test.fillAndPay();
    expect(test.news()).toBe('We are checking your card');
    test.service.standings = [{ status: 'completed' }];
    await test.pass(2);
    expect(test.news()).toBe('Card saved');
  });

  it('an answer that is lost is looked up, never called a failure', async () => {
    test.service.setups = [
      () => {
        test.service.standings = [{ status: 'completed' }];
        return 'break off';
      },
    ];
    await test.visit();
    await test.fillAndPay();
    await test.pass(2);
    expect(test.news()).toBe('Card saved');
  });

  it('back from the bank in the whole window: the status tells', async () => {
    test.service.standings = [{ status: 'completed' }];
    await test.visit('bank');
    expect(test.news()).toBe('Card saved');
  });

  it.each([
    ['expired', 'This link has expired', 'No card was saved.'],
    ['canceled', 'This was cancelled', 'No card was saved.'],
  ] as const)('%s: says that no card was saved', async (status, title, text) => {
    test.service.session = { ...test.service.session, vault: null };
    test.service.standings = [{ status }];
    await test.visit();
    expect(test.outcome()).toContain(`${title} ${text}`);
  });

  it('expired while the form was open', async () => {
    test.service.setups = [refusal('checkout_session_expired')];
    await test.visit();
    await test.fillAndPay();
    expect(test.news()).toBe('This link has expired');
  });

  it('the way back to the shop is there until the card is saved', async () => {
    await test.visit();
    expect(test.wayBack()).toContain('/cart');
    await test.fillAndPay();
    expect(test.wayBack()).toBeNull();
  });
});

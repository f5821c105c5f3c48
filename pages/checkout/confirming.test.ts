// The bank's challenge: what the page knows and says of it, without a browser. The dialog itself:
// bank-dialog.test.ts.

import { beforeEach, describe, expect, it } from 'vitest';
import { checkoutTest } from '../test/checkout-test.ts';
import {
  type Answer,
  attempt,
  paymentId,
  refusal,
  sessionId,
  success,
} from '../test/stub-answers.ts';

const test = checkoutTest();

const challenge = (url: string | null) => ({
  status: 200,
  body: { type: '3ds_required', sessionId, paymentId, challenge: { kind: 'redirect', url } },
});
const question = 'https://bank.example/question';
const gateways = { cardprovider: { publishableKey: 'pk_test_1', accountId: 'acct_1' } };
const declines = () => test.service.calls(/\/decline$/).map(({ body }) => body);
const asked = { status: 'requires_action' as const, attempt: attempt('REQUIRES_ACTION') };
const isAsking = () => test.checkout.view.value.name === 'confirming';
/** The bank sends the buyer back into the dialog's frame. */
const approve = async () => {
  void test.checkout.noteReturn('payment_intent=pi_1&redirect_status=succeeded');
  await test.settle();
};

describe('the bank’s question', () => {
  beforeEach(() => {
    test.service.process = [challenge(question), success('succeeded')];
  });

  async function openBank() {
    await test.visit();
    test.service.standings = [asked];
    await test.fillAndPay();
    expect(test.checkout.view.value).toEqual({ name: 'confirming', url: question });
    expect(test.form.typed).toBe('4242424242424242');
  }

  it('approved: checked, then complete, by the same call with what the bank gave back as chv', async () => {
    await openBank();
    const held = Promise.withResolvers<Answer>();
    test.service.process = [() => held.promise];
    await approve();
    expect(test.news()).toBe('We are checking your payment');
    held.resolve(success('succeeded'));
    await test.settle();
    expect(test.news()).toBe('Payment complete');
    const [first, second] = test.processCalls().map(({ body }) => body);
    expect(first).not.toHaveProperty('chv');
    expect(second).toEqual({ ...first, chv: 'payment_intent=pi_1&redirect_status=succeeded' });
  });

  it('declined after it: with the advice that only process gives', async () => {
    await openBank();
    test.service.process = [
      refusal('card_declined', { declineCode: 'lost_card', advice: 'do_not_try_again' }),
    ];
    await approve();
    expect(test.notice()).toContain('Please use another card, or ask your bank.');
    expect(test.form.typed).toBe('4242424242424242');
  });

  it.each([
    ['canceled', 'The confirmation was cancelled. Nothing was charged; you can try again.'],
    ['abandoned', 'It was not confirmed in time. Nothing was charged; you can try again.'],
  ])('%s at the bank: 402, but no card was declined, and the same form pays', async (how, text) => {
    await openBank();
    const declineCode = `authentication_${how}`;
    const refused = refusal('card_declined', { declineCode, advice: 'try_again_later' });
    test.service.process = [refused, success('succeeded')];
    test.service.standings = [{ status: 'open', attempt: attempt('CANCELED', declineCode) }];
    await approve();
    expect(test.notice()).toBe(`The payment was not made ${text}`);
    await test.press();
    expect(test.news()).toBe('Payment complete');
  });

  it('is the bank’s, also where the session offers a wallet: its dialog, and its reason at Cancel', async () => {
    const wallet = { clientId: 'wallet_1', orderId: 'O-1' };
    test.service.session = { gateways: { ...gateways, wallet } };
    await openBank();
    test.service.session = { gateways };
    await test.checkout.stopAsking();
    expect(test.notice()).toContain('The confirmation was cancelled.');
    expect(declines()).toEqual([{ reason: 'buyer_canceled', attemptId: 'a1' }]);
  });

  it.each([
    ['the bank’s word is still on the way', challenge(question)],
    ['the answer is lost', 'break off' as const],
    ['too many calls', refusal('rate_limited')],
  ])('where the repeat settles nothing (%s) the status does', async (_, answer) => {
    await openBank();
    test.service.process = [answer];
    await approve();
    expect(test.news()).toBe('We are checking your payment');
    test.service.standings = [{ status: 'completed' }];
    await test.pass(2);
    expect(test.news()).toBe('Payment complete');
  });

  it.each([
    ['failed', attempt('DECLINED', 'authentication_failed', 'a2'), 'could not confirm that it is'],
    ['declined after it', attempt('DECLINED', 'insufficient_funds', 'a2'), 'not have enough funds'],
    ['cancelled there', attempt('CANCELED', 'authentication_canceled', 'a2'), 'was cancelled'],
    ['timed out', attempt('CANCELED', 'authentication_abandoned', 'a2'), 'not confirmed in time'],
  ])('%s: told apart, and the same form may be paid again', async (_, ended, text) => {
    await openBank();
    test.service.standings = [{ status: 'open', attempt: ended }];
    await test.pass(2);
    expect(test.notice()).toContain(text);
    expect(test.form.typed).toBe('4242424242424242');
    await test.press();
    expect(test.news()).toBe('Payment complete');
  });

  it('cancelled by the buyer: ends that attempt alone', async () => {
    await openBank();
    await test.checkout.stopAsking();
    expect(test.notice()).toContain('The confirmation was cancelled. Nothing was charged');
    expect(declines()).toEqual([{ reason: 'buyer_canceled', attemptId: 'a1' }]);
  });

  it('paid while the buyer cancels: the payment stands', async () => {
    await openBank();
    test.service.decline = () => {
      test.service.standings = [{ status: 'completed' }];
      return refusal('checkout_session_completed');
    };
    void test.checkout.stopAsking();
    await test.pass(1);
    expect(test.news()).toBe('Payment complete');
  });

  it('after a reload it is asked again', async () => {
    await openBank();
    await test.visit();
    expect(test.checkout.view.value).toEqual({ name: 'confirming', url: question });
    test.service.standings = [{ status: 'completed' }];
    await test.pass(2);
    expect(test.news()).toBe('Payment complete');
    await test.visit();
    expect(isAsking()).toBe(false);
  });

  it('is not asked for an attempt that another page gave up and began anew, nor after a reload', async () => {
    await openBank();
    test.service.standings = [{ ...asked, attempt: attempt('REQUIRES_ACTION', null, 'a2') }];
    await test.pass(2);
    expect(test.news()).toBe('Your bank is waiting for you');
    await test.visit();
    expect(test.news()).toBe('Your bank is waiting for you');
  });

  it('opened in this window: on return the page waits until it is settled', async () => {
    await openBank();
    test.checkout.leaveForBank();
    expect(test.left).toEqual([question]);
    expect(test.button()).toMatchObject({ label: 'Taking you to your bank', isBlocked: true });
    test.service.standings = [asked, asked, { status: 'processing' }, { status: 'completed' }];
    await test.visit('bank');
    expect(test.news()).toBe('We are checking your payment');
    await test.pass(6);
    expect(test.news()).toBe('Payment complete');
    expect(test.shown.map(({ name }) => name)).not.toContain('confirming');
  });

  it('a window that does not leave: says after a while that the bank asks, and hears its end', async () => {
    await openBank();
    test.checkout.leaveForBank();
    await test.pass(14);
    expect(test.news()).toBe('');
    await test.pass(2);
    expect(test.news()).toBe('Your bank is waiting for you');
    test.service.standings = [{ status: 'completed' }];
    await test.pass(2);
    expect(test.news()).toBe('Payment complete');
  });

  it('an address that is no web address is not followed, and there is a way out', async () => {
    test.service.process = [challenge('javascript:alert(1)')];
    await test.visit();
    test.service.standings = [asked];
    await test.fillAndPay();
    expect(test.news()).toBe('Your bank is waiting for you');
    expect(test.left).toEqual([]);
    const read = Promise.withResolvers<void>();
    test.service.beforeStatus = () => read.promise;
    void test.checkout.stopAsking();
    await test.settle();
    expect(test.news()).toBe('We are checking your payment');
    read.resolve();
    await test.settle();
    expect(test.notice()).toContain('The confirmation was cancelled.');
  });
});

// The wallet asks the buyer on its own page: what the checkout knows and says before and after.

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

const gateways = { cardprovider: { publishableKey: 'pk_test_1', accountId: 'acct_1' } };
const offer = { ...gateways, wallet: { clientId: 'wallet_1', orderId: 'O-1' } };
const approval = 'https://wallet.example/checkoutnow?token=O-1';
const redirect = {
  status: 200,
  body: { type: 'wallet_redirect_required', sessionId, paymentId, redirect: { url: approval } },
};
const asked = { status: 'requires_action' as const, attempt: attempt('REQUIRES_ACTION') };
const isAsking = 'Your wallet is waiting for you';
const declines = () => test.service.calls(/\/decline$/).map(({ body }) => body);
const tokenized = () => test.processCalls().map(({ body }) => body?.tokenizedData);
const named = { provider: 'wallet', type: 'wallet', token: 'O-1' };

const limitedAnswer = (seconds?: number): Answer => ({
  ...(refusal('rate_limited') as Exclude<Answer, 'break off'>),
  ...(seconds ? { headers: { 'retry-after': String(seconds) } } : {}),
});

describe('the wallet', () => {
  beforeEach(() => {
    test.service.session = { gateways: offer };
    test.service.process = [redirect, success('succeeded')];
    test.service.standings = [asked];
  });

  it('an open order leads to its approval, and on return it is paid', async () => {
    await test.visit();
    expect(test.news()).toBe(isAsking);
    await test.checkout.payWithWallet();
    expect(test.left).toEqual([approval]);
    await test.visit('wallet');
    expect(test.news()).toBe('Payment complete');
    expect(tokenized()).toEqual([named, named]);
  });

  it.each([
    ['429', limitedAnswer(60)],
    ['503', refusal('service_unavailable')],
    ['502', refusal('gateway_unavailable')],
    ['no answer', 'break off' as const],
  ])('%s after the return tells nothing of the payment: a notice charged it', async (_, answer) => {
    test.service.process = [answer];
    await test.visit('wallet');
    await test.pass(3);
    expect(test.news()).toBe('We are checking your payment');
    expect(test.outcome()).not.toMatch(/nothing was charged/i);
    test.service.standings = [{ status: 'completed' }];
    await test.pass(4);
    expect(test.news()).toBe('Payment complete');
    expect(test.shown.map(({ name }) => name)).not.toContain('form');
  });

  it('429 after the return: asks again once the time is over, and is paid', async () => {
    test.service.process = [limitedAnswer(2), success('succeeded')];
    await test.visit('wallet');
    await test.pass(1);
    expect(test.processCalls()).toHaveLength(1);
    await test.pass(3);
    expect(test.news()).toBe('Payment complete');
    expect(test.processCalls()).toHaveLength(2);
  });

  it('429 to “Continue”: an order that was charged meanwhile is shown as that', async () => {
    test.service.process = [
      () => {
        test.service.standings = [{ status: 'completed' }];
        return limitedAnswer(60);
      },
    ];
    await test.visit();
    await test.checkout.payWithWallet();
    expect(test.news()).toBe('Payment complete');
  });

  it('429 to the read on the return: looks on, and does not say that nothing was sent', async () => {
    test.service.sessionAnswer = limitedAnswer(2);
    await test.visit('wallet');
    expect(test.outcome()).toContain('We are checking your payment');
    expect(test.outcome()).not.toContain('The connection is down.');
    test.service.standings = [{ status: 'completed' }];
    test.service.sessionAnswer = null;
    await test.pass(2);
    expect(test.news()).toBe('Payment complete');
  });

  it('out of reach on the return, the order still to be paid: paid once it can be reached', async () => {
    test.service.process = [success('succeeded')];
    test.service.sessionAnswer = refusal('service_unavailable');
    await test.visit('wallet');
    expect(test.outcome()).toContain('The connection is down.');
    test.service.sessionAnswer = null;
    await test.pass(3);
    expect(test.news()).toBe('Payment complete');
    expect(tokenized()).toEqual([named]);
  });

  it('cancelled there: the order is let go of, and the card form is back', async () => {
    await test.visit('wallet_canceled');
    expect(test.notice()).toContain('The confirmation was cancelled.');
    expect(test.hasForm()).toBe(true);
    expect(declines()).toEqual([{ reason: 'wallet_canceled', attemptId: 'a1' }]);
    expect(test.processCalls()).toEqual([]);
  });

  it('a refusal of the wallet shows the card form with the reason', async () => {
    test.service.process = [
      () => {
        test.service.standings = [{ status: 'open', attempt: attempt('ERROR') }];
        return refusal('gateway_unavailable');
      },
    ];
    await test.visit();
    await test.checkout.payWithWallet();
    await test.pass(2);
    expect(test.notice()).toContain('cannot be reached. Nothing was charged');
  });

  it('opened by an app, or stopped on the way: the page says that the wallet asks, and hears its end', async () => {
    await test.visit();
    await test.checkout.payWithWallet();
    expect(test.title()).toBe('Taking you to your wallet · Bean Shop');
    await test.pass(16);
    expect(test.news()).toBe(isAsking);
    test.service.standings = [{ status: 'completed' }];
    await test.pass(2);
    expect(test.news()).toBe('Payment complete');
  });

  it('approved in another tab, and left for the card: what was typed before is there', async () => {
    test.service.standings = [{ status: 'open' }];
    await test.visit();
    test.service.process = [refusal('gateway_outcome_unknown'), success('succeeded')];
    test.service.standings = [asked];
    await test.fillAndPay();
    expect(test.news()).toBe(isAsking);
    await test.checkout.stopAsking();
    expect(test.notice()).toContain('The confirmation was cancelled.');
    expect(test.form.typed).toBe('4242424242424242');
    await test.press();
    expect(test.news()).toBe('Payment complete');
  });

  it('given up in another tab: said so, no card is asked for, and the wallet asks anew', async () => {
    test.service.process = [
      () => {
        test.service.standings = [{ status: 'open', attempt: attempt('CANCELED', null, 'a2') }];
        return refusal('invalid_request', { param: 'tokenizedData.token' });
      },
      redirect,
    ];
    await test.visit();
    await test.checkout.payWithWallet();
    expect(test.notice()).toContain('The confirmation was cancelled. Nothing was charged');
    expect(test.wallet()).toEqual({ isOffered: true, isBlocked: false });
    await test.checkout.payWithWallet();
    expect(test.left).toEqual([approval]);
    expect(tokenized()).toEqual([named, { provider: 'wallet', type: 'wallet' }]);
  });

  it('given up in another tab, where the next order waits: that one is gone on with', async () => {
    test.service.process = [
      () => {
        const wallet = { clientId: 'wallet_1', orderId: 'O-2' };
        test.service.session = { gateways: { ...gateways, wallet } };
        return refusal('invalid_request', { param: 'tokenizedData.token' });
      },
      redirect,
    ];
    await test.visit();
    void test.checkout.payWithWallet();
    await test.settle();
    expect(test.news()).toBe(isAsking);
    await test.checkout.payWithWallet();
    expect(test.left).toEqual([approval]);
    expect(tokenized()).toEqual([named, { ...named, token: 'O-2' }]);
  });

  it.each(['wallet_declined', 'wallet_restricted'])(
    '%s: the wallet is named, and neither card nor bank',
    async (declineCode) => {
      const refused = refusal('card_declined', { declineCode, advice: 'try_again_later' });
      test.service.process = [
        () => {
          test.service.standings = [{ status: 'open', attempt: attempt('DECLINED', declineCode) }];
          return refused;
        },
      ];
      await test.visit();
      await test.checkout.payWithWallet();
      expect(test.notice()).toContain('Your wallet has declined.');
      expect(test.notice()).not.toMatch(/bank|card was/i);
      await test.visit();
      expect(test.notice()).toBe('');
    },
  );

  it('an order that the wallet cannot pay: said, and the card form is there', async () => {
    test.service.standings = [{ status: 'open' }];
    test.service.process = [refusal('capture_method_not_supported')];
    await test.visit();
    await test.checkout.payWithWallet();
    expect(test.notice()).toContain('Nothing was charged; please pay by card.');
    expect(test.hasForm()).toBe(true);
  });

  it('on an open session it is offered, but not for a hold, a shell or an order that costs nothing', async () => {
    test.service.standings = [{ status: 'open' }];
    const free = { subtotal: 10, discount: 10, total: 0, currency: 'EUR' };
    for (const [session, isOffered] of [
      [{}, true],
      [{ captureMethod: 'manual' as const }, false],
      [{ totals: null }, false],
      [{ totals: free }, false],
    ] as const) {
      test.service.session = { gateways: offer, ...session };
      await test.visit();
      expect(test.wallet().isOffered).toBe(isOffered);
    }
  });
});

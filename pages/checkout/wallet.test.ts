// The wallet asks the buyer on its own page.

import { beforeEach, describe, expect, it } from 'vitest';
import { pageTest } from '../test/page-test.ts';
import {
  type Answer,
  attempt,
  paymentId,
  refusal,
  sessionId,
  success,
} from '../test/stub-answers.ts';

const test = pageTest();

const gateways = { cardprovider: { publishableKey: 'pk_test_1', accountId: 'acct_1' } };
const declines = () => test.wire.calls(/\/decline$/);
const asked = { status: 'requires_action' as const, attempt: attempt('REQUIRES_ACTION') };

describe('the wallet', () => {
  const offer = { ...gateways, wallet: { clientId: 'wallet_1', orderId: 'O-1' } };
  const redirect = () => ({
    status: 200,
    body: {
      type: 'wallet_redirect_required',
      sessionId,
      paymentId,
      redirect: { url: `${test.wire.bankOrigin}/checkoutnow?token=O-1` },
    },
  });
  const returnAddress = (query: string) =>
    `${test.wire.pageOrigin}/c/${sessionId}?token=O-1&${query}`;
  const tokenized = () => test.processCalls().map(({ body }) => body?.tokenizedData);

  beforeEach(async () => {
    test.wire.session = { gateways: offer };
    test.wire.process = [redirect(), success('succeeded')];
    test.wire.standings = [asked];
    await test.open();
    await test.page.goto(test.wire.url);
  });

  it('an open order leads to its approval, and on return it is paid', async () => {
    expect(await test.news().textContent()).toBe('Your wallet is waiting for you');
    await test.page.getByRole('button', { name: 'Continue in your wallet' }).click();
    await test.page.waitForURL(`${test.wire.bankOrigin}/checkoutnow?token=O-1`);
    await test.page.goto(returnAddress('PayerID=P-1'));
    await test.page.getByRole('heading', { name: 'Payment complete' }).waitFor();
    expect(test.page.url()).toBe(`${test.wire.pageOrigin}/c/${sessionId}`);
    const named = { provider: 'wallet', type: 'wallet', token: 'O-1' };
    expect(tokenized()).toEqual([named, named]);
  });

  const limitedAnswer = (seconds?: number): Answer => ({
    ...(refusal('rate_limited') as Exclude<Answer, 'break off'>),
    ...(seconds ? { headers: { 'retry-after': String(seconds) } } : {}),
  });

  it.each([
    ['429', () => limitedAnswer(60)],
    ['503', () => refusal('service_unavailable')],
    ['502', () => refusal('gateway_unavailable')],
    ['no answer', () => 'break off' as const],
  ])('%s after the return tells nothing of the payment: a notice charged it', async (_, answer) => {
    await test.news().waitFor();
    test.wire.process = [answer];
    await test.page.clock.install();
    await test.page.goto(returnAddress('PayerID=P-1'));
    await test.page.getByRole('heading', { name: 'We are checking your payment' }).waitFor();
    await test.pass(3);
    expect(await test.page.locator('body').textContent()).not.toMatch(/nothing was charged/i);
    expect(await test.news().textContent()).toBe('We are checking your payment');
    test.wire.standings = [{ status: 'completed' }];
    await test.page.getByRole('heading', { name: 'Payment complete' }).waitFor();
  });

  it('429 after the return: asks again once the time is over, and is paid', async () => {
    await test.news().waitFor();
    test.wire.process = [limitedAnswer(2), success('succeeded')];
    await test.page.goto(returnAddress('PayerID=P-1'));
    await test.page.getByRole('heading', { name: 'Payment complete' }).waitFor();
    expect(test.processCalls()).toHaveLength(2);
    expect(await test.alert().count()).toBe(0);
  });

  it('429 to “Continue”: an order that was charged meanwhile is shown as that', async () => {
    test.wire.process = [
      () => {
        test.wire.standings = [{ status: 'completed' }];
        return limitedAnswer(60);
      },
    ];
    await test.page.getByRole('button', { name: 'Continue in your wallet' }).click();
    await test.page.getByRole('heading', { name: 'Payment complete' }).waitFor();
  });

  it('429 to the read on the return: looks on, and does not say that nothing was sent', async () => {
    await test.news().waitFor();
    test.wire.sessionAnswer = limitedAnswer(2);
    await test.page.goto(returnAddress('PayerID=P-1'));
    await test.page.getByRole('heading', { name: 'We are checking your payment' }).waitFor();
    test.wire.standings = [{ status: 'completed' }];
    test.wire.sessionAnswer = null;
    await test.page.getByRole('heading', { name: 'Payment complete' }).waitFor();
  });

  it('out of reach on the return, the order still to be paid: paid once it can be reached', async () => {
    await test.news().waitFor();
    test.wire.process = [success('succeeded')];
    test.wire.sessionAnswer = refusal('service_unavailable');
    await test.page.goto(returnAddress('PayerID=P-1'));
    await test.page.getByText('The connection is down.').waitFor();
    test.wire.sessionAnswer = null;
    await test.page.getByRole('heading', { name: 'Payment complete' }).waitFor();
    expect(tokenized()).toEqual([{ provider: 'wallet', type: 'wallet', token: 'O-1' }]);
  });

  it('cancelled there: the order is let go of, and the card form is back', async () => {
    await test.news().waitFor();
    await test.page.goto(returnAddress('wallet=canceled'));
    await test.alert().getByText('The confirmation was cancelled.').waitFor();
    await test.number().waitFor();
    expect(declines().map(({ body }) => body)).toEqual([
      { reason: 'wallet_canceled', attemptId: 'a1' },
    ]);
    expect(test.processCalls()).toEqual([]);
  });

  it('a refusal of the wallet shows the card form with the reason', async () => {
    test.wire.process = [
      () => {
        test.wire.standings = [{ status: 'open', attempt: attempt('ERROR') }];
        return refusal('gateway_unavailable');
      },
    ];
    await test.page.getByRole('button', { name: 'Continue in your wallet' }).click();
    await test.alert().getByText('cannot be reached. Nothing was charged').waitFor();
  });

  it('opened by an app, or stopped on the way: the page says that the wallet asks, and hears its end', async () => {
    await test.news().waitFor();
    await test.page.clock.install();
    // The browser stays on the page, as when an app on the phone opens the address.
    await test.page.route(/checkoutnow/, (route) => route.fulfill({ status: 204 }));
    await test.page.getByRole('button', { name: 'Continue in your wallet' }).click();
    await test.page.getByText('Taking you to your wallet').first().waitFor();
    await test.page.clock.fastForward(16_000);
    expect(await test.news().textContent()).toBe('Your wallet is waiting for you');
    test.wire.standings = [{ status: 'completed' }];
    await test.page.clock.runFor(2_000);
    await test.page.getByRole('heading', { name: 'Payment complete' }).waitFor();
  });

  it('approved in another tab: the page, loaded before, says that the wallet asks', async () => {
    test.wire.standings = [{ status: 'open' }];
    await test.page.reload();
    await test.number().waitFor();
    test.wire.process = [refusal('gateway_outcome_unknown')];
    test.wire.standings = [asked];
    await test.fillAndPay();
    await test.page.getByRole('heading', { name: 'Your wallet is waiting for you' }).waitFor();
  });

  it('approved in another tab, and left for the card: what was typed before is there', async () => {
    test.wire.standings = [{ status: 'open' }];
    await test.page.reload();
    await test.number().waitFor();
    test.wire.process = [refusal('gateway_outcome_unknown'), success('succeeded')];
    test.wire.standings = [asked];
    await test.fillAndPay();
    await test.page.getByRole('button', { name: 'Pay by card instead' }).click();
    await test.alert().getByText('The confirmation was cancelled.').waitFor();
    expect(await test.number().inputValue()).toBe('4242424242424242');
    await test.payButton().click();
    expect(await test.news().textContent()).toBe('Payment complete');
  });

  it('given up in another tab: said so, no card is asked for, and the wallet asks anew', async () => {
    test.wire.process = [
      () => {
        test.wire.standings = [{ status: 'open', attempt: attempt('CANCELED', null, 'a2') }];
        return refusal('invalid_request', { param: 'tokenizedData.token' });
      },
      redirect(),
    ];
    await test.page.getByRole('button', { name: 'Continue in your wallet' }).click();
    const text = await test.alert().textContent();
    expect(text).toContain('The confirmation was cancelled. Nothing was charged');
    await test.page.getByRole('button', { name: 'Pay with your wallet' }).click();
    await test.page.waitForURL(/checkoutnow/);
    const wallet = { provider: 'wallet', type: 'wallet' };
    expect(tokenized()).toEqual([{ ...wallet, token: 'O-1' }, wallet]);
  });

  it('given up in another tab, where the next order waits: that one is gone on with', async () => {
    await test.news().waitFor();
    test.wire.process = [
      () => {
        const wallet = { clientId: 'wallet_1', orderId: 'O-2' };
        test.wire.session = { gateways: { ...gateways, wallet } };
        return refusal('invalid_request', { param: 'tokenizedData.token' });
      },
      redirect(),
    ];
    const onward = test.page.getByRole('button', { name: 'Continue in your wallet' });
    await onward.click();
    await expect.poll(tokenized).toHaveLength(1);
    await onward.click();
    await test.page.waitForURL(/checkoutnow/);
    expect(tokenized().map((one) => (one as { token?: string }).token)).toEqual(['O-1', 'O-2']);
  });

  it.each(['wallet_declined', 'wallet_restricted'])(
    '%s: the wallet is named, and neither card nor bank',
    async (declineCode) => {
      const refused = refusal('card_declined', { declineCode, advice: 'try_again_later' });
      test.wire.process = [
        () => {
          test.wire.standings = [{ status: 'open', attempt: attempt('DECLINED', declineCode) }];
          return refused;
        },
      ];
      await test.page.getByRole('button', { name: 'Continue in your wallet' }).click();
      await test.alert().getByText('Your wallet has declined.').waitFor();
      expect(await test.alert().textContent()).not.toMatch(/bank|card was/i);
      await test.page.reload();
      await test.number().waitFor();
    },
  );

  it('an order that the wallet cannot pay: said, and the card form is there', async () => {
    test.wire.process = [refusal('capture_method_not_supported')];
    await test.page.getByRole('button', { name: 'Continue in your wallet' }).click();
    await test.alert().getByText('Nothing was charged; please pay by card.').waitFor();
    await test.number().waitFor();
  });

  it('on an open session it is offered above the card, but not for a hold', async () => {
    test.wire.standings = [{ status: 'open' }];
    await test.page.reload();
    await test.page.getByRole('button', { name: 'Pay with your wallet' }).click();
    await test.page.waitForURL(/checkoutnow/);
    test.wire.session = { gateways: offer, captureMethod: 'manual' };
    await test.page.goto(`${test.wire.pageOrigin}/c/${sessionId}`);
    await test.number().waitFor();
    expect(await test.page.getByRole('button', { name: 'Pay with your wallet' }).count()).toBe(0);
  });
});

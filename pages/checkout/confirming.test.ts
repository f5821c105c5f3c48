// The bank's challenge, in a dialog over the form.

import type { Locator } from 'playwright-core';
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

const challenge = (url: string | null) => ({
  status: 200,
  body: { type: '3ds_required', sessionId, paymentId, challenge: { kind: 'redirect', url } },
});
const gateways = { cardprovider: { publishableKey: 'pk_test_1', accountId: 'acct_1' } };
const dialog = () => test.page.getByRole('dialog', { name: 'Confirm with your bank' });
const bank = () => test.page.frameLocator('dialog iframe');
const declines = () => test.wire.calls(/\/decline$/);
const asked = { status: 'requires_action' as const, attempt: attempt('REQUIRES_ACTION') };

describe('the bank’s question', () => {
  beforeEach(async () => {
    test.wire.process = [challenge(`${test.wire.bankOrigin}/question`), success('succeeded')];
    test.wire.standings = [{ status: 'open' }];
    await test.open();
  });

  async function openBank() {
    await test.page.goto(test.wire.url);
    await test.number().waitFor();
    test.wire.standings = [asked];
    await test.fillAndPay();
    await bank().getByRole('heading', { name: 'Your bank' }).waitFor();
  }

  it('is shown in a modal dialog with a name, over a form that keeps what was typed', async () => {
    await openBank();
    expect(await dialog().count()).toBe(1);
    const frame = test.page.locator('dialog iframe');
    expect(await frame.getAttribute('title')).toBe('Confirmation page of your bank');
    expect(await frame.getAttribute('referrerpolicy')).toBe('no-referrer');
    expect(await frame.getAttribute('sandbox')).toBeNull();
    expect(await test.number().inputValue()).toBe('4242424242424242');
    const reach = await test.page.evaluate(() => {
      document.querySelector<HTMLElement>('button.pay')?.focus();
      return document.activeElement?.closest('dialog') !== null;
    });
    expect(reach).toBe(true);
  });

  it('approved: the frame comes back, the dialog closes, the payment is complete', async () => {
    await openBank();
    const held = Promise.withResolvers<Answer>();
    test.wire.process = [() => held.promise];
    await bank().getByRole('link', { name: 'Approve' }).click();
    expect(await test.news().textContent()).toBe('We are checking your payment');
    expect(await dialog().count()).toBe(0);
    held.resolve(success('succeeded'));
    await test.page.getByRole('heading', { name: 'Payment complete' }).waitFor();
  });

  it('after it the same process is sent once more, with what the bank gave back as chv', async () => {
    await openBank();
    await bank().getByRole('link', { name: 'Approve' }).click();
    await test.page.getByRole('heading', { name: 'Payment complete' }).waitFor();
    const [first, second] = test.processCalls().map(({ body }) => body);
    expect(first).not.toHaveProperty('chv');
    expect(second).toEqual({ ...first, chv: 'payment_intent=pi_1&redirect_status=succeeded' });
  });

  it('declined after it: with the advice that only process gives', async () => {
    await openBank();
    test.wire.process = [
      refusal('card_declined', { declineCode: 'lost_card', advice: 'do_not_try_again' }),
    ];
    await bank().getByRole('link', { name: 'Approve' }).click();
    await test.alert().getByText('Please use another card, or ask your bank.').waitFor();
    expect(await test.number().inputValue()).toBe('4242424242424242');
  });

  it.each([
    ['canceled', 'The confirmation was cancelled. Nothing was charged; you can try again.'],
    ['abandoned', 'It was not confirmed in time. Nothing was charged; you can try again.'],
  ])('%s at the bank: 402, but no card was declined, and the same form pays', async (how, text) => {
    await openBank();
    const declineCode = `authentication_${how}`;
    const refused = refusal('card_declined', { declineCode, advice: 'try_again_later' });
    test.wire.process = [refused, success('succeeded')];
    test.wire.standings = [{ status: 'open', attempt: attempt('CANCELED', declineCode) }];
    await bank().getByRole('link', { name: 'Approve' }).click();
    await test.alert().getByText(text, { exact: true }).waitFor();
    expect(await test.alert().textContent()).not.toMatch(/declined|another card/);
    await test.payButton().click();
    await test.page.getByRole('heading', { name: 'Payment complete' }).waitFor();
  });

  it('is the bank’s, also where the session offers a wallet: its dialog, and its reason at Cancel', async () => {
    const wallet = { clientId: 'wallet_1', orderId: 'O-1' };
    test.wire.session = { gateways: { ...gateways, wallet } };
    await openBank();
    test.wire.session = { gateways };
    expect(await dialog().count()).toBe(1);
    await test.page.getByRole('button', { name: 'Cancel' }).click();
    await test.page.getByRole('button', { name: 'Stop', exact: true }).click();
    await test.alert().getByText('The confirmation was cancelled.').waitFor();
    expect(declines().map(({ body }) => body)).toEqual([
      { reason: 'buyer_canceled', attemptId: 'a1' },
    ]);
  });

  it.each([
    ['the bank’s word is still on the way', () => challenge(`${test.wire.bankOrigin}/question`)],
    ['the answer is lost', () => 'break off' as const],
    ['too many calls', () => refusal('rate_limited')],
  ])('where the repeat settles nothing (%s) the status does', async (_, answer) => {
    await openBank();
    test.wire.process = [answer()];
    await bank().getByRole('link', { name: 'Approve' }).click();
    await test.page.getByRole('heading', { name: 'We are checking your payment' }).waitFor();
    test.wire.standings = [{ status: 'completed' }];
    await test.page.getByRole('heading', { name: 'Payment complete' }).waitFor();
  });

  it.each([
    ['failed', attempt('DECLINED', 'authentication_failed', 'a2'), 'could not confirm that it is'],
    ['declined after it', attempt('DECLINED', 'insufficient_funds', 'a2'), 'not have enough funds'],
    ['cancelled there', attempt('CANCELED', 'authentication_canceled', 'a2'), 'was cancelled'],
    ['timed out', attempt('CANCELED', 'authentication_abandoned', 'a2'), 'not confirmed in time'],
  ])('%s: told apart, and the same form may be paid again', async (_, ended, text) => {
    await openBank();
    test.wire.standings = [{ status: 'open', attempt: ended }];
    await test.alert().getByText(text).waitFor();
    expect(await dialog().count()).toBe(0);
    expect(await test.number().inputValue()).toBe('4242424242424242');
    await test.payButton().click();
    expect(await test.news().textContent()).toBe('Payment complete');
  });

  it('Cancel asks first, then ends that attempt alone', async () => {
    await openBank();
    const cancel = test.page.getByRole('button', { name: 'Cancel' });
    await cancel.click();
    const stay = test.page.getByRole('button', { name: 'Go on' });
    expect(await stay.evaluate((button) => button === document.activeElement)).toBe(true);
    await stay.click();
    expect(declines()).toEqual([]);
    expect(await dialog().count()).toBe(1);
    await cancel.click();
    await test.page.getByRole('button', { name: 'Stop', exact: true }).click();
    await test.alert().getByText('The confirmation was cancelled. Nothing was charged').waitFor();
    expect(declines().map(({ body }) => body)).toEqual([
      { reason: 'buyer_canceled', attemptId: 'a1' },
    ]);
  });

  it('Escape asks too, however often it is pressed, and never closes it unasked', async () => {
    await openBank();
    await test.page.getByRole('button', { name: 'Cancel' }).focus();
    for (let times = 0; times < 3; times++) await test.page.keyboard.press('Escape');
    await test.page.getByText('Stop the confirmation?').waitFor();
    expect(await dialog().isVisible()).toBe(true);
    expect(declines()).toEqual([]);
  });

  it('Tab goes from the last control to the first, and back', async () => {
    await openBank();
    const cancel = test.page.getByRole('button', { name: 'Cancel' });
    const last = dialog().getByRole('button').last();
    const hasFocus = (control: Locator) =>
      control.evaluate((element) => element === document.activeElement);
    await last.focus();
    await test.page.keyboard.press('Tab');
    expect(await hasFocus(cancel)).toBe(true);
    await test.page.keyboard.press('Shift+Tab');
    expect(await hasFocus(last)).toBe(true);
  });

  it('paid while the buyer cancels: the payment stands', async () => {
    await openBank();
    test.wire.decline = () => {
      test.wire.standings = [{ status: 'completed' }];
      return refusal('checkout_session_completed');
    };
    await test.page.getByRole('button', { name: 'Cancel' }).click();
    await test.page.getByRole('button', { name: 'Stop', exact: true }).click();
    await test.page.getByRole('heading', { name: 'Payment complete' }).waitFor();
  });

  it('after a reload it is asked again', async () => {
    await openBank();
    await test.page.reload();
    await bank().getByRole('heading', { name: 'Your bank' }).waitFor();
    test.wire.standings = [{ status: 'completed' }];
    await test.page.getByRole('heading', { name: 'Payment complete' }).waitFor();
  });

  it('is not asked for an attempt that another page gave up and began anew, nor after a reload', async () => {
    await openBank();
    test.wire.standings = [{ ...asked, attempt: attempt('REQUIRES_ACTION', null, 'a2') }];
    const elsewhere = () =>
      test.page.getByRole('heading', { name: 'Your bank is waiting for you' });
    await elsewhere().waitFor();
    expect(await dialog().count()).toBe(0);
    await test.page.reload();
    await elsewhere().waitFor();
    expect(await dialog().count()).toBe(0);
  });

  it('where no frame is wanted: in this window, and waits on return until it is settled', async () => {
    await openBank();
    await test.page.getByRole('button', { name: 'Open it in this window' }).click();
    await test.page.waitForURL(`${test.wire.bankOrigin}/question`);
    test.wire.standings = [asked, asked, { status: 'processing' }, { status: 'completed' }];
    await test.page.getByRole('link', { name: 'Approve' }).click();
    expect(await test.news().textContent()).toBe('We are checking your payment');
    expect(test.page.url()).toBe(`${test.wire.pageOrigin}/c/${sessionId}`);
    await test.page.getByRole('heading', { name: 'Payment complete' }).waitFor();
  });

  it('a bank that the policy of the page does not know is opened in this window', async () => {
    test.wire.frameSource = test.wire.formOrigin;
    await test.page.goto(test.wire.url);
    await test.number().waitFor();
    test.wire.standings = [asked];
    await test.fillAndPay();
    await test.page.waitForURL(`${test.wire.bankOrigin}/question`);
    expect(test.violations.join()).toContain('frame-src');
    test.violations = [];
  });

  it('a policy that only reports is no block: the bank is shown here', async () => {
    test.wire.reportOnly = "frame-src 'self'";
    await openBank();
    expect(await dialog().count()).toBe(1);
    expect(test.page.url()).toContain('/c/');
    expect(test.violations.join()).toMatch(/report-only/i);
    test.violations = test.violations.filter((text) => !/report-only/i.test(text));
  });

  it.each([
    [667, 320],
    [844, 340],
    [640, 360],
  ])('a window of %i by %i: the dialog has the whole of it', async (width, height) => {
    await test.page.setViewportSize({ width, height });
    await openBank();
    expect(await dialog().boundingBox()).toEqual({ x: 0, y: 0, width, height });
    const frame = await test.page.locator('dialog iframe').boundingBox();
    // The frame has the height that the dialog's head leaves.
    expect(frame?.height).toBeGreaterThan(height - 130);
  });

  it('an address that is no web address is not followed, and there is a way out', async () => {
    test.wire.process = [challenge('javascript:alert(1)')];
    await test.page.goto(test.wire.url);
    await test.number().waitFor();
    test.wire.standings = [asked];
    await test.fillAndPay();
    expect(await test.news().textContent()).toBe('Your bank is waiting for you');
    expect(await test.page.locator('.outcome a, dialog').count()).toBe(0);
    const read = Promise.withResolvers<void>();
    test.wire.beforeStatus = () => read.promise;
    await test.page.getByRole('button', { name: 'Pay in another way' }).click();
    await test.page.getByRole('heading', { name: 'We are checking your payment' }).waitFor();
    expect(await test.page.evaluate(() => document.activeElement?.id)).toBe('outcome-title');
    read.resolve();
    await test.alert().getByText('The confirmation was cancelled.').waitFor();
  });
});

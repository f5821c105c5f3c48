// The bank's challenge in a dialog over the form: its frame, the keyboard, the policy and its size. What it
// comes to: confirming.test.ts.

import type { Locator } from 'playwright-core';
import { beforeEach, describe, expect, it } from 'vitest';
import { pageTest } from '../test/page-test.ts';
import { attempt, paymentId, sessionId, success } from '../test/stub-answers.ts';

const test = pageTest();

const challenge = (url: string) => ({
  status: 200,
  body: { type: '3ds_required', sessionId, paymentId, challenge: { kind: 'redirect', url } },
});
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
    await test.page
      .getByRole('dialog', { name: 'Confirm with your bank Bean Shop · €49.70' })
      .waitFor();
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

  it('Tab stays inside; Escape and Cancel ask first, and then end that attempt alone', async () => {
    await openBank();
    const { keyboard } = test.page;
    const cancel = test.page.getByRole('button', { name: 'Cancel' });
    const last = dialog().getByRole('button').last();
    const hasFocus = (control: Locator) =>
      control.evaluate((element) => element === document.activeElement);
    await last.focus();
    await keyboard.press('Tab');
    expect(await hasFocus(cancel)).toBe(true);
    await keyboard.press('Shift+Tab');
    expect(await hasFocus(last)).toBe(true);
    // Browsers close a dialog at the second Escape whatever the page does.
    await cancel.focus();
    for (let times = 0; times < 3; times++) await keyboard.press('Escape');
    await test.page.getByText('Stop the confirmation?').waitFor();
    expect(await dialog().isVisible()).toBe(true);
    const stay = test.page.getByRole('button', { name: 'Go on' });
    await stay.click();
    await cancel.click();
    expect(await hasFocus(stay)).toBe(true);
    expect(declines()).toEqual([]);
    await test.page.getByRole('button', { name: 'Stop', exact: true }).click();
    await test.alert().getByText('The confirmation was cancelled. Nothing was charged').waitFor();
    expect(declines().map(({ body }) => body)).toEqual([
      { reason: 'buyer_canceled', attemptId: 'a1' },
    ]);
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

  it('approved: the frame comes back, the dialog closes, the payment is complete', async () => {
    await openBank();
    await bank().getByRole('link', { name: 'Approve' }).click();
    await test.page.getByRole('heading', { name: 'Payment complete' }).waitFor();
    expect(await dialog().count()).toBe(0);
    expect(test.processCalls()[1]?.body?.chv).toBe('payment_intent=pi_1&redirect_status=succeeded');
  });

  it('in a small window the dialog has the whole of it', async () => {
    await openBank();
    for (const [width, height] of [
      [667, 320],
      [844, 340],
      [640, 360],
    ] as const) {
      await test.page.setViewportSize({ width, height });
      await expect.poll(() => dialog().boundingBox()).toEqual({ x: 0, y: 0, width, height });
      const frame = await test.page.locator('dialog iframe').boundingBox();
      // The frame has the height that the dialog's head leaves.
      expect(frame?.height).toBeGreaterThan(height - 130);
    }
  });
});

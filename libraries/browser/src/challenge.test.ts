// The bank's challenge over a merchant's page: its five ends kept apart; by mouse, by keyboard
// alone, for screen readers, on phones, right to left, and under a strict policy.

import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import axe from 'axe-core';
import type { Browser } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import {
  attempt,
  cardSetupGround,
  challengeState,
  methodId,
  processingAnswer,
  refusal,
  savedCardAnswer,
  verifiedState,
} from '../test-ground.ts';

const ground = cardSetupGround();
const shots = process.env.SVC_SHOTS;
const success = { type: 'success', paymentMethodId: methodId, challenge: 'succeeded' };

type ContextOptions = Parameters<Browser['newContext']>[0];

/** Submits a card for which the bank has a challenge. */
async function openChallenge(look: ContextOptions = {}, options: object = {}): Promise<void> {
  ground.setups = [ground.challenge(), savedCardAnswer];
  ground.standings = [{ status: 'open' }];
  await ground.visit(look);
  await ground.ready(options);
  ground.standings = [{ status: 'open' }, challengeState];
  await ground.fillAndSubmit();
  await ground.question().getByRole('heading', { name: 'Your bank' }).waitFor();
}
const button = (name: string) => ground.page.getByRole('button', { name, exact: true });
const findFocused = () =>
  ground.page.evaluate(`(() => {
    let at = document.activeElement;
    while (at?.shadowRoot?.activeElement) at = at.shadowRoot.activeElement;
    return at?.localName + ': ' + (at?.title || at?.textContent);
  })()`);

async function takeScreenshot(name: string): Promise<void> {
  if (!shots) return;
  mkdirSync(shots, { recursive: true });
  await ground.page.screenshot({ path: join(shots, `${name}.png`) });
}

async function findings(): Promise<string[]> {
  await ground.page.evaluate(axe.source);
  const found = (await ground.page.evaluate('axe.run(document, { iframes: false })')) as {
    violations: { id: string; nodes: { html: string }[] }[];
  };
  return found.violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`));
}

describe('the bank’s question', () => {
  it('Spec 4.5 verification: the bank’s frame comes back, and the same card is asked about at once', async () => {
    await openChallenge();
    expect(await ground.dialog().getAttribute('aria-labelledby')).toBe('title');
    await ground.question().getByRole('link', { name: 'Approve' }).click();
    expect(await ground.result()).toEqual(success);
    expect(await ground.dialog().count()).toBe(0);
    expect(ground.handedOver()).toEqual([
      { token: 'svct_1' },
      { token: 'svct_1', chv: 'returned' },
    ]);
    expect(ground.declines()).toEqual([]);
  });

  it('succeeded elsewhere, as in the bank’s app: the status is enough', async () => {
    await openChallenge();
    ground.standings = [{ status: 'processing', attempt: attempt('PROCESSING') }];
    await ground.dialog().getByText('Checking your card…').waitFor();
    ground.standings = [verifiedState];
    expect(await ground.result()).toEqual(success);
    expect(ground.handedOver()).toHaveLength(1);
  });

  it.each([
    ['failed', attempt('DECLINED', 'authentication_failed', 'a2'), 'decline', 'failed'],
    ['declined', attempt('DECLINED', 'insufficient_funds', 'a2'), 'decline', 'declined'],
    ['cancelled', attempt('CANCELED', 'authentication_canceled', 'a2'), 'cancel', 'cancelled'],
    ['timed out', attempt('CANCELED', 'authentication_abandoned', 'a2'), 'cancel', 'timed_out'],
  ])('%s: told apart, and the same form saves another card', async (_, ended, type, outcome) => {
    await openChallenge();
    ground.standings = [{ status: 'open', attempt: ended }];
    expect(await ground.result()).toMatchObject({ type, challenge: outcome });
    expect(await ground.heardOf(type)).toHaveLength(1);
    expect(await ground.dialog().count()).toBe(0);
    expect(await ground.number().inputValue()).toBe('4242424242424242');
    await ground.submit();
    expect(await ground.result()).toMatchObject({ type: 'success', challenge: null });
  });

  it('declined after it: with the advice that only the card’s own answer gives', async () => {
    await openChallenge();
    const told = { declineCode: 'lost_card', advice: 'do_not_try_again' };
    ground.setups = [refusal('card_declined', told)];
    await ground.question().getByRole('link', { name: 'Approve' }).click();
    const decline = { type: 'decline', code: 'lost_card', retryable: false, challenge: 'declined' };
    expect(await ground.result()).toMatchObject(decline);
  });

  it('Spec 4.5 cancel callback: Cancel asks first, then ends that attempt alone', async () => {
    await openChallenge();
    await expect.poll(() => ground.calls(/wait=/).length).toBeGreaterThan(0);
    await button('Cancel').click();
    expect(await findFocused()).toBe('button: Go on');
    await takeScreenshot('stop');
    await button('Go on').click();
    expect(ground.declines()).toEqual([]);
    await button('Cancel').click();
    await button('Stop').click();
    const cancel = { type: 'cancel', reason: 'cancelled', challenge: 'cancelled' };
    expect(await ground.result()).toEqual(cancel);
    expect(await ground.heardOf('cancel')).toEqual([['cancel', cancel]]);
    expect(ground.declines()).toEqual([{ reason: 'buyer_canceled', attemptId: 'a1' }]);
  });

  it('verified while the buyer cancels: the card stands', async () => {
    await openChallenge();
    ground.decline = () => {
      ground.standings = [verifiedState];
      return refusal('checkout_session_completed');
    };
    await button('Cancel').click();
    await button('Stop').click();
    expect(await ground.result()).toEqual(success);
  });

  it('the bank’s word comes after its frame: the next look tells', async () => {
    await openChallenge();
    ground.setups = [ground.challenge(), processingAnswer];
    await ground.question().getByRole('link', { name: 'Next step' }).click();
    await expect.poll(() => ground.handedOver().length).toBe(2);
    await expect
      .poll(() => ground.dialog().getByText('Checking your card…').isVisible())
      .toBe(false);
    await ground.question().getByRole('link', { name: 'Approve' }).click();
    await ground.dialog().getByText('Checking your card…').waitFor();
    ground.standings = [verifiedState];
    expect(await ground.result()).toEqual(success);
  });

  it('nobody answers: given up after its time, as timed_out', async () => {
    ground.decline = () => {
      ground.standings = [{ status: 'open' }];
      return { status: 200, body: { data: { status: 'open', paymentMethodId: null } } };
    };
    await openChallenge({}, { challengeTimeoutMs: 1_000 });
    const cancel = { type: 'cancel', reason: 'timed_out', challenge: 'timed_out' };
    expect(await ground.result()).toEqual(cancel);
    expect(ground.declines()).toMatchObject([{ reason: 'authentication_abandoned' }]);
  });

  it('a bank that the page’s policy does not know is opened in a window of its own', async () => {
    ground.policy = { 'frame-src': ground.forms };
    ground.setups = [ground.challenge()];
    await ground.visit();
    await ground.ready();
    ground.standings = [{ status: 'open' }, challengeState];
    await ground.fillAndSubmit();
    await ground.dialog().getByText('Your bank opens in a new window.').waitFor();
    await takeScreenshot('elsewhere');
    expect((await ground.dialog().boundingBox())?.height).toBeLessThan(300);
    const opening = ground.context.waitForEvent('page');
    await ground.dialog().getByRole('link', { name: 'Open it in a new window' }).click();
    const opened = await opening;
    await expect.poll(() => opened.url()).toBe(`${ground.bank}/question`);
    expect(await opened.evaluate('window.opener')).toBeNull();
    ground.standings = [verifiedState];
    expect(await ground.result()).toEqual(success);
    expect(ground.violations.join()).toContain('frame-src');
    ground.violations = [];
  });

  it.each([null, 'javascript:alert(1)'])('no web address (%s): ended, and said', async (url) => {
    ground.setups = [ground.challenge(url)];
    await ground.visit();
    await ground.ready();
    await ground.fillAndSubmit();
    const error = { code: 'challenge_unsupported', type: 'api_error', retryable: false };
    expect(await ground.result()).toEqual({ type: 'error', error, challenge: null });
    expect(await ground.dialog().count()).toBe(0);
    expect(ground.declines()).toEqual([{ reason: 'authentication_abandoned' }]);
  });

  it('the question’s answer was lost: the same card asks again, and the bank is shown', async () => {
    ground.setups = [refusal('gateway_outcome_unknown'), ground.challenge()];
    await ground.visit();
    await ground.ready();
    ground.standings = [{ status: 'open' }, challengeState];
    await ground.fillAndSubmit();
    await ground.question().getByRole('heading', { name: 'Your bank' }).waitFor();
    ground.standings = [verifiedState];
    expect(await ground.result()).toEqual(success);
    expect(ground.handedOver()).toEqual([{ token: 'svct_1' }, { token: 'svct_1' }]);
  });

  it('the page takes the form away: the dialog goes, and the bank is not left waiting', async () => {
    await openChallenge();
    await expect.poll(() => ground.calls(/wait=/).length).toBeGreaterThan(0);
    await ground.page.evaluate('setup.destroy()');
    expect(await ground.result()).toMatchObject({ type: 'cancel', reason: 'aborted' });
    expect(await ground.dialog().count()).toBe(0);
    await expect.poll(() => ground.declines()).toHaveLength(1);
    expect(await ground.heardOf('cancel')).toEqual([]);
  });

  it('no style of the page reaches it, and no constructed sheet is needed', async () => {
    ground.policy = { 'style-src': "'self' 'nonce-abc123'" };
    ground.setups = [ground.challenge()];
    await ground.visit();
    await ground.page.evaluate('globalThis.CSSStyleSheet = undefined');
    await ground.ready({ styleNonce: 'abc123' });
    ground.standings = [{ status: 'open' }, challengeState];
    await ground.fillAndSubmit();
    const style = await ground.dialog().evaluate((dialog) => {
      const { transform, display, color } = getComputedStyle(dialog);
      return { transform, display, color };
    });
    expect(style).toEqual({ transform: 'none', display: 'flex', color: 'rgb(26, 29, 38)' });
  });
});

describe('by keyboard alone', () => {
  it('Tab walks Cancel, the bank and the way out; Escape asks, and never closes unasked', async () => {
    await openChallenge();
    const { keyboard } = ground.page;
    expect(await findFocused()).toBe('button: Cancel');
    await keyboard.press('Tab');
    expect(await findFocused()).toBe('iframe: Confirmation page of your bank');
    for (const _ of ['the next of its links', 'out']) await keyboard.press('Tab');
    expect(await findFocused()).toBe('a: Open it in a new window');
    await keyboard.press('Tab');
    expect(await findFocused()).toBe('button: Cancel');
    await keyboard.press('Shift+Tab');
    expect(await findFocused()).toBe('a: Open it in a new window');
    await button('Cancel').focus();
    for (let times = 0; times < 3; times++) await keyboard.press('Escape');
    await ground.dialog().getByText('Stop the confirmation?').waitFor();
    expect(await ground.dialog().isVisible()).toBe(true);
    expect(ground.declines()).toEqual([]);
    expect(await findFocused()).toBe('button: Go on');
    await keyboard.press('Tab');
    await keyboard.press('Enter');
    expect(await ground.result()).toMatchObject({ type: 'cancel', reason: 'cancelled' });
  });

  it('from the first field to the saved card: Tab, typing, Enter; the focus comes back', async () => {
    ground.setups = [ground.challenge(), savedCardAnswer];
    await ground.visit();
    await ground.ready();
    const { keyboard } = ground.page;
    await keyboard.press('Tab');
    await keyboard.type('4242424242424242');
    ground.standings = [{ status: 'open' }, challengeState];
    await keyboard.press('Tab');
    await keyboard.press('Tab');
    await keyboard.press('Tab');
    expect(await findFocused()).toBe('button: Save card');
    await keyboard.press('Enter');
    await ground.question().getByRole('heading', { name: 'Your bank' }).waitFor();
    await keyboard.press('Tab');
    await keyboard.press('Tab');
    await keyboard.press('Enter');
    expect(await ground.result()).toEqual(success);
    expect(await findFocused()).toBe('button: Save card');
  });
});

const looks = [
  { name: 'desk-light', look: {}, options: {}, dir: 'ltr' },
  {
    name: 'phone-dark',
    look: { viewport: { width: 360, height: 640 }, colorScheme: 'dark' as const },
    options: { appearance: { theme: 'auto' }, locale: 'de' },
    dir: 'ltr',
  },
  {
    name: 'phone-arabic',
    look: { viewport: { width: 360, height: 640 } },
    options: { locale: 'ar' },
    dir: 'rtl',
  },
  {
    name: 'desk-hebrew-own-colours',
    look: {},
    options: {
      locale: 'he',
      appearance: { variables: { accent: '#0a5c36', background: '#fffaf0', radius: '2px' } },
    },
    dir: 'rtl',
  },
];

describe.each(looks)('as people meet it, $name', ({ name, look, options, dir }) => {
  it('nothing for axe to find, nothing beyond the edge, the direction of its language', async () => {
    await openChallenge(look, options);
    await takeScreenshot(name);
    expect(await findings()).toEqual([]);
    await ground.dialog().locator('.quiet').click();
    await ground.dialog().locator('.stop').waitFor();
    await takeScreenshot(`${name}-stop`);
    expect(await findings()).toEqual([]);
    expect(await ground.dialog().getAttribute('dir')).toBe(dir);
    const box = await ground.dialog().boundingBox();
    const width = look.viewport?.width ?? 900;
    expect(box?.x).toBeGreaterThanOrEqual(0);
    expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThanOrEqual(width);
    ground.standings = [verifiedState];
    await ground.result();
  });
});

describe('axe', () => {
  it('finds what is planted in the dialog', async () => {
    await openChallenge();
    await ground.dialog().evaluate((dialog) => dialog.append(document.createElement('button')));
    expect((await findings()).join()).toContain('button-name');
  });
});

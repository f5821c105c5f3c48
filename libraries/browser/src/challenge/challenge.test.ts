// The bank's challenge over a merchant's page: by mouse, by keyboard alone, for screen readers, on phones, right to
// left, and under a strict policy. Its five ends: confirm-payment.test.ts and card-setup.test.ts.

import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import axe from 'axe-core';
import type { Browser } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import {
  cardSetupFixture,
  challengeState,
  methodId,
  savedCardAnswer,
  verifiedState,
} from '../../test-fixture.ts';

const fixture = cardSetupFixture();
const shots = process.env.SVC_SHOTS;
const success = { type: 'success', paymentMethodId: methodId, challenge: 'succeeded' };

type ContextOptions = Parameters<Browser['newContext']>[0];

/** Submits a card for which the bank has a challenge. */
async function openChallenge(look: ContextOptions = {}, options: object = {}): Promise<void> {
  fixture.setups = [fixture.challenge(), savedCardAnswer];
  fixture.standings = [{ status: 'open' }];
  await fixture.visit(look);
  await fixture.ready(options);
  fixture.standings = [{ status: 'open' }, challengeState];
  await fixture.fillAndSubmit();
  await fixture.question().getByRole('heading', { name: 'Your bank' }).waitFor();
}
const button = (name: string) => fixture.page.getByRole('button', { name, exact: true });
const findFocused = () =>
  fixture.page.evaluate(`(() => {
    let at = document.activeElement;
    while (at?.shadowRoot?.activeElement) at = at.shadowRoot.activeElement;
    return at?.localName + ': ' + (at?.title || at?.textContent);
  })()`);

async function takeScreenshot(name: string): Promise<void> {
  if (!shots) return;
  mkdirSync(shots, { recursive: true });
  await fixture.page.screenshot({ path: join(shots, `${name}.png`) });
}

async function findings(): Promise<string[]> {
  await fixture.page.evaluate(axe.source);
  const found = (await fixture.page.evaluate('axe.run(document, { iframes: false })')) as {
    violations: { id: string; nodes: { html: string }[] }[];
  };
  return found.violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`));
}

describe('the bank’s question', () => {
  it('Spec 4.5 verification: the bank’s frame comes back, and the same card is asked about at once', async () => {
    await openChallenge();
    expect(await fixture.dialog().getAttribute('aria-labelledby')).toBe('title');
    await fixture.question().getByRole('link', { name: 'Approve' }).click();
    expect(await fixture.result()).toEqual(success);
    expect(await fixture.dialog().count()).toBe(0);
    expect(fixture.handedOver()).toEqual([
      { token: 'svct_1' },
      { token: 'svct_1', chv: 'returned' },
    ]);
    expect(fixture.declines()).toEqual([]);
  });

  it('a bank that the page’s policy does not know is opened in a window of its own', async () => {
    fixture.policy = { 'frame-src': fixture.forms };
    fixture.setups = [fixture.challenge()];
    await fixture.visit();
    await fixture.ready();
    fixture.standings = [{ status: 'open' }, challengeState];
    await fixture.fillAndSubmit();
    await fixture.dialog().getByText('Your bank opens in a new window.').waitFor();
    await takeScreenshot('elsewhere');
    expect((await fixture.dialog().boundingBox())?.height).toBeLessThan(300);
    const opening = fixture.context.waitForEvent('page');
    await fixture.dialog().getByRole('link', { name: 'Open it in a new window' }).click();
    const opened = await opening;
    await expect.poll(() => opened.url()).toBe(`${fixture.bank}/question`);
    expect(await opened.evaluate('window.opener')).toBeNull();
    fixture.standings = [verifiedState];
    expect(await fixture.result()).toEqual(success);
    expect(fixture.violations.join()).toContain('frame-src');
    fixture.violations = [];
  });

  it('no style of the page reaches it, and no constructed sheet is needed', async () => {
    fixture.policy = { 'style-src': "'self' 'nonce-abc123'" };
    fixture.setups = [fixture.challenge()];
    await fixture.visit();
    await fixture.page.evaluate('globalThis.CSSStyleSheet = undefined');
    await fixture.ready({ styleNonce: 'abc123' });
    fixture.standings = [{ status: 'open' }, challengeState];
    await fixture.fillAndSubmit();
    const style = await fixture.dialog().evaluate((dialog) => {
      const { transform, display, color } = getComputedStyle(dialog);
      return { transform, display, color };
    });
    expect(style).toEqual({ transform: 'none', display: 'flex', color: 'rgb(26, 29, 38)' });
  });
});

describe('by keyboard alone', () => {
  it('Spec 4.5 cancel callback: Tab walks Cancel, the bank and the way out; Escape asks, and never closes unasked', async () => {
    await openChallenge();
    const { keyboard } = fixture.page;
    await expect.poll(() => fixture.calls(/wait=/).length).toBeGreaterThan(0);
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
    await fixture.dialog().getByText('Stop the confirmation?').waitFor();
    expect(await fixture.dialog().isVisible()).toBe(true);
    expect(await findFocused()).toBe('button: Go on');
    await keyboard.press('Enter');
    expect(await findFocused()).toBe('button: Cancel');
    expect(fixture.declines()).toEqual([]);
    await button('Cancel').click();
    expect(await findFocused()).toBe('button: Go on');
    await takeScreenshot('stop');
    await keyboard.press('Tab');
    await keyboard.press('Enter');
    const cancel = { type: 'cancel', reason: 'cancelled', challenge: 'cancelled' };
    expect(await fixture.result()).toEqual(cancel);
    expect(await fixture.heardOf('cancel')).toEqual([['cancel', cancel]]);
    expect(fixture.declines()).toEqual([{ reason: 'buyer_canceled', attemptId: 'a1' }]);
  });

  it('from the first field to the saved card: Tab, typing, Enter; the focus comes back', async () => {
    fixture.setups = [fixture.challenge(), savedCardAnswer];
    await fixture.visit();
    await fixture.ready();
    const { keyboard } = fixture.page;
    await keyboard.press('Tab');
    await keyboard.type('4242424242424242');
    fixture.standings = [{ status: 'open' }, challengeState];
    await keyboard.press('Tab');
    await keyboard.press('Tab');
    await keyboard.press('Tab');
    expect(await findFocused()).toBe('button: Save card');
    await keyboard.press('Enter');
    await fixture.question().getByRole('heading', { name: 'Your bank' }).waitFor();
    await keyboard.press('Tab');
    await keyboard.press('Tab');
    await keyboard.press('Enter');
    expect(await fixture.result()).toEqual(success);
    expect(await findFocused()).toBe('button: Save card');
  });
});

const looks = [
  {
    name: 'phone-dark',
    look: { viewport: { width: 360, height: 640 }, colorScheme: 'dark' as const },
    options: { appearance: { theme: 'auto' }, locale: 'de' },
    dir: 'ltr',
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
    await fixture.dialog().locator('.quiet').click();
    await fixture.dialog().locator('.stop').waitFor();
    await takeScreenshot(`${name}-stop`);
    expect(await findings()).toEqual([]);
    expect(await fixture.dialog().getAttribute('dir')).toBe(dir);
    const box = await fixture.dialog().boundingBox();
    const width = look.viewport?.width ?? 900;
    expect(box?.x).toBeGreaterThanOrEqual(0);
    expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThanOrEqual(width);
    await fixture.dialog().evaluate((dialog) => dialog.append(document.createElement('button')));
    expect((await findings()).join(), 'finds what is planted').toContain('button-name');
    fixture.standings = [verifiedState];
    await fixture.result();
  });
});

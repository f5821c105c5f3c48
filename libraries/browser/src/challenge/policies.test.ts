// Merchants' pages with report-only policies, and pages that isolate themselves: a policy that
// blocks nothing is not treated as a block, and a challenge that cannot be shown in the page opens
// in a window.

import { describe, expect, it } from 'vitest';
import {
  cardSetupFixture,
  challengeState,
  methodId,
  savedCardAnswer,
  verifiedState,
} from '../../test-fixture.ts';

const fixture = cardSetupFixture();
const success = { type: 'success', paymentMethodId: methodId, challenge: 'succeeded' };
const reportOnly = 'content-security-policy-report-only';

async function openChallenge(): Promise<void> {
  fixture.setups = [fixture.challenge(), savedCardAnswer];
  await fixture.visit();
  await fixture.ready();
  fixture.standings = [{ status: 'open' }, challengeState];
  await fixture.fillAndSubmit();
}
const bankIsThere = () => fixture.question().getByRole('heading', { name: 'Your bank' }).waitFor();
/** Ignores the reports, which the browser writes to the console. */
const ignoreReports = () => {
  fixture.violations = fixture.violations.filter((text) => !/report-only/i.test(text));
};

describe('a policy that only reports', () => {
  it('the form comes, the bank is shown, the card is saved', async () => {
    // Two policies: a frame is reported by `frame-src` where there is one, and else by `default-src`.
    fixture.headers = { [reportOnly]: "frame-src 'self', default-src 'self'" };
    await openChallenge();
    await bankIsThere();
    expect(await fixture.heardOf('loaderror')).toEqual([]);
    await fixture.question().getByRole('link', { name: 'Approve' }).click();
    expect(await fixture.result()).toEqual(success);
    ignoreReports();
  });

  it('connect-src: a service that is out of reach is not called blocked by a policy', async () => {
    fixture.headers = { [reportOnly]: "connect-src 'none'" };
    fixture.sessions = Array.from({ length: 9 }, () => 'break off' as const);
    await fixture.visit();
    await fixture.mount();
    await expect
      .poll(() => fixture.heardOf('loaderror'))
      .toEqual([['loaderror', 'blocked_by_extension_or_network']]);
    ignoreReports();
  });

  it('beside one that blocks: the block is told', async () => {
    fixture.headers = { [reportOnly]: "frame-src 'self'" };
    fixture.policy = { 'frame-src': "'none'" };
    await fixture.visit();
    await fixture.mount();
    await expect
      .poll(() => fixture.heardOf('loaderror'))
      .toEqual([['loaderror', 'blocked_by_csp']]);
    fixture.violations = [];
  });
});

describe('a page that isolates itself', () => {
  it('the dialog begins with a window of its own, and the status tells the end', async () => {
    fixture.headers = {
      'cross-origin-embedder-policy': 'require-corp',
      'cross-origin-opener-policy': 'same-origin',
    };
    await openChallenge();
    expect(await fixture.page.evaluate('crossOriginIsolated')).toBe(true);
    await fixture.dialog().getByText('Your bank opens in a new window.').waitFor();
    expect(await fixture.dialog().locator('iframe').isVisible()).toBe(false);
    expect((await fixture.dialog().boundingBox())?.height).toBeLessThan(300);
    const opened = fixture.context.waitForEvent('page');
    await fixture.dialog().getByRole('link', { name: 'Open it in a new window' }).click();
    await expect.poll(async () => (await opened).url()).toBe(`${fixture.bank}/question`);
    fixture.standings = [verifiedState];
    expect(await fixture.result()).toEqual(success);
  });
});

describe('a small window', () => {
  it('the dialog has the whole of it', async () => {
    await openChallenge();
    await bankIsThere();
    for (const [width, height] of [
      [667, 320],
      [844, 340],
      [640, 360],
      [360, 640],
      [450, 320],
    ] as const) {
      await fixture.page.setViewportSize({ width, height });
      await expect
        .poll(() => fixture.dialog().boundingBox())
        .toEqual({ x: 0, y: 0, width, height });
      const bank = await fixture.dialog().locator('iframe').boundingBox();
      // The frame has the height that the dialog's head leaves.
      expect(bank?.height).toBeGreaterThan(height - 130);
    }
    fixture.standings = [verifiedState];
    await fixture.result();
  });
});

// Merchants' pages with report-only policies, and pages that isolate themselves: a policy that
// blocks nothing is not treated as a block, and a challenge that cannot be shown in the page opens
// in a window.

import { describe, expect, it } from 'vitest';
import {
  cardSetupGround,
  challengeState,
  methodId,
  savedCardAnswer,
  verifiedState,
} from '../test-ground.ts';

const ground = cardSetupGround();
const success = { type: 'success', paymentMethodId: methodId, challenge: 'succeeded' };
const reportOnly = 'content-security-policy-report-only';

async function openChallenge(): Promise<void> {
  ground.setups = [ground.challenge(), savedCardAnswer];
  await ground.visit();
  await ground.ready();
  ground.standings = [{ status: 'open' }, challengeState];
  await ground.fillAndSubmit();
}
const bankIsThere = () => ground.question().getByRole('heading', { name: 'Your bank' }).waitFor();
/** Ignores the reports, which the browser writes to the console. */
const ignoreReports = () => {
  ground.violations = ground.violations.filter((text) => !/report-only/i.test(text));
};

describe('a policy that only reports', () => {
  it.each(["frame-src 'self'", "child-src 'self'", "default-src 'self'"])(
    '%s: the form comes, the bank is shown, the card is saved',
    async (policy) => {
      ground.headers = { [reportOnly]: policy };
      await openChallenge();
      await bankIsThere();
      expect(await ground.heardOf('loaderror')).toEqual([]);
      await ground.question().getByRole('link', { name: 'Approve' }).click();
      expect(await ground.result()).toEqual(success);
      ignoreReports();
    },
  );

  it('connect-src: a service that is out of reach is not called blocked by a policy', async () => {
    ground.headers = { [reportOnly]: "connect-src 'none'" };
    ground.sessions = Array.from({ length: 9 }, () => 'break off' as const);
    await ground.visit();
    await ground.mount();
    await expect
      .poll(() => ground.heardOf('loaderror'), { timeout: 6_000 })
      .toEqual([['loaderror', 'blocked_by_extension_or_network']]);
    ignoreReports();
  });

  it('beside one that blocks: the block is told', async () => {
    ground.headers = { [reportOnly]: "frame-src 'self'" };
    ground.policy = { 'frame-src': "'none'" };
    await ground.visit();
    await ground.mount();
    await expect.poll(() => ground.heardOf('loaderror')).toEqual([['loaderror', 'blocked_by_csp']]);
    ground.violations = [];
  });

  it('beside one that blocks the bank: a window of its own', async () => {
    ground.headers = { [reportOnly]: "frame-src 'self'" };
    ground.policy = { 'frame-src': ground.forms };
    await openChallenge();
    await ground.dialog().getByText('Your bank opens in a new window.').waitFor();
    ground.standings = [verifiedState];
    expect(await ground.result()).toEqual(success);
    ground.violations = [];
  });
});

describe('a page that isolates itself', () => {
  it.each(['require-corp', 'credentialless'])(
    '%s: the dialog begins with a window of its own, and the status tells the end',
    async (embedder) => {
      ground.headers = {
        'cross-origin-embedder-policy': embedder,
        'cross-origin-opener-policy': 'same-origin',
      };
      await openChallenge();
      expect(await ground.page.evaluate('crossOriginIsolated')).toBe(true);
      await ground.dialog().getByText('Your bank opens in a new window.').waitFor();
      expect(await ground.dialog().locator('iframe').isVisible()).toBe(false);
      expect((await ground.dialog().boundingBox())?.height).toBeLessThan(300);
      const opened = ground.context.waitForEvent('page');
      await ground.dialog().getByRole('link', { name: 'Open it in a new window' }).click();
      await expect.poll(async () => (await opened).url()).toBe(`${ground.bank}/question`);
      ground.standings = [verifiedState];
      expect(await ground.result()).toEqual(success);
    },
  );
});

describe('a small window', () => {
  it.each([
    [667, 320],
    [844, 340],
    [640, 360],
    [360, 640],
    [450, 320],
  ])('%i by %i: the dialog has the whole of it', async (width, height) => {
    ground.setups = [ground.challenge(), savedCardAnswer];
    await ground.visit({ viewport: { width, height } });
    await ground.ready();
    ground.standings = [{ status: 'open' }, challengeState];
    await ground.fillAndSubmit();
    await bankIsThere();
    expect(await ground.dialog().boundingBox()).toEqual({ x: 0, y: 0, width, height });
    const bank = await ground.dialog().locator('iframe').boundingBox();
    // The frame has the height that the dialog's head leaves.
    expect(bank?.height).toBeGreaterThan(height - 130);
    ground.standings = [verifiedState];
    await ground.result();
  });
});

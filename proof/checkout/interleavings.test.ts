import { describe, expect, it } from 'vitest';
import { replay, runInterleavings } from './run-interleavings.ts';

/** What has to happen among so many, or they prove less than they say. */
const mustHappen = [
  'a challenge: approve',
  'a challenge: cancel',
  'a challenge: fail',
  'a commit’s answer was lost',
  'a notice of the wallet: nothing_to_change',
  'a notice of the wallet: settled',
  'a notice settled an attempt',
  'a process died',
  'a request was lost',
  'an answer was lost',
  'an order was approved, and completes',
  'an order was approved, and declined',
  'answer 3ds_required',
  'answer success',
  'answer wallet_redirect_required',
  'card_declined',
  'checkout_attempt_in_progress',
  'checkout_session_already_claimed',
  'checkout_session_claim_pending',
  'checkout_session_completed',
  'checkout_session_data_attachment_required',
  'checkout_session_expired',
  'checkout_session_total_changed',
  'session authorized',
  'session canceled',
  'session completed',
  'session deleted',
  'session expired',
  'session open',
  'session unclaimed',
  'several payments, one after the other',
  'the coupons were changed',
  'the page confirmed',
  'the page’s confirmation was refused',
];

describe('interleavings of a checkout', () => {
  it('1 000: no charge without a settled claim, at most one live payment per session', async () => {
    const report = await runInterleavings({ count: 1000, seed: 1 });
    expect(report.violations).toEqual([]);
    for (const what of mustHappen) expect(report.sometimes[what], what).toBeGreaterThan(0);
  }, 300_000);

  it('the same seed gives the same schedule', async () => {
    for (const seed of [3, 14, 15]) {
      const [once, again] = [await replay(seed), await replay(seed)];
      expect(once.trace.length).toBeGreaterThan(10);
      expect(again.trace).toEqual(once.trace);
    }
  }, 60_000);
});

// Reads the session's status until it settles the card. Contract §3, Status.

import { sleep } from '../api/send.ts';
import { type End, endOfStatus, type Pursuit, type SessionState } from '../api/session-state.ts';
import { errorOf } from '../api/svc-error.ts';
import type { HandOverRequest, SubmitAnswer } from './hand-over-request.ts';

const followForMs = 300_000;
const waitSeconds = 10;
/** The least time between two reads of the status; it doubles with each failure in a row. */
const readEveryMs = 1_500;
const slowestReadMs = 10_000;
/** How many reads in a row may fail while it is not known whether the card arrived: about half a minute. */
const mostFailures = 4;

export type FollowedAttempt = Pick<Pursuit, 'before' | 'isInDoubt'> & {
  /** The bank's challenge is open: reads go on until it ends, without a time limit. */
  readonly isAsked?: boolean;
  /** The bank's challenge is being ended, so the normal time limit applies. */
  readonly isEnding?: boolean;
  readonly onStanding?: (standing: SessionState) => void;
};

/** Reads the status until it settles the card, and repeats reads that fail. */
export async function followStatus<A extends SubmitAnswer, Done>(
  deal: HandOverRequest<A, Done>,
  followed: FollowedAttempt,
): Promise<End<Done> | 'asked'> {
  const { signal } = deal;
  const { isInDoubt, isAsked = false, isEnding = false, onStanding } = followed;
  const since = Date.now();
  let wait = 0;
  let failures = 0;
  for (;;) {
    const began = Date.now();
    if (began - since > followForMs && (isEnding || !isAsked)) return { kind: 'unknown' };
    try {
      const standing = await deal.readStatus(wait, signal);
      failures = 0;
      onStanding?.(standing);
      const why = { ...followed, isAsked, forMs: Date.now() - since };
      const end = endOfStatus(standing, why, deal);
      if (end) return end;
      const isFirst = wait === 0 && standing.status !== 'open';
      // An open session may not change at all, so its reads do not wait for a change.
      wait = standing.status === 'open' ? 0 : waitSeconds;
      // The service reports only changes during a wait: a pause before the first wait could miss one.
      if (isFirst) continue;
    } catch (cause) {
      signal.throwIfAborted();
      const error = errorOf(cause);
      if (error.code === 'checkout_session_not_found') return { kind: 'refused', error };
      failures += 1;
      if (isInDoubt && failures > mostFailures) return { kind: 'unknown' };
    }
    const pauseMs = Math.min(readEveryMs * 2 ** failures, slowestReadMs);
    await sleep(Math.max(0, began + pauseMs - Date.now()), signal);
  }
}

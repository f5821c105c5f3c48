// Follows a session by its status until it settles the card. Contract §3, Status.

import type { Answer, Deal } from './hand-over.ts';
import { sleep } from './send.ts';
import { type End, type Pursuit, type Standing, settled } from './standing.ts';
import { errorOf } from './svc-error.ts';

const followForMs = 300_000;
const waitSeconds = 10;
/** Between two reads of the status, however fast the service answers; twice that after a failure. */
const readEveryMs = 1_500;
const slowestReadMs = 10_000;
/** So many reads in a row may fail while it is not even known whether the card arrived: half a minute. */
const mostFailures = 4;

export type Followed = Pick<Pursuit, 'before' | 'isInDoubt'> & {
  /** The bank is asking: followed until its end, however long that takes. */
  readonly isAsked?: boolean;
  /** The bank's question is being ended, which takes no longer than anything else. */
  readonly isEnding?: boolean;
  readonly onStanding?: (standing: Standing) => void;
};

/** Reads the status until it settles the card, through every loss of the connection. */
export async function follow<A extends Answer, Done>(
  deal: Deal<A, Done>,
  followed: Followed,
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
      const end = settled(standing, why, deal);
      if (end) return end;
      const isFirst = wait === 0 && standing.status !== 'open';
      // Where no change may be the news, no answer is waited for.
      wait = standing.status === 'open' ? 0 : waitSeconds;
      // A change in a pause would be missed: the wait answers only to what changes during it.
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

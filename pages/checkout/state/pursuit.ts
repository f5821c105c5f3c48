// When a followed payment counts as settled, and what the page shows then. Pure functions: the checkout
// does the reads and their timing.

import { attemptNotice } from './refusals.ts';
import { type Notice, problem, type SessionState } from './view.ts';

/**
 * When the response to a payment was lost and the session is still open after this time, the payment did
 * not arrive.
 */
const arrivesWithinMs = 6_000;
/** How long after the return from the bank its result may still be on the way. */
const bankWordWithinMs = 8_000;

/** After this time the buyer reads that the page need not stay open. */
export const longAfterMs = 30_000;

/** Why the status is followed. */
export type Why = {
  /** The response to a payment was lost, or is newer than the status. */
  readonly isInDoubt: boolean;
  /** The notice to show when the status shows nothing newer than the refused call. */
  readonly refused?: Notice | null;
  /** When to call again for an order that the buyer has approved: until then its outcome is not known. */
  readonly againAt?: number | null;
};

/** Why the status is followed, and since when. */
export type Pursuit = Why & {
  readonly forMs: number;
  /** The buyer is being asked on this page. */
  readonly isAsked: boolean;
  /** The status is about another attempt than the one whose challenge is shown. */
  readonly isElsewhere: boolean;
  /** Milliseconds since the buyer returned from the bank; null when nobody did. */
  readonly backForMs: number | null;
  /**
   * The id of the newest attempt before the followed one; null when it is not known, undefined when there
   * was none.
   */
  readonly lastAttempt: string | null | undefined;
};

/** True for PENDING, PROCESSING, UNKNOWN and REQUIRES_ACTION. */
const isRunning = /ING$|UNKNOWN|ACTION/;

export function isSettled(
  { status, latestTransactionAttempt: latest }: SessionState,
  why: Pursuit,
) {
  if (status === 'processing') return false;
  if (status === 'requires_action') {
    return (
      (!why.isAsked || why.isElsewhere) &&
      !why.againAt &&
      (why.backForMs === null || why.backForMs > bankWordWithinMs)
    );
  }
  if (status !== 'open' || !why.isInDoubt) return true;
  const isLate = why.forMs > arrivesWithinMs;
  if (!latest || latest.id === why.lastAttempt) return isLate;
  return !isRunning.test(latest.result) && (isLate || why.lastAttempt !== null);
}

/** The notice above the form when the session is open again. */
export function noticeAfter(
  { latestTransactionAttempt: latest }: SessionState,
  { isInDoubt, refused = null, lastAttempt }: Pursuit,
): Notice | null {
  const isOld = !latest || latest.id === lastAttempt;
  if (refused) return (isOld ? null : attemptNotice(latest)) ?? refused;
  return isInDoubt && isOld ? problem('not_received') : attemptNotice(latest);
}

/** The least time between two reads of the status, however fast the service responds. */
const readEveryMs = 1_500;
const slowestReadMs = 10_000;

/** How long after the start of one read the next one starts, after this many failures in a row. */
export const pauseMs = (failures: number): number =>
  Math.min(readEveryMs * 2 ** failures, slowestReadMs);

const longestWaitSeconds = 25;
/** While the buyer is asked: a change between two reads is seen one such wait later at most. */
const askedWaitSeconds = 10;
/** For when the news may come without a change of the status. */
const shortWaitSeconds = 3;

/** How many seconds the next read of the status may wait for a change. */
export function waitSeconds(
  { status }: SessionState,
  { isAsked, backForMs, againAt }: Pursuit,
): number {
  if (status === 'open' || backForMs !== null || againAt) return shortWaitSeconds;
  return isAsked ? askedWaitSeconds : longestWaitSeconds;
}

// When a payment that is followed counts as settled, and what is to be said then. Pure: the reads
// and their timing are the checkout's.

import { attemptNotice } from './refusals.ts';
import { type Notice, problem, type Standing } from './view.ts';

/** A payment whose answer was lost has not arrived when the session is still open after so long. */
const arrivesWithinMs = 6_000;
/** So long after the return from the bank its word may still be on the way. */
const bankWordWithinMs = 8_000;

/** After so long the buyer is told that the page need not stay open. */
export const longAfterMs = 30_000;

/** Why the status is followed. */
export type Why = {
  /** The answer to a payment was lost, or is newer than the status. */
  readonly isInDoubt: boolean;
  /** What to say where the status tells of nothing newer than the refused call. */
  readonly refused?: Notice | null;
  /** When to ask again for an order that the buyer has approved: until then its end is not known. */
  readonly againAt?: number | null;
};

/** Why, and since when. */
export type Pursuit = Why & {
  readonly forMs: number;
  /** The buyer is being asked on this page. */
  readonly isAsked: boolean;
  /** About another attempt than the one that is asked about now. */
  readonly isElsewhere: boolean;
  /** Since the buyer came back from the bank; null when nobody did. */
  readonly backForMs: number | null;
  /** Id of the newest attempt before the one that is followed; null where that is not known. */
  readonly lastAttempt: string | null | undefined;
};

/** PENDING, PROCESSING, UNKNOWN, REQUIRES_ACTION. */
const isRunning = /ING$|UNKNOWN|ACTION/;

export function isSettled({ status, latestTransactionAttempt: latest }: Standing, why: Pursuit) {
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

/** What to say above the form when the session is open again. */
export function noticeAfter(
  { latestTransactionAttempt: latest }: Standing,
  { isInDoubt, refused = null, lastAttempt }: Pursuit,
): Notice | null {
  const isOld = !latest || latest.id === lastAttempt;
  if (refused) return (isOld ? null : attemptNotice(latest)) ?? refused;
  return isInDoubt && isOld ? problem('not_received') : attemptNotice(latest);
}

/** Between two reads of the status, however fast the service answers. */
const readEveryMs = 1_500;
const slowestReadMs = 10_000;

/** How long after one read began the next one does, after so many that failed. */
export const pauseMs = (failures: number): number =>
  Math.min(readEveryMs * 2 ** failures, slowestReadMs);

const longestWaitSeconds = 25;
/** While the buyer is asked: what changes between two reads is seen one such wait later at worst. */
const askedWaitSeconds = 10;
/** Where no change may be the news. */
const shortWaitSeconds = 3;

/** How long the next read of the status may wait for a change. */
export function waitSeconds(
  { status }: Standing,
  { isAsked, backForMs, againAt }: Pursuit,
): number {
  if (status === 'open' || backForMs !== null || againAt) return shortWaitSeconds;
  return isAsked ? askedWaitSeconds : longestWaitSeconds;
}

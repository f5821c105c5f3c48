// Where no card can pay any more, whatever is typed: the page says so in place of the form.

import type { UnifiedCheckoutSession } from '@svc/browser';
import { findKept, keep } from './keeper.ts';
import { type Notice, problem, repeats } from './view.ts';

/** Too many cards were declined: the session takes no other, until it ends. Contract §10. */
export const sessionLocked = 'session_locked';

/** What a subscription is paid with is kept, which takes a buyer whom the merchant vouched for. */
export const isUnknown = (session: UnifiedCheckoutSession): boolean =>
  repeats(session) && !session.buyerVerified;

const isLock = (notice: Notice | null): boolean =>
  notice?.kind === 'problem' && notice.code === sessionLocked;

/** The session does not tell of its lock: without this a reload would offer the form again. */
export function noteLock(sessionId: string, notice: Notice | null): void {
  if (isLock(notice)) keep('locked', sessionId, '1');
}

/** Null where a card may pay. */
export function stopOf(session: UnifiedCheckoutSession, notice: Notice | null): Notice | null {
  const isLocked = isLock(notice) || findKept('locked', session.id);
  const code = isLocked ? sessionLocked : isUnknown(session) && 'buyer_not_verified';
  return code ? problem(code) : null;
}

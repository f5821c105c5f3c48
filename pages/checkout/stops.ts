// Where no card can pay any more, whatever is typed: the page says so in place of the form.

import type { UnifiedCheckoutSession } from '@svc/browser';
import { isFree, type Notice, problem, repeats } from './view.ts';

/** Too many cards were declined: the session takes no other, until it ends. Contract §10. */
export const sessionLocked = 'session_locked';

/** What a subscription is paid with is kept, which takes a buyer whom the merchant vouched for. */
export const isUnknown = (session: UnifiedCheckoutSession): boolean =>
  repeats(session) && !session.buyerVerified;

/** Read again, the session says so itself: then no form comes back, whatever is told next. */
const isLock = (notice: Notice | null): boolean =>
  notice?.kind === 'problem' && notice.code === sessionLocked;

/** The session has come to more than the page shows: read again, it says what. */
export const isOutdated = (notice: Notice | null): boolean =>
  isLock(notice) ||
  (notice?.kind === 'problem' && notice.code === 'checkout_session_total_changed');

/** Null where a card may pay. */
export function stopOf(session: UnifiedCheckoutSession, notice: Notice | null): Notice | null {
  if (session.subscriptionExists) return problem('subscription_exists');
  if (isFree(session)) return null;
  const isLocked = isLock(notice) || session.cardsAccepted === false;
  const code = isLocked ? sessionLocked : isUnknown(session) && 'buyer_not_verified';
  return code ? problem(code) : null;
}

// Reasons for which no card can pay any more: the page shows them in place of the form.

import type { Signal } from '@preact/signals';
import type { UnifiedCheckoutSession } from '@svc/browser';
import { hasSubscription, isFree, isShell, type Notice, problem, type View } from './view.ts';

/** Too many cards were declined: the session accepts no other card until it expires. Contract §10. */
export const sessionLocked = 'session_locked';

/**
 * True when the session contains a subscription and its buyer is not attached: a subscription's card is
 * saved, which needs a buyer whom the merchant vouched for.
 */
const isUnknown = (session: UnifiedCheckoutSession): boolean =>
  hasSubscription(session) && !session.buyerVerified;

/**
 * True for the notice of a locked session. A session that is read again states the lock itself, so no form
 * returns.
 */
const isLock = (notice: Notice | null): boolean =>
  notice?.kind === 'problem' && notice.code === sessionLocked;

const totalChanged = 'checkout_session_total_changed';

/** True when the session has changed beyond what the page shows, so that it must be read again. */
export const showsOutdatedSession = (notice: Notice | null): boolean =>
  isLock(notice) || (notice?.kind === 'problem' && notice.code === totalChanged);

export const isLookedAt = (): boolean => globalThis.document?.visibilityState === 'visible';

/**
 * Reads the session again where the merchant has changed its cart, and returns what the buyer is told of it:
 * null where the total is the same, or the session was not read.
 */
export async function changeNotice(
  session: Signal<UnifiedCheckoutSession | null>,
  { cartVersion }: { readonly cartVersion: number },
  renew: () => Promise<boolean>,
): Promise<Notice | null> {
  const before = session.value;
  if (!before || isShell(before) || before.cartVersion === cartVersion) return null;
  const isRead = await renew();
  const isSame = before.totals?.total === session.value?.totals?.total;
  return !isRead || isSame ? null : problem(totalChanged);
}

const noticeIn = (view: View): Notice | null => (view.name === 'form' ? view.notice : null);

/** The reason why no card can pay; null when one can. */
export function stopOf(session: UnifiedCheckoutSession, view: View): Notice | null {
  if (session.subscriptionExists) return problem('subscription_exists');
  if (isFree(session)) return null;
  const isLocked = isLock(noticeIn(view)) || session.cardsAccepted === false;
  const code = isLocked ? sessionLocked : isUnknown(session) && 'buyer_not_verified';
  return code ? problem(code) : null;
}

/** True when the wallet may pay: a total that is charged at once. */
export const offersWallet = (session: UnifiedCheckoutSession): boolean =>
  Boolean(session.data.wallet && session.totals) &&
  session.captureMethod !== 'manual' &&
  !isFree(session) &&
  !isUnknown(session);

/** The notice above the form: that of the state, or the reason why no card can pay. */
export function shownNotice(session: UnifiedCheckoutSession, view: View): Notice | null {
  return noticeIn(view) ?? stopOf(session, view);
}

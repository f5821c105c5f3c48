// What the page can show, as data. Every state of a session and every failure ends in one of these.

import type { CheckoutSessionStatus, ProcessAnswer, UnifiedCheckoutSession } from '@svc/browser';
import type { SetupAnswer } from '@svc/contract/card-setups';

/** What process, vault charge and card setup answer. */
export type Answer = ProcessAnswer | SetupAnswer;

export type Standing = CheckoutSessionStatus['data'];
/** As much of it as the session itself tells. */
export type SessionStanding = Omit<Standing, 'uuid' | 'paymentMethodId'> &
  Partial<Pick<Standing, 'paymentMethodId'>>;

/** Said above the form: nothing was charged, the buyer may go on. */
export type Notice =
  | { readonly kind: 'declined'; readonly code: string | null; readonly advice: string | null }
  | { readonly kind: 'problem'; readonly code: string; readonly requestId: string | null }
  /** Too many attempts: the next one counts after so long. */
  | { readonly kind: 'wait'; readonly seconds: number };

export const problem = (code: string, requestId: string | null = null): Notice => ({
  kind: 'problem',
  code,
  requestId,
});

export type View =
  | { readonly name: 'loading' }
  | { readonly name: 'form'; readonly notice: Notice | null }
  | { readonly name: 'paying' }
  | { readonly name: 'redirecting'; readonly to: 'bank' | 'wallet' }
  /** The bank asks in a dialog over the form. */
  | { readonly name: 'confirming'; readonly url: string }
  /** The bank asks somewhere that this page does not know. */
  | { readonly name: 'challenge' }
  /** An order waits for its approval in the buyer's wallet. */
  | { readonly name: 'wallet' }
  | { readonly name: 'checking'; readonly isOffline: boolean; readonly isLong: boolean }
  | {
      readonly name: 'succeeded' | 'authorized';
      readonly paymentId: string | null;
      readonly authorizationExpiresAt: string | null;
      /** When it was paid; null in the answer to the payment itself. */
      readonly paidAt: string | null;
      /** Just paid, so the page leads on by itself; not when looked at again. */
      readonly isFresh: boolean;
    }
  /** Kept without a charge. */
  | {
      readonly name: 'saved';
      readonly isFresh: boolean;
      /** Null where it is only known that one was saved. */
      readonly paymentMethodId: string | null;
    }
  /** `returned`: from bank or wallet, to where nothing is known of the session. */
  | {
      readonly name: 'expired' | 'canceled' | 'notFound' | 'returned' | 'unusable' | 'unreachable';
    };

/** The session keeps a card and takes no money. */
export const isSetup = (session: UnifiedCheckoutSession | null): boolean =>
  session?.checkoutMode === 'setup';

/** Paid or held, as an answer or the status tells it. */
const paidView = (
  paid: Partial<Omit<SessionStanding, 'status'>> & { status?: string; paymentId: string | null },
  isFresh: boolean,
): View => ({
  name: paid.status === 'authorized' ? 'authorized' : 'succeeded',
  paymentId: paid.paymentId,
  authorizationExpiresAt: paid.authorizationExpiresAt ?? null,
  paidAt: paid.latestTransactionAttempt?.createdAt ?? null,
  isFresh,
});

/**
 * What an answer ends with; null where it does not. A setup is complete only once its answer names
 * the card that the provider has verified. Spec: CardSetup.
 */
export function answerView(answer: Answer): View | null {
  if (answer.type !== 'success') return null;
  if ('paymentId' in answer) return paidView(answer, true);
  const { paymentMethodId } = answer;
  return paymentMethodId ? { name: 'saved', isFresh: true, paymentMethodId } : null;
}

/** Where the session has ended; null where it has not. */
export function endView(
  standing: SessionStanding,
  session: UnifiedCheckoutSession | null,
  isFresh: boolean,
): View | null {
  switch (standing.status) {
    case 'completed':
    case 'authorized':
      return isSetup(session)
        ? { name: 'saved', isFresh, paymentMethodId: standing.paymentMethodId ?? null }
        : paidView(standing, isFresh);
    case 'expired':
    case 'canceled':
      return { name: standing.status };
    default:
      return null;
  }
}

/** The button may be pressed: the form is there, and no pause runs. */
export const mayPay = (view: View): boolean => view.name === 'form' && view.notice?.kind !== 'wait';

/** A payment is under way: the buyer is not led away from it. */
export const isWorking = ({ name }: View): boolean =>
  /^(paying|redirecting|confirming|checking)$/.test(name);

/** The form may be used in these, at once or afterwards. */
export const keepsForm = (view: View): boolean => view.name === 'form' || isWorking(view);

/** A form that was there stays in the document, out of sight, for its buyer may come back to it. */
export const hidesForm = ({ name }: View): boolean =>
  /^(checking|loading|unreachable|challenge|wallet)$/.test(name);

/** The buyer is asked, elsewhere or in a dialog, and the page waits. */
export const isAsked = ({ name }: View): boolean => /^(confirming|challenge|wallet)$/.test(name);

/** Read before what the status tells of now. */
export const isOlder = (session: UnifiedCheckoutSession | null, now: SessionStanding): boolean =>
  session?.status !== now.status ||
  session.latestTransactionAttempt?.id !== now.latestTransactionAttempt?.id;

/** The wallet asks; an order of an open session is only an offer. */
export const isAtWallet = (session: UnifiedCheckoutSession | null): boolean =>
  session?.status === 'requires_action' && session.data.wallet !== null;

/** Names the order that the wallet asks about: what became of it is then the answer. */
export const orderOf = (session: UnifiedCheckoutSession | null): { token?: string } =>
  session?.data.wallet && isAtWallet(session) ? { token: session.data.wallet.orderId } : {};

/** What the buyer sees of the question; `url` is the bank's page, where this page knows it. */
export function questionOf(session: UnifiedCheckoutSession | null, url: string | null): View {
  if (isAtWallet(session)) return { name: 'wallet' };
  return url ? { name: 'confirming', url } : { name: 'challenge' };
}

/** Its cart has not come yet. */
export const isShell = (session: UnifiedCheckoutSession | null): boolean =>
  session?.status === 'unclaimed';

/** A card may be typed for it. */
export const takesCard = ({ status }: Pick<Standing, 'status'>): boolean =>
  /^(open|unclaimed)$/.test(status);

/** False for what this page can do nothing about: no buyer, no card form, nothing to pay. */
export const isPayable = (session: UnifiedCheckoutSession | null): boolean =>
  Boolean(session?.vault && session.accountData && (session.totals || isSetup(session)));

/** Saved cards are for a payment of a buyer whom the merchant vouched for. Contract §3, Buyer. */
export const offersSaved = (session: UnifiedCheckoutSession): boolean =>
  session.buyerVerified && isPayable(session) && !isSetup(session);

/** Nothing is due: the order is completed without a card. Contract §3, Free orders. */
export const isFree = (session: UnifiedCheckoutSession | null): boolean =>
  session?.totals?.total === 0 && !isSetup(session);

/** A subscription is among what is paid for: its card is kept whatever the buyer ticks. */
export const repeats = ({ products }: UnifiedCheckoutSession): boolean =>
  products.some(
    ({ interval, overrideAmount, totalAmount }) =>
      interval !== null && (overrideAmount ?? totalAmount) > 0,
  );

/** Ends the attempt alone: without an attempt's id `buyer_canceled` would end the checkout. */
export function endOf(
  { latestTransactionAttempt: latest }: Standing,
  session: UnifiedCheckoutSession | null,
) {
  if (!latest) return { reason: 'authentication_abandoned' } as const;
  const reason = isAtWallet(session) ? ('wallet_canceled' as const) : ('buyer_canceled' as const);
  return { reason, attemptId: latest.id };
}

/** The session has ended: what is shown for it is an outcome. */
export const isOver = (read: { readonly data: { readonly status: string } } | null): boolean =>
  /^(completed|authorized|expired|canceled)$/.test(read?.data.status ?? '');

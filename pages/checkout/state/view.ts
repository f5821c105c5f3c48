// What the page can show, as data. Every state of a session and every failure is shown as one of these.

import type { CheckoutSessionStatus, ProcessAnswer, UnifiedCheckoutSession } from '@svc/browser';
import type { SetupAnswer } from '@svc/contract/customers/card-setups';

/** What process, vault charge and card setup return. */
export type Answer = ProcessAnswer | SetupAnswer;

export type SessionState = CheckoutSessionStatus['data'];
/** The part of the status that the session itself contains. */
export type SessionStatusPart = Omit<SessionState, 'uuid' | 'paymentMethodId'> &
  Partial<Pick<SessionState, 'paymentMethodId'>>;

/** Shown above the form: nothing was charged, and the buyer may continue. */
export type Notice =
  | { readonly kind: 'declined'; readonly code: string | null; readonly advice: string | null }
  | { readonly kind: 'problem'; readonly code: string; readonly requestId: string | null }
  /** Too many attempts: the next one is accepted after this time. */
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
  /** The bank's challenge is open in a dialog over the form. */
  | { readonly name: 'confirming'; readonly url: string }
  /** The bank's challenge is open somewhere that this page does not know. */
  | { readonly name: 'challenge' }
  /** An order waits for its approval in the buyer's wallet. */
  | { readonly name: 'wallet' }
  | { readonly name: 'checking'; readonly isOffline: boolean; readonly isLong: boolean }
  | {
      readonly name: 'succeeded' | 'authorized';
      readonly paymentId: string | null;
      readonly authorizationExpiresAt: string | null;
      /** When it was paid; null in the response to the payment itself. */
      readonly paidAt: string | null;
      /** Just paid, so that the page redirects by itself; false for a later visit. */
      readonly isFresh: boolean;
    }
  /** A card was saved without a charge. */
  | {
      readonly name: 'saved';
      readonly isFresh: boolean;
      /** Null when it is not known which card was saved. */
      readonly paymentMethodId: string | null;
    }
  /** `returned`: the buyer returned from bank or wallet to a tab that does not know the session. */
  | {
      readonly name: 'expired' | 'canceled' | 'notFound' | 'returned' | 'unusable' | 'unreachable';
    };

/** True when the session saves a card and takes no money. */
export const isSetup = (session: UnifiedCheckoutSession | null): boolean =>
  session?.checkoutMode === 'setup';

/** The view of a paid or held session, from a response or the status. */
const paidView = (
  paid: Partial<Omit<SessionStatusPart, 'status'>> & { status?: string; paymentId: string | null },
  isFresh: boolean,
): View => ({
  name: paid.status === 'authorized' ? 'authorized' : 'succeeded',
  paymentId: paid.paymentId,
  authorizationExpiresAt: paid.authorizationExpiresAt ?? null,
  paidAt: paid.latestTransactionAttempt?.createdAt ?? null,
  isFresh,
});

/**
 * The view that a response ends with; null when it ends nothing. A setup is complete only once its response
 * names the card that the provider has verified. Spec: CardSetup.
 */
export function answerView(answer: Answer): View | null {
  if (answer.type !== 'success') return null;
  if ('paymentId' in answer) return paidView(answer, true);
  const { paymentMethodId } = answer;
  return paymentMethodId ? { name: 'saved', isFresh: true, paymentMethodId } : null;
}

/** The view of an ended session; null when it has not ended. */
export function endView(
  standing: SessionStatusPart,
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

/** True when the pay button can be used: the form is shown, and the buyer need not wait. */
export const mayPay = (view: View): boolean => view.name === 'form' && view.notice?.kind !== 'wait';

/** True while a payment is running: the page must not lead the buyer away. */
export const isPaymentRunning = ({ name }: View): boolean =>
  /^(paying|redirecting|confirming|checking)$/.test(name);

/** True for the states in which the form can be used, now or afterwards. */
export const keepsForm = (view: View): boolean => view.name === 'form' || isPaymentRunning(view);

/** True for states that hide the form but keep it in the document, because the buyer may return to it. */
export const hidesForm = ({ name }: View): boolean =>
  /^(checking|loading|unreachable|challenge|wallet)$/.test(name);

/** True while the buyer is asked, elsewhere or in a dialog, and the page waits. */
export const isBuyerAsked = ({ name }: View): boolean =>
  /^(confirming|challenge|wallet)$/.test(name);

/** True when the session was read before the current status. */
export const isOlder = (session: UnifiedCheckoutSession | null, now: SessionStatusPart): boolean =>
  session?.status !== now.status ||
  session.latestTransactionAttempt?.id !== now.latestTransactionAttempt?.id;

/** True when the wallet asks the buyer. An order of an open session is only an offer. */
export const isAtWallet = (session: UnifiedCheckoutSession | null): boolean =>
  session?.status === 'requires_action' && session.data.wallet !== null;

/** Names the order that waits in the wallet, so that the response is about that order. */
export const orderOf = (session: UnifiedCheckoutSession | null): { token?: string } =>
  session?.data.wallet && isAtWallet(session) ? { token: session.data.wallet.orderId } : {};

/** The view of a challenge. `url` is the bank's page, when this page knows it. */
export function questionOf(session: UnifiedCheckoutSession | null, url: string | null): View {
  if (isAtWallet(session)) return { name: 'wallet' };
  return url ? { name: 'confirming', url } : { name: 'challenge' };
}

/** True when the cart has not come yet. */
export const isShell = (session: UnifiedCheckoutSession | null): boolean =>
  session?.status === 'unclaimed';

/** True when a card can be typed for the session. */
export const takesCard = ({ status }: Pick<SessionState, 'status'>): boolean =>
  /^(open|unclaimed)$/.test(status);

/** False for sessions with which this page can do nothing: no buyer, no card form, nothing to pay. */
export const isPayable = (session: UnifiedCheckoutSession | null): boolean =>
  Boolean(session?.vault && session.accountData && (session.totals || isSetup(session)));

/**
 * True when saved cards are offered: a payment by a buyer whom the merchant vouched for. Contract §3,
 * Buyer.
 */
export const offersSaved = (session: UnifiedCheckoutSession): boolean =>
  session.buyerVerified && isPayable(session) && !isSetup(session);

/** True when nothing is due: the order is completed without a card. Additions §3, Free orders. */
export const isFree = (session: UnifiedCheckoutSession | null): boolean =>
  session?.totals?.total === 0 && !isSetup(session);

/** True when the order contains a subscription: its card is saved whatever the buyer chooses. */
export const hasSubscription = ({ products }: UnifiedCheckoutSession): boolean =>
  products.some(
    ({ interval, overrideAmount, totalAmount }) =>
      interval !== null && (overrideAmount ?? totalAmount) > 0,
  );

/** The body that ends only the attempt: without an attempt id `buyer_canceled` would end the checkout. */
export function attemptEndBody(
  { latestTransactionAttempt: latest }: SessionState,
  session: UnifiedCheckoutSession | null,
) {
  if (!latest) return { reason: 'authentication_abandoned' } as const;
  const reason = isAtWallet(session) ? ('wallet_canceled' as const) : ('buyer_canceled' as const);
  return { reason, attemptId: latest.id };
}

/** True when the session has ended: the page shows an outcome. */
export const hasSessionEnded = (
  read: { readonly data: { readonly status: string } } | null,
): boolean => /^(completed|authorized|expired|canceled)$/.test(read?.data.status ?? '');

/** True when no real money moves at the provider. */
export const isSandbox = (session: UnifiedCheckoutSession | null): boolean =>
  session?.data.cardprovider?.publishableKey.startsWith('pk_test_') ?? false;

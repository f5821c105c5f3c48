import type { CheckoutSession as WireSession } from '@svc/contract/checkout-sessions/checkout-sessions';
import type { Merchant } from '@svc/contract/checkout-sessions/checkout-sessions-parts';
import { toMajor } from '../../../domain/money/money.ts';
import {
  type CheckoutSession,
  hasEndedLongAgo,
  hasEndedUnpaid,
} from '../../../domain/payments/checkout-session.ts';
import { lineTotal, overrideOf } from '../../../domain/payments/line.ts';
import { customerPageAt, maskEmail } from '../../../domain/people/customer-page.ts';
import type { GatewayRecord } from '../../../storage/gateways/gateways.ts';
import type { Ports } from '../../ports.ts';

export type ShownContext = {
  readonly gateway: Pick<GatewayRecord, 'publishableKey' | 'accountId' | 'isLive'>;
  readonly allowedOrigins: readonly string[];
  /** The wallet's open order, for a page that asks the buyer for approval itself. */
  readonly wallet?: { readonly clientId: string; readonly orderId: string } | undefined;
  /** Whether the merchant has active coupons; absent where it was not looked up. */
  readonly couponsAccepted?: boolean;
  /** Whether the session still takes a card; absent where it was not looked up. */
  readonly cardsAccepted?: boolean;
  /** Whether the buyer has one of the subscriptions already; absent where it was not looked up. */
  readonly subscriptionExists?: boolean;
  readonly cancelOnPage?: boolean;
  /** The merchant who sells; absent where it was not looked up. */
  readonly merchant?: Merchant;
  readonly now: Date;
};

/** The session as callers see it, with a fresh mount token for the card form. Contract §3. */
export function showSession(
  session: CheckoutSession,
  shown: ShownContext,
  ports: Ports,
): WireSession {
  const { gateway } = shown;
  const status = statusOf(session, shown.now);
  const hasForm = status === 'unclaimed' || status === 'open' || status === 'requires_action';
  return {
    id: session.id,
    uuid: session.id,
    object: 'checkout.session',
    status,
    checkoutMode: session.mode,
    captureMethod: session.captureMethod,
    currency: session.currency,
    account: { country: session.country },
    accountData: hasEndedLongAgo(session, shown.now) ? null : showBuyer(session, ports),
    buyerVerified: session.isBuyerVerified,
    guest: session.isGuest,
    products: session.currency ? showLines(session, session.currency) : [],
    couponCodes: [...session.couponCodes],
    couponsAccepted: acceptsCoupons(session, shown),
    couponsByMerchantOnly: !session.takesCoupons,
    cardsAccepted: shown.cardsAccepted ?? null,
    subscriptionExists: shown.subscriptionExists ?? null,
    cancelOnPage: shown.cancelOnPage ?? null,
    totals: showTotals(session),
    cartVersion: session.cartVersion,
    merchant: shown.merchant ?? null,
    gateways: {
      cardprovider: {
        publishableKey: gateway.publishableKey,
        accountId: gateway.accountId,
      },
      ...(shown.wallet ? { wallet: shown.wallet } : {}),
    },
    vault: hasForm
      ? ports.vault.mount({
          sessionId: session.id,
          clientId: session.clientId,
          publishableKey: gateway.publishableKey,
          livemode: gateway.isLive,
          allowedOrigins: shown.allowedOrigins,
          now: shown.now,
          due: dueAmountOf(session),
        })
      : null,
    url: null,
    successUrl: session.successUrl,
    cancelUrl: session.cancelUrl,
    paymentId: session.paymentId,
    authorizationExpiresAt: session.authorizationExpiresAt?.toISOString() ?? null,
    latestTransactionAttempt: showAttempt(session),
    reference: session.reference,
    metadata: { ...session.metadata },
    expiresAt: session.expiresAt.toISOString(),
    createdAt: session.createdAt.toISOString(),
  };
}

const acceptsCoupons = (
  { takesCoupons }: CheckoutSession,
  { couponsAccepted }: ShownContext,
): boolean | null => (couponsAccepted === undefined ? null : couponsAccepted && takesCoupons);

const dueAmountOf = ({ currency, totalMinor }: CheckoutSession) =>
  currency && totalMinor ? { amountMinor: totalMinor, currency } : undefined;

/**
 * Shows the buyer. A customer's page shows a masked email address and no merchant's id, which may
 * be the address too; so do the sessions that the page opens. docs/decisions/hosted-pages.md.
 */
function showBuyer(
  { clientId, mode, userId, externalId, email, successUrl }: CheckoutSession,
  { settings }: Ports,
): WireSession['accountData'] {
  if (!userId || !email) return null;
  const { checkoutUrl } = settings;
  const isPages = mode === 'setup' && successUrl === customerPageAt({ checkoutUrl, clientId });
  return isPages
    ? { userId, externalId: null, email: maskEmail(email) }
    : { userId, externalId, email };
}

/** A session whose time is over is shown as expired, whether or not it was swept yet. */
export function statusOf(session: CheckoutSession, now: Date): CheckoutSession['status'] {
  return session.status !== 'canceled' && hasEndedUnpaid(session, now) ? 'expired' : session.status;
}

export function showAttempt(session: CheckoutSession): WireSession['latestTransactionAttempt'] {
  if (!session.attemptId || !session.attemptResult || !session.attemptAt) return null;
  return {
    id: session.attemptId,
    result: session.attemptResult,
    declineCode: session.attemptDeclineCode,
    createdAt: session.attemptAt.toISOString(),
  };
}

export const showLines = (session: CheckoutSession, currency: string): WireSession['products'] =>
  session.lines.map((line) => ({
    code: line.code,
    name: line.name,
    description: line.description ?? null,
    imageUrl: line.imageUrl ?? null,
    reference: line.reference ?? null,
    quantity: line.quantity,
    totalAmount: toMajor(lineTotal(line), currency),
    overrideAmount: amountOrNull(overrideOf(line), currency),
    currency,
    interval: line.interval ?? null,
  }));

const amountOrNull = (minor: number | null, currency: string): number | null =>
  minor === null ? null : toMajor(minor, currency);

export function showTotals({
  currency,
  subtotalMinor,
  discountMinor,
  totalMinor,
}: CheckoutSession): WireSession['totals'] {
  if (!currency || subtotalMinor === null || totalMinor === null) return null;
  return {
    subtotal: toMajor(subtotalMinor, currency),
    discount: toMajor(discountMinor ?? 0, currency),
    total: toMajor(totalMinor, currency),
    currency,
  };
}

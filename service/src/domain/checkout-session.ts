// The checkout session: cart, totals, who may pay it now. Spec: Checkout session. Contract §3.

import type { AttemptResult, SessionStatus } from '@svc/contract/checkout-sessions';
import type { ErrorCode } from '@svc/contract/errors';
import { mostMinor, toMinor } from './money.ts';

export type Line = {
  readonly code: string;
  readonly name: string;
  readonly kind: 'item' | 'subscription';
  readonly quantity: number;
  readonly unitMinor: number;
  readonly overrideMinor: number | null;
};

/** A row of `checkout_sessions`. */
export type CheckoutSession = {
  readonly id: string;
  readonly clientId: string;
  readonly mode: 'payment' | 'setup';
  readonly status: SessionStatus;
  readonly captureMethod: 'automatic' | 'manual';
  readonly gatewayId: string;
  readonly currency: string | null;
  readonly country: string | null;
  readonly userId: string | null;
  readonly email: string | null;
  readonly isBuyerVerified: boolean;
  readonly lines: readonly Line[];
  readonly couponCodes: readonly string[];
  readonly subtotalMinor: number | null;
  readonly discountMinor: number | null;
  readonly totalMinor: number | null;
  readonly successUrl: string | null;
  readonly cancelUrl: string | null;
  readonly metadata: Readonly<Record<string, string>>;
  /** Fingerprint of the claim; null on a shell, and on a session that was created whole. */
  readonly claimSha256: Buffer | null;
  readonly paymentId: string | null;
  readonly attemptId: string | null;
  readonly attemptResult: AttemptResult | null;
  readonly attemptDeclineCode: string | null;
  readonly attemptAt: Date | null;
  readonly authorizationExpiresAt: Date | null;
  readonly eventSeq: number;
  readonly version: number;
  readonly expiresAt: Date;
  readonly createdAt: Date;
};

const hour = 3600 * 1000;

/** A claimed session lives this long. Contract §3. */
export const sessionLifeMs = 24 * hour;
/** A shell waits this long for its claim. Contract §3. */
export const shellLifeMs = hour;

export type CatalogProduct = {
  readonly code: string;
  readonly name: string;
  readonly kind: 'item' | 'subscription';
  readonly isActive: boolean;
  /** Unit price in the session's currency; null when it has none. */
  readonly unitMinor: number | null;
};

export type WantedLine = {
  readonly code: string;
  readonly quantity: number;
  readonly totalAmount?: number;
  readonly overrideAmount?: number | null;
};

export type Problem = { path: string; code: string; message: string };

/**
 * Prices a cart from the catalog. A total that differs from the catalog's is a problem, unless the
 * merchant vouches for it: then it becomes the line's override. Contract §3.
 */
export function priceLines(
  wanted: readonly WantedLine[],
  products: readonly CatalogProduct[],
  rules: { currency: string; mayOverride: boolean },
): { lines: Line[]; problems: Problem[] } {
  const problems: Problem[] = [];
  const lines: Line[] = [];
  for (const [index, line] of wanted.entries()) {
    const path = `products/${index}`;
    const product = products.find((candidate) => candidate.code === line.code);
    if (!product?.isActive) {
      problems.push({
        path: `${path}/code`,
        code: 'product_unknown',
        message: 'No such active product in the catalog.',
      });
      continue;
    }
    if (product.unitMinor === null) {
      problems.push({
        path: `${path}/code`,
        code: 'price_missing',
        message: `The product has no price in ${rules.currency}.`,
      });
      continue;
    }
    const catalogMinor = product.unitMinor * line.quantity;
    const asked = line.overrideAmount ?? line.totalAmount;
    const askedMinor = asked === undefined ? catalogMinor : toMinor(asked, rules.currency);
    if (askedMinor !== catalogMinor && !rules.mayOverride) {
      problems.push({
        path: `${path}/totalAmount`,
        code: 'price_differs',
        message: 'The amount differs from the catalog price.',
      });
      continue;
    }
    if (Math.max(catalogMinor, askedMinor) > mostMinor) {
      problems.push({
        path: `${path}/quantity`,
        code: 'amount_too_large',
        message: 'The line is over the largest amount.',
      });
      continue;
    }
    lines.push({
      code: product.code,
      name: product.name,
      kind: product.kind,
      quantity: line.quantity,
      unitMinor: product.unitMinor,
      overrideMinor: askedMinor === catalogMinor ? null : askedMinor,
    });
  }
  return { lines, problems };
}

/** Unit price times quantity, before overrides and discounts. */
export const lineTotal = (line: Line): number => line.unitMinor * line.quantity;

/** What the line costs the buyer. */
export const lineDue = (line: Line): number => line.overrideMinor ?? lineTotal(line);

/** Sums of a cart in minor units. */
export function totalsOf(lines: readonly Line[]): {
  subtotalMinor: number;
  discountMinor: number;
  totalMinor: number;
} {
  const subtotalMinor = lines.reduce((sum, line) => sum + lineDue(line), 0);
  return { subtotalMinor, discountMinor: 0, totalMinor: subtotalMinor };
}

/** The card provider takes at most eight digits of minor units in one charge. */
export const mostChargeMinor = 99_999_999;

/** Manual capture is for one-time card carts of items. Spec: What the service does. */
export const allowsManualCapture = (lines: readonly Line[]): boolean =>
  lines.every((line) => line.kind === 'item');

/** Why a payment attempt may not start on the session; null when it may. Spec: Errors. */
export function refuseAttempt(
  session: CheckoutSession,
  buyer: { userId: string; email: string } | null,
  now: Date,
): ErrorCode | null {
  if (session.mode === 'setup') return 'checkout_session_is_setup';
  if (session.status === 'unclaimed') return 'checkout_session_data_attachment_required';
  if (buyer && session.userId?.toLowerCase() !== buyer.userId.toLowerCase()) {
    return 'buyer_mismatch';
  }
  if (buyer && session.email?.toLowerCase() !== buyer.email.toLowerCase()) return 'buyer_mismatch';
  return isOver(session, now) ? 'checkout_session_expired' : null;
}

/** Ended without success; an open session whose time is over counts, swept or not. */
export const isOver = (session: CheckoutSession, now: Date): boolean =>
  session.status === 'expired' ||
  session.status === 'canceled' ||
  (isWaiting(session) && session.expiresAt <= now);

/** Nothing is under way, so the session's own time decides. */
const isWaiting = ({ status }: CheckoutSession): boolean =>
  status === 'unclaimed' || status === 'open';

/** Ended with a payment or a hold; neither ever changes back. Decision 0012. */
export const isSettled = ({ status }: CheckoutSession): boolean =>
  status === 'completed' || status === 'authorized';

/**
 * What a claim means for a locked session: the first one is written, the same again is answered
 * from what is stored. Contract §3, Claim.
 */
export function judgeClaim(
  session: CheckoutSession,
  claim: { readonly fingerprint: Buffer; readonly now: Date },
): 'write' | 'replay' | 'checkout_session_already_claimed' | 'checkout_session_expired' {
  if (session.claimSha256?.equals(claim.fingerprint)) return 'replay';
  if (session.status !== 'unclaimed') return 'checkout_session_already_claimed';
  return isOver(session, claim.now) ? 'checkout_session_expired' : 'write';
}

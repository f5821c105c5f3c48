// What creating and claiming a session share: pricing the cart from the catalog, and the return addresses.

import type { ClaimCheckoutSession } from '@svc/contract/checkout-sessions/checkout-sessions';
import { isLoopbackOrigin } from '@svc/contract/servers/origins';
import { dateOf } from '@svc/contract/values/instants';
import { couponCode } from '../../../domain/money/coupon.ts';
import { assertCarried, mostChargeMinor } from '../../../domain/money/money.ts';
import { type Cart, priceCart } from '../../../domain/money/pricing.ts';
import {
  allowsManualCapture,
  type CheckoutSession,
  isAllowedEnd,
} from '../../../domain/payments/checkout-session.ts';
import type { Line } from '../../../domain/payments/line.ts';
import { startsOf } from '../../../domain/payments/subscription.ts';
import {
  isAllowedReturnUrl,
  readImageAddress,
  resolveReturnUrl,
} from '../../../domain/protocol/addresses.ts';
import { findCartCoupons } from '../../../storage/catalog/coupons.ts';
import { refuse } from '../../implement.ts';
import type { Caller, Ports } from '../../ports.ts';

type CartRequest = Pick<ClaimCheckoutSession, 'products' | 'couponCodes' | 'captureMethod'> & {
  readonly couponsAccepted?: false;
};

/** The products of the catalog that the lines name. */
export const codesOf = (lines: CartRequest['products']): string[] =>
  lines.flatMap(({ code }) => code ?? []);

type CatalogEntries = Pick<Cart, 'products' | 'coupons' | 'now'>;

/**
 * Finds the named coupons, and the time to judge them by. Without coupons the time is not needed,
 * so it is not read.
 */
export function findCoupons(
  couponCodes: readonly string[] = [],
  clientId: string,
  ports: Ports,
): Promise<Pick<Cart, 'coupons' | 'now'>> {
  return couponCodes.length > 0
    ? findCartCoupons(ports.database, clientId, couponCodes)
    : Promise.resolve({ coupons: [], now: new Date(0) });
}

/**
 * The time at which the session is to end; null where the call names none. Refuses invalid_request.
 * Contract §3, Life.
 */
export function expiryOf({ expiresAt }: { readonly expiresAt?: string }, now: Date): Date | null {
  if (expiresAt === undefined) return null;
  const end = dateOf(expiresAt);
  if (end && isAllowedEnd(end, now)) return end;
  return refuse('invalid_request', {
    param: 'expiresAt',
    message: 'A session ends 30 minutes to 24 hours from now.',
  });
}

type PricedFields = Pick<
  CheckoutSession,
  'captureMethod' | 'lines' | 'couponCodes' | 'takesCoupons' | 'subtotalMinor' | 'discountMinor'
> & { readonly totalMinor: number };

type Pricing = {
  readonly currency: string;
  readonly isTrusted: boolean;
  readonly isBuyerVerified: boolean;
};

/**
 * Refuses merchant_credential_required when a caller other than the merchant sends fields that only
 * the merchant may set.
 */
export function refuseMerchantsOwn(body: {
  readonly products: CartRequest['products'];
  readonly metadata?: Readonly<Record<string, string>>;
  readonly reference?: string;
  readonly replaces?: boolean;
  readonly couponsAccepted?: false;
  readonly allowSecondSubscription?: boolean;
}): void {
  const { allowSecondSubscription } = body;
  for (const param of ['metadata', 'reference', 'replaces', 'couponsAccepted'] as const) {
    if (body[param] !== undefined) refuse('merchant_credential_required', { param });
  }
  const ownLine = body.products.findIndex((line) => line.code === undefined);
  if (ownLine >= 0) {
    refuse('merchant_credential_required', { param: `products[${ownLine}]` });
  }
  if (allowSecondSubscription) {
    refuse('merchant_credential_required', { param: 'allowSecondSubscription' });
  }
}

/**
 * Prices the cart. Refuses, in order: invalid_request, invalid_catalog_data, amount_precision,
 * capture_method_not_supported, buyer_not_verified. Contract §3, §8.
 */
export function priceSession(
  wanted: CartRequest,
  found: CatalogEntries,
  { currency, isTrusted, isBuyerVerified }: Pricing,
): PricedFields {
  const couponCodes = wanted.couponCodes ?? [];
  const asked = wanted.products.map(withImage);
  const priced = priceCart({ ...found, lines: asked, couponCodes, currency, isTrusted });
  if (priced.kind === 'refused') {
    const { code, message, errors } = priced;
    return refuse(code, { message, errors });
  }
  const { lines, totals } = priced;
  const captureMethod = wanted.captureMethod ?? 'automatic';
  if (captureMethod === 'manual' && !allowsManualCapture(lines)) {
    refuse('capture_method_not_supported');
  }
  // The method that pays a subscription is saved, which needs a buyer whom the merchant vouches for.
  if (!isBuyerVerified && lines.some((line) => line.kind === 'subscription')) {
    refuse('buyer_not_verified', { param: 'products', message: subscriptionNeedsBuyer });
  }
  if (totals.totalMinor > 0) assertChargeable('The total', totals.totalMinor, currency);
  // A coupon or another line may bring the first payment within the limits; later periods are charged alone.
  for (const { amountMinor } of startsOf(lines)) {
    assertChargeable('A period of a subscription', amountMinor, currency);
  }
  const { subtotalMinor, discountMinor, totalMinor } = totals;
  return {
    subtotalMinor,
    discountMinor,
    totalMinor,
    lines,
    captureMethod,
    couponCodes: couponCodes.map(couponCode),
    // A coupon of the buyer's would change a sum that stands in the merchant's own books.
    takesCoupons: wanted.couponsAccepted !== false && !(isTrusted && hasOwnPrice(wanted, lines)),
  };
}

type AskedLine = CartRequest['products'][number];

/** The line with its image's address as browsers request it. Refuses invalid_request. */
function withImage(line: AskedLine, index: number): AskedLine {
  if (line.imageUrl === undefined) return line;
  const read = readImageAddress(line.imageUrl);
  if ('value' in read) return { ...line, imageUrl: read.value };
  const path = `products[${index}].imageUrl`;
  const errors = [{ path, code: 'image_url_invalid', message: read.problem }];
  return refuse('invalid_request', { message: read.problem, errors });
}

/** Also where the merchant's price happens to be the catalog's. */
const hasOwnPrice = ({ products }: CartRequest, lines: readonly Line[]): boolean =>
  products.some(({ overrideAmount }) => typeof overrideAmount === 'number') ||
  lines.some(({ overrideMinor }) => overrideMinor !== null);

const subscriptionNeedsBuyer =
  "A subscription needs a buyer that the merchant vouches for, and no guest: send this with the merchant's credential.";

function assertChargeable(what: string, amountMinor: number, currency: string): void {
  if (amountMinor > mostChargeMinor(currency)) {
    refuse('invalid_catalog_data', {
      message: `${what} is over the largest amount that can be charged at once.`,
    });
  }
  assertCarried(amountMinor, { currency, provider: 'cardprovider' });
}

type ReturnUrls = Pick<ClaimCheckoutSession, 'successUrl' | 'cancelUrl'>;

/** Resolves both return addresses. Refuses invalid_request. Reliability §5.4. */
export function returnUrlsOf(
  body: ReturnUrls,
  allowedOrigins: readonly string[],
  { caller, ports }: { caller: Caller; ports: Ports },
): Pick<CheckoutSession, 'successUrl' | 'cancelUrl'> {
  const rules = { allowedOrigins, isSandbox: !ports.settings.isLive };
  for (const param of ['successUrl', 'cancelUrl'] as const) {
    const url = body[param];
    if (url !== undefined && !isAllowedReturnUrl(url, rules)) {
      refuse('invalid_request', {
        param,
        message: `${param} must be a path or an https address on a registered origin.`,
      });
    }
  }
  const base = siteOf(caller, allowedOrigins, ports);
  return {
    successUrl: resolveReturnUrl(body.successUrl, base),
    cancelUrl: resolveReturnUrl(body.cancelUrl, base),
  };
}

/**
 * The merchant's site that a path is resolved against: that of the calling page, else the first
 * registered origin.
 */
function siteOf(caller: Caller, allowedOrigins: readonly string[], ports: Ports): string | null {
  const { origin } = caller;
  const isKnown =
    origin !== null &&
    (allowedOrigins.includes(origin) || (!ports.settings.isLive && isLoopbackOrigin(origin)));
  return isKnown ? origin : (allowedOrigins[0] ?? null);
}

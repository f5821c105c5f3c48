// What create and claim do alike: the cart priced from the catalog, and the addresses to return to.

import type { ClaimCheckoutSession } from '@svc/contract/checkout-sessions';
import {
  allowsManualCapture,
  type CatalogProduct,
  type CheckoutSession,
  mostChargeMinor,
  priceLines,
  totalsOf,
} from '../../domain/checkout-session.ts';
import { assertCarried } from '../../domain/money.ts';
import { isAllowedReturnUrl, isLoopbackOrigin, resolveReturnUrl } from '../../domain/return-url.ts';
import { refuse } from '../implement.ts';
import type { Caller, Ports } from '../ports.ts';

type Wanted = Pick<ClaimCheckoutSession, 'products' | 'couponCodes' | 'captureMethod'>;

type Priced = Pick<
  CheckoutSession,
  'captureMethod' | 'lines' | 'couponCodes' | 'subtotalMinor' | 'discountMinor'
> & { readonly totalMinor: number };

/**
 * Prices the cart. Refuses, in order: invalid_catalog_data, amount_precision,
 * capture_method_not_supported. Contract §3, §8.
 */
export function priceSession(
  wanted: Wanted,
  products: readonly CatalogProduct[],
  { currency, isTrusted }: { currency: string; isTrusted: boolean },
): Priced {
  if (wanted.products.some((line) => (line.currency ?? currency) !== currency)) {
    refuse('invalid_catalog_data', { message: 'The lines name different currencies.' });
  }
  const { lines, problems } = priceLines(wanted.products, products, {
    currency,
    mayOverride: isTrusted,
  });
  const unknown = (wanted.couponCodes ?? []).map((_, index) => ({
    path: `couponCodes/${index}`,
    code: 'coupon_unknown',
    message: 'No such coupon.',
  }));
  const errors = [...problems, ...unknown];
  const [first] = errors;
  if (first) {
    refuse('invalid_catalog_data', { errors, message: `${first.message} (${first.path})` });
  }
  const captureMethod = wanted.captureMethod ?? 'automatic';
  if (captureMethod === 'manual' && !allowsManualCapture(lines)) {
    refuse('capture_method_not_supported');
  }
  const totals = totalsOf(lines);
  assertChargeable(totals.totalMinor, currency);
  return { ...totals, lines, captureMethod, couponCodes: [] };
}

function assertChargeable(totalMinor: number, currency: string): void {
  if (totalMinor === 0) {
    refuse('invalid_catalog_data', { message: 'Nothing is due; there is nothing to pay.' });
  }
  if (totalMinor > mostChargeMinor) {
    refuse('invalid_catalog_data', {
      message: 'The total is over the largest amount that can be charged at once.',
    });
  }
  assertCarried(totalMinor, { currency, provider: 'cardprovider' });
}

type ReturnUrls = Pick<ClaimCheckoutSession, 'successUrl' | 'cancelUrl'>;

/** Both addresses as they will be used. Refuses invalid_request. Reliability §5.4. */
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

/** The merchant's site that a path belongs to: the calling page's, else the first registered one. */
function siteOf(caller: Caller, allowedOrigins: readonly string[], ports: Ports): string | null {
  const { origin } = caller;
  const isKnown =
    origin !== null &&
    (allowedOrigins.includes(origin) || (!ports.settings.isLive && isLoopbackOrigin(origin)));
  return isKnown ? origin : (allowedOrigins[0] ?? null);
}

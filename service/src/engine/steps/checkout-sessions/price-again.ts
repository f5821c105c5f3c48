import { toMajor } from '../../../domain/money/money.ts';
import type { CartLine, CartProduct } from '../../../domain/money/pricing.ts';
import type { CheckoutSession } from '../../../domain/payments/checkout-session.ts';
import type { Line } from '../../../domain/payments/line.ts';
import { type findCoupons, priceSession } from './attach-cart.ts';

/**
 * Prices the stored lines with other coupons: their prices were agreed when the session was created or
 * claimed, whatever the catalog has by now. Refuses invalid_catalog_data, amount_precision.
 */
export function priceAgain(
  session: CheckoutSession,
  couponCodes: readonly string[],
  found: Awaited<ReturnType<typeof findCoupons>>,
): ReturnType<typeof priceSession> {
  const currency = session.currency ?? '';
  const products: CartProduct[] = session.lines.flatMap((line) =>
    line.code === null ? [] : [{ ...line, code: line.code, isActive: true }],
  );
  const lines = session.lines.map((line) => cartLineOf(line, currency));
  const { captureMethod } = session;
  const wanted = { products: lines, couponCodes: [...couponCodes], captureMethod };
  // Buyer and prices were checked when they were attached.
  const pricing = { currency, isTrusted: true, isBuyerVerified: true };
  return priceSession(wanted, { ...found, products }, pricing);
}

/** A stored line as a call would name it. */
function cartLineOf(line: Line, currency: string): CartLine {
  const { code, name, quantity, overrideMinor, description, imageUrl, reference } = line;
  const override = overrideMinor === null ? null : toMajor(overrideMinor, currency);
  if (code !== null) return { code, name, quantity, overrideAmount: override };
  return {
    ...{ name, quantity, amount: override ?? 0 },
    ...(description === undefined ? {} : { description }),
    ...(imageUrl === undefined ? {} : { imageUrl }),
    ...(reference === undefined ? {} : { reference }),
  };
}

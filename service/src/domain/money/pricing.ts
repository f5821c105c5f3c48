// Prices a cart: prices of the catalog, overrides of the merchant, coupons. Pure, so that creating
// and claiming a session give the same totals. Contract §3, §8.

import type { ErrorCode } from '@svc/contract/errors/errors';
import { Refusal } from '../protocol/refusal.ts';
import { type Coupon, couponCode, discountsOf, inOrderOfUse, refuseCoupon } from './coupon.ts';
import { mostMinor, smallestStep, toMinor } from './money.ts';
import type { CatalogProblem } from './product.ts';

/** A line as a caller requests it; amounts are in major units. */
export type CartLine = {
  /** Absent: a line of the merchant's own, with `name` and `amount`. */
  readonly code?: string;
  readonly quantity: number;
  readonly totalAmount?: number;
  readonly overrideAmount?: number | null;
  readonly currency?: string;
  readonly name?: string | null;
  /** What a line of the merchant's own comes to, all of its quantity. */
  readonly amount?: number;
} & OwnWords;

/** What a line of the merchant's own may tell beside its name. */
type OwnWords = {
  readonly description?: string;
  readonly imageUrl?: string;
  readonly reference?: string;
};

export type CartProduct = {
  readonly code: string;
  readonly name: string;
  readonly kind: 'item' | 'subscription';
  /** How often a subscription renews; null for items. */
  readonly interval: 'day' | 'week' | 'month' | 'year' | null;
  readonly isActive: boolean;
  /** The unit price in the cart's currency; null when there is none. */
  readonly unitMinor: number | null;
};

export type PricedLine = OwnWords & {
  /** Null: a line of the merchant's own, whose amount is `overrideMinor`. */
  readonly code: string | null;
  readonly name: string;
  readonly kind: 'item' | 'subscription';
  readonly interval: CartProduct['interval'];
  readonly quantity: number;
  readonly unitMinor: number;
  /** The merchant's amount for the line, in place of unit price times quantity. */
  readonly overrideMinor: number | null;
  /** The discount of all coupons on the line. */
  readonly discountMinor: number;
};

export type Totals = {
  readonly subtotalMinor: number;
  readonly discountMinor: number;
  readonly totalMinor: number;
  readonly currency: string;
};

/** A coupon of the cart and its discount, in the order in which coupons applied. */
export type Discount = { readonly code: string; readonly amountMinor: number };

export type Cart = {
  readonly lines: readonly CartLine[];
  readonly couponCodes: readonly string[];
  /** The products of the catalog with the lines' codes; others are ignored. */
  readonly products: readonly CartProduct[];
  /** The coupons of `couponCodes`; others are ignored. */
  readonly coupons: readonly Coupon[];
  readonly currency: string;
  readonly now: Date;
  /** True with the merchant's credential: only then may prices differ from the catalog. */
  readonly isTrusted: boolean;
};

export type PricedCart =
  | {
      readonly kind: 'priced';
      readonly lines: readonly PricedLine[];
      readonly totals: Totals;
      readonly discounts: readonly Discount[];
    }
  | {
      readonly kind: 'refused';
      /** `amount_precision` where only decimals are wrong. */
      readonly code: Extract<ErrorCode, 'invalid_catalog_data' | 'amount_precision'>;
      readonly message: string;
      /** Every problem, those of lines first, each with the path of its field. */
      readonly errors: readonly CatalogProblem[];
    };

/**
 * Prices a cart. Subtotal, discount and total are sums over its lines; no line goes below zero. A
 * coupon without effect is a problem, because it would be redeemed for nothing.
 */
export function priceCart(cart: Cart): PricedCart {
  const priced = priceLines(cart);
  const chosen = chooseCoupons(cart);
  const errors = [...priced.errors, ...chosen.errors];
  if (errors.length > 0) return refusal(errors);
  const { currency } = cart;
  const off = priced.lines.map(() => 0);
  const discounts: Discount[] = [];
  const stepMinor = smallestStep({ currency, provider: 'cardprovider' });
  for (const coupon of inOrderOfUse(chosen.coupons)) {
    const payable = priced.lines.map((line, index) => ({
      code: line.code,
      dueMinor: amountBeforeDiscount(line) - (off[index] ?? 0),
    }));
    const parts = discountsOf(coupon, payable, stepMinor);
    const amountMinor = sumOf(parts);
    if (amountMinor === 0) errors.push(withoutEffect(cart, coupon));
    for (const [index, part] of parts.entries()) off[index] = (off[index] ?? 0) + part;
    discounts.push({ code: coupon.code, amountMinor });
  }
  if (errors.length > 0) return refusal(errors);
  const lines = priced.lines.map((line, index) => ({ ...line, discountMinor: off[index] ?? 0 }));
  const subtotalMinor = sumOf(lines.map(amountBeforeDiscount));
  const discountMinor = sumOf(off);
  const totalMinor = subtotalMinor - discountMinor;
  return {
    kind: 'priced',
    lines,
    totals: { subtotalMinor, discountMinor, totalMinor, currency },
    discounts,
  };
}

/** Unit price times quantity, or the merchant's amount in its place; before discounts. */
const amountBeforeDiscount = (line: Omit<PricedLine, 'discountMinor'>): number =>
  line.overrideMinor ?? line.unitMinor * line.quantity;

const sumOf = (minors: readonly number[]): number => minors.reduce((sum, minor) => sum + minor, 0);

function refusal(errors: readonly CatalogProblem[]): PricedCart {
  const isPrecision = errors.every(({ code }) => code === 'amount_precision');
  const [first] = errors;
  return {
    kind: 'refused',
    code: isPrecision ? 'amount_precision' : 'invalid_catalog_data',
    message: first ? `${first.message} (${first.path})` : '',
    errors,
  };
}

type LinesPriced = {
  readonly lines: readonly Omit<PricedLine, 'discountMinor'>[];
  readonly errors: CatalogProblem[];
};

function priceLines(cart: Cart): LinesPriced {
  const products = new Map(cart.products.map((product) => [product.code, product]));
  const results = cart.lines.map((line, index) => {
    const path = `products[${index}]`;
    return line.code === undefined
      ? priceOwnLine(line, { cart, path })
      : priceLine(line, { cart, path, product: products.get(line.code) });
  });
  const lines = results.flatMap((result) => ('problem' in result ? [] : [result]));
  const errors = results.flatMap((result) => ('problem' in result ? [result.problem] : []));
  const isOver = sumOf(lines.map(amountBeforeDiscount)) > mostMinor;
  if (isOver) errors.push(problem('products', 'amount_too_large', 'The cart is over the limit.'));
  return { lines, errors };
}

const problem = (path: string, code: string, message: string): CatalogProblem => ({
  path,
  code,
  message,
});

type LineContext = {
  readonly cart: Cart;
  readonly path: string;
  readonly product: CartProduct | undefined;
};

function priceLine(
  line: CartLine,
  { cart, path, product }: LineContext,
): Omit<PricedLine, 'discountMinor'> | { readonly problem: CatalogProblem } {
  const fieldProblem = (field: string, code: string, message: string) => ({
    problem: problem(`${path}.${field}`, code, message),
  });
  const { currency } = cart;
  if ((line.currency ?? currency) !== currency) {
    return fieldProblem('currency', 'currency_differs', `The cart is in ${currency}.`);
  }
  if (!product?.isActive) {
    return fieldProblem('code', 'product_unknown', 'No such active product in the catalog.');
  }
  if (product.unitMinor === null) {
    return fieldProblem('code', 'price_missing', `The product has no price in ${currency}.`);
  }
  const catalogMinor = product.unitMinor * line.quantity;
  if (catalogMinor > mostMinor) {
    return fieldProblem('quantity', 'amount_too_large', 'The line is over the largest amount.');
  }
  // Both fields are read, so that a wrong one is reported even where the other decides.
  const asked = { total: line.totalAmount, override: line.overrideAmount ?? undefined };
  const total = readAmount(asked.total, currency);
  if (typeof total === 'object') return fieldProblem('totalAmount', total.code, total.message);
  const override = readAmount(asked.override, currency);
  if (typeof override === 'object')
    return fieldProblem('overrideAmount', override.code, override.message);
  const differsFromCatalog = (minor: number | undefined) =>
    minor !== undefined && minor !== catalogMinor;
  if (!cart.isTrusted && (differsFromCatalog(total) || differsFromCatalog(override))) {
    const field = differsFromCatalog(total) ? 'totalAmount' : 'overrideAmount';
    return fieldProblem(field, 'price_differs', 'The amount differs from the catalog price.');
  }
  const misplaced = ownFields.find((field) => line[field] !== undefined);
  if (misplaced) {
    return fieldProblem(misplaced, 'not_beside_code', 'Only a line without a code has this field.');
  }
  const name = line.name?.trim() || product.name;
  if (!cart.isTrusted && name !== product.name) {
    return fieldProblem('name', 'name_differs', 'The name differs from the catalog.');
  }
  const askedMinor = override ?? total ?? catalogMinor;
  const { code, kind, interval, unitMinor } = product;
  return {
    code,
    name,
    kind,
    interval,
    quantity: line.quantity,
    unitMinor,
    overrideMinor: askedMinor === catalogMinor ? null : askedMinor,
  };
}

const ownFields = ['amount', 'description', 'imageUrl', 'reference'] as const;

/** A line without a product: name and amount are the merchant's word. Contract §3. */
function priceOwnLine(
  line: CartLine,
  { cart, path }: Omit<LineContext, 'product'>,
): Omit<PricedLine, 'discountMinor'> | { readonly problem: CatalogProblem } {
  const fieldProblem = (field: string, code: string, message: string) => ({
    problem: problem(field ? `${path}.${field}` : path, code, message),
  });
  const { currency, isTrusted } = cart;
  if (!isTrusted) {
    const message =
      "A line without a code needs the merchant's credential, with the right to prices.";
    return fieldProblem('', 'own_line', message);
  }
  if ((line.currency ?? currency) !== currency) {
    return fieldProblem('currency', 'currency_differs', `The cart is in ${currency}.`);
  }
  const name = line.name?.trim();
  if (!name) return fieldProblem('name', 'name_required', 'A line without a code needs a name.');
  for (const field of ['totalAmount', 'overrideAmount'] as const) {
    if (line[field] === undefined || line[field] === null) continue;
    return fieldProblem(field, 'not_without_code', 'A line without a code has amount instead.');
  }
  const amountMinor = readAmount(line.amount, currency);
  if (amountMinor === undefined) {
    return fieldProblem('amount', 'amount_required', 'A line without a code needs an amount.');
  }
  if (typeof amountMinor === 'object') {
    return fieldProblem('amount', amountMinor.code, amountMinor.message);
  }
  const { quantity, description, imageUrl, reference } = line;
  return {
    code: null,
    name,
    kind: 'item',
    interval: null,
    quantity,
    unitMinor: 0,
    overrideMinor: amountMinor,
    ...(description === undefined ? {} : { description }),
    ...(imageUrl === undefined ? {} : { imageUrl }),
    ...(reference === undefined ? {} : { reference }),
  };
}

/** Returns minor units, or why the amount is invalid. */
function readAmount(
  major: number | undefined,
  currency: string,
): number | undefined | { readonly code: string; readonly message: string } {
  if (major === undefined) return undefined;
  try {
    const minor = toMinor(major, currency);
    if (minor >= 0) return minor;
    return { code: 'amount_negative', message: 'The amount is below zero.' };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const code = error.code === 'amount_precision' ? 'amount_precision' : 'amount_too_large';
    return { code, message: error.message };
  }
}

function chooseCoupons(cart: Cart): { coupons: Coupon[]; errors: CatalogProblem[] } {
  const known = new Map(cart.coupons.map((coupon) => [coupon.code, coupon]));
  const coupons: Coupon[] = [];
  const errors: CatalogProblem[] = [];
  const seen = new Set<string>();
  for (const [index, given] of cart.couponCodes.entries()) {
    const path = `couponCodes[${index}]`;
    const code = couponCode(given);
    const coupon = known.get(code);
    const isRepeated = seen.has(code);
    seen.add(code);
    const refused = isRepeated
      ? { code: 'coupon_repeated', message: 'The cart names the coupon twice.' }
      : refuseCoupon(coupon, cart);
    if (refused) errors.push({ path, ...refused });
    else if (coupon) coupons.push(coupon);
  }
  return { coupons, errors };
}

function withoutEffect(cart: Cart, coupon: Coupon): CatalogProblem {
  const index = cart.couponCodes.findIndex((given) => couponCode(given) === coupon.code);
  const message = 'The coupon takes nothing off this cart.';
  return problem(`couponCodes[${index}]`, 'coupon_without_effect', message);
}

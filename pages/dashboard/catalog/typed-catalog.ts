// Composes the bodies that the forms of products and coupons send from the typed texts.

import type { Product } from '@svc/contract/catalog/catalog';
import { currencyIn } from '../../kit/parts/currency-field.tsx';
import type { Fields } from '../../kit/parts/form.tsx';
import { TypedFields } from '../../kit/typed-fields.ts';

/** The line of one price in the form of a product. */
export type PriceLine = {
  readonly key: number;
  readonly currency: string;
  readonly amount: string;
  /** Added by the person, who types into it next. */
  readonly isAdded?: boolean;
};

/** Returns the body of the call. Throws for prices that are no sums of their currency. */
export function readProduct(fields: Fields, product: Product | null, lines: readonly PriceLine[]) {
  const interval = fields('interval');
  const typed = new TypedFields(fields);
  const prices = lines.map(({ key, amount: was, currency: had }) => {
    const currency = currencyIn(fields, `currency-${key}`);
    const none = `Type the price in ${currency || 'its currency'}, such as 19.90.`;
    const isOld = currency === had && was !== '';
    const words = isOld ? { none, was } : { none };
    return { currency, amount: typed.sum(`amount-${key}`, currency, words) };
  });
  typed.end();
  return {
    name: fields('name').trim(),
    active: fields('active') === 'yes',
    prices,
    ...(product
      ? { version: product.version }
      : {
          code: fields('code').trim(),
          ...(interval ? { kind: 'subscription', interval } : { kind: 'item' }),
        }),
  };
}

const percentage = { name: 'a percentage', digits: 2 };

/** The code and the discount of a new coupon. */
export function readDiscount(fields: Fields, typed: TypedFields) {
  const code = fields('code').trim();
  if (fields('kind') !== 'amount') {
    const none = 'Type the percentage off, such as 12.5.';
    return { code, percentOff: typed.sum('off', percentage, { none }) };
  }
  const currency = currencyIn(fields, 'currency');
  const none = 'Type the amount off, such as 5.00.';
  return { code, amountOff: typed.sum('off', currency, { none }), currency };
}

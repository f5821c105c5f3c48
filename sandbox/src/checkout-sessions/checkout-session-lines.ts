// The lines of a Checkout Session: each has a quantity and a price, either an existing one or one made for
// it.
import type Stripe from 'stripe';
import { createPrice, newPriceRules } from '../catalog/prices.ts';
import type { Call } from '../core/core.ts';
import { invalidParameter } from '../requests/errors.ts';
import { listOf, number, readNested, readText, type Values } from '../requests/parameters.ts';
import type { Kinds } from '../state/resources.ts';

export const lineRules = {
  price: 'text',
  price_data: newPriceRules,
  quantity: 'integer',
} as const;

const maxLines = 100;
const maxQuantity = 999_999;

const priceOf = (call: Call, values: Values, place: string): Kinds['price'] => {
  const id = readText(values, 'price');
  const made = readNested(values, 'price_data');
  if ((id === undefined) === (made === undefined)) {
    throw invalidParameter(
      id === undefined ? 'parameter_missing' : 'parameters_exclusive',
      `${place}[price]`,
      'You must specify one of: price, price_data.',
    );
  }
  if (made) return createPrice(call, made, false);
  const scope = { account: call.account, param: `${place}[price]` };
  const { object } = call.core.resources.get('price', id ?? '', scope);
  if (object.active) return object;
  throw invalidParameter(
    undefined,
    `${place}[price]`,
    'The price specified is inactive. This field only accepts active prices.',
  );
};

const readQuantity = (values: Values, place: string): number => {
  const quantity = number(values, 'quantity');
  if (quantity !== undefined && quantity >= 1 && quantity <= maxQuantity) return quantity;
  throw invalidParameter(
    quantity === undefined ? 'parameter_missing' : 'parameter_invalid_integer',
    `${place}[quantity]`,
    quantity === undefined
      ? `Quantity is required. Add \`quantity\` to \`${place}\``
      : `Invalid quantity: ${quantity}`,
  );
};

const readLine = (call: Call, values: Values, place: string): Stripe.LineItem => {
  const quantity = readQuantity(values, place);
  const price = priceOf(call, values, place);
  const product = call.core.resources.find('product', String(price.product));
  const amount = (price.unit_amount ?? 0) * quantity;
  return {
    id: call.core.ids.next('li_', 24),
    object: 'item',
    adjustable_quantity: null,
    amount_discount: 0,
    amount_subtotal: amount,
    amount_tax: 0,
    amount_total: amount,
    currency: price.currency,
    description: product?.object.name ?? null,
    metadata: {},
    price,
    quantity,
  };
};

/**
 * Reads the call's `line_items`. Throws 400 when there are none or too many, or when their currencies
 * differ.
 */
export const readLines = (call: Call): [Stripe.LineItem, ...Stripe.LineItem[]] => {
  const given = listOf(call.values, 'line_items');
  if (given.length > maxLines) {
    throw invalidParameter(undefined, 'line_items', `At most ${maxLines} line items are allowed.`);
  }
  const [first, ...rest] = given.map((values, at) => readLine(call, values, `line_items[${at}]`));
  if (first === undefined) {
    const message = 'You must pass `line_items` in `payment` mode.';
    throw invalidParameter('parameter_missing', 'line_items', message);
  }
  const odd = rest.findIndex(({ currency }) => currency !== first.currency);
  if (odd < 0) return [first, ...rest];
  throw invalidParameter(
    undefined,
    `line_items[${odd + 1}][price]`,
    'All prices on a Checkout Session must have the same currency: ' +
      `${first.currency} and ${rest[odd]?.currency ?? ''} were given.`,
  );
};

// Prices: the one-time cost of one unit of a product. Recurring prices belong to subscriptions, which the
// sandbox's Checkout Sessions do not sell.
import type { Call, Route } from '../core/core.ts';
import { answerList, pageRules } from '../core/lists.ts';
import { emitEvent } from '../events/events.ts';
import { readCurrency } from '../intents/intent-parameters.ts';
import { invalidParameter } from '../requests/errors.ts';
import {
  flag,
  mergeMetadata,
  readNested,
  readText,
  requiredNumber,
  requiredText,
  textOrNull,
  type Values,
} from '../requests/parameters.ts';
import type { Kinds, StoredObject } from '../state/resources.ts';
import { createProduct, newProductRules } from './products.ts';

type Price = StoredObject<'price'>;

const taxBehaviours = ['exclusive', 'inclusive', 'unspecified'] as const;

/** The parameters of a new price, also inside a session's line. */
export const newPriceRules = {
  currency: 'text',
  product: 'text',
  product_data: newProductRules,
  tax_behavior: taxBehaviours,
  unit_amount: 'integer',
} as const;

const productOf = (call: Call, values: Values): string => {
  const id = readText(values, 'product');
  const made = readNested(values, 'product_data');
  if ((id === undefined) === (made === undefined)) {
    throw invalidParameter(
      id === undefined ? 'parameter_missing' : 'parameters_exclusive',
      'product',
      'You must specify one of: product, product_data.',
    );
  }
  if (made) return createProduct({ ...call, values: made }).id;
  const scope = { account: call.account, param: 'product' };
  return call.core.resources.get('product', id ?? '', scope).object.id;
};

const readUnitAmount = (values: Values): number => {
  const amount = requiredNumber(values, 'unit_amount');
  if (amount >= 0) return amount;
  throw invalidParameter(
    'parameter_invalid_integer',
    'unit_amount',
    'This value must be greater than or equal to 0.',
  );
};

/** Makes a price from the values. A price that a session makes for itself is not `active`. */
export const createPrice = (call: Call, values: Values, isActive: boolean): Price['object'] => {
  const { core } = call;
  const amount = readUnitAmount(values);
  const kept: Price = {
    account: call.account,
    notes: {},
    object: {
      id: core.ids.next('price_', 24),
      object: 'price',
      active: isActive,
      billing_scheme: 'per_unit',
      created: core.clock.now(),
      currency: readCurrency(requiredText(values, 'currency')),
      custom_unit_amount: null,
      livemode: false,
      lookup_key: readText(values, 'lookup_key') || null,
      metadata: mergeMetadata({}, values),
      nickname: readText(values, 'nickname') || null,
      product: productOf(call, values),
      recurring: null,
      tax_behavior: readText(values, 'tax_behavior') ?? 'unspecified',
      tiers_mode: null,
      transform_quantity: null,
      type: 'one_time',
      unit_amount: amount,
      // The SDK converts this text to its decimal type.
      unit_amount_decimal: String(amount) as unknown as Kinds['price']['unit_amount_decimal'],
    },
  };
  core.resources.insert('price', kept);
  emitEvent(call, 'price.created', { object: kept.object });
  return kept.object;
};

const update = (call: Call): Price['object'] => {
  const kept = call.core.resources.get('price', call.id, { account: call.account });
  const { object } = kept;
  object.active = flag(call.values, 'active') ?? object.active;
  object.metadata = mergeMetadata(object.metadata, call.values);
  for (const name of ['lookup_key', 'nickname'] as const) {
    const value = textOrNull(call.values, name);
    if (value !== undefined) object[name] = value;
  }
  call.core.resources.save(kept);
  emitEvent(call, 'price.updated', { object });
  return object;
};

const commonRules = {
  active: 'flag',
  lookup_key: 'text',
  metadata: 'map',
  nickname: 'text',
  expand: 'list',
} as const;

export const priceRoutes: Route[] = [
  {
    method: 'POST',
    path: '/prices',
    accepts: { ...newPriceRules, ...commonRules },
    run: (call) => createPrice(call, call.values, flag(call.values, 'active') ?? true),
  },
  {
    method: 'GET',
    path: '/prices',
    accepts: { ...pageRules, active: 'flag', currency: 'text', product: 'text' },
    run: (call) => {
      const active = flag(call.values, 'active');
      const product = readText(call.values, 'product');
      const currency = readText(call.values, 'currency');
      return answerList(call, 'price', {
        url: '/v1/prices',
        keep: (object) =>
          (active === undefined || object.active === active) &&
          (product === undefined || object.product === product) &&
          (currency === undefined || object.currency === currency),
      });
    },
  },
  {
    method: 'GET',
    path: '/prices/:id',
    accepts: { expand: 'list' },
    run: (call) => call.core.resources.get('price', call.id, { account: call.account }).object,
  },
  { method: 'POST', path: '/prices/:id', accepts: commonRules, run: update },
];

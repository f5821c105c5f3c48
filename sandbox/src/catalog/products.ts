// Products, to which prices belong.
import type { Call, Route } from '../core/core.ts';
import { answerList, pageRules } from '../core/lists.ts';
import { emitEvent } from '../events/events.ts';
import { flag, list, mergeMetadata, requiredText, textOrNull } from '../requests/parameters.ts';
import type { StoredObject } from '../state/resources.ts';

type Product = StoredObject<'product'>;

/** The parameters of a new product, also inside a price and a session's line. */
export const newProductRules = {
  name: 'text',
  description: 'text',
  images: 'list',
  metadata: 'map',
  statement_descriptor: 'text',
  tax_code: 'text',
  unit_label: 'text',
} as const;

const rules = {
  ...newProductRules,
  active: 'flag',
  shippable: 'flag',
  url: 'text',
  expand: 'list',
} as const;

const apply = ({ values }: Pick<Call, 'values'>, { object }: Product): void => {
  if ('name' in values) object.name = requiredText(values, 'name');
  for (const name of [
    'description',
    'statement_descriptor',
    'tax_code',
    'unit_label',
    'url',
  ] as const) {
    const value = textOrNull(values, name);
    if (value !== undefined) object[name] = value;
  }
  object.active = flag(values, 'active') ?? object.active;
  object.shippable = flag(values, 'shippable') ?? object.shippable;
  object.images = [...(list(values, 'images') ?? object.images)];
  object.metadata = mergeMetadata(object.metadata, values);
};

/** Makes a product from the call's values. */
export const createProduct = (call: Call): Product['object'] => {
  const { core } = call;
  const now = core.clock.now();
  const kept: Product = {
    account: call.account,
    notes: {},
    object: {
      id: core.ids.next('prod_', 14),
      object: 'product',
      active: true,
      created: now,
      default_price: null,
      description: null,
      images: [],
      livemode: false,
      marketing_features: [],
      metadata: {},
      name: requiredText(call.values, 'name'),
      package_dimensions: null,
      shippable: null,
      statement_descriptor: null,
      tax_code: null,
      tax_details: null,
      type: 'service',
      unit_label: null,
      updated: now,
      url: null,
    },
  };
  apply(call, kept);
  core.resources.insert('product', kept);
  emitEvent(call, 'product.created', { object: kept.object });
  return kept.object;
};

const update = (call: Call): Product['object'] => {
  const kept = call.core.resources.get('product', call.id, { account: call.account });
  apply(call, kept);
  const price = textOrNull(call.values, 'default_price');
  if (price) {
    call.core.resources.get('price', price, { account: call.account, param: 'default_price' });
  }
  if (price !== undefined) kept.object.default_price = price;
  kept.object.updated = call.core.clock.now();
  call.core.resources.save(kept);
  emitEvent(call, 'product.updated', { object: kept.object });
  return kept.object;
};

export const productRoutes: Route[] = [
  { method: 'POST', path: '/products', accepts: rules, run: createProduct },
  {
    method: 'GET',
    path: '/products',
    accepts: { ...pageRules, active: 'flag' },
    run: (call) => {
      const active = flag(call.values, 'active');
      return answerList(call, 'product', {
        url: '/v1/products',
        keep: (object) => active === undefined || object.active === active,
      });
    },
  },
  {
    method: 'GET',
    path: '/products/:id',
    accepts: { expand: 'list' },
    run: (call) => call.core.resources.get('product', call.id, { account: call.account }).object,
  },
  {
    method: 'POST',
    path: '/products/:id',
    accepts: { ...rules, default_price: 'text' },
    run: update,
  },
];

// Customers, for whom payment methods are saved.
import type { Call, Route } from '../core/core.ts';
import { answerList, pageRules } from '../core/lists.ts';
import { emitEvent } from '../events/events.ts';
import { readShipping } from '../intents/intent-parameters.ts';
import {
  assertCustomer,
  assertSavable,
  attachMethod,
  resolveMethod,
} from '../payment-methods/payment-methods.ts';
import { assertEmail } from '../requests/emails.ts';
import { invalidParameter, missingResource } from '../requests/errors.ts';
import { mergeMetadata, readNested, readText, textOrNull } from '../requests/parameters.ts';
import type { Kinds, StoredObject } from '../state/resources.ts';

type Customer = StoredObject<'customer'>;

const address = {
  city: 'text',
  country: 'text',
  line1: 'text',
  line2: 'text',
  postal_code: 'text',
  state: 'text',
} as const;

const rules = {
  address,
  description: 'text',
  email: 'text',
  invoice_settings: { default_payment_method: 'text' },
  metadata: 'map',
  name: 'text',
  phone: 'text',
  shipping: { address, name: 'text', phone: 'text' },
  expand: 'list',
} as const;

const readAddress = (call: Call): Kinds['customer']['address'] | undefined => {
  const given = readNested(call.values, 'address');
  if (!given) return undefined;
  const addressField = (name: string) => readText(given, name) || null;
  return {
    city: addressField('city'),
    country: addressField('country'),
    line1: addressField('line1'),
    line2: addressField('line2'),
    postal_code: addressField('postal_code'),
    state: addressField('state'),
  };
};

const apply = (call: Call, kept: Customer): void => {
  const { object } = kept;
  const { values } = call;
  for (const name of ['description', 'email', 'name', 'phone'] as const) {
    const value = textOrNull(values, name);
    if (name === 'email' && value) assertEmail(value);
    if (value !== undefined) object[name] = value;
  }
  object.address = readAddress(call) ?? object.address ?? null;
  object.metadata = mergeMetadata(object.metadata, values);
  const shipping = readShipping(values);
  if (shipping) object.shipping = shipping as Kinds['customer']['shipping'];
  const method = textOrNull(readNested(values, 'invoice_settings') ?? {}, 'default_payment_method');
  if (method !== undefined) {
    object.invoice_settings.default_payment_method = method && ownMethod(call, kept, method);
  }
};

/** Throws 400 unless the method is saved for the customer, which its default must be. */
const ownMethod = (call: Call, { object }: Customer, id: string): string => {
  const param = 'invoice_settings[default_payment_method]';
  const method = resolveMethod(call, id, param);
  // A method that the same call attaches counts too.
  const isOwn =
    method.object.customer === object.id || readText(call.values, 'payment_method') === id;
  if (isOwn) return method.object.id;
  const message = `The customer does not have a payment method with the ID ${id}. The payment method must be attached to the customer.`;
  throw invalidParameter('resource_missing', param, message);
};

const getCustomer = (call: Call): Customer => {
  const kept = call.core.resources.get('customer', call.id, { account: call.account });
  if (kept.notes.isDeleted) throw missingResource('customer', call.id, 'id');
  return kept;
};

/** Makes a customer from the call's values. */
export const createCustomer = (call: Call): Customer['object'] => {
  const { core } = call;
  const kept: Customer = {
    account: call.account,
    notes: { isDeleted: false },
    object: {
      id: core.ids.next('cus_', 14),
      object: 'customer',
      address: null,
      balance: 0,
      created: core.clock.now(),
      currency: null,
      default_source: null,
      delinquent: false,
      description: null,
      discount: null,
      email: null,
      invoice_prefix: core.ids.next('', 8).toUpperCase(),
      invoice_settings: {
        custom_fields: null,
        default_payment_method: null,
        footer: null,
        rendering_options: null,
      },
      livemode: false,
      metadata: {},
      name: null,
      next_invoice_sequence: 1,
      phone: null,
      preferred_locales: [],
      shipping: null,
      tax_exempt: 'none',
      test_clock: null,
    },
  };
  apply(call, kept);
  core.resources.insert('customer', kept);
  emitEvent(call, 'customer.created', { object: kept.object });
  const method = readText(call.values, 'payment_method');
  if (method) {
    const saved = resolveMethod(call, method, 'payment_method');
    assertSavable(saved);
    attachMethod(call, saved, kept.object.id);
  }
  return kept.object;
};

const update = (call: Call) => {
  const kept = getCustomer(call);
  apply(call, kept);
  call.core.resources.save(kept);
  emitEvent(call, 'customer.updated', { object: kept.object });
  return kept.object;
};

const remove = (call: Call) => {
  const kept = getCustomer(call);
  kept.notes.isDeleted = true;
  call.core.resources.save(kept);
  // A customer's saved methods cannot be used after it is deleted.
  const filter = { customer: kept.object.id, limit: -1 };
  for (const method of call.core.resources.list('payment_method', call.account, filter)) {
    method.object.customer = null;
    method.notes.isUsedUp = true;
    call.core.resources.save(method);
  }
  emitEvent(call, 'customer.deleted', { object: kept.object });
  return { id: kept.object.id, object: 'customer', deleted: true };
};

export const customerRoutes: Route[] = [
  {
    method: 'POST',
    path: '/customers',
    accepts: { ...rules, payment_method: 'text' },
    run: createCustomer,
  },
  {
    method: 'GET',
    path: '/customers',
    accepts: { ...pageRules, email: 'text' },
    run: (call) => {
      const email = readText(call.values, 'email');
      return answerList(call, 'customer', {
        url: '/v1/customers',
        keep: (object, notes) =>
          !notes.isDeleted && (email === undefined || object.email === email),
      });
    },
  },
  {
    method: 'GET',
    path: '/customers/:id',
    accepts: { expand: 'list' },
    run: (call) => {
      const kept = call.core.resources.get('customer', call.id, { account: call.account });
      if (kept.notes.isDeleted) return { id: kept.object.id, object: 'customer', deleted: true };
      return kept.object;
    },
  },
  { method: 'POST', path: '/customers/:id', accepts: rules, run: update },
  { method: 'DELETE', path: '/customers/:id', accepts: {}, run: remove },
  {
    method: 'GET',
    path: '/customers/:id/payment_methods',
    accepts: { ...pageRules, type: ['card'] },
    run: (call) => {
      assertCustomer(call, call.id);
      return answerList(call, 'payment_method', {
        url: `/v1/customers/${call.id}/payment_methods`,
        customer: call.id,
      });
    },
  },
];

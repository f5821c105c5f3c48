// Orders v2: an order is created, approved by the payer on a page of the sandbox, changed until then, and
// captured once.
import { malformedField, missingResource, required, unprocessable, WalletError } from './errors.ts';
import { nextCustomer, nextId } from './identifiers.ts';
import { type Amount, readMoney } from './money.ts';
import type { Order, StoredWalletObject } from './objects.ts';
import { captureOrder, hasRunOut, saveOrder } from './order-moves.ts';
import { readText, readUrl } from './read.ts';
import { showOrder, showOrderBriefly } from './shapes.ts';
import { fieldsOf, type WalletCall, type WalletRoute } from './wallet.ts';

const unit = '/purchase_units/0';
const context = '/payment_source/paypal/experience_context';
const vault = '/payment_source/paypal/attributes/vault';

const getOrder = (call: WalletCall, id = call.id): StoredWalletObject<'order'> => {
  const order = call.wallet.objects.get('order', id, call.account);
  if (hasRunOut(call, order.object)) throw missingResource();
  return order;
};

const readUnit = (body: unknown): Record<string, unknown> => {
  const units = fieldsOf(body).purchase_units;
  if (units === undefined) throw required('/purchase_units');
  if (!Array.isArray(units)) throw malformedField('/purchase_units');
  const [first, ...more] = units as unknown[];
  if (more.length > 0) {
    throw new WalletError(400, 'INVALID_ARRAY_MAX_ITEMS', { field: '/purchase_units' });
  }
  if (first === undefined) {
    throw new WalletError(400, 'INVALID_ARRAY_MIN_ITEMS', { field: '/purchase_units' });
  }
  return fieldsOf(first);
};

const readIntent = (body: unknown): void => {
  const { intent } = fieldsOf(body);
  if (intent === undefined) throw required('/intent');
  if (intent === 'AUTHORIZE') throw unprocessable('UNSUPPORTED_INTENT', { field: '/intent' });
  if (intent !== 'CAPTURE') {
    throw new WalletError(400, 'INVALID_PARAMETER_VALUE', { field: '/intent' });
  }
};

/** Returns the customer for whom the payer's account is saved; null when it is not to be saved. */
const readStoring = (call: WalletCall): string | null => {
  const wanted = readText(call.body, `${vault}/store_in_vault`, { max: 255 });
  if (wanted === null) return null;
  if (wanted !== 'ON_SUCCESS') throw malformedField(`${vault}/store_in_vault`);
  // The fault's meaning: the merchant's app may charge, but not save payment sources.
  if (call.isForcedToDecline) throw unprocessable('NOT_ENABLED_TO_VAULT_PAYMENT_SOURCE');
  const customer = '/payment_source/paypal/attributes/customer/id';
  return readText(call.body, customer, { max: 22 }) ?? nextCustomer(call.core.ids);
};

const readOrder = (call: WalletCall): Order => {
  const { body } = call;
  readIntent(body);
  const amount = readMoney(readUnit(body).amount, `${unit}/amount`);
  const hasSource = fieldsOf(fieldsOf(body).payment_source).paypal !== undefined;
  if (hasSource && call.idempotencyKey === null) {
    throw new WalletError(400, 'PAYPAL_REQUEST_ID_REQUIRED');
  }
  const at = hasSource ? context : '/application_context';
  const nowMs = call.core.clock.nowMs();
  return {
    id: nextId(call.core.ids),
    createdMs: nowMs,
    updatedMs: nowMs,
    status: hasSource ? 'PAYER_ACTION_REQUIRED' : 'CREATED',
    amount,
    referenceId: readText(body, `${unit}/reference_id`, { max: 256 }) ?? 'default',
    customId: readText(body, `${unit}/custom_id`, { max: 127 }),
    invoiceId: readText(body, `${unit}/invoice_id`, { max: 127 }),
    description: readText(body, `${unit}/description`, { max: 127 }),
    hasSource,
    returnUrl: readUrl(body, `${at}/return_url`),
    cancelUrl: readUrl(body, `${at}/cancel_url`),
    storesFor: readStoring(call),
    payerId: null,
    behaviour: 'completes',
  };
};

const create = (call: WalletCall) => {
  const order = { account: call.account, object: readOrder(call) };
  call.wallet.objects.insert('order', order);
  const charged = findCharged(call);
  if (charged) captureOrder(call, order, charged);
  const body = call.wantsAll || charged ? showOrder(call, order) : showOrderBriefly(call, order);
  return { status: 201, body, order: order.object.id };
};

/** Returns the saved account that a call charges; null when it names none. */
const findCharged = (call: WalletCall): { id: string; behaviour: Order['behaviour'] } | null => {
  const field = '/payment_source/paypal/vault_id';
  const id = readText(call.body, field, { max: 255 });
  if (id === null) return null;
  const token = call.wallet.objects.find('payment_token', id);
  if (token?.account !== call.account) throw unprocessable('TOKEN_ID_NOT_FOUND', { field });
  return { id: token.object.payerId, behaviour: token.object.behaviour };
};

const capture = (call: WalletCall) => {
  const order = getOrder(call);
  captureOrder(call, order, findCharged(call));
  return { status: 201, body: showOrder(call, order), order: order.object.id };
};

const read = (call: WalletCall) => {
  const order = getOrder(call);
  return { status: 200, body: showOrder(call, order), order: order.object.id };
};

type Patch = { op: string; path: string; value: unknown };
const patchable = ['custom_id', 'invoice_id', 'description', 'amount'] as const;
type Patchable = (typeof patchable)[number];

const readPatches = (body: unknown): Patch[] => {
  if (!Array.isArray(body)) throw malformedField('/');
  return body.map((one) => {
    const { op, path, value } = fieldsOf(one);
    if (typeof path !== 'string') throw unprocessable('PATCH_PATH_REQUIRED');
    if (typeof op !== 'string' || !['add', 'replace', 'remove'].includes(op)) {
      throw new WalletError(400, 'INVALID_PATCH_OPERATION');
    }
    if (op !== 'remove' && value === undefined) throw unprocessable('PATCH_VALUE_REQUIRED');
    return { op, path, value };
  });
};

const fieldOf = (order: Order, path: string): Patchable => {
  const match = /^\/purchase_units\/@reference_id=='([^']*)'\/(\w+)$/.exec(path);
  if (!match) throw unprocessable('INVALID_JSON_POINTER_FORMAT');
  if (match[1] !== order.referenceId) throw unprocessable('REFERENCE_ID_NOT_FOUND');
  const field = patchable.find((name) => name === match[2]);
  if (!field) throw new WalletError(400, 'FIELD_NOT_PATCHABLE');
  return field;
};

const sameCurrency = (order: Order, amount: Amount): Amount => {
  if (amount.currency === order.amount.currency) return amount;
  throw unprocessable('MULTI_CURRENCY_ORDER');
};

const applyPatch = (order: Order, { op, path, value }: Patch): void => {
  const field = fieldOf(order, path);
  if (field === 'amount') {
    if (op === 'remove') throw new WalletError(400, 'INVALID_PATCH_OPERATION');
    order.amount = sameCurrency(order, readMoney(value, path));
    return;
  }
  const text = op === 'remove' ? null : readText({ value }, '/value', { max: 127 });
  if (field === 'custom_id') order.customId = text;
  else if (field === 'invoice_id') order.invoiceId = text;
  else order.description = text;
};

const patch = (call: WalletCall) => {
  const order = getOrder(call);
  if (order.object.status === 'COMPLETED') throw unprocessable('ORDER_ALREADY_COMPLETED');
  if (call.isForcedToDecline) throw unprocessable('NOT_PATCHABLE');
  for (const change of readPatches(call.body)) applyPatch(order.object, change);
  saveOrder(call, order);
  return { status: 204, order: order.object.id };
};

export const orderRoutes: WalletRoute[] = [
  { method: 'POST', path: '/v2/checkout/orders', keeps: 'orders', run: create },
  { method: 'GET', path: '/v2/checkout/orders/:id', run: read },
  { method: 'PATCH', path: '/v2/checkout/orders/:id', run: patch },
  { method: 'POST', path: '/v2/checkout/orders/:id/capture', keeps: 'orders', run: capture },
];

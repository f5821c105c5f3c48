// `expand[]`: replaces ids by whole objects, as deep as the provider does.
import type { Core } from '../core/core.ts';
import { invalidParameter } from '../requests/errors.ts';
import type { Kind } from '../state/resources.ts';

const maxDepth = 4;

const kindByPrefix: Record<string, Kind> = {
  pi: 'payment_intent',
  ch: 'charge',
  pm: 'payment_method',
  cus: 'customer',
  seti: 'setup_intent',
  ctoken: 'confirmation_token',
  setatt: 'setup_attempt',
  re: 'refund',
  txn: 'balance_transaction',
  dp: 'dispute',
  issfr: 'radar.early_fraud_warning',
  prv: 'review',
  prod: 'product',
  price: 'price',
  cs: 'checkout.session',
};

/** Fields that hold an id, such as `source` of a balance transaction. */
const expandable = new Set([
  'balance_transaction',
  'charge',
  'customer',
  'default_payment_method',
  'default_price',
  'failure_balance_transaction',
  'latest_attempt',
  'latest_charge',
  'payment_intent',
  'payment_method',
  'product',
  'review',
  'setup_intent',
  'source',
]);

/** Fields that an object has only in some states: in others there is nothing to expand. */
const fieldsOfSomeStates = new Set(['refund failure_balance_transaction']);

type Scope = { core: Core; account: string; whole: string };

const refuse = (scope: Scope) =>
  invalidParameter(undefined, 'expand', `This property cannot be expanded (${scope.whole}).`);

const fetchById = (scope: Scope, id: string): object | undefined => {
  const kind = kindByPrefix[id.split('_')[0] ?? ''];
  const kept = kind && scope.core.resources.find(kind, id);
  if (!kept || kept.account !== scope.account) return undefined;
  const isDeleted = 'isDeleted' in kept.notes && kept.notes.isDeleted;
  return isDeleted ? { id, object: 'customer', deleted: true } : kept.object;
};

const refundsOf = (scope: Scope, charge: string): object => ({
  object: 'list',
  data: scope.core.resources
    .list('refund', scope.account, { charge, limit: 10 })
    .map((kept) => kept.object),
  has_more: false,
  url: `/v1/charges/${charge}/refunds`,
});

const linesOf = (scope: Scope, session: string): object => {
  const { lines } = scope.core.resources.get('checkout.session', session, scope).notes;
  const data = lines.slice(0, 10);
  const url = `/v1/checkout/sessions/${session}/line_items`;
  return { object: 'list', data, has_more: lines.length > data.length, url };
};

/** Cards from before payment methods, which no customer of the sandbox has. */
const noSources = (customer: string): object => ({
  object: 'list',
  data: [],
  has_more: false,
  url: `/v1/customers/${customer}/sources`,
});

const expandField = (scope: Scope, target: Record<string, unknown>, name: string): unknown => {
  if (target.object === 'charge' && name === 'refunds') {
    target.refunds ??= refundsOf(scope, String(target.id));
    return target.refunds;
  }
  if (target.object === 'checkout.session' && name === 'line_items') {
    target.line_items ??= linesOf(scope, String(target.id));
    return target.line_items;
  }
  if (target.object === 'customer' && name === 'sources' && !target.deleted) {
    target.sources ??= noSources(String(target.id));
    return target.sources;
  }
  if (target.object === 'list' && name === 'data') return target.data;
  if (!(name in target)) {
    if (fieldsOfSomeStates.has(`${target.object} ${name}`)) return undefined;
    throw refuse(scope);
  }
  const value = target[name];
  if (typeof value === 'string') {
    const whole = expandable.has(name) ? fetchById(scope, value) : undefined;
    if (!whole) throw refuse(scope);
    target[name] = whole;
    return whole;
  }
  if (value === null && !expandable.has(name)) throw refuse(scope);
  return value;
};

const walkPath = (scope: Scope, target: unknown, path: readonly string[]): void => {
  const [name, ...rest] = path;
  if (name === undefined || target === null || target === undefined) return;
  if (Array.isArray(target)) {
    for (const one of target) walkPath(scope, one, path);
    return;
  }
  if (typeof target !== 'object') throw refuse(scope);
  walkPath(scope, expandField(scope, target as Record<string, unknown>, name), rest);
};

/** Expands `object` in place. Throws 400 for a path that leads to no expandable field. */
export const expandObject = (
  core: Core,
  account: string,
  { object, paths }: { object: object; paths: readonly string[] },
): object => {
  for (const whole of paths) {
    const path = whole.split('.');
    const scope = { core, account, whole };
    const depth = path[0] === 'data' ? path.length - 1 : path.length;
    if (depth > maxDepth) throw refuse(scope);
    walkPath(scope, object, path);
  }
  return object;
};

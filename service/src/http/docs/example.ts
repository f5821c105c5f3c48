// Makes an example value of a schema, for the reference and the OpenAPI document.

import type { RowShape } from '@svc/contract/rows/row';
import { answerOf, bodyOf, exampleValues, pathOf, wordOf } from './example-values.ts';

type Schema = {
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly default?: unknown;
  readonly pattern?: string;
  readonly format?: string;
  readonly minimum?: number;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly minProperties?: number;
  readonly items?: Schema;
  readonly not?: unknown;
  readonly 'x-name'?: string;
};

/** Values by field name, which are more useful than ones made from the type alone. */
const byName: Readonly<Record<string, unknown>> = {
  accountId: 'acct_1Q8mJv2eZvKYlo2C',
  after: 'evt_018f6e5cb7a27c3e9d41a0b2c4d6e8f0',
  amount: 19.9,
  amountCaptured: 19.9,
  amountMinor: 1990,
  amountRefundable: 19.9,
  amountRefunded: 0,
  allowedOrigins: ['https://shop.example'],
  apiVersion: '2026-01-01',
  brand: 'visa',
  cancelUrl: 'https://shop.example/cart',
  clientId: '018f6e5c-0000-7000-8000-00000000c11e',
  code: 'mug',
  country: 'DE',
  couponCodes: [],
  customerEmail: 'ada@example.com',
  customerName: 'Ada Lovelace',
  imageUrl: 'https://shop.example/mug.jpg',
  reference: '1042',
  shortReference: '7F3K-2Q9M',
  expiryMonth: 4,
  expiryYear: 2030,
  lastFour: '4242',
  name: 'Mug',
  understood: ['card ending in 4242, amount 14.90'],
  words: 'card ending in 4242, amount 14.90',
  title: 'A hold expires within 24 hours',
  limit: 20,
  owners: ['Grace Hopper'],
  page: 1,
  quantity: 1,
  subtotal: 19.9,
  discount: 0,
  successUrl: 'https://shop.example/thanks',
  totalAmount: 19.9,
  version: 1,
  fee: 0.54,
  net: 19.36,
  exchangeRate: null,
  transactionId: 'txn_1TestBalance',
  note: 'Paid twice: order 1007.',
  approvers: ['Ada Lovelace'],
  availableAt: '2026-02-02T00:00:00.000Z',
  month: '2026-11',
  nextMonth: '2026-12',
  closedBy: 'Ada Owner',
  sha256: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
  timeZone: 'Europe/Berlin',
  filters: 'status[eq]=succeeded&createdAt[gte]=2026-01-01T00:00:00Z',
  fileName: 'payments_2026-01-01_EUR_Europe-Berlin_12-rows.csv',
};

/** Objects that are shown with all their fields, although only the id is required. */
const whole = new Set(['PaymentListEntry']);

/** The placeholder for any text. */
const anyText = 'text';

/** Fields that take any text but are usually a UUID. */
const buyerIds = new Set(['userId', 'x-user-id']);

const keptFields = new Set(['id', 'type', 'status']);

/**
 * Returns a value that the schema allows. Optional fields are left out unless `toldOptional` or an
 * example scene names them.
 */
export function exampleOf(schema: unknown, name = ''): unknown {
  const {
    type,
    enum: values,
    properties,
    items,
    pattern = '',
    format,
    minimum,
    ...rest
  } = schema as Schema;
  if (rest.const !== undefined) return rest.const;
  // A product that is bought once has no interval.
  if (name === 'interval' && values?.includes(null)) return null;
  if (values) return values[0];
  if (rest.default !== undefined) return rest.default;
  const kinds = [type ?? 'object'].flat();
  // The same name may belong to a field of another type.
  const isOfKind = typeof byName[name] !== 'string' || kinds.includes('string');
  if (Object.hasOwn(byName, name) && !keptFields.has(name) && isOfKind) return byName[name];
  if (kinds.includes('object')) {
    const scene = exampleValues[rest['x-name'] ?? ''] ?? {};
    // When all fields are optional, as many as the schema requires.
    const least = Object.keys(properties ?? {}).slice(0, rest.minProperties ?? 0);
    const required = whole.has(rest['x-name'] ?? '')
      ? Object.keys(properties ?? {})
      : (rest.required ?? []);
    return { ...exampleObject(properties ?? {}, required.length > 0 ? required : least), ...scene };
  }
  if (
    kinds.includes('null') &&
    /^(failure|decline|override|void|captured|voided|parent|percentOff|externalId)/.test(name)
  )
    return null;
  if (kinds.includes('array')) return items ? [exampleOf(items)] : [];
  if (kinds.includes('integer')) return minimum ?? 1;
  if (kinds.includes('number')) return 19.9;
  if (kinds.includes('boolean')) return false;
  if (pattern.includes('[0-9a-fA-F]{8}') || buyerIds.has(name)) {
    return '018f6e5c-b7a2-7c3e-9d41-a0b2c4d6e8f0';
  }
  if (pattern.includes('T\\d{2}') || pattern.includes('[Tt]\\d{2}'))
    return '2026-01-31T12:00:00.000Z';
  if (pattern === '^[A-Z]{3}$') return 'EUR';
  if (pattern === '^[A-Z]{2}$') return 'DE';
  return format === 'email' || name === 'email' ? 'buyer@example.com' : anyText;
}

const toldOptional = new Set([
  'captureMethod',
  'currency',
  'products',
  'accountData',
  'successUrl',
  'status',
  'token',
]);

function exampleObject(
  properties: Readonly<Record<string, Schema>>,
  required: readonly string[] = [],
): Record<string, unknown> {
  const shown = Object.entries(properties).filter(
    ([name, schema]) => !schema.not && (required.includes(name) || toldOptional.has(name)),
  );
  return Object.fromEntries(shown.map(([name, schema]) => [name, exampleOf(schema, name)]));
}

/** Replaces placeholder texts by the field's own example text. A list of one page has no next cursor. */
function fillExampleTexts(value: unknown, name = ''): unknown {
  if (value === anyText) return wordOf[name] ?? value;
  if (Array.isArray(value)) return value.map((each) => fillExampleTexts(each, name));
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([key, each]) => [key, fillExampleTexts(each, key)]);
  return 'nextCursor' in value
    ? { ...Object.fromEntries(entries), nextCursor: null }
    : Object.fromEntries(entries);
}

/** Returns the example body of a call. */
export const exampleBody = ({ call, input }: Pick<RowShape, 'call' | 'input'>): unknown =>
  bodyOf[call] ?? fillExampleTexts(exampleOf(input.body ?? {}));

/** Returns the example values for the path of a call. */
export const examplePath = ({ call, input }: Pick<RowShape, 'call' | 'input'>) => ({
  ...(fillExampleTexts(exampleOf(input.path ?? {})) as Readonly<Record<string, unknown>>),
  ...pathOf[call.slice(call.indexOf(' ') + 1)],
});

/** The first lines of a file. */
const file = 'type,status,amount (EUR)\r\npurchase,succeeded,19.90\r\n';

/** Returns an example response of the call, for this schema. */
export function exampleAnswer(
  { call, isFile }: Pick<RowShape, 'call' | 'isFile'>,
  schema: unknown,
): unknown {
  if (isFile) return file;
  const example = fillExampleTexts(exampleOf(schema));
  const scene = answerOf[call];
  return scene ? { ...(example as object), ...scene } : example;
}

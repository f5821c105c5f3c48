// Validators and serialisers of the rows' schemas, compiled at first use: at start, a hundred rows
// would cost half a second and 50 MB.

import { createRequire } from 'node:module';
import type { ErrorCode } from '@svc/contract/errors/errors';
import type { RowShape } from '@svc/contract/rows/row';
import {
  currency,
  email,
  givenEmail,
  givenInstant,
  instant,
  uuid,
} from '@svc/contract/rows/schema';
import { instantOf } from '@svc/contract/values/instants';
import { Refusal } from '../../domain/protocol/refusal.ts';

/** Any schema of a row. */
export type TSchema = NonNullable<RowShape['input']['body']>;

type Violation = {
  readonly keyword: string;
  readonly instancePath: string;
  readonly message?: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly parentSchema?: Schema;
  /** The invalid value. */
  readonly data?: unknown;
};
export type Check = ((value: unknown) => boolean) & { errors?: readonly Violation[] | null };
type Schema = TSchema & {
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly 'x-code'?: ErrorCode;
};
type Compile<T> = (route: { schema: TSchema }) => T;

const require = createRequire(import.meta.url);
let compileCheck: Compile<Check> | undefined;
let compileWrite: Compile<(value: unknown) => string> | undefined;
const checks = new WeakMap<TSchema, Check>();
const writers = new WeakMap<TSchema, (value: unknown) => string>();

/** Returns the validator of a schema. It coerces and removes nothing; it fills in defaults. */
export function checkOf(schema: TSchema): Check {
  let check = checks.get(schema);
  if (!check) {
    compileCheck ??= require('@fastify/ajv-compiler')()(
      {},
      {
        customOptions: {
          coerceTypes: false,
          removeAdditional: false,
          allErrors: true,
          verbose: true,
          allowUnionTypes: true,
          // The rows are part of the service and tested: checking them again costs 50 ms at start.
          validateSchema: false,
          // Rows name properties of `not` and `required` parts without repeating their types.
          strictTypes: false,
          strictRequired: false,
          keywords: ['x-code', 'x-name', 'x-plain', 'x-light', 'x-trimmed', 'x-ops', 'x-lines'],
        },
      },
    ) as Compile<Check>;
    check = compileCheck({ schema });
    checks.set(schema, check);
  }
  return check;
}

/** Returns the compiled serialiser of a response; it throws when a required field is missing. */
export function serialiserOf(schema: TSchema): (value: unknown) => string {
  let write = writers.get(schema);
  if (!write) {
    const { SerializerSelector } = require('@fastify/fast-json-stringify-compiler');
    compileWrite ??= SerializerSelector()({}, {}) as Compile<(value: unknown) => string>;
    write = compileWrite({ schema });
    writers.set(schema, write);
  }
  return write;
}

const plainNumber = /^-?(?:0|[1-9]\d{0,14})(?:\.\d{1,9})?$/;

/**
 * Converts the text of a path, query or header to the type of its schema; other text is returned
 * unchanged.
 */
export function coerce(schema: TSchema, text: string): unknown {
  const { type } = schema as Schema;
  if ((type === 'integer' || type === 'number') && plainNumber.test(text)) return Number(text);
  if (type === 'boolean' && (text === 'true' || text === 'false')) return text === 'true';
  return text;
}

/** Converts the fields of a path, query or header by the schema's properties. */
export function coerceFields(
  schema: TSchema,
  fields: Iterable<readonly [string, string]>,
): Record<string, unknown> {
  const { properties = {} } = schema as Schema;
  const values: Record<string, unknown> = {};
  for (const [name, text] of fields) {
    const property = Object.hasOwn(properties, name) ? properties[name] : undefined;
    Object.defineProperty(values, name, {
      value: property ? coerce(property, text) : text,
      enumerable: true,
      writable: true,
      configurable: true,
    });
  }
  return values;
}

const maxErrors = 20;

/**
 * Throws for a value that its schema does not allow, with the `x-code` of the violated part or else
 * `fallback`; the error names every invalid field.
 */
export function assertValid(schema: TSchema, value: unknown, fallback: ErrorCode): void {
  const check = checkOf(schema);
  if (check(value)) return;
  const found = check.errors ?? [];
  // A condition that led to another violation is not reported itself.
  const own = found.filter(({ keyword }) => keyword !== 'if');
  const violations = (own.length > 0 ? own : found).slice(0, maxErrors).map((violation) => ({
    code: codeOf(violation),
    path: pathOf(violation),
    message: messageOf(violation),
  }));
  const named = violations.find(({ path }) => path !== '');
  const worst = violations.find(({ code }) => code !== undefined) ?? named ?? violations[0];
  const code = worst?.code ?? fallback;
  const errors = violations.map((each) => ({ ...each, code: each.code ?? fallback }));
  throw new Refusal(code, {
    ...(worst?.path ? { param: worst.path } : {}),
    errors,
    // A specific code has its own message; the general codes need the field's name.
    ...(code === fallback && worst ? { message: sentence(worst) } : {}),
  });
}

const sentence = ({ path, message }: { path: string; message: string }): string =>
  path ? `The field ${path} ${message}.` : `The request ${message}.`;

function codeOf({ keyword, params, parentSchema }: Violation): ErrorCode | undefined {
  if (keyword === 'required') {
    const missing = parentSchema?.properties?.[String(params.missingProperty)];
    return missing?.['x-code'] ?? parentSchema?.['x-code'];
  }
  return parentSchema?.['x-code'];
}

/**
 * Returns a path such as `products[0].code`, from a JSON Pointer and the property that the keyword
 * is about.
 */
function pathOf({ keyword, instancePath, params }: Violation): string {
  const named =
    keyword === 'required'
      ? params.missingProperty
      : keyword === 'additionalProperties'
        ? params.additionalProperty
        : undefined;
  const parts = instancePath
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
  if (named !== undefined) parts.push(String(named));
  const path = parts.map((part) => (/^\d+$/.test(part) ? `[${part}]` : `.${part}`)).join('');
  return path.replace(/^\./, '').slice(0, 200);
}

const counts: Readonly<Record<string, readonly [bound: string, one: string]>> = {
  minItems: ['at least', 'element'],
  maxItems: ['at most', 'element'],
  minLength: ['at least', 'character'],
  maxLength: ['at most', 'character'],
};

const patternOf = (schema: TSchema) => (schema as { readonly pattern?: string }).pattern ?? '';

/** What the contract's patterns require, in words. */
const forms: Readonly<Record<string, string>> = {
  [patternOf(uuid())]: 'must be a UUID, an id that this service gave',
  [patternOf(instant())]: 'must be an instant in UTC such as 2026-01-31T12:00:00.000Z',
  [patternOf(givenInstant())]:
    'must be an instant: a day and a time with Z or an offset, such as 2026-01-31T00:00:00Z or, in a query, 2026-01-31T01:00:00%2B01:00',
  [patternOf(givenEmail())]:
    'must be an address without blanks: in a query a + stands for a blank and is written as %2B',
  [patternOf(email())]: 'must be an address of mail, such as ada@example.com',
  [patternOf(currency())]: 'must be the code of a currency in capital letters, such as EUR',
};

const types: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  integer: 'a whole number',
  boolean: 'true or false',
  object: 'an object',
  array: 'an array',
  null: 'null',
};

/** The most common mistakes are ids that are numbers and amounts in quotes. */
function typeOf(wanted: readonly string[], given: unknown): string {
  const words = `must be ${wanted.map((type) => types[type] ?? type).join(' or ')}`;
  const isNumber = wanted.includes('number') || wanted.includes('integer');
  if (typeof given === 'number' && wanted.includes('string')) return `${words}, in quotes`;
  const isQuoted = typeof given === 'string' && plainNumber.test(given);
  return isNumber && isQuoted ? `${words}, without quotes` : words;
}

// Each call of a schema's function makes a schema, which a request must not pay for.
const instantPattern = patternOf(givenInstant());
const isInstant = (schema: TSchema): boolean => patternOf(schema) === instantPattern;

/**
 * Returns a valid value of the schema as operations read it; undefined for an instant that does not
 * exist.
 */
export const readAs = (schema: TSchema, value: string): string | undefined =>
  isInstant(schema) ? instantOf(value) : value;

/**
 * Returns a valid input with its instants in UTC, as responses write them. Throws `code` for a day or
 * time that does not exist, and names every such field as `assertValid` does.
 */
export function withInstants<T extends Readonly<Record<string, unknown>>>(
  schema: TSchema,
  value: T,
  code: ErrorCode,
): T {
  const instants = instantsOf(schema);
  if (instants.size === 0) return value;
  const errors: { path: string; code: ErrorCode; message: string }[] = [];
  const read: Record<string, string> = {};
  for (const [name, given] of Object.entries(value)) {
    if (typeof given !== 'string' || !instants.has(name)) continue;
    const instant = instantOf(given);
    if (instant === undefined) {
      errors.push({ path: name, code, message: forms[instantPattern] ?? 'is not valid' });
    } else {
      read[name] = instant;
    }
  }
  const [first] = errors;
  if (first) throw new Refusal(code, { param: first.path, errors, message: sentence(first) });
  return Object.keys(read).length === 0 ? value : { ...value, ...read };
}

const instantNames = new WeakMap<TSchema, ReadonlySet<string>>();

/** The names of the fields that are instants: most schemas have none. */
function instantsOf(schema: TSchema): ReadonlySet<string> {
  const known = instantNames.get(schema);
  if (known) return known;
  const { properties = {} } = schema as Schema;
  const found = Object.keys(properties).filter((name) => isInstant(properties[name] as Schema));
  const names = new Set(found);
  instantNames.set(schema, names);
  return names;
}

/** Returns the schema's form in words, when it has a named form. */
export const formOf = (schema: TSchema): string | undefined => forms[patternOf(schema)];

function messageOf({ keyword, message, params, data }: Violation): string {
  if (keyword === 'required') return 'is required';
  if (keyword === 'additionalProperties') return 'is not known here';
  if (keyword === 'not') return 'is not allowed here';
  if (keyword === 'type') return typeOf([params.type as string | readonly string[]].flat(), data);
  const form = keyword === 'pattern' ? forms[String(params.pattern)] : undefined;
  if (form !== undefined) return form;
  if (keyword === 'enum') {
    const values = params.allowedValues as readonly unknown[];
    return `must be one of ${values.map(String).join(', ')}`;
  }
  const counted = counts[keyword];
  if (counted !== undefined) {
    const [bound, one] = counted;
    return `must have ${bound} ${params.limit} ${one}${params.limit === 1 ? '' : 's'}`;
  }
  return message ?? 'is not valid';
}

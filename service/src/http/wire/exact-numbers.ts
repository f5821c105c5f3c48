// Numbers of a body that a double cannot represent: 1.0000000000000000001 would be read as 1, and
// an amount would be moved that the caller did not write. Contract §1 amount_precision, §12.

import type { ErrorCode } from '@svc/contract/errors/errors';
import { mostDecimals } from '@svc/contract/values/currencies';
import { canonicalNumber } from '../../domain/protocol/canonical-json.ts';
import { Refusal } from '../../domain/protocol/refusal.ts';
import type { TSchema } from './validate.ts';

/** A number whose double differs from its text. */
export type InexactNumber = {
  /** The top-level field of the body that contains it. */
  readonly field: string;
  readonly path: string;
  readonly text: string;
};

/** Returns whether the double of a JSON number equals its text exactly. */
export function isExact(text: string): boolean {
  // A double keeps every decimal number of 15 digits; an exponent may still be out of its range.
  if (text.length <= 15 && !/e/i.test(text)) return true;
  const value = Number(text);
  return Number.isFinite(value) && canonicalNumber(String(value)) === canonicalNumber(text);
}

/** Returns the inexact numbers of a valid JSON text with their paths, such as `products[0].totalAmount`. */
export function findInexact(text: string): InexactNumber[] {
  const marked = JSON.parse(text, markInexact as Reviver) as Record<string, unknown>;
  return Object.entries(marked).flatMap(([field, value]) =>
    marksIn(value, field).map((found) => ({ field, ...found })),
  );
}

type Reviver = (key: string, value: unknown) => unknown;

class Mark {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

const markInexact = (_key: string, value: unknown, { source }: { source?: string }): unknown =>
  typeof value === 'number' && source !== undefined && !isExact(source) ? new Mark(source) : value;

function marksIn(value: unknown, path: string): { path: string; text: string }[] {
  if (typeof value !== 'object' || value === null) return [];
  if (value instanceof Mark) return [{ path: path.slice(0, 200), text: value.text }];
  return Object.entries(value).flatMap(([key, part]) =>
    marksIn(part, path + (Array.isArray(value) ? `[${key}]` : `.${key}`)),
  );
}

const mostErrors = 20;

/**
 * Throws for inexact numbers: amount_precision for the decimals of amounts, else invalid_request.
 * Fields that a schema allows without knowing them are accepted: no code reads them, and the
 * request's identity is made from the text.
 */
export function assertExact(inexact: readonly InexactNumber[], schema?: TSchema): void {
  if (inexact.length === 0) return;
  const { properties = {}, additionalProperties } = (schema ?? closed) as ClosedSchema;
  const errors = inexact
    .filter(({ field }) => additionalProperties === false || Object.hasOwn(properties, field))
    .slice(0, mostErrors)
    .map(
      ({ path, text }): Problem =>
        /amount\w*$/i.test(path) && decimalsOf(text) > mostDecimals
          ? { path, code: 'amount_precision', message: 'has more decimals than any currency' }
          : { path, code: 'invalid_request', message: 'has more digits than can be kept' },
    );
  const [first] = errors;
  if (!first) return;
  const isPrecision = errors.every(({ code }) => code === 'amount_precision');
  throw new Refusal(isPrecision ? 'amount_precision' : 'invalid_request', {
    message: `The field ${first.path} ${first.message}.`,
    errors,
  });
}

type ClosedSchema = { readonly properties?: object; readonly additionalProperties?: unknown };
const closed: ClosedSchema = { additionalProperties: false };

type Problem = { readonly path: string; readonly code: ErrorCode; readonly message: string };

/** Returns the decimals of a JSON number, without trailing zeros. */
const decimalsOf = (text: string): number => -Number(canonicalNumber(text).split('e')[1] ?? 0);

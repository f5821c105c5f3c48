// Reads a tool's arguments as the input of its operation, as strictly as the same call over HTTP.

import type { RowShape } from '@svc/contract/rows/row';
import { Refusal } from '../../domain/protocol/refusal.ts';
import { assertPlainText } from '../wire/plain-text.ts';
import { assertDepth, takeFilters } from '../wire/query.ts';
import { readValue } from '../wire/read-body.ts';
import { assertValid, checkOf, type TSchema, withInstants } from '../wire/validate.ts';
import { partsOf } from './tool-schema.ts';
import type { ServedTool } from './tools.ts';

export type Arguments = Readonly<Record<string, unknown>>;

const fallback = {
  path: 'invalid_request',
  query: 'invalid_query',
  body: 'invalid_request',
} as const;

/**
 * Null for an optional argument means that it is absent. Throws what the row's call throws, and
 * invalid_request for an argument that the tool does not have.
 */
export function readArguments({ row, definition }: ServedTool, given: Arguments) {
  const known = definition.inputSchema.properties;
  const stranger = Object.keys(given).find((name) => !Object.hasOwn(known, name));
  if (stranger !== undefined) throw unknownArgument(stranger);
  const parts = Object.fromEntries(
    partsOf(row).map(([part, schema]) => {
      const names = Object.keys(schema.properties ?? {});
      const fields = names.flatMap((name): [string, unknown][] =>
        Object.hasOwn(given, name)
          ? [[name, part === 'path' ? lowerUuid(given[name]) : given[name]]]
          : [],
      );
      // A copy, because validation fills in defaults.
      const said = readValue(schema as TSchema, Object.fromEntries(fields));
      const value = structuredClone(said) as Record<string, unknown>;
      assertValid(schema as TSchema, value, fallback[part]);
      assertPlainText(value, false);
      return [part, withInstants(schema as TSchema, value, fallback[part])];
    }),
  );
  const filters = row.filters ? readFilters(row.filters, given.filters) : [];
  assertDepth(parts.query ?? {}, filters.length > 0);
  return {
    ...parts.path,
    ...parts.query,
    ...(row.input.body ? { body: parts.body ?? {} } : {}),
    ...(row.filters ? { filters } : {}),
  };
}

/** Converts ids to lower case, so that one resource has one spelling. */
const lowerUuid = (value: unknown): unknown =>
  typeof value === 'string' && /^[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}$/.test(value)
    ? value.toLowerCase()
    : value;

const unknownArgument = (name: string): Refusal => {
  const param = name.replace(/[^\x21-\x7e]/g, '?').slice(0, 80);
  return new Refusal('invalid_request', { param, message: `There is no argument ${param}.` });
};

function readFilters(fields: NonNullable<RowShape['filters']>, given: unknown) {
  const asked = given ?? [];
  if (!Array.isArray(asked) || !asked.every(isFilter)) {
    throw new Refusal('invalid_query', {
      param: 'filters',
      message: 'Each of the filters is { field, op, values }.',
    });
  }
  const query = new Map<string, string>();
  for (const { field, op, values } of asked) {
    const name = `${field}[${op}]`;
    if (query.has(name) || (op !== 'in' && values.length !== 1)) {
      throw new Refusal('invalid_query', {
        param: 'filters',
        message: 'Give each field and operator once, with one value; `in` takes several.',
      });
    }
    query.set(name, values.join(','));
  }
  return takeFilters(query, fields, checkOf);
}

type FilterArgument = { field: string; op: string; values: readonly string[] };

function isFilter(each: unknown): each is FilterArgument {
  const { field, op, values, ...more } = (each ?? {}) as Partial<FilterArgument>;
  return (
    typeof field === 'string' &&
    typeof op === 'string' &&
    Array.isArray(values) &&
    values.length > 0 &&
    values.every((value) => typeof value === 'string') &&
    Object.keys(more).length === 0
  );
}

// Turns a row's schemas into one tool's schema: path, query and body become arguments side by side,
// and keywords that only the service's validators and serialisers read are left out.

import assert from 'node:assert';
import { metadataFilter, operators, operatorsOf, type RowShape } from '@svc/contract/rows/row';
import type { TSchema } from '../wire/validate.ts';

export type JsonSchema = { readonly [keyword: string]: unknown };
export type ObjectSchema = JsonSchema & {
  readonly type: 'object';
  readonly properties: Readonly<Record<string, JsonSchema>>;
  readonly required: readonly string[];
};
export type Part = 'path' | 'query' | 'body';

type Properties = Readonly<Record<string, TSchema>>;
type AnyObject = { properties?: Properties; required?: string[]; additionalProperties?: unknown };

/** Returns the schema without the service's own keywords. */
export function plainSchema(schema: unknown): JsonSchema {
  return plain(schema) as JsonSchema;
}

function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== 'object' || value === null) return value;
  const kept = Object.entries(value).filter(([key]) => !key.startsWith('x-') && key !== '~kind');
  return Object.fromEntries(kept.map(([key, each]) => [key, plain(each)]));
}

/**
 * Returns the parts of the input that become arguments. A body that takes any object (capture,
 * cancel) is left out: nothing in it changes the operation.
 */
export function partsOf({ input }: RowShape): readonly (readonly [Part, AnyObject])[] {
  const parts = (['path', 'query', 'body'] as const).flatMap((part) => {
    const schema = input[part] as AnyObject | undefined;
    if (!schema || (part === 'body' && schema.additionalProperties !== false)) return [];
    return [[part, schema] as const];
  });
  const names = parts.flatMap(([, schema]) => Object.keys(schema.properties ?? {}));
  assert(new Set(names).size === names.length, 'no argument stands in two parts of the input');
  return parts;
}

const hasDefault = (schema: TSchema | undefined): boolean =>
  schema !== undefined && Object.hasOwn(schema, 'default');

/** Returns the arguments of a tool: those of the row, then `more`. Unknown arguments are refused. */
export function argumentsSchema(
  row: RowShape,
  more: Readonly<Record<string, JsonSchema>>,
): ObjectSchema {
  const parts = partsOf(row).map(([, schema]) => schema);
  const properties: [string, JsonSchema][] = parts.flatMap((schema) =>
    Object.entries(schema.properties ?? {}).map(([name, each]): [string, JsonSchema] => [
      name,
      plainSchema(each),
    ]),
  );
  const required = parts.flatMap((schema) =>
    (schema.required ?? []).filter((name) => !hasDefault(schema.properties?.[name])),
  );
  return {
    type: 'object',
    properties: {
      ...Object.fromEntries(properties),
      ...(row.filters ? { filters: filtersSchema(row.filters) } : {}),
      ...more,
    },
    required,
    additionalProperties: false,
  };
}

/** Gives an example by a field with few values, and several of them, if there is one; otherwise by time. */
function exampleOf(filters: Properties): JsonSchema {
  for (const [field, schema] of Object.entries(filters)) {
    const { enum: values } = schema as { enum?: readonly string[] };
    if (values) return { field, op: 'in', values: values.slice(0, 2) };
  }
  assert(filters.createdAt, 'what is listed has a time');
  return { field: 'createdAt', op: 'gte', values: ['2026-01-01T00:00:00.000Z'] };
}

/** One shape for every field: a schema for each field and operator would be fifty times as long. */
function filtersSchema(filters: Properties): JsonSchema {
  const described = Object.entries(filters).map(([name, schema]) => {
    const { enum: values, type } = schema as { enum?: readonly string[]; type?: string };
    const ops = operatorsOf(schema);
    const only = ops === operators ? '' : `, by ${ops.join(', ')}`;
    return `${name} (${values ? values.join(', ') : (type ?? 'string')}${only})`;
  });
  const example = [exampleOf(filters)];
  return {
    type: 'array',
    maxItems: 20,
    description: `Only rows that satisfy all of them. Fields: ${described.join('; ')}. Example: ${JSON.stringify(example)}`,
    examples: [example],
    items: {
      type: 'object',
      properties: {
        field: fieldSchema(filters),
        op: { type: 'string', enum: opsOf(filters) },
        values: {
          type: 'array',
          items: { type: 'string' },
          minItems: 1,
          maxItems: 100,
          description: 'One value; several with `in`.',
        },
      },
      required: ['field', 'op', 'values'],
      additionalProperties: false,
    },
  };
}

const opsOf = (filters: Properties): readonly string[] => [
  ...new Set(Object.values(filters).flatMap((schema) => operatorsOf(schema))),
];

/** Accepts the fields by name; metadata fields, which merchants name, by pattern. */
function fieldSchema(filters: Properties): JsonSchema {
  const named = Object.keys(filters).filter((name) => name !== metadataFilter);
  const field = { type: 'string', enum: named };
  if (named.length === Object.keys(filters).length) return field;
  return { anyOf: [field, { type: 'string', pattern: '^metadata\\..{1,40}$' }] };
}

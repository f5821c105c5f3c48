// Reads a body before it is validated: null for an optional field counts as absent, and a light
// create keeps only its own fields. Contract, wire rules; §3, Create.

import type { TSchema } from './validate.ts';

type KeptFields = { readonly [name: string]: true | readonly string[] };

type Schema = {
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly not?: unknown;
  readonly default?: unknown;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  /** When `field` is true, only the fields that `keeps` names are read; of an object, the listed fields. */
  readonly 'x-light'?: { readonly field: string; readonly keeps: KeptFields };
};

type Fields = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Returns false when null is not a valid value of the field, so that a null can count as absent. */
function acceptsNull({ type, enum: values, const: only, not }: Schema): boolean {
  if (not) return false;
  if (only !== undefined) return only === null;
  if (values) return values.includes(null);
  return type === undefined || type === 'null' || (Array.isArray(type) && type.includes('null'));
}

/** Returns the value that its schema validates; an unchanged value is the same object. */
export function readValue(schema: TSchema, value: unknown): unknown {
  return read(schema as Schema, value);
}

function read(schema: Schema, value: unknown): unknown {
  if (Array.isArray(value)) {
    const { items } = schema;
    if (!items) return value;
    const elements = value.map((each) => read(items, each));
    return elements.some((each, at) => each !== value[at]) ? elements : value;
  }
  const { properties } = schema;
  if (!properties || !isObject(value)) return value;
  const light = schema['x-light'];
  const said =
    light && value[light.field] === true ? keepFields(value, light.keeps, properties) : value;
  let changed: Record<string, unknown> | undefined;
  for (const name of Object.keys(said)) {
    // A field that the row does not know stays, so that validation refuses it.
    const property = Object.hasOwn(properties, name) ? properties[name] : undefined;
    if (!property) continue;
    const each = said[name];
    const isOptional = !schema.required?.includes(name) || property.default !== undefined;
    if (each === null && isOptional && !acceptsNull(property)) {
      changed ??= { ...said };
      delete changed[name];
      continue;
    }
    const part = read(property, each);
    if (part === each) continue;
    changed ??= { ...said };
    changed[name] = part;
  }
  return changed ?? said;
}

/** A field that the row does not know is kept, so that validation refuses it. */
function keepFields(
  value: Fields,
  keeps: KeptFields,
  properties: Readonly<Record<string, Schema>>,
): Fields {
  const entries = Object.entries(value).flatMap(([name, each]): [string, unknown][] => {
    if (!Object.hasOwn(properties, name)) return [[name, each]];
    const kept = Object.hasOwn(keeps, name) ? keeps[name] : undefined;
    if (kept === undefined) return [];
    if (kept === true || !isObject(each)) return [[name, each]];
    return [[name, Object.fromEntries(Object.entries(each).filter(([key]) => kept.includes(key)))]];
  });
  return Object.fromEntries(entries);
}

// What a body says, before it is judged: null for an optional field is the field left out, and a light
// create says nothing but what it keeps. Contract, wire rules; §3, Create.

import type { TSchema } from './validate.ts';

type Keeps = { readonly [name: string]: true | readonly string[] };

type Schema = {
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly not?: unknown;
  readonly default?: unknown;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  /** With `field` true only what `keeps` names is read; of an object, the named fields. */
  readonly 'x-light'?: { readonly field: string; readonly keeps: Keeps };
};

type Fields = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** False where a null would be judged as such: it is no value of the field. */
function takesNull({ type, enum: values, not }: Schema): boolean {
  if (not) return false;
  if (values) return values.includes(null);
  return type === undefined || type === 'null' || (Array.isArray(type) && type.includes('null'));
}

/** The value as its schema is to judge it; what is left as it is is the same object. */
export function readValue(schema: TSchema, value: unknown): unknown {
  return read(schema as Schema, value);
}

function read(schema: Schema, value: unknown): unknown {
  if (Array.isArray(value)) {
    const { items } = schema;
    return items ? value.map((each) => read(items, each)) : value;
  }
  const { properties } = schema;
  if (!properties || !isObject(value)) return value;
  const light = schema['x-light'];
  const said =
    light && value[light.field] === true ? keepOf(value, light.keeps, properties) : value;
  const entries = Object.entries(said).flatMap(([name, each]): [string, unknown][] => {
    const property = Object.hasOwn(properties, name) ? properties[name] : undefined;
    if (!property) return [[name, each]];
    const isOptional = !schema.required?.includes(name) || property.default !== undefined;
    return each === null && isOptional && !takesNull(property)
      ? []
      : [[name, read(property, each)]];
  });
  return Object.fromEntries(entries);
}

/** A field that the row does not know stays, and is refused. */
function keepOf(value: Fields, keeps: Keeps, properties: Readonly<Record<string, Schema>>): Fields {
  const entries = Object.entries(value).flatMap(([name, each]): [string, unknown][] => {
    if (!Object.hasOwn(properties, name)) return [[name, each]];
    const kept = Object.hasOwn(keeps, name) ? keeps[name] : undefined;
    if (kept === undefined) return [];
    if (kept === true || !isObject(each)) return [[name, each]];
    return [[name, Object.fromEntries(Object.entries(each).filter(([key]) => kept.includes(key)))]];
  });
  return Object.fromEntries(entries);
}

// Compares an event with the schema of its type: missing fields, unknown fields, and values of another
// type.

import { Compile, type Validator } from 'typebox/schema';
import type { EventType } from '../rows/event-types.ts';
import { eventSchemas } from './event-schemas.ts';

/**
 * The same schema with every object closed. Merchants are promised the listed fields, but more may be
 * added.
 */
function openObjects(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(openObjects);
  if (typeof schema !== 'object' || schema === null) return schema;
  const parts = Object.entries(schema).map(([key, part]) => [key, openObjects(part)] as const);
  const isOpen = 'properties' in schema && !('additionalProperties' in schema);
  return { ...Object.fromEntries(parts), ...(isOpen ? { additionalProperties: false } : {}) };
}

const validators = new Map<string, Validator>();

function validatorOf(type: EventType): Validator {
  const known = validators.get(type);
  if (known) return known;
  const made = Compile(openObjects(eventSchemas[type]) as object);
  validators.set(type, made);
  return made;
}

/**
 * Returns the reasons why the event does not match its schema, one text each: a missing field, an unknown
 * one, or a value of another type. Empty for a valid event. The event is as parsed from JSON.
 */
export function violationsOf(event: unknown): string[] {
  const { type } = event as { readonly type?: unknown };
  if (typeof type !== 'string' || !Object.hasOwn(eventSchemas, type)) {
    return [`no schema for an event of type ${String(type)}`];
  }
  const [, errors] = validatorOf(type as EventType).Errors(event);
  return errors.map(({ instancePath, message, params }) =>
    [`${type} ${instancePath || '/'}`, message, JSON.stringify(params)].join(' '),
  );
}

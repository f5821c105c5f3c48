// Compares an event with the schema of its type: fields too many, too few or of another kind.

import { Compile, type Validator } from 'typebox/schema';
import { eventSchemas } from './event-schemas.ts';
import type { EventType } from './events.ts';

/** The same schema with every object closed: merchants are promised fields, not that there are no more. */
function closed(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(closed);
  if (typeof schema !== 'object' || schema === null) return schema;
  const parts = Object.entries(schema).map(([key, part]) => [key, closed(part)] as const);
  const isOpen = 'properties' in schema && !('additionalProperties' in schema);
  return { ...Object.fromEntries(parts), ...(isOpen ? { additionalProperties: false } : {}) };
}

const validators = new Map<string, Validator>();

function validatorOf(type: EventType): Validator {
  const known = validators.get(type);
  if (known) return known;
  const made = Compile(closed(eventSchemas[type]) as object);
  validators.set(type, made);
  return made;
}

/**
 * Why the event is not what its schema says, a line each: a missing field, an unknown one, a value of
 * another kind. Empty for one that is. The event is as it was read from its JSON.
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

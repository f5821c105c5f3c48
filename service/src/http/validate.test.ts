import { describe, expect, it } from 'vitest';
import { Refusal } from '../domain/refusal.ts';
import { assertValid, type TSchema } from './validate.ts';

const schema = {
  type: 'object',
  properties: {
    types: { type: 'array', items: { type: 'string' }, minItems: 1, maxItems: 2 },
    name: { type: 'string', minLength: 2, maxLength: 3 },
  },
} as TSchema;

function messageFor(body: object): string {
  try {
    assertValid(schema, body, 'invalid_request');
  } catch (error) {
    if (error instanceof Refusal) return error.message;
    throw error;
  }
  throw new Error('taken');
}

describe('assertValid', () => {
  it.each([
    [{ types: [] }, 'The field types must have at least 1 element.'],
    [{ types: ['a', 'b', 'c'] }, 'The field types must have at most 2 elements.'],
    [{ name: 'a' }, 'The field name must have at least 2 characters.'],
    [{ name: 'abcd' }, 'The field name must have at most 3 characters.'],
  ])('says what is asked for: %j', (body, message) => {
    expect(messageFor(body)).toBe(message);
  });
});

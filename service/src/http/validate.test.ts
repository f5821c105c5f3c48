import { instant, uuid } from '@svc/contract/schema';
import { describe, expect, it } from 'vitest';
import { Refusal } from '../domain/refusal.ts';
import { parseQuery, takeFilters } from './query.ts';
import { assertValid, checkOf, type TSchema } from './validate.ts';

const schema = {
  type: 'object',
  properties: {
    types: { type: 'array', items: { type: 'string' }, minItems: 1, maxItems: 2 },
    name: { type: 'string', minLength: 2, maxLength: 3 },
    since: instant(),
    id: uuid(),
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

const anInstant = 'must be an instant in UTC such as 2026-01-31T12:00:00.000Z';

describe('takeFilters', () => {
  it.each([
    ['createdAt[gte]=2026-05-01', anInstant],
    ['id[eq]=x', 'must be a UUID'],
  ])('says what a field takes: %s', (text, words) => {
    const fields = { createdAt: instant(), id: uuid() };
    const [name] = text.split('=');
    expect(() => takeFilters(parseQuery(text), fields, checkOf)).toThrow(
      `The query parameter ${name} ${words}.`,
    );
  });
});

describe('assertValid', () => {
  it.each([
    [{ types: [] }, 'The field types must have at least 1 element.'],
    [{ types: ['a', 'b', 'c'] }, 'The field types must have at most 2 elements.'],
    [{ name: 'a' }, 'The field name must have at least 2 characters.'],
    [{ name: 'abcd' }, 'The field name must have at most 3 characters.'],
    [{ id: 'x' }, 'The field id must be a UUID.'],
    [{ since: '2026-05-01' }, `The field since ${anInstant}.`],
  ])('says what is asked for: %j', (body, message) => {
    expect(messageFor(body)).toBe(message);
  });
});

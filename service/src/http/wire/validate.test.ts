import { currency, email, instant, uuid } from '@svc/contract/rows/schema';
import { describe, expect, it } from 'vitest';
import { Refusal } from '../../domain/protocol/refusal.ts';
import { parseQuery, takeFilters } from './query.ts';
import { assertValid, checkOf, type TSchema } from './validate.ts';

const schema = {
  type: 'object',
  properties: {
    types: { type: 'array', items: { type: 'string' }, minItems: 1, maxItems: 2 },
    name: { type: 'string', minLength: 2, maxLength: 3 },
    since: instant(),
    id: uuid(),
    email: email(),
    currency: currency(),
    amount: { type: 'number' },
    country: { type: ['string', 'null'] },
    isActive: { type: 'boolean' },
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
    ['id[eq]=x', 'must be a UUID, an id that this service gave'],
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
    [{ id: 'x' }, 'The field id must be a UUID, an id that this service gave.'],
    [{ since: '2026-05-01' }, `The field since ${anInstant}.`],
    [{ email: 'ada' }, 'The field email must be an address of mail, such as ada@example.com.'],
    [
      { currency: 'eur' },
      'The field currency must be the code of a currency in capital letters, such as EUR.',
    ],
    [{ name: 42 }, 'The field name must be a string, in quotes.'],
    [{ amount: '4.20' }, 'The field amount must be a number, without quotes.'],
    [{ amount: 'four' }, 'The field amount must be a number.'],
    [{ country: 49 }, 'The field country must be a string or null, in quotes.'],
    [{ isActive: 'yes' }, 'The field isActive must be true or false.'],
    [{ types: {} }, 'The field types must be an array.'],
  ])('says what is asked for: %j', (body, message) => {
    expect(messageFor(body)).toBe(message);
  });
});

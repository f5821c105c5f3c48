// What is sent for a row of the contract.

import { beforeAll, expect, it, vi } from 'vitest';
import type * as Calls from './calls.ts';

let requestFor: typeof Calls.requestFor;

// The router reads the address when it is loaded.
beforeAll(async () => {
  vi.stubGlobal('location', new URL('http://localhost/account'));
  ({ requestFor } = await import('./calls.ts'));
});

it('fields that the path names stand there, the others in the query, the body apart', () => {
  const row = 'PATCH /v1/notes/{noteId}';
  const body = { text: 'a', version: 1 };
  expect(requestFor(row, { noteId: 'a/b', body })).toEqual({
    method: 'PATCH',
    path: '/v1/notes/a%2Fb',
    body,
  });
  const filters = { 'state[eq]': 'dead', cursor: undefined, limit: 25 } as const;
  expect(requestFor('GET /v1/webhook-endpoints/{id}/deliveries', { id: 'w', ...filters })).toEqual({
    method: 'GET',
    path: '/v1/webhook-endpoints/w/deliveries?state[eq]=dead&limit=25',
    body: undefined,
  });
});

it('a query that is known as text only follows the fields', () => {
  const { path } = requestFor('GET /v1/payments', { limit: 5 }, new URLSearchParams({ q: 'a b' }));
  expect(path).toBe('/v1/payments?limit=5&q=a+b');
  expect(requestFor('GET /v1/payments', {}).path).toBe('/v1/payments');
});

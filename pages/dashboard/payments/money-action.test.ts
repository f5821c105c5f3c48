// The repeat of a call that moves money, without the page: it sends the same call again, or none.

import { afterEach, beforeAll, expect, it, vi } from 'vitest';
import type * as MoneyAction from './money-action.ts';

let { askFor, beginAction, endAction, readStoredAction } = {} as typeof MoneyAction;
beforeAll(async () => {
  vi.stubGlobal('location', new URL('https://pay.example/dashboard'));
  ({ askFor, beginAction, endAction, readStoredAction } = await import('./money-action.ts'));
});

const action = { clientId: 'c', personId: 'p', paymentId: 'pay', kind: 'refund' } as const;
afterEach(() => endAction(action));

/** Answers every call in this way, and returns the sent bodies. */
function stubAnswers(status: number, body: object): string[] {
  const sent: string[] = [];
  vi.stubGlobal('fetch', async (_: string, init: RequestInit) => {
    sent.push(String(init.body));
    return Response.json(body, { status });
  });
  return sent;
}

it('a repeat without anything sent sends nothing: a refund without an amount gives back all', async () => {
  const sent = stubAnswers(201, {});
  expect(await askFor(action, null)).toBeNull();
  beginAction(action, { amount: '5.00' });
  expect(await askFor(action, null)).toBeNull();
  expect(sent).toEqual([]);
});

it('after a final refusal the repeat sends nothing; the next press is another act', async () => {
  const sent = stubAnswers(409, { code: 'payment_changed', message: 'It has changed.' });
  const { key } = beginAction(action);
  expect(await askFor(action, { amount: 5 })).toMatchObject({ state: 'not_done' });
  expect(await askFor(action, null)).toBeNull();
  expect(sent).toEqual(['{"amount":5}']);
  expect(readStoredAction(action)?.key).not.toBe(key);
});

it('a lost answer is repeated as it was sent', async () => {
  const lost = stubAnswers(503, { code: 'service_unavailable', message: 'Busy.' });
  expect(await askFor(action, { amount: 5 })).toMatchObject({ state: 'open' });
  expect(await askFor(action, null)).toMatchObject({ state: 'open' });
  expect(lost).toEqual(['{"amount":5}', '{"amount":5}']);
});

it('a refusal for the size after a lost answer is final: the key was looked up, and nothing moved', async () => {
  stubAnswers(503, { code: 'service_unavailable', message: 'Busy.' });
  const { key } = beginAction(action);
  expect(await askFor(action, { amount: 5 })).toMatchObject({ state: 'open' });
  stubAnswers(403, { code: 'refund_limit_exceeded', message: 'Too much.' });
  expect(await askFor(action, null)).toMatchObject({ state: 'not_done' });
  expect(readStoredAction(action)?.key).not.toBe(key);
});

it('a refund request is decided by its own address, without a key', async () => {
  const asked: [string, Headers][] = [];
  vi.stubGlobal('fetch', async (path: string, init: RequestInit) => {
    asked.push([path, new Headers(init.headers)]);
    return Response.json({});
  });
  await askFor({ ...action, kind: 'approve', requestId: 'r1' }, {});
  expect(asked.map(([path, headers]) => [path, headers.has('idempotency-key')])).toEqual([
    ['/v1/refund-requests/r1/approve', false],
  ]);
});

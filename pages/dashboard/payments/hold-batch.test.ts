// The course of several holds that are captured or released at once, without the page: keys, reloads and refusals.

import type { Payment } from '@svc/contract/payments/payments';
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import type * as Confirmation from '../../kit/confirmation.ts';
import type * as Batch from './hold-batch.ts';

let { HoldBatch, sumsOf } = {} as typeof Batch;
let { question } = {} as typeof Confirmation;
beforeAll(async () => {
  vi.stubGlobal('location', new URL('https://pay.example/dashboard'));
  ({ HoldBatch, sumsOf } = await import('./hold-batch.ts'));
  ({ question } = await import('../../kit/confirmation.ts'));
});

const owner = { clientId: 'c', personId: 'p' };
const hold = (id: string, amount = 19.9, currency = 'EUR') =>
  ({ id, amount, currency, email: `${id}@buyers.example`, status: 'authorized' }) as Payment;
const holds = [hold('one'), hold('two'), hold('three')];

afterEach(async () => {
  stubAnswers(...Array(3).fill(done));
  const left = new HoldBatch(owner);
  await left.askAgain();
  left.close();
});

const done = [200, { ...hold('x'), status: 'succeeded' }] as const;
const lost = [503, { code: 'service_unavailable', message: 'Busy.' }] as const;
const expired = [409, { code: 'authorization_expired', message: 'It has expired.' }] as const;
const unproven = [403, { code: 'recent_sign_in_required', message: 'Who?' }] as const;

type Sent = { readonly path: string; readonly key: string | null };

/** Answers the calls in this order, and returns what was sent. */
function stubAnswers(...answers: readonly (readonly [number, object])[]): Sent[] {
  const sent: Sent[] = [];
  vi.stubGlobal('fetch', async (path: string, { headers }: RequestInit) => {
    const [status, answer] = answers[sent.length] ?? [500, {}];
    sent.push({ path, key: new Headers(headers).get('idempotency-key') });
    return Response.json(answer, { status });
  });
  return sent;
}

const statesOf = (run: InstanceType<typeof HoldBatch>) =>
  run.batch.value?.rows.map(({ state }) => state);

it('sums are told by currency, exact to the minor unit', () => {
  const many = [hold('a', 0.1), hold('b', 0.2), hold('c', 2500, 'JPY'), hold('d', 19.9)];
  expect(sumsOf(many)).toEqual(['€20.20 in 3 holds', '¥2,500 in 1 hold']);
});

describe('holds that are captured at once', () => {
  it('are sent one by one with a key each; each tells how it ended', async () => {
    const sent = stubAnswers(done, expired, done);
    const run = new HoldBatch(owner);
    await run.begin('capture', holds);
    expect(sent.map(({ path }) => path)).toEqual(
      ['one', 'two', 'three'].map((id) => `/v1/payments/${id}/capture`),
    );
    expect(new Set(sent.map(({ key }) => key)).size).toBe(3);
    expect(run.batch.value?.rows.map(({ state, text }) => [state, text])).toEqual([
      ['done', '€19.90 captured.'],
      ['refused', 'It has expired.'],
      ['done', '€19.90 captured.'],
    ]);
    run.close();
    expect(new HoldBatch(owner).batch.value).toBeNull();
  });

  it('after a reload what has no answer is asked for with its key, and nothing else is sent', async () => {
    const sent = stubAnswers(done, lost, done);
    await new HoldBatch(owner).begin('cancel', holds);
    const reloaded = new HoldBatch(owner);
    expect(statesOf(reloaded)).toEqual(['done', 'open', 'done']);
    const again = stubAnswers(lost, done);
    await reloaded.askAgain();
    expect(statesOf(reloaded)).toEqual(['done', 'open', 'done']);
    await reloaded.askAgain();
    expect(again).toEqual([sent[1], sent[1]]);
    expect(statesOf(reloaded)).toEqual(['done', 'done', 'done']);
  });

  it('a page that is left in the middle goes on with what was sent; the rest waits for a press', async () => {
    let isLeft = false;
    const sent: string[] = [];
    vi.stubGlobal('fetch', (path: string) => {
      sent.push(path);
      isLeft = true;
      return new Promise(() => {});
    });
    void new HoldBatch(owner).begin('capture', holds);
    await expect.poll(() => isLeft).toBe(true);
    const reloaded = new HoldBatch(owner);
    expect(statesOf(reloaded)).toEqual(['open', 'waiting', 'waiting']);
    const again = stubAnswers(done);
    await reloaded.askAgain();
    expect(again.map(({ path }) => path)).toEqual(sent);
    const rest = stubAnswers(done, done);
    await reloaded.sendWaiting();
    expect(rest).toHaveLength(2);
    expect(statesOf(reloaded)).toEqual(['done', 'done', 'done']);
  });

  it('closed while it runs sends no further one, and keeps the one without an answer', async () => {
    const run = new HoldBatch(owner);
    const sent: string[] = [];
    vi.stubGlobal('fetch', async (path: string) => {
      sent.push(path);
      run.close();
      return Response.json(lost[1], { status: 503 });
    });
    await run.begin('capture', holds);
    expect(sent).toHaveLength(1);
    expect(run.batch.value?.rows.map(({ id, state }) => [id, state])).toEqual([['one', 'open']]);
  });

  it('a person without a proof is asked once: the rest is not sent, until the next press', async () => {
    const asked: unknown[] = [];
    const stop = question.subscribe((each) => {
      if (each) asked.push(each);
      each?.answer(false);
    });
    const sent = stubAnswers(unproven);
    const run = new HoldBatch(owner);
    await run.begin('capture', holds);
    expect([asked.length, sent.length]).toEqual([1, 1]);
    expect(statesOf(run)).toEqual(['waiting', 'waiting', 'waiting']);
    expect(run.failure.value?.code).toBe('recent_sign_in_required');
    stop();
    stubAnswers(done, done, done);
    await run.sendWaiting();
    expect([statesOf(run), run.failure.value]).toEqual([['done', 'done', 'done'], null]);
  });
});

// The course of an action that moves money, without the page: presses, repeats, refusals and reloads.

import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import type * as BegunActions from '../../kit/begun-actions.ts';
import type * as Confirmation from '../../kit/confirmation.ts';
import type * as MoneyAction from './money-action.ts';
import type * as Run from './money-run.ts';

let { beginAction, endAction, readStoredAction } = {} as typeof MoneyAction;
let { MoneyRun } = {} as typeof Run;
let { begunActions } = {} as typeof BegunActions;
let { question } = {} as typeof Confirmation;
beforeAll(async () => {
  vi.stubGlobal('location', new URL('https://pay.example/dashboard'));
  ({ beginAction, endAction, readStoredAction } = await import('./money-action.ts'));
  ({ MoneyRun } = await import('./money-run.ts'));
  ({ begunActions } = await import('../../kit/begun-actions.ts'));
  ({ question } = await import('../../kit/confirmation.ts'));
});

const about = { clientId: 'c', personId: 'p', paymentId: 'pay' };
const kinds = ['refund', 'ask', 'capture', 'cancel', 'approve', 'decline'] as const;
const actionOf = (kind: (typeof kinds)[number]) =>
  kind === 'approve' || kind === 'decline'
    ? { ...about, kind, requestId: 'r1' }
    : { ...about, kind };
const refund = { ...about, kind: 'refund' } as const;
afterEach(() => {
  for (const kind of kinds) endAction(actionOf(kind));
});

const lost = [503, { code: 'service_unavailable', message: 'Busy.' }] as const;
const made = [201, { id: 'made' }] as const;
const refused = [409, { code: 'payment_changed', message: 'It has changed.' }] as const;
const unproven = [403, { code: 'recent_sign_in_required', message: 'Who?' }] as const;

type Sent = { readonly path: string; readonly key: string | null; readonly body: string };

/** Answers the calls in this order, and returns what was sent. */
function stubAnswers(...answers: readonly (readonly [number, object])[]): Sent[] {
  const sent: Sent[] = [];
  vi.stubGlobal('fetch', async (path: string, { headers, body }: RequestInit) => {
    const [status, answer] = answers[sent.length] ?? [500, {}];
    const key = new Headers(headers).get('idempotency-key');
    sent.push({ path, key, body: String(body) });
    return Response.json(answer, { status });
  });
  return sent;
}

/** Begins to run an action, and notes what the page is told. */
function startRun<K extends (typeof kinds)[number]>(kind: K) {
  const told: string[] = [];
  const run = new MoneyRun(actionOf(kind), {
    onDone: () => told.push('done'),
    onRefused: ({ code }) => told.push(`refused: ${code}`),
  });
  return { run, told };
}

describe('an action that moves money', () => {
  it('pressed twice is sent once, and counts as one action of the person', async () => {
    const sent = stubAnswers(made, made);
    const { run, told } = startRun('refund');
    const before = begunActions.value;
    const presses = [run.ask({ amount: 5 }), run.ask({ amount: 5 })];
    expect(run.state.value).toBe('busy');
    await Promise.all(presses);
    expect(sent.length).toBe(1);
    expect(told).toEqual(['done']);
    expect(begunActions.value).toBe(before + 1);
    expect(readStoredAction(refund)).toBeNull();
  });

  it.each(kinds)(
    '%s: a lost answer is open, is repeated as it was sent, and then done',
    async (kind) => {
      const sent = stubAnswers(lost, lost, made);
      const { run, told } = startRun(kind);
      await run.ask({ amount: 7 });
      expect([run.state.value, run.isRepeated, run.failure.value?.status]).toEqual([
        'open',
        true,
        503,
      ]);
      await run.ask(null);
      expect(told).toEqual([]);
      await run.ask(null);
      expect(told).toEqual(['done']);
      expect(sent.map(({ body }) => body)).toEqual(Array(3).fill('{"amount":7}'));
      expect(new Set(sent.map(({ path, key }) => `${path} ${key}`)).size).toBe(1);
    },
  );

  it.each(kinds)(
    '%s: continues as open after a reload, with the same key and body',
    async (kind) => {
      const sent = stubAnswers(lost, made);
      await startRun(kind).run.ask({ amount: 7 });
      const { run, told } = startRun(kind);
      expect([run.state.value, run.isRepeated]).toEqual(['open', true]);
      await run.ask(null);
      expect(told).toEqual(['done']);
      expect(sent[1]).toEqual(sent[0]);
      expect(startRun(kind).run.state.value).toBe('asking');
    },
  );

  it('whose answer was lost is sent again as it was, whatever was typed since', async () => {
    const sent = stubAnswers(lost, made);
    const { run, told } = startRun('refund');
    await run.ask({ amount: 7 });
    await run.ask({ amount: 9 });
    expect(sent[1]).toEqual(sent[0]);
    expect(told).toEqual(['done']);
  });

  it('begun, but never sent, asks again after a reload', () => {
    beginAction(refund, { amount: '5.00' });
    expect(startRun('refund').run.state.value).toBe('asking');
  });

  it('without anything sent is not repeated: the question stays', async () => {
    const sent = stubAnswers(made);
    const { run, told } = startRun('refund');
    await run.ask(null);
    expect([run.state.value, sent, told]).toEqual(['asking', [], []]);
  });

  it('refused moves nothing, says why, and takes another press with another key', async () => {
    const sent = stubAnswers(refused, made);
    const { run, told } = startRun('refund');
    await run.ask({ amount: 5 });
    expect([run.state.value, run.failure.value?.code]).toEqual(['asking', 'payment_changed']);
    expect([run.isRepeated, told]).toEqual([false, ['refused: payment_changed']]);
    await run.ask({ amount: 3 });
    expect(told.at(-1)).toBe('done');
    expect(sent[1]?.body).toBe('{"amount":3}');
    expect(sent[1]?.key).not.toBe(sent[0]?.key);
  });

  it('of an unproven person is not sent without the proof; a lost one is not repeated by the timer', async () => {
    const stop = question.subscribe((asked) => asked?.answer(false));
    stubAnswers(unproven);
    const first = startRun('refund');
    await first.run.ask({ amount: 5 });
    expect([first.run.state.value, first.run.isRepeated]).toEqual(['asking', false]);
    stubAnswers(lost, unproven, made);
    const { run, told } = startRun('capture');
    await run.ask({});
    await run.ask(null);
    expect([run.state.value, run.isRepeated, told]).toEqual(['open', false, []]);
    await run.ask(null);
    expect(told).toEqual(['done']);
    stop();
  });
});

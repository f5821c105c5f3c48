import { request } from 'node:http';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type Bench, connect, createHold, openBench, refusal } from '../../test/sandbox.ts';

let bench: Bench;
beforeAll(async () => {
  bench = await openBench();
});
afterAll(() => bench.sandbox.close());
afterEach(async () => {
  await fetch(`${bench.sandbox.url}/_control/faults`, { method: 'DELETE' });
});

const path = '/v1/payment_intents/*/capture';
const plant = (action: string, more: object = {}) =>
  bench.control.fault({ match: { method: 'POST', path }, action, ...more });
const countCaptures = async (intent: string) =>
  (await bench.control.ledger(intent)).filter(({ kind }) => kind === 'capture');
const impatient = () => connect(bench.sandbox, bench.secretKey, 150);

type RawResponse = { status: number; type: string; pieces: number[]; whole: boolean };

/**
 * Captures without the SDK; returns what arrived until the response ended, or within `patienceMs` of its beginning.
 */
const captureRaw = (id: string, patienceMs: number): Promise<RawResponse> =>
  new Promise((resolve, reject) => {
    const sent = request(
      `${bench.sandbox.url}/v1/payment_intents/${id}/capture`,
      { method: 'POST', headers: { authorization: `Bearer ${bench.secretKey}` } },
      (answer) => {
        const seen: RawResponse = {
          status: answer.statusCode ?? 0,
          type: String(answer.headers['content-type']),
          pieces: [],
          whole: false,
        };
        answer.on('data', (chunk: Buffer) => seen.pieces.push(chunk.length));
        answer.on('error', () => undefined);
        answer.on('close', () => resolve({ ...seen, whole: answer.complete }));
        AbortSignal.timeout(patienceMs).addEventListener('abort', () => sent.destroy());
      },
    );
    sent.on('error', reject);
    sent.end();
  });

const total = (pieces: readonly number[]): number => pieces.reduce((sum, size) => sum + size, 0);

describe('answers that trouble their reader', () => {
  test('slow_drip: many pieces over the delay, whole in the end; the capture counts', async () => {
    const { id } = await createHold(bench);
    await plant('slow_drip', { delayMs: 400 });
    const started = performance.now();
    const raw = await captureRaw(id, 5_000);
    expect(performance.now() - started).toBeGreaterThan(350);
    expect(raw).toMatchObject({ status: 200, whole: true });
    expect(raw.pieces.length).toBeGreaterThan(10);
    await expect.poll(() => countCaptures(id)).toMatchObject([{ answered: true }]);
  });

  test('slow_drip: a limit on the whole answer gives up; captured, unanswered', async () => {
    const { id } = await createHold(bench);
    await plant('slow_drip', { delayMs: 5_000 });
    expect((await captureRaw(id, 200)).whole).toBe(false);
    expect(await countCaptures(id)).toMatchObject([{ answered: false }]);
  });

  test('stalled: half a body, then silence', async () => {
    const { id } = await createHold(bench);
    await plant('stalled');
    const raw = await captureRaw(id, 300);
    expect(raw.whole).toBe(false);
    expect(total(raw.pieces)).toBeGreaterThan(100);
    expect(await countCaptures(id)).toMatchObject([{ answered: false }]);
  });

  test('half_open: silence, and nothing ran; the same key runs later', async () => {
    const { id } = await createHold(bench);
    await plant('half_open');
    const key = { idempotencyKey: `cap-${id}` };
    const error = await refusal(impatient().paymentIntents.capture(id, {}, key));
    expect(error.type).toBe('StripeConnectionError');
    expect(await countCaptures(id)).toEqual([]);
    const calls = (await bench.control.calls(id)).filter(({ fault }) => fault === 'half_open');
    expect(calls).toMatchObject([{ status: null, answered: false }]);
    expect((await bench.stripe.paymentIntents.capture(id, {}, key)).status).toBe('succeeded');
  });

  test('huge_body: more than 10 MiB of valid JSON', async () => {
    const { id } = await createHold(bench);
    await plant('huge_body');
    const raw = await captureRaw(id, 10_000);
    expect(raw).toMatchObject({ status: 200, whole: true });
    expect(total(raw.pieces)).toBeGreaterThan(10 * 1024 * 1024);
    expect(await countCaptures(id)).toHaveLength(1);
  });

  test('html_200: a page instead of the object; the key replays the truth', async () => {
    const { id } = await createHold(bench);
    await plant('html_200');
    const key = { idempotencyKey: `cap-${id}` };
    const error = await refusal(bench.stripe.paymentIntents.capture(id, {}, key));
    expect(error.message).toContain('Invalid JSON');
    expect((await bench.stripe.paymentIntents.capture(id, {}, key)).status).toBe('succeeded');
    expect(await countCaptures(id)).toHaveLength(1);
  });

  test.each([
    ['wrong_currency', 'currency'],
    ['wrong_id', 'id'],
  ] as const)('%s: the answer lies, the replay does not', async (action, field) => {
    const intent = await createHold(bench);
    await plant(action);
    const key = { idempotencyKey: `cap-${intent.id}` };
    const lie = await bench.stripe.paymentIntents.capture(intent.id, {}, key);
    expect(lie[field]).not.toBe(intent[field]);
    const truth = await bench.stripe.paymentIntents.capture(intent.id, {}, key);
    expect(truth[field]).toBe(intent[field]);
  });
});

describe('keys', () => {
  test('in use while a slow call runs on after its caller gave up; then it is replayed', async () => {
    const { id } = await createHold(bench);
    await plant('slow', { delayMs: 600 });
    const key = { idempotencyKey: `cap-${id}` };
    await refusal(impatient().paymentIntents.capture(id, {}, key));
    const error = await refusal(bench.stripe.paymentIntents.capture(id, {}, key));
    expect(error).toMatchObject({ statusCode: 409, code: 'idempotency_key_in_use' });
    await expect.poll(() => countCaptures(id)).toHaveLength(1);
    const replayed = await bench.stripe.paymentIntents.capture(id, {}, key);
    expect(replayed.lastResponse.headers['idempotent-replayed']).toBe('true');
  });

  const refund = (intent: string) =>
    bench.stripe.refunds.create(
      { payment_intent: intent, amount: 100 },
      { idempotencyKey: `re-${intent}` },
    );
  const refunds = async (intent: string) =>
    (await bench.control.ledger(intent)).filter(({ kind }) => kind === 'refund').length;

  test('forget_key: not on the first call; a repeat then moves money again', async () => {
    const { id } = await createHold(bench);
    await bench.stripe.paymentIntents.capture(id);
    await bench.control.fault({ match: { path: '/v1/refunds' }, action: 'forget_key' });
    const first = await refund(id);
    expect(await refunds(id)).toBe(1);
    const second = await refund(id);
    expect(second.id).not.toBe(first.id);
    expect((await refund(id)).id).toBe(second.id);
    expect(await refunds(id)).toBe(2);
  });

  test('forget_key: waits for a key that is still remembered', async () => {
    const { id } = await createHold(bench);
    await bench.stripe.paymentIntents.capture(id);
    await refund(id);
    await bench.control.advance(86_401);
    await bench.control.fault({ match: { path: '/v1/refunds' }, action: 'forget_key' });
    await refund(id);
    expect(await bench.control.get('/faults')).toMatchObject({ faults: [{ fired: 0 }] });
  });

  test.each([
    ['a day and a second', () => bench.control.advance(86_401), 2],
    ['a minute less than a day', () => bench.control.advance(86_340), 1],
  ])('after %s of the clock', async (_, wait, moved) => {
    const { id } = await createHold(bench);
    await bench.stripe.paymentIntents.capture(id);
    await refund(id);
    await wait();
    await refund(id);
    expect(await refunds(id)).toBe(moved);
  });

  test('forgotten by name, for one account or all', async () => {
    const { id } = await createHold(bench);
    await bench.stripe.paymentIntents.capture(id);
    await refund(id);
    const key = `re-${id}`;
    const forgetKey = (account?: string) =>
      bench.control.post('/keys/forget', { key, ...(account ? { account } : {}) });
    expect(await forgetKey('acct_other')).toEqual({ forgotten: 0 });
    expect(await forgetKey(bench.accountId)).toEqual({ forgotten: 1 });
    await refund(id);
    expect(await refunds(id)).toBe(2);
    expect(await forgetKey()).toEqual({ forgotten: 1 });
  });
});

describe('stale_read', () => {
  const plantStale = (object: string, count = 1) =>
    bench.control.fault({ match: { object }, action: 'stale_read', count });

  test('shows the hold after the capture, with its charge as it was; count times', async () => {
    const { id } = await createHold(bench);
    await bench.stripe.paymentIntents.capture(id);
    await plantStale(id, 2);
    const retrieveIntent = () =>
      bench.stripe.paymentIntents.retrieve(id, { expand: ['latest_charge'] });
    for (const turn of [1, 2]) {
      expect(await retrieveIntent(), `read ${turn}`).toMatchObject({
        status: 'requires_capture',
        amount_capturable: 1000,
        amount_received: 0,
        latest_charge: { captured: false, balance_transaction: null },
      });
    }
    expect(await retrieveIntent()).toMatchObject({
      status: 'succeeded',
      latest_charge: { captured: true },
    });
  });

  test('planted before the effect: neither calls nor their refusals are stale', async () => {
    const { id } = await createHold(bench);
    await plantStale(id);
    await bench.stripe.paymentIntents.capture(id);
    const again = await refusal(bench.stripe.paymentIntents.capture(id));
    expect(again).toMatchObject({ payment_intent: { status: 'succeeded' } });
    expect((await bench.stripe.paymentIntents.retrieve(id)).status).toBe('requires_capture');
    expect((await bench.stripe.paymentIntents.retrieve(id)).status).toBe('succeeded');
  });

  test('a list does not show the refund yet', async () => {
    const { id } = await createHold(bench);
    await bench.stripe.paymentIntents.capture(id);
    await bench.stripe.refunds.create({ payment_intent: id });
    await bench.control.fault({ match: { path: '/v1/refunds$' }, action: 'stale_read' });
    const list = () => bench.stripe.refunds.list({ payment_intent: id });
    expect((await list()).data).toEqual([]);
    expect((await list()).data).toHaveLength(1);
  });
});

describe('planting', () => {
  test('match.account: another account is spared', async () => {
    const other = await bench.control.post<{ accountId: string; secretKey: string }>('/accounts', {
      name: 'spared',
    });
    await bench.control.fault({
      match: { account: other.accountId, path: '/v1/customers' },
      action: 'error_429',
    });
    expect((await bench.stripe.customers.list()).data).toEqual([]);
    const theirs = connect(bench.sandbox, other.secretKey);
    expect((await refusal(theirs.customers.list())).statusCode).toBe(429);
    expect((await theirs.customers.list()).data).toEqual([]);
  });

  test('the list of faults says that a restart forgets them', async () => {
    await plant('decline');
    expect(await bench.control.get('/faults')).toMatchObject({
      kept: 'in memory: a restart forgets them',
      faults: [{ action: 'decline', fired: 0 }],
    });
  });

  test('the front page names every fault and control', async () => {
    const page = await (await fetch(bench.sandbox.url)).text();
    for (const word of ['stale_read', 'hold_webhooks', 'take_back', '/_control/disputes']) {
      expect(page).toContain(word);
    }
  });
});

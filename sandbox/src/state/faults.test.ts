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

test('DELETE with a JSON content type and no body forgets the faults', async () => {
  await plant('drop_reply');
  const faults = `${bench.sandbox.url}/_control/faults`;
  const headers = { 'content-type': 'application/json' };
  expect((await fetch(faults, { method: 'DELETE', headers })).status).toBe(200);
  const { id } = await createHold(bench);
  expect(await bench.stripe.paymentIntents.capture(id)).toMatchObject({ status: 'succeeded' });
});

describe('lost answers', () => {
  test('timeout_after_commit: captured, unanswered; the same key replays it', async () => {
    const { id } = await createHold(bench);
    await plant('timeout_after_commit');
    const key = { idempotencyKey: `cap-${id}` };
    const error = await refusal(impatient().paymentIntents.capture(id, {}, key));
    expect(error.type).toBe('StripeConnectionError');
    expect(await countCaptures(id)).toMatchObject([
      { idempotencyKey: key.idempotencyKey, answered: false },
    ]);
    const answer = await bench.stripe.paymentIntents.capture(id, {}, key);
    expect(answer.status).toBe('succeeded');
    expect(await countCaptures(id)).toHaveLength(1);
    const calls = (await bench.control.calls(id)).filter((call) => call.path.endsWith('/capture'));
    expect(calls.map((call) => [call.fault, call.replayed, call.answered])).toEqual([
      ['timeout_after_commit', false, false],
      [null, true, true],
    ]);
  });

  test('drop_reply: captured, connection closed; the SDK asks once more with its key', async () => {
    const { id } = await createHold(bench);
    await plant('drop_reply', { count: 2 });
    const error = await refusal(bench.stripe.paymentIntents.capture(id));
    expect(error.type).toBe('StripeConnectionError');
    expect(await countCaptures(id)).toMatchObject([{ answered: false }]);
    const calls = (await bench.control.calls(id)).filter((call) => call.path.endsWith('/capture'));
    expect(calls.map((call) => call.replayed)).toEqual([false, true]);
  });

  test('drop_request: nothing ran', async () => {
    const { id } = await createHold(bench);
    await plant('drop_request', { count: 2 });
    expect((await refusal(bench.stripe.paymentIntents.capture(id))).type).toBe(
      'StripeConnectionError',
    );
    expect(await countCaptures(id)).toEqual([]);
    const calls = (await bench.control.calls(id)).filter((call) => call.fault === 'drop_request');
    expect(calls).toHaveLength(2);
    expect(calls[0]?.status).toBeNull();
  });

  test('late: the caller has gone when it runs', async () => {
    const { id } = await createHold(bench);
    await plant('late', { delayMs: 300 });
    // Without the SDK, which repeats a call whose connection was closed.
    const call = fetch(`${bench.sandbox.url}/v1/payment_intents/${id}/capture`, {
      method: 'POST',
      headers: { authorization: `Bearer ${bench.secretKey}` },
    });
    await expect(call).rejects.toThrow();
    expect(await countCaptures(id)).toEqual([]);
    await expect.poll(() => countCaptures(id)).toMatchObject([{ answered: false }]);
  });

  test('slow: answered after the delay', async () => {
    const { id } = await createHold(bench);
    await plant('slow', { delayMs: 250 });
    const started = performance.now();
    await bench.stripe.paymentIntents.capture(id);
    expect(performance.now() - started).toBeGreaterThan(245);
    expect(await countCaptures(id)).toMatchObject([{ answered: true }]);
  });
});

describe('server errors', () => {
  test.each([
    [false, 0],
    [true, 1],
  ])('error_500 (executes: %s) is replayed for its key; %i captures', async (executes, moved) => {
    const { id } = await createHold(bench);
    await plant('error_500', { executes });
    const key = { idempotencyKey: `cap-${id}` };
    const first = await refusal(bench.stripe.paymentIntents.capture(id, {}, key));
    const again = await refusal(bench.stripe.paymentIntents.capture(id, {}, key));
    expect([first.statusCode, again.statusCode]).toEqual([500, 500]);
    expect(again.headers?.['idempotent-replayed']).toBe('true');
    expect(await countCaptures(id)).toHaveLength(moved);
  });

  test('error_503_unrecorded: HTML, and the same key then runs', async () => {
    const { id } = await createHold(bench);
    await plant('error_503_unrecorded');
    const key = { idempotencyKey: `cap-${id}` };
    expect((await refusal(bench.stripe.paymentIntents.capture(id, {}, key))).type).toBe(
      'StripeAPIError',
    );
    expect((await bench.stripe.paymentIntents.capture(id, {}, key)).status).toBe('succeeded');
  });

  test.each([
    ['error_429', 429, 'rate_limit'],
    ['error_409', 409, 'idempotency_key_in_use'],
  ])('%s: %i with Retry-After, not remembered', async (action, status, code) => {
    const { id } = await createHold(bench);
    await plant(action);
    const key = { idempotencyKey: `cap-${id}` };
    const error = await refusal(bench.stripe.paymentIntents.capture(id, {}, key));
    expect(error).toMatchObject({ statusCode: status, code });
    expect(error.headers?.['retry-after']).toBe('1');
    expect((await bench.stripe.paymentIntents.capture(id, {}, key)).status).toBe('succeeded');
  });
});

describe('wrong answers', () => {
  test('wrong_amount: the answer lies, the ledger and the replay do not', async () => {
    const { id } = await createHold(bench, 900);
    await plant('wrong_amount');
    const key = { idempotencyKey: `cap-${id}` };
    expect((await bench.stripe.paymentIntents.capture(id, {}, key)).amount_received).toBe(901);
    expect((await bench.stripe.paymentIntents.capture(id, {}, key)).amount_received).toBe(900);
    expect(await countCaptures(id)).toMatchObject([{ amount: 900 }]);
  });

  test('truncated: half a JSON text', async () => {
    const { id } = await createHold(bench);
    await plant('truncated');
    const error = await refusal(bench.stripe.paymentIntents.capture(id));
    expect(error.message).toContain('Invalid JSON');
    expect(await countCaptures(id)).toHaveLength(1);
  });

  test('decline: a capture is refused and the hold stands; a confirmation is declined', async () => {
    const { id } = await createHold(bench);
    await plant('decline');
    expect(await refusal(bench.stripe.paymentIntents.capture(id))).toMatchObject({
      statusCode: 402,
      code: 'card_declined',
      payment_intent: { status: 'requires_capture' },
    });
    await bench.control.fault({ match: { path: '/v1/payment_intents$' }, action: 'decline' });
    expect((await refusal(createHold(bench))).code).toBe('card_declined');
  });

  test('decline: fires on no call that cannot be declined, whatever it matches', async () => {
    await bench.control.fault({ match: {}, action: 'decline' });
    const { id } = await bench.stripe.customers.create({ email: 'ada@example.com' });
    await bench.stripe.customers.retrieve(id);
    const intent = await bench.stripe.paymentIntents.create({ amount: 900, currency: 'eur' });
    await bench.stripe.paymentIntents.update(intent.id, { description: 'x' });
    await bench.stripe.paymentIntents.cancel(intent.id);
    expect(await bench.control.get('/faults')).toMatchObject({ faults: [{ fired: 0 }] });
    expect((await refusal(createHold(bench))).code).toBe('card_declined');
    expect(await bench.control.get('/faults')).toMatchObject({ faults: [{ fired: 1 }] });
  });
});

describe('planting', () => {
  test('fires count times, in order, and only where it matches', async () => {
    const { id } = await createHold(bench);
    const other = await createHold(bench);
    await bench.control.fault({ match: { object: id }, action: 'error_429', count: 2 });
    expect((await bench.stripe.paymentIntents.retrieve(other.id)).id).toBe(other.id);
    for (const status of [429, 429]) {
      const error = await refusal(bench.stripe.paymentIntents.retrieve(id));
      expect(error.statusCode).toBe(status);
    }
    expect((await bench.stripe.paymentIntents.retrieve(id)).id).toBe(id);
    expect(await bench.control.get('/faults')).toMatchObject({ faults: [{ fired: 2, count: 2 }] });
  });

  test.each([
    { action: 'explode' },
    { action: 'slow', cuont: 3 },
    { action: 'slow', match: { pth: '/' } },
    { action: 'slow', count: 0 },
    { match: { path: '/v1/\u001b[2J' }, action: 'drop_reply' },
  ])('400 for %j', async (fault) => {
    await expect(bench.control.fault(fault)).rejects.toThrow(/^400/);
  });
});

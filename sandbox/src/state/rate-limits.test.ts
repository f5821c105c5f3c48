import { describe, expect, it, onTestFinished } from 'vitest';
import { openBench, post } from '../../test/sandbox.ts';
import { createRateLimiter, publishedLimits } from './rate-limits.ts';

const limiterAt = (limits = publishedLimits) => {
  const clock = { ms: 0 };
  const rates = createRateLimiter(limits, () => clock.ms);
  const call = (more: Partial<Parameters<typeof rates.take>[0]> = {}) =>
    rates.take({
      ...{
        account: 'acct_1',
        method: 'POST',
        endpoint: '/payment_intents/:id/capture',
        id: 'pi_1',
      },
      ...more,
    });
  const calls = (count: number, more: Parameters<typeof call>[0] = {}) =>
    Array.from({ length: count }, (_, n) => call({ id: `pi_${n}`, ...more }));
  return { clock, rates, call, calls };
};
const taken = (answers: (string | undefined)[]) => answers.filter((one) => !one).length;

describe('the limits that the provider publishes', () => {
  it('25 calls at once, then 25 a second; those refused do not count', () => {
    const { clock, calls } = limiterAt();
    expect(taken(calls(60))).toBe(25);
    clock.ms = 1000;
    expect(taken(calls(60))).toBe(25);
  });

  it('an operation is limited whatever the id in its path, and by itself', () => {
    const { calls, call } = limiterAt({ ...publishedLimits, perSecond: 100 });
    expect(new Set(calls(30))).toEqual(new Set([undefined, 'endpoint-rate']));
    expect(call({ endpoint: '/payment_intents/:id/confirm' })).toBeUndefined();
    expect(call({ method: 'GET', endpoint: '/payment_intents/:id' })).toBeUndefined();
  });

  it('the account in all, and another account not', () => {
    const { calls, call } = limiterAt();
    for (const n of Array.from({ length: 25 }).keys()) {
      expect(call({ endpoint: `/thing_${n}`, id: '' })).toBeUndefined();
    }
    expect(call({ endpoint: '/refunds', id: '' })).toBe('global-rate');
    expect(taken(calls(5, { account: 'acct_2' }))).toBe(5);
  });

  it('one payment intent is updated 1 000 times in an hour; reads do not count', () => {
    const { clock, call } = limiterAt({
      ...publishedLimits,
      perSecond: 1e6,
      endpointPerSecond: 1e6,
    });
    for (let n = 0; n < 1000; n += 1) expect(call()).toBeUndefined();
    expect(call()).toBe('resource-specific');
    expect(call({ method: 'GET', endpoint: '/payment_intents/:id' })).toBeUndefined();
    clock.ms = 4000;
    expect(call()).toBeUndefined();
  });
});

describe('the sandbox', () => {
  it('answers 429 as the provider does, runs nothing, and takes the same key later', async () => {
    const bench = await openBench();
    onTestFinished(() => bench.sandbox.close());
    const limit = (body: object) =>
      fetch(`${bench.sandbox.url}/_control/limits`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
    const set = await limit({ account: bench.accountId, perSecond: 1 });
    expect(await set.json()).toEqual({
      account: bench.accountId,
      limits: { ...publishedLimits, perSecond: 1 },
    });
    const create = () =>
      fetch(`${bench.sandbox.url}/v1/customers`, {
        method: 'POST',
        headers: { authorization: `Bearer ${bench.secretKey}`, 'idempotency-key': 'one' },
      });
    const other = await post(bench, { path: '/customers', form: {} });
    expect(other.status).toBe(200);
    const refused = await create();
    expect(refused.status).toBe(429);
    expect(refused.headers.get('stripe-rate-limited-reason')).toBe('global-rate');
    expect(refused.headers.get('retry-after')).toBeNull();
    expect(await refused.json()).toMatchObject({
      error: { type: 'invalid_request_error', code: 'rate_limit' },
    });
    await limit({ account: bench.accountId, setting: 'off' });
    expect((await create()).status).toBe(200);
  });
});

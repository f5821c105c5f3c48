import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Buckets, contractLimits, openLimits } from './limits.ts';

const clock = () => {
  let ms = 1000;
  return {
    now: () => ms,
    pass: (by: number) => {
      ms += by;
    },
  };
};
const count = (limiter: { take(key: string): { isAllowed: boolean } }, times: number, key = 'k') =>
  Array.from({ length: times }, () => limiter.take(key).isAllowed).filter(Boolean).length;

describe('Buckets', () => {
  it('allows the burst exactly, then as much as time gives back', () => {
    const { now, pass } = clock();
    const buckets = new Buckets({ burst: 100, refill: 50, windowMs: 1000 }, now);
    expect(count(buckets, 150)).toBe(100);
    pass(19);
    expect(count(buckets, 1)).toBe(0);
    pass(1);
    expect(count(buckets, 2)).toBe(1);
    pass(1000);
    expect(count(buckets, 60)).toBe(50);
    pass(3_600_000);
    expect(count(buckets, 150)).toBe(100);
  });

  it('says when to come back: then, and not before, one is allowed', () => {
    const { now, pass } = clock();
    const buckets = new Buckets({ burst: 20, refill: 20, windowMs: 60_000 }, now);
    expect(count(buckets, 20)).toBe(20);
    expect(buckets.take('k')).toEqual({
      isAllowed: false,
      limit: 20,
      remaining: 0,
      retryAfterSeconds: 3,
    });
    pass(2999);
    expect(buckets.take('k').isAllowed).toBe(false);
    pass(1);
    expect(buckets.take('k')).toMatchObject({ isAllowed: true, remaining: 0 });
  });

  it('keys do not share', () => {
    const buckets = new Buckets({ burst: 1, refill: 1, windowMs: 1000 }, clock().now);
    expect([count(buckets, 2, 'a'), count(buckets, 2, 'b')]).toEqual([1, 1]);
  });

  it('memory is bounded, and a new key is never refused for it', () => {
    const buckets = new Buckets({ burst: 1, refill: 1, windowMs: 1e9 }, clock().now, 100);
    for (let i = 0; i < 1000; i++) expect(buckets.take(`k${i}`).isAllowed).toBe(true);
    expect(buckets.take('k999').isAllowed).toBe(false);
  });

  it('never allows more than burst plus refill over any span', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.nat({ max: 300 }), fc.nat({ max: 5 })), { maxLength: 60 }),
        (steps) => {
          const { now, pass } = clock();
          const buckets = new Buckets({ burst: 4, refill: 10, windowMs: 1000 }, now);
          const start = now();
          let allowed = 0;
          for (const [ms, takes] of steps) {
            pass(ms);
            allowed += count(buckets, takes);
          }
          expect(allowed).toBeLessThanOrEqual(4 + ((now() - start) * 10) / 1000 + 1e-9);
        },
      ),
    );
  });
});

describe('openLimits', () => {
  it('has the limits of the contract', () => {
    const limits = openLimits(contractLimits, { nowMs: clock().now });
    expect(count(limits.client, 1000)).toBe(100);
    expect(count(limits.money, 1000)).toBe(100);
    expect(count(limits.session, 1000)).toBe(60);
    expect(count(limits.sessionCreate, 1000)).toBe(120);
    expect(count(limits.wrongSession, 1000)).toBe(10);
    expect(count(limits.failedBasic, 1000)).toBe(20);
  });

  it('can be switched off', () => {
    const limits = openLimits(null, { nowMs: clock().now });
    expect(count(limits.failedBasic, 10_000)).toBe(10_000);
  });
});

// Contract §2, Idempotency of capture, cancel, refund. Reliability §4.3.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anOperation, aPayment } from '../../../test/payments/money.ts';
import { decideClaim, nextCheck, type Operation, providerKey } from './operation.ts';
import type { Payment } from './payment.ts';

const now = new Date('2026-05-01T12:00:00.000Z');
const timeAt = (ms: number) => new Date(now.getTime() + ms);
const mine = 'owner-of-this-request';
const request = {
  paymentId: aPayment().id,
  rawSha256: Buffer.alloc(32, 1),
  canonSha256: Buffer.alloc(32, 2),
};
const held = aPayment({ status: 'authorized', authorizationExpiresAt: timeAt(1) });

const decide = (given: { payment?: Payment; sameKey?: Operation; open?: Operation }) =>
  decideClaim({
    payment: given.payment ?? held,
    now,
    request,
    leaseOwner: mine,
    sameKey: given.sameKey,
    open: given.open,
  });
const refuse = (code: string) => ({ step: 'refuse', code });
const live = { leaseOwner: 'somebody', leaseUntil: timeAt(1) };

describe('decideClaim, with a new key', () => {
  it('starts on a live hold that nobody works on', () => {
    expect(decide({})).toEqual({ step: 'start' });
  });

  it.each(['active', 'in_doubt', 'awaiting_customer', 'manual'] as const)(
    'refuses while another operation is %s',
    (state) => {
      const open = anOperation({ id: 'other', state });
      expect(decide({ open })).toEqual(refuse('payment_operation_in_progress'));
    },
  );

  it('refuses what is not held, and what is over', () => {
    const unknown = aPayment({ ...held, status: 'unknown' });
    expect(decide({ payment: unknown })).toEqual(refuse('payment_not_authorized'));
    const over = aPayment({ ...held, authorizationExpiresAt: now });
    expect(decide({ payment: over })).toEqual(refuse('authorization_expired'));
  });
});

describe('decideClaim, with a key that was seen', () => {
  it('the same text or the same meaning is the same request', () => {
    const other = Buffer.alloc(32, 9);
    const replay = { responseStatus: 200, state: 'succeeded' } as const;
    const reformatted = anOperation({ ...replay, rawSha256: other });
    expect(decide({ sameKey: reformatted }).step).toBe('replay');
    const sameBytes = anOperation({ ...replay, canonSha256: other });
    expect(decide({ sameKey: sameBytes }).step).toBe('replay');
    const both = anOperation({ ...replay, rawSha256: other, canonSha256: other });
    expect(decide({ sameKey: both })).toEqual(refuse('idempotency_key_reused'));
  });

  it.each(['active', 'in_doubt', 'succeeded', 'failed', 'manual'] as const)(
    'another payment is another request, also while the first is %s',
    (state) => {
      const sameKey = anOperation({ paymentId: 'another', state, responseStatus: null });
      expect(decide({ sameKey })).toEqual(refuse('idempotency_key_reused'));
    },
  );

  it('waits for a holder, and takes over from one that is gone or is this very request', () => {
    const waitStep = (given: Partial<Operation>) => decide({ sameKey: anOperation(given) }).step;
    expect(waitStep(live)).toBe('wait');
    expect(waitStep({ ...live, leaseUntil: now })).toBe('take_over');
    expect(waitStep({ ...live, leaseOwner: mine })).toBe('take_over');
    expect(waitStep({ state: 'in_doubt' })).toBe('take_over');
    expect(waitStep({ ...live, state: 'in_doubt' })).toBe('wait');
  });

  it('a refused attempt is tried again with the next one, while the hold is live', () => {
    const sameKey = anOperation({ state: 'failed' });
    expect(decide({ sameKey })).toEqual({ step: 'retry' });
    const over = aPayment({ ...held, authorizationExpiresAt: now });
    expect(decide({ sameKey, payment: over })).toEqual(refuse('authorization_expired'));
    const open = anOperation({ id: 'other', kind: 'cancel' });
    expect(decide({ sameKey, open })).toEqual(refuse('payment_operation_in_progress'));
  });

  it('what waits for a person has no known outcome', () => {
    expect(decide({ sameKey: anOperation({ state: 'manual' }) })).toEqual(
      refuse('gateway_outcome_unknown'),
    );
  });
});

describe('decideClaim, whatever the rows hold', () => {
  const digest = fc.constantFrom(Buffer.alloc(32, 1), Buffer.alloc(32, 2), Buffer.alloc(32, 3));
  const anyOperation = fc.record({
    paymentId: fc.constantFrom(request.paymentId, 'another'),
    state: fc.constantFrom('active', 'in_doubt', 'succeeded', 'failed', 'manual' as const),
    leaseOwner: fc.constantFrom(mine, 'somebody', null),
    leaseUntil: fc.constantFrom(null, timeAt(-1), now, timeAt(1)),
    rawSha256: fc.option(digest),
    canonSha256: digest,
    isAnswered: fc.boolean(),
  });
  const often = ['authorized', 'authorized', 'authorized'] as const;
  const given = fc.record({
    status: fc.constantFrom(...often, 'unknown', 'succeeded', 'voided' as const),
    captureMethod: fc.constantFrom('manual', 'manual', 'manual', 'automatic' as const),
    endsIn: fc.constantFrom(-1, 0, 1, 1, 1),
    sameKey: fc.option(anyOperation),
    isOpen: fc.boolean(),
  });

  it('starts and retries only on a live hold without open work; keeps the order of the rules', () => {
    let started = 0;
    fc.assert(
      fc.property(given, ({ status, captureMethod, endsIn, sameKey, isOpen }) => {
        const payment = aPayment({
          status,
          captureMethod,
          authorizationExpiresAt: timeAt(endsIn),
          authorizationVoidReason: status === 'voided' ? 'expired' : null,
        });
        const isDone = sameKey?.state === 'succeeded' || sameKey?.isAnswered === true;
        const key =
          sameKey &&
          anOperation({
            ...sameKey,
            state: isDone && sameKey.state !== 'failed' ? 'succeeded' : sameKey.state,
            responseStatus: isDone ? 200 : null,
          });
        const open = isOpen ? anOperation({ id: 'other' }) : undefined;
        const decision = decide({
          payment,
          ...(key ? { sameKey: key } : {}),
          ...(open ? { open } : {}),
        });
        const isLive = status === 'authorized' && captureMethod === 'manual' && endsIn > 0;
        const isSame =
          key?.paymentId === request.paymentId &&
          (key.canonSha256.equals(request.canonSha256) ||
            key.rawSha256?.equals(request.rawSha256) === true);
        if (decision.step === 'start' || decision.step === 'retry') {
          started += 1;
          expect(isLive && !isOpen).toBe(true);
          expect(decision.step === 'retry').toBe(key?.state === 'failed');
        }
        if (key && !isSame) expect(decision).toEqual(refuse('idempotency_key_reused'));
        if (key && isSame) expect(decision.step === 'replay').toBe(key.responseStatus !== null);
        if (decision.step === 'take_over') {
          expect(['active', 'in_doubt']).toContain(key?.state);
          const isElsewhere = (key?.leaseUntil ?? now) > now && key?.leaseOwner !== mine;
          expect(isElsewhere).toBe(false);
        }
      }),
      { numRuns: 5000 },
    );
    expect(started).toBeGreaterThan(50);
  });
});

describe('nextCheck', () => {
  const plan = [1, 2, 5, 10, 30, 60, 120, 300, 600];

  it('follows the plan, 20 % either way, and never looks less often than every 12 minutes', () => {
    fc.assert(
      fc.property(fc.nat(10_000), fc.double({ min: 0, max: 1, noNaN: true }), (checks, jitter) => {
        const seconds = (nextCheck(now, checks, jitter).getTime() - now.getTime()) / 1000;
        const planned = plan[Math.min(checks, plan.length - 1)] ?? 0;
        expect(seconds).toBeGreaterThanOrEqual(planned * 0.8 - 0.001);
        expect(seconds).toBeLessThanOrEqual(planned * 1.2 + 0.001);
      }),
    );
  });

  it('jitter spreads it over the whole of the 20 %', () => {
    expect(nextCheck(now, 4, 0)).toEqual(timeAt(24_000));
    expect(nextCheck(now, 4, 1)).toEqual(timeAt(36_000));
  });
});

describe('providerKey', () => {
  it('changes with the attempt alone', () => {
    const key = providerKey(anOperation({ id: 'x', attempt: 2 }));
    expect(key).toBe('op-x-2');
    const later = { epoch: 9, checks: 7, leaseOwner: 'b', leaseUntil: now, requestId: 'req_2' };
    expect(providerKey(anOperation({ id: 'x', attempt: 2, ...later }))).toBe(key);
  });
});

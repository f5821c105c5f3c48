import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findOrder, isLinearizable, type SeenCall, type Start } from './linearizable.ts';

const held: Start = { amount: 6, status: 'authorized' };
const paid: Start = { amount: 6, status: 'succeeded' };

type SeenCallParts = Partial<SeenCall> & {
  at: [number, number | null];
  says?: [number, string | null];
};

const call = (kind: SeenCall['kind'], { at, says, ...more }: SeenCallParts): SeenCall => ({
  kind,
  key: `${kind}-1`,
  calledAt: at[0],
  answeredAt: at[1],
  answer: says
    ? {
        status: says[0],
        code: says[0] < 300 ? null : says[1],
        shown: says[0] < 300 ? says[1] : null,
      }
    : null,
  ...more,
});
const ok: [number, string] = [200, 'succeeded'];
const voided: [number, string] = [200, 'voided'];
const gone: [number, string] = [409, 'payment_not_authorized'];
const busy: [number, string] = [409, 'payment_operation_in_progress'];
const unknown: [number, string] = [502, 'gateway_outcome_unknown'];
const tooMuch: [number, string] = [422, 'refund_amount_exceeds_available'];
const given: [number, string] = [201, 'succeeded'];

describe('isLinearizable: histories that can be', () => {
  it.each<[string, Start, SeenCall[]]>([
    ['nothing', held, []],
    [
      'a capture and its replay',
      held,
      [call('capture', { at: [0, 1], says: ok }), call('capture', { at: [2, 3], says: ok })],
    ],
    [
      'the loser of a race is told so',
      held,
      [call('capture', { at: [0, 9], says: ok }), call('cancel', { at: [1, 8], says: gone })],
    ],
    [
      'busy while the other runs',
      held,
      [call('capture', { at: [0, 9], says: ok }), call('cancel', { at: [1, 2], says: busy })],
    ],
    [
      'busy: its own operation is in the hands of a worker, which captures later',
      held,
      [
        call('capture', { at: [0, 5], says: busy }),
        call('cancel', { at: [6, 7], says: busy }),
        call('read', { at: [8, 9], says: [200, 'authorized'] }),
        call('capture', { at: [20, 21], says: ok }),
      ],
    ],
    [
      'busy: a refund in the hands of a worker has reserved its amount',
      paid,
      [
        call('refund', { at: [0, 5], key: 'a', amount: 4, says: busy }),
        call('refund', { at: [6, 7], key: 'b', amount: 4, says: tooMuch }),
        call('refund', { at: [20, 21], key: 'a', amount: 4, says: given }),
      ],
    ],
    [
      'busy: its own operation was refused in the end',
      held,
      [
        call('capture', { at: [0, 5], says: busy }),
        call('capture', { at: [6, 7], says: [402, 'capture_failed'] }),
        call('cancel', { at: [8, 9], says: voided }),
      ],
    ],
    [
      'a lost capture took effect',
      held,
      [call('capture', { at: [0, null] }), call('read', { at: [5, 6], says: [200, 'succeeded'] })],
    ],
    [
      'a lost capture did not',
      held,
      [call('capture', { at: [0, null] }), call('cancel', { at: [5, 6], says: voided })],
    ],
    [
      'unknown, then the same key is told the end',
      held,
      [
        call('capture', { at: [0, 1], says: unknown }),
        call('read', { at: [2, 3], says: [200, 'unknown'] }),
        call('capture', { at: [4, 5], says: ok }),
      ],
    ],
    [
      'refunds up to the whole, then too much',
      paid,
      [
        call('refund', { at: [0, 1], key: 'a', amount: 4, says: given }),
        call('refund', { at: [0, 1], key: 'b', amount: 2, says: given }),
        call('read', { at: [2, 3], says: [200, 'refunded'] }),
        call('refund', { at: [4, 5], key: 'c', amount: 1, says: tooMuch }),
      ],
    ],
    [
      'too much while another reserves, even one that fails',
      paid,
      [
        call('refund', { at: [0, 9], key: 'a', amount: 4, says: [201, 'refund_failed'] }),
        call('refund', { at: [1, 2], key: 'b', amount: 3, says: tooMuch }),
        call('refund', { at: [10, 11], key: 'c', amount: 6, says: given }),
      ],
    ],
  ])('%s', (_, start, history) => {
    expect(isLinearizable(history, start)).toBe(true);
  });
});

describe('isLinearizable: histories that cannot be', () => {
  it.each<[string, Start, SeenCall[]]>([
    [
      'captured and released',
      held,
      [call('capture', { at: [0, 9], says: ok }), call('cancel', { at: [0, 9], says: voided })],
    ],
    [
      'captured twice, under two keys',
      held,
      [
        call('capture', { at: [0, 1], says: ok }),
        call('capture', { at: [2, 3], key: 'other', says: ok }),
      ],
    ],
    [
      'a lost capture that both took effect and did not',
      held,
      [
        call('capture', { at: [0, null] }),
        call('read', { at: [2, 3], says: [200, 'succeeded'] }),
        call('cancel', { at: [4, 5], says: voided }),
      ],
    ],
    [
      '"not authorised" of a hold that still is',
      held,
      [
        call('capture', { at: [0, 1], says: gone }),
        call('read', { at: [2, 3], says: [200, 'authorized'] }),
      ],
    ],
    [
      'an old state read after a newer one',
      held,
      [
        call('capture', { at: [0, 9], says: ok }),
        call('read', { at: [1, 2], says: [200, 'succeeded'] }),
        call('read', { at: [3, 4], says: [200, 'authorized'] }),
      ],
    ],
    [
      'a state from before an answer that was given',
      held,
      [
        call('capture', { at: [0, 1], says: ok }),
        call('read', { at: [2, 3], says: [200, 'authorized'] }),
      ],
    ],
    [
      'an effect before its call',
      held,
      [
        call('read', { at: [0, 1], says: [200, 'succeeded'] }),
        call('capture', { at: [2, 3], says: ok }),
      ],
    ],
    [
      'busy with nobody there',
      held,
      [call('capture', { at: [0, 1], says: ok }), call('cancel', { at: [2, 3], says: busy })],
    ],
    [
      'busy with a capture of its own that never came',
      held,
      [
        call('capture', { at: [0, 1], says: busy }),
        call('cancel', { at: [2, 3], key: 'c', says: voided }),
        call('read', { at: [4, 5], says: [200, 'voided'] }),
      ],
    ],
    [
      'more given back than was taken',
      paid,
      [
        call('refund', { at: [0, 9], key: 'a', amount: 4, says: given }),
        call('refund', { at: [0, 9], key: 'b', amount: 4, says: given }),
      ],
    ],
    [
      'too much said of what is left',
      paid,
      [
        call('refund', { at: [0, 1], key: 'a', amount: 2, says: given }),
        call('refund', { at: [2, 3], key: 'b', amount: 4, says: tooMuch }),
      ],
    ],
    [
      'a lost refund sum',
      paid,
      [
        call('refund', { at: [0, 1], key: 'a', amount: 2, says: given }),
        call('read', { at: [2, 3], says: [200, 'succeeded'] }),
      ],
    ],
    ['a refund of a hold', held, [call('refund', { at: [0, 1], amount: 1, says: given })]],
  ])('%s', (_, start, history) => {
    expect(isLinearizable(history, start)).toBe(false);
  });
});

describe('findOrder', () => {
  it('orders any history that was made one call after the other, its calls stretched in time', () => {
    const stretch = fc.tuple(fc.nat(3), fc.nat(3));
    const step = fc.record({
      kind: fc.constantFrom('capture', 'cancel', 'read' as const),
      key: fc.constantFrom('a', 'b'),
      stretch,
      isLost: fc.constantFrom(false, false, false, true),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 12 }), (steps) => {
        let status = 'authorized';
        const done = new Map<string, string>();
        const history = steps.map(({ kind, key, stretch: [before, later], isLost }, place) => {
          const name = `${kind} ${key}`;
          if (kind !== 'read' && status === 'authorized') {
            status = kind === 'capture' ? 'succeeded' : 'voided';
            done.set(name, status);
          }
          const shown = kind === 'read' ? status : (done.get(name) ?? null);
          const at: [number, number | null] = [place - before - 0.1, isLost ? null : place + later];
          return call(kind, { at, key, ...(isLost ? {} : { says: shown ? [200, shown] : gone }) });
        });
        const order = findOrder(history, held);
        expect(order).not.toBeNull();
        const answered = history.flatMap(({ answer }, place) => (answer === null ? [] : [place]));
        expect(order).toEqual(expect.arrayContaining(answered));
      }),
      { numRuns: 500 },
    );
  });

  it('30 calls, half of them open, are decided at once', () => {
    const history = Array.from({ length: 30 }, (_, place) =>
      call(place % 3 === 0 ? 'capture' : place % 3 === 1 ? 'cancel' : 'read', {
        at: [place, place % 2 === 0 ? null : 100 + place],
        key: `k${place}`,
        ...(place % 2 === 0
          ? {}
          : { says: place % 3 === 2 ? ([200, 'refunded'] as [number, string]) : gone }),
      }),
    );
    const startedAt = process.threadCpuUsage();
    expect(isLinearizable(history, held)).toBe(false);
    expect(process.threadCpuUsage(startedAt).user / 1000).toBeLessThan(5000);
  });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  changeEvent,
  type DisputeMovement,
  disputeFactsOf,
  isOlderReading,
  movementEvent,
  newMovements,
  type ProviderDispute,
  refundBlockingStatuses,
} from './dispute.ts';

const noAnswer = {
  ...{ intendedSubmission: null, answeredBy: null, hasEvidence: false },
  ...{ submissionCount: 0, isPastDue: false, enhancedEligibility: [] },
} as const;

const disputeReading = (given: Partial<ProviderDispute> = {}): ProviderDispute => ({
  disputeId: 'dp_1',
  intentId: 'pi_1',
  chargeId: 'ch_1',
  status: 'needs_response',
  reason: 'fraudulent',
  amountMinor: 1990,
  currency: 'EUR',
  evidenceDueBy: null,
  answer: noAnswer,
  openedAt: new Date('2026-03-01T00:00:00.000Z'),
  movements: [],
  ...given,
});

const movement = (id: string, amountMinor: number, at = '2026-03-01T00:00:00Z') =>
  ({ id, amountMinor, currency: 'EUR', at: new Date(at) }) satisfies DisputeMovement;

const early = new Date(0);
const none: ReadonlySet<string> = new Set();

describe('newMovements', () => {
  it('any readings of one history, in any order, record each movement once: the sum is exact', () => {
    // A step is a movement of money, or null for a step of the lifecycle alone.
    const history = fc.array(fc.option(fc.integer({ min: -5000, max: 5000 })), { maxLength: 12 });
    fc.assert(
      fc.property(history, fc.array(fc.nat(), { maxLength: 40 }), (amounts, order) => {
        const booked = amounts.flatMap((amount, i) =>
          amount === null ? [] : [movement(`txn_${i}`, amount)],
        );
        const whole = disputeReading({ movements: booked });
        // A provider whose copies lag shows any earlier state.
        const readings = order.map((n) => {
          const movements = booked.slice(0, n % (booked.length + 1));
          return disputeReading({ movements });
        });
        const recorded = new Map<string, number>();
        for (const reading of [...readings, whole, whole]) {
          const known = new Set(recorded.keys());
          if (isOlderReading(undefined, known, reading)) continue;
          for (const one of newMovements(reading, known, early)) {
            expect(recorded.has(one.id)).toBe(false);
            recorded.set(one.id, one.amountMinor);
          }
        }
        const moved = booked.filter(({ amountMinor }) => amountMinor !== 0);
        expect([...recorded.keys()].sort()).toEqual(moved.map(({ id }) => id).sort());
        const sum = (of: number[]) => of.reduce((total, one) => total + one, 0);
        const withdrawn = sum(moved.map((one) => Math.max(one.amountMinor, 0)));
        const reinstated = sum(moved.map((one) => Math.max(-one.amountMinor, 0)));
        expect(sum([...recorded.values()])).toBe(withdrawn - reinstated);
      }),
    );
  });

  it('a movement listed twice is one row, one of nothing is none', () => {
    const twice = [movement('txn_1', 5), movement('txn_1', 5), movement('txn_2', 0)];
    expect(newMovements(disputeReading({ movements: twice }), none, early)).toEqual([
      movement('txn_1', 5),
    ]);
  });

  it('what is older than the classification is left out, to the second', () => {
    const from = new Date('2026-03-01T12:00:00.900Z');
    const movements = [
      movement('txn_before', 5, '2026-03-01T11:59:59Z'),
      movement('txn_same_second', 5, '2026-03-01T12:00:00Z'),
      movement('txn_after', -5, '2026-03-01T12:00:01Z'),
    ];
    const found = newMovements(disputeReading({ movements }), none, from).map(({ id }) => id);
    expect(found).toEqual(['txn_same_second', 'txn_after']);
  });

  it('is told as withdrawn or reinstated by its sign', () => {
    expect(movementEvent({ amountMinor: 1 })).toBe('chargeback.withdrawn');
    expect(movementEvent({ amountMinor: -1 })).toBe('chargeback.reinstated');
  });
});

describe('isBehind', () => {
  it('a reading without a recorded movement, or from before the end', () => {
    const open = disputeReading({ movements: [movement('txn_1', 5)] });
    expect(isOlderReading({ status: 'needs_response' }, new Set(['txn_1']), open)).toBe(false);
    expect(isOlderReading({ status: 'needs_response' }, new Set(['txn_1', 'txn_2']), open)).toBe(
      true,
    );
    expect(isOlderReading({ status: 'won' }, none, open)).toBe(true);
    expect(isOlderReading({ status: 'won' }, none, disputeReading({ status: 'won' }))).toBe(false);
  });

  it('an appeal opens again what was lost, and a bank may change its mind', () => {
    const appeal = disputeReading({ status: 'appeal_needs_response' });
    expect(isOlderReading({ status: 'lost' }, none, appeal)).toBe(false);
    expect(isOlderReading({ status: 'lost' }, none, disputeReading({ status: 'won' }))).toBe(false);
  });
});

describe('changeEvent', () => {
  const now = new Date('2026-03-02T00:00:00.000Z');
  const open = disputeFactsOf(disputeReading(), undefined, now);

  it('nothing for the same words, an update for others, the end once', () => {
    expect(changeEvent(open, disputeFactsOf(disputeReading(), open, now))).toBeNull();
    const review = disputeFactsOf(disputeReading({ status: 'under_review' }), open, now);
    expect(changeEvent(open, review)).toBe('dispute.updated');
    const lost = disputeFactsOf(disputeReading({ status: 'lost' }), open, now);
    expect(changeEvent(review, lost)).toBe('dispute.closed');
    expect(
      changeEvent(lost, disputeFactsOf(disputeReading({ status: 'lost' }), lost, now)),
    ).toBeNull();
  });

  it('the end counts from when it was first known; an appeal lifts it', () => {
    const lost = disputeFactsOf(disputeReading({ status: 'lost' }), open, now);
    const later = new Date('2026-04-01T00:00:00.000Z');
    expect(disputeFactsOf(disputeReading({ status: 'won' }), lost, later).closedAt).toEqual(now);
    const appeal = disputeFactsOf(disputeReading({ status: 'appeal_under_review' }), lost, later);
    expect(appeal.closedAt).toBeNull();
  });

  it.each([
    ['reason', { reason: 'duplicate' }],
    ['amount', { amountMinor: 5 }],
    ['evidence deadline', { evidenceDueBy: now }],
    ['way of answering', { answer: { ...noAnswer, intendedSubmission: 'smart_disputes' } }],
    ['answer', { answer: { ...noAnswer, answeredBy: 'provider', submissionCount: 1 } }],
    [
      'special rule',
      {
        answer: {
          ...noAnswer,
          enhancedEligibility: [{ type: 'visa_compliance', status: null, requiredActions: [] }],
        },
      },
    ],
  ] satisfies [string, Partial<ProviderDispute>][])('a new %s is an update', (_, given) => {
    expect(changeEvent(open, disputeFactsOf(disputeReading(given), open, now))).toBe(
      'dispute.updated',
    );
  });
});

describe('refundBlockingStatuses', () => {
  it('an open or lost chargeback; not an inquiry, nor what was won', () => {
    expect([...refundBlockingStatuses].sort()).toEqual([
      'appeal_needs_response',
      'appeal_under_review',
      'lost',
      'needs_response',
      'under_review',
    ]);
  });
});

import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { aLine, aSubscription } from '../../../test/customers/subscriptions.ts';
import { isCharged } from './line.ts';
import { countUnasked, isAttemptOfCard, isRefusedForGood } from './renewal-failures.ts';
import {
  cancel,
  cancelAtPeriodEnd,
  delayTry,
  failTry,
  type Interval,
  periodEnd,
  renew,
  resume,
  type Subscription,
  type SubscriptionChange,
  startsOf,
} from './subscription.ts';

const dateOf = (text: string): Date => new Date(`${text}T10:30:00.000Z`);
const hours = (from: Date, count: number): Date => new Date(from.getTime() + count * 3_600_000);
const days = (from: Date, count: number): Date => hours(from, count * 24);
const applyChange = (from: Subscription, { change }: SubscriptionChange): Subscription => ({
  ...from,
  ...change,
});

const anInterval = fc.constantFrom<Interval>('day', 'week', 'month', 'year');
const anAnchor = fc.date({
  min: new Date('1999-01-01T00:00:00Z'),
  max: new Date('2120-12-31T23:59:59Z'),
  noInvalidDate: true,
});
const aCount = fc.integer({ min: 0, max: 400 });

describe('periodEnd', () => {
  it.each<[string, Interval, number, string]>([
    ['2026-01-31', 'month', 1, '2026-02-28'],
    ['2028-01-31', 'month', 1, '2028-02-29'],
    ['2026-01-31', 'month', 2, '2026-03-31'],
    ['2026-01-31', 'month', 3, '2026-04-30'],
    ['2026-12-31', 'month', 2, '2027-02-28'],
    ['2026-01-15', 'month', 12, '2027-01-15'],
    ['2028-02-29', 'year', 1, '2029-02-28'],
    ['2028-02-29', 'year', 4, '2032-02-29'],
    ['2096-02-29', 'year', 4, '2100-02-28'],
    ['2026-03-28', 'day', 2, '2026-03-30'],
    ['2026-10-24', 'week', 1, '2026-10-31'],
  ])('%s and %s times %i: %s', (anchor, interval, count, end) => {
    expect(periodEnd(dateOf(anchor), interval, count)).toEqual(dateOf(end));
  });

  test('ends rise with the count, from the anchor on: no two are alike', () => {
    fc.assert(
      fc.property(anAnchor, anInterval, aCount, (anchor, interval, count) => {
        expect(periodEnd(anchor, interval, 0)).toEqual(anchor);
        const end = periodEnd(anchor, interval, count).getTime();
        expect(periodEnd(anchor, interval, count + 1).getTime()).toBeGreaterThan(end);
      }),
    );
  });

  test('months and years keep hour and day, but where the month is too short: its last day', () => {
    fc.assert(
      fc.property(anAnchor, fc.constantFrom('month', 'year'), aCount, (anchor, interval, count) => {
        const end = periodEnd(anchor, interval, count);
        const step = interval === 'month' ? count : count * 12;
        const whole = anchor.getUTCFullYear() * 12 + anchor.getUTCMonth() + step;
        expect(end.getUTCFullYear() * 12 + end.getUTCMonth()).toBe(whole);
        expect(end.getTime() % 86_400_000).toBe(anchor.getTime() % 86_400_000);
        if (end.getUTCDate() === anchor.getUTCDate()) return;
        expect(end.getUTCDate()).toBeLessThan(anchor.getUTCDate());
        expect(days(end, 1).getUTCDate()).toBe(1);
      }),
    );
  });
});

describe('renew', () => {
  it('goes on to the next end, counted from the anchor, and forgets the failed tries', () => {
    const anchoredAt = dateOf('2026-01-31');
    const subscription = aSubscription({
      anchoredAt,
      periods: 1,
      currentPeriodEnd: dateOf('2026-02-28'),
      status: 'past_due',
      tries: 2,
      renewalPaymentId: 'paying',
    });
    expect(renew(subscription, dateOf('2026-03-03'))).toEqual({
      change: {
        status: 'active',
        periods: 2,
        currentPeriodEnd: dateOf('2026-03-31'),
        tries: 0,
        nextRenewalAt: dateOf('2026-03-31'),
        renewalPaymentId: null,
      },
      event: 'subscription.renewed',
    });
  });

  it('periods that passed unpaid are not charged for: the end after now is the next one', () => {
    const anchoredAt = dateOf('2026-01-01');
    const subscription = aSubscription({
      anchoredAt,
      interval: 'day',
      periods: 1,
      currentPeriodEnd: dateOf('2026-01-02'),
    });
    const { change } = renew(subscription, hours(dateOf('2026-01-05'), 1));
    expect(change).toMatchObject({ periods: 5, currentPeriodEnd: dateOf('2026-01-06') });
  });

  test('the new end is the first one after now, and never before the next', () => {
    fc.assert(
      fc.property(
        anAnchor,
        anInterval,
        fc.integer({ min: 1, max: 30 }),
        fc.integer({ min: -40, max: 800 }),
        (anchoredAt, interval, periods, late) => {
          const currentPeriodEnd = periodEnd(anchoredAt, interval, periods);
          const now = days(currentPeriodEnd, late);
          const subscription = aSubscription({ anchoredAt, interval, periods, currentPeriodEnd });
          const next = applyChange(subscription, renew(subscription, now));
          expect(next.periods).toBeGreaterThan(periods);
          expect(next.currentPeriodEnd).toEqual(periodEnd(anchoredAt, interval, next.periods));
          expect(next.nextRenewalAt).toEqual(next.currentPeriodEnd);
          expect(next.currentPeriodEnd.getTime()).toBeGreaterThan(now.getTime());
          const before = periodEnd(anchoredAt, interval, next.periods - 1);
          expect(next.periods === periods + 1 || before <= now).toBe(true);
        },
      ),
    );
  });
});

describe('failTry', () => {
  it('1, 3, 5 and 7 days after the first: past_due once, then canceled with payment_failed', () => {
    const dueAt = dateOf('2026-02-01');
    let stands = aSubscription({ currentPeriodEnd: dueAt, nextRenewalAt: dueAt });
    const told: unknown[] = [];
    for (const planned of [0, 1, 3, 5, 7]) {
      expect(stands.nextRenewalAt).toEqual(days(dueAt, planned));
      // A worker always comes a little late.
      const settled = failTry(stands, hours(days(dueAt, planned), 0.01));
      told.push(settled.event);
      stands = applyChange({ ...stands, renewalPaymentId: 'failed' }, settled);
      expect(stands.renewalPaymentId).toBeNull();
    }
    expect(told).toEqual(['subscription.past_due', null, null, null, 'subscription.canceled']);
    expect(stands).toMatchObject({
      status: 'canceled',
      cancelReason: 'payment_failed',
      tries: 5,
      nextRenewalAt: null,
      currentPeriodEnd: dueAt,
    });
  });

  it('a try that came late is not followed at once: the next one counts from it', () => {
    const dueAt = dateOf('2026-02-01');
    const now = days(dueAt, 6);
    const { change } = failTry(aSubscription({ nextRenewalAt: dueAt, tries: 1 }), now);
    expect(change.nextRenewalAt).toEqual(days(now, 2));
  });
});

describe('delayTry', () => {
  it('asked again after an hour, then ever more rarely; past_due once a day late; no try counted', () => {
    const dueAt = dateOf('2026-02-01');
    let stands = aSubscription({ currentPeriodEnd: dueAt, nextRenewalAt: dueAt });
    const lateHours: number[] = [];
    const told: unknown[] = [];
    let now = dueAt;
    for (let round = 0; round < 8; round += 1) {
      const settled = delayTry(stands, now, round + 1);
      told.push(settled.event);
      stands = applyChange(stands, settled);
      now = stands.nextRenewalAt ?? now;
      lateHours.push((now.getTime() - dueAt.getTime()) / 3_600_000);
    }
    expect(lateHours).toEqual([1, 2, 4, 8, 16, 32, 56, 80]);
    expect(told.filter((event) => event !== null)).toEqual(['subscription.past_due']);
    expect(told.indexOf('subscription.past_due')).toBe(6);
    expect(stands).toMatchObject({ status: 'past_due', tries: 0, cancelReason: null });
  });

  it('asked for the first time days late: past_due, and again after an hour all the same', () => {
    const dueAt = dateOf('2026-02-01');
    const now = days(dueAt, 5);
    const { change, event } = delayTry(aSubscription({ currentPeriodEnd: dueAt }), now, 1);
    expect(event).toBe('subscription.past_due');
    expect(change.nextRenewalAt).toEqual(hours(now, 1));
  });

  it.each([
    [[], 0],
    [['unavailable', 'provider_configuration'], 2],
    [['unavailable', 'declined', 'unavailable'], 1],
    [['declined', 'unavailable'], 0],
  ])('of the failures %j, newest first, it counts %i', (codes, count) => {
    expect(countUnasked(codes.map((failureCode) => ({ failureCode })))).toBe(count);
  });
});

describe('cancel', () => {
  it('ends it now and leaves a renewal under way to itself', () => {
    const now = dateOf('2026-02-01');
    const { change, event } = cancel('merchant_requested', now);
    expect(event).toBe('subscription.canceled');
    expect(change).toEqual({
      status: 'canceled',
      canceledAt: now,
      cancelReason: 'merchant_requested',
      nextRenewalAt: null,
      endReason: null,
    });
  });
});

describe('cancelAtPeriodEnd, resume', () => {
  const dueAt = dateOf('2026-02-01');
  const [before, after] = [days(dueAt, -1), days(dueAt, 1)];
  const running = { currentPeriodEnd: dueAt, nextRenewalAt: dueAt };

  it('is planned while the period that was paid runs, once, and by whoever asked first', () => {
    const subscription = aSubscription(running);
    expect(cancelAtPeriodEnd(subscription, 'customer_requested', before)).toEqual({
      change: { endReason: 'customer_requested' },
      event: 'subscription.cancellation_scheduled',
    });
    const planned = aSubscription({ ...running, endReason: 'customer_requested' });
    expect(cancelAtPeriodEnd(planned, 'merchant_requested', before)).toBeNull();
    expect(
      cancelAtPeriodEnd(aSubscription({ status: 'canceled' }), 'merchant_requested', before),
    ).toBeNull();
  });

  it('ends at once where that period is over, from its very end on', () => {
    for (const now of [dueAt, after]) {
      for (const status of ['active', 'past_due'] as const) {
        const late = aSubscription({ ...running, status, nextRenewalAt: days(dueAt, 3) });
        expect(cancelAtPeriodEnd(late, 'merchant_requested', now)).toMatchObject({
          change: { status: 'canceled', cancelReason: 'merchant_requested' },
          event: 'subscription.canceled',
        });
      }
    }
  });

  it('waits for a charge under way: paid, it ends with that period; unpaid, at once', () => {
    const charged = aSubscription({ ...running, renewalPaymentId: aSubscription().id });
    const planned = cancelAtPeriodEnd(charged, 'customer_requested', after);
    expect(planned?.event).toBe('subscription.cancellation_scheduled');
    const ending = { ...charged, ...planned?.change };
    const paid = { ...ending, ...renew(ending, after).change };
    expect(paid).toMatchObject({ status: 'active', periods: 2, endReason: 'customer_requested' });
    for (const unpaid of [failTry(ending, after), delayTry(ending, after, 1)]) {
      expect(unpaid).toMatchObject({
        change: { status: 'canceled', cancelReason: 'customer_requested', renewalPaymentId: null },
        event: 'subscription.canceled',
      });
    }
  });

  it('is taken back until it has come, and not from then on', () => {
    const planned = aSubscription({ ...running, endReason: 'merchant_requested' });
    const resumed = { change: { endReason: null }, event: 'subscription.resumed' };
    expect(resume(planned, before)).toEqual(resumed);
    expect(resume({ ...planned, renewalPaymentId: aSubscription().id }, after)).toEqual(resumed);
    for (const now of [dueAt, after]) expect(resume(planned, now)).toBe('ended');
    expect(resume(aSubscription({ status: 'canceled' }), before)).toBe('ended');
    expect(resume(aSubscription(running), after)).toBeNull();
  });
});

describe('isTry, isRefusedForGood', () => {
  it.each([
    ['declined', true],
    ['authentication_failed', true],
    ['unavailable', false],
    ['provider_configuration', false],
    ['amount_not_supported', true],
    ['currency_not_supported', false],
  ])('%s: %s', (failureCode, isOne) => expect(isAttemptOfCard({ failureCode })).toBe(isOne));

  it.each([
    ['stolen_card', true],
    ['revocation_of_authorization', true],
    ['insufficient_funds', false],
    ['expired_card', false],
    [null, false],
  ])('%s: %s', (code, isForGood) => expect(isRefusedForGood(code)).toBe(isForGood));

  it('a code that says nothing, of which the provider said: never again', () => {
    expect(isRefusedForGood('generic_decline', 'do_not_try_again')).toBe(true);
  });
});

describe('startsOf', () => {
  it('one per product; a period costs the line before coupons, at the price that was agreed', () => {
    const lines = [
      aLine({ code: 'mug', kind: 'item', interval: null }),
      aLine({ code: 'club', unitMinor: 900, quantity: 2, discountMinor: 500 }),
      aLine({ code: 'news', unitMinor: 900, overrideMinor: 300, interval: 'week' }),
      aLine({ code: 'club', unitMinor: 900 }),
    ];
    expect(startsOf(lines)).toEqual([
      {
        productCode: 'club',
        productName: 'Club',
        quantity: 3,
        amountMinor: 2700,
        interval: 'month',
      },
      { productCode: 'news', productName: 'Club', quantity: 1, amountMinor: 300, interval: 'week' },
    ]);
  });

  it('what costs nothing starts as well, and is not charged again', () => {
    const line = aLine({ overrideMinor: 0 });
    expect(startsOf([line])).toMatchObject([{ productCode: 'club', amountMinor: 0 }]);
    expect(isCharged(line)).toBe(false);
    expect(isCharged(aLine({}))).toBe(true);
  });
});

// Faults in the code that charges a customer who is not present: renewals of subscriptions.
// docs/decisions/subscriptions.md.

import type { PlantedFault } from '../planting/planted-fault.ts';

const domain = 'service/src/domain/payments/subscription.ts';
const settle = 'service/src/engine/steps/subscriptions/settle-renewal.ts';
const claim = 'service/src/storage/subscriptions/claim-renewal.ts';
const ends = 'service/src/domain/payments/subscription.test.ts';
const due = 'service/src/engine/runs/subscriptions/renew-due.test.ts';
const ended = 'service/src/operations/subscriptions/end-subscription.test.ts';

export const renewalFaults: readonly PlantedFault[] = [
  {
    name: 'a renewal is sent once more after its subscription was cancelled',
    changes: [
      {
        file: 'service/src/engine/steps/payments/ask-for-attempt.ts',
        from: "!isFirstSend && used?.purpose === 'renewal' && (await",
        to: "isFirstSend && used?.purpose === 'renewal' && (await",
      },
    ],
    suite: ended,
    caughtBy: /a renewal that reached nobody/,
  },
  {
    name: 'a renewal that outlives its subscription renews it',
    changes: [
      {
        file: settle,
        from: "if (subscription?.renewalPaymentId !== payment.id || subscription.status === 'canceled') return;",
        to: 'if (subscription?.renewalPaymentId !== payment.id) return;',
      },
    ],
    suite: ended,
    caughtBy: /a renewal under way settles by itself/,
  },
  {
    name: 'each period that nobody charged is charged for',
    changes: [
      {
        file: domain,
        from: 'while (periodEnd(anchoredAt, interval, periods) <= now) periods += 1;',
        to: '',
      },
    ],
    suite: due,
    caughtBy: /behind by several periods/,
  },
  {
    name: 'the end of a month creeps into the next one',
    changes: [
      {
        file: domain,
        from: 'end.setUTCDate(Math.min(anchoredAt.getUTCDate(), lastDay));',
        to: 'end.setUTCDate(anchoredAt.getUTCDate() + 0 * lastDay);',
      },
    ],
    suite: ends,
    caughtBy: /2026-01-31 and month times 1/,
    isQuick: true,
  },
  {
    name: 'a provider that is out of reach counts as a decline of the card',
    changes: [{ file: settle, from: 'if (isAttemptOfCard(next)) return', to: 'if (next) return' }],
    suite: due,
    caughtBy: /a provider out of reach is no try of the card/,
  },
  {
    name: 'how late a renewal is decides how long it waits',
    changes: [
      {
        file: domain,
        from: 'hour * 2 ** Math.max(inARow - 2, 0)',
        to: 'Math.max(lateMs, hour * Math.min(inARow, 1))',
      },
    ],
    suite: due,
    caughtBy: /at the retry of a declined card: an hour/,
  },
  {
    name: 'a card that its bank refused for good is charged again',
    changes: [
      {
        file: claim,
        from: "last?.status === 'failed' &&",
        to: "last?.status === 'succeeded' &&",
      },
    ],
    suite: due,
    caughtBy: /refused for good is not charged again/,
  },
  {
    name: 'a card that is being removed is charged',
    changes: [
      {
        file: claim,
        from: `not exists (select from payment_method_detachments r
       where r.client_id = s.client_id and r.payment_method_id = s.payment_method_id
       and r.state = 'running')`,
        to: 'true',
      },
      {
        file: claim,
        from: 'if (await isBeingRemoved(tx, method)) return undefined;',
        to: '',
      },
    ],
    suite: due,
    caughtBy: /a method that is being removed is not charged/,
  },
  {
    name: 'a subscription that was to end with its period is renewed',
    changes: [{ file: claim, from: 'of.endReason !== null;', to: 'of.endReason?.length === 0;' }],
    suite: ended,
    caughtBy: /at the end of the period: runs on until then/,
  },
  {
    name: 'a renewal is sent once more after its buyer had the subscription end',
    changes: [
      {
        file: 'service/src/storage/payments/attempt-methods.ts',
        from: "s.status = 'canceled' or s.end_reason is not null as is_ended",
        to: "s.status = 'canceled' as is_ended",
      },
    ],
    suite: ended,
    caughtBy: /before a renewal that was claimed and killed/,
  },
  {
    name: 'a planned end is taken back after it has come',
    changes: [
      { file: domain, from: "if (isPeriodOver(subscription, now)) return 'ended';", to: '' },
    ],
    suite: ends,
    caughtBy: /is taken back until it has come/,
    isQuick: true,
  },
];

import { describe, expect, it } from 'vitest';
import type { Status } from './moves.ts';
import { type HistoryRow, replayHistory } from './replay-history.ts';

const row = (version: number, status: Status, more: Partial<HistoryRow> = {}): HistoryRow => ({
  paymentId: 'p',
  type: 'purchase',
  amountMinor: 6,
  version,
  status,
  voidReason: null,
  capturedMinor: ['succeeded', 'partially_refunded', 'refunded'].includes(status) ? 6 : 0,
  refundedMinor: 0,
  eventSeq: 0,
  ...more,
});
const events = (...types: string[]) =>
  types.map((type, index) => ({ paymentId: 'p', sequence: index + 1, type }));

const captured = [
  row(0, 'pending'),
  row(1, 'authorized', { eventSeq: 1 }),
  row(2, 'unknown', { eventSeq: 1 }),
  row(3, 'succeeded', { eventSeq: 2 }),
  row(4, 'partially_refunded', { eventSeq: 2, refundedMinor: 2 }),
];
const told = events('payment.authorized', 'item.purchased');

describe('replayHistory', () => {
  it('finds nothing in a history that the contract allows', () => {
    const body = JSON.stringify({ object: 'payment', id: 'p', version: 3, status: 'succeeded' });
    expect(replayHistory(captured, told, [{ body }])).toEqual([]);
    const voided = [
      ...captured.slice(0, 2),
      row(2, 'voided', { eventSeq: 2, voidReason: 'expired' }),
    ];
    const expired = events('payment.authorized', 'payment.authorization_expired');
    expect(replayHistory(voided, expired)).toEqual([]);
  });

  it('does not mind the order in which rows come', () => {
    expect(replayHistory(captured.toReversed(), told)).toEqual([]);
  });

  const withoutRow = (place: number) => captured.filter((_, index) => index !== place);
  const withChangedRow = (place: number, more: Partial<HistoryRow>) =>
    captured.map((one, index) => (index === place ? { ...one, ...more } : one));

  it.each<[string, HistoryRow[], string[], RegExp]>([
    [
      'a version is missing',
      withoutRow(2),
      ['payment.authorized', 'item.purchased'],
      /comes as number/,
    ],
    [
      'a move back',
      withChangedRow(4, { status: 'authorized', capturedMinor: 0, refundedMinor: 0 }),
      ['payment.authorized', 'item.purchased'],
      /moved from/,
    ],
    [
      'captured after it was released',
      withChangedRow(2, { status: 'voided', voidReason: 'expired' }),
      ['payment.authorized', 'item.purchased'],
      /moved from voided/,
    ],
    [
      'a purchase that nobody was told',
      withChangedRow(3, { eventSeq: 1 }).map((one) => ({
        ...one,
        eventSeq: Math.min(one.eventSeq, 1),
      })),
      ['payment.authorized'],
      /told by none/,
    ],
    [
      'two events for one change',
      withChangedRow(3, { eventSeq: 3 }),
      ['payment.authorized', 'item.purchased'],
      /counts 2 events/,
    ],
    ['an event that is missing', captured, ['payment.authorized'], /is missing|1 events/],
    [
      'a wrong event',
      captured,
      ['payment.authorized', 'payment.authorization_voided'],
      /told by payment.authorization_voided/,
    ],
    [
      'a part captured',
      withChangedRow(3, { capturedMinor: 4 }),
      ['payment.authorized', 'item.purchased'],
      /has captured 4/,
    ],
    [
      'a lost refund sum',
      withChangedRow(4, { refundedMinor: 0 }),
      ['payment.authorized', 'item.purchased'],
      /with 0 of 6 refunded/,
    ],
    [
      'more refunded than captured',
      withChangedRow(4, { refundedMinor: 7 }),
      ['payment.authorized', 'item.purchased'],
      /7 of 6/,
    ],
    [
      'voided without a reason',
      [...captured.slice(0, 2), row(2, 'voided', { eventSeq: 2 })],
      ['payment.authorized', 'payment.authorization_voided'],
      /is voided: null/,
    ],
  ])('finds: %s', (_, history, types, claim) => {
    expect(replayHistory(history, events(...types)).join('; ')).toMatch(claim);
  });

  it('finds an answer that showed what never was', () => {
    const body = (version: number, status: string) => ({
      body: JSON.stringify({ object: 'payment', id: 'p', version, status }),
    });
    expect(replayHistory(captured, told, [body(3, 'authorized')])).toEqual([
      'p: version 3 was succeeded and shown as authorized',
    ]);
    expect(replayHistory(captured, told, [body(9, 'succeeded')])).toHaveLength(1);
  });
});

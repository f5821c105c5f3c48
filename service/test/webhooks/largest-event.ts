// The largest event that a merchant can be sent: a purchase of everything that a cart takes.

import type { Line } from '../../src/domain/payments/line.ts';
import { composeEvent, showPurchase } from '../../src/engine/steps/events/compose-event.ts';
import type { NewEvent } from '../../src/storage/webhooks/events.ts';
import { aPayment } from '../payments/money.ts';

const now = new Date('2026-05-01T12:00:00.999Z');

/**
 * Characters of four bytes, the longest in UTF-8; no character that a name may contain is longer in
 * JSON.
 */
const widestText = (length: number): string => '🫖'.repeat(length);

const line: Line = {
  code: widestText(100),
  name: widestText(250),
  kind: 'item',
  quantity: 10_000,
  unitMinor: 9_999_999_999,
  overrideMinor: null,
  interval: null,
  discountMinor: 0,
};

/** As much as a request can hold, which has 64 kB at most. */
const mostMetadata = Object.fromEntries(
  Array.from({ length: 50 }, (_, at) => [`field${at}`, widestText(325)]),
);

/** Returns a purchase with this many lines, with the longest codes and names. */
export function aLargePurchase(lines = 100, metadata = mostMetadata): NewEvent {
  const payment = aPayment({
    email: `${'b'.repeat(308)}@example.com`,
    amountMinor: 999_999_999_999_999,
    metadata,
  });
  return composeEvent({
    id: '01900000-0000-7000-8000-0000000000aa',
    type: 'item.purchased',
    clientId: payment.clientId,
    isLive: false,
    now,
    resource: { type: 'payment', id: payment.id, version: 1_000_000 },
    sequence: 1_000_000,
    request: { id: `req_${'0'.repeat(32)}`, idempotencyKey: 'k'.repeat(255) },
    data: { object: showPurchase(payment, Array(lines).fill(line), now) },
  });
}

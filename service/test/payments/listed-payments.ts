// The payments that the tests of lists read, and their queries.

import type { Filter } from '@svc/contract/rows/row';
import { scaled } from '@svc/tools/machine';
import { vi } from 'vitest';
import { toMajor } from '../../src/domain/money/money.ts';
import type { Refusal } from '../../src/domain/protocol/refusal.ts';
import { copyPayments } from '../../src/engine/runs/payments/copy-payments.ts';
import type { Database } from '../../src/storage/database/database.ts';
import type { ListQuery } from '../../src/storage/database/lists.ts';
import { sql } from '../../src/storage/database/sql.ts';
import { aGateway, newId, type TestClient } from '../harness.ts';
import { aStoredPayment, aStoredSession, type StoredPayment } from './stored-rows.ts';

const currencies = ['EUR', 'JPY', 'KWD', 'CLF', 'USD'] as const;
const statuses = ['pending', 'authorized', 'succeeded', 'failed', 'voided'] as const;

/**
 * Inserts 23 payments of a merchant: all currencies, many ties, and nulls wherever they are
 * permitted.
 */
export async function fillPayments(
  db: Database,
  client: TestClient,
  prefix: string,
): Promise<StoredPayment[]> {
  const gateway = await aGateway(db, client);
  const session = await aStoredSession(db, client, { gateway });
  const users = [newId(), newId()];
  const stored: StoredPayment[] = [];
  for (let i = 0; i < 23; i++) {
    // Few distinct instants, half of them apart by microseconds only, so that ties are common.
    const createdAt = `2026-01-0${1 + (i % 3)}T00:00:00.123${i % 2 ? '456' : '000'}Z`;
    stored.push(
      await aStoredPayment(db, client, {
        gateway,
        sessionId: i % 7 === 0 ? session.id : null,
        userId: i % 4 === 0 ? null : (users[i % 2] ?? null),
        email: i % 5 === 0 ? null : `${prefix}${i % 3}@example.test`,
        type: i > 20 ? 'refund' : 'purchase',
        parentPaymentId: i > 20 ? (stored[0]?.id ?? null) : null,
        provider: i % 6 === 0 ? 'wallet' : 'cardprovider',
        gatewayChargeId: i % 3 === 0 ? null : `ch_${prefix}_${i}`,
        amountMinor: 1 + ((i * 7919) % 4000),
        currency: currencies[i % currencies.length] ?? 'EUR',
        captureMethod: i % 2 ? 'manual' : 'automatic',
        // Only a failed refund does not affect the sums of its purchase.
        status: i > 20 ? 'refund_failed' : (statuses[i % statuses.length] ?? 'pending'),
        createdAt,
        updatedAt: `2026-02-01T00:00:${String(i % 4).padStart(2, '0')}.000000Z`,
      }),
    );
  }
  return stored;
}

/** Returns the amount as callers see it. */
export const majorOf = (payment: StoredPayment): number =>
  toMajor(payment.amountMinor, payment.currency);

/** Everything on one page, newest first by default. */
export const listQuery = (given: Partial<ListQuery> = {}): ListQuery => ({
  page: 1,
  limit: 100,
  sortField: 'createdAt',
  sortDirection: 'DESC',
  filters: [],
  ...given,
});

export const filter = (field: string, op: Filter['op'], ...values: string[]): Filter => ({
  field,
  op,
  values,
});

export const ids = (rows: readonly { id?: unknown }[]): string[] =>
  rows.map(({ id }) => id as string);

/** Returns the code of the refusal, or `accepted`. */
export const codeOf = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'accepted',
    (error: Refusal) => error.code,
  );

const waiting = sql<{ n: number }>(
  'test_waiting_for_copy',
  `select count(*)::int as n from payment_history h, payment_index_state s where h.txid >= s.watermark`,
);

/**
 * Copies payments until no change is waiting: transactions of other tests on the same server hold the
 * watermark back.
 */
export async function copyEveryPayment({
  database,
}: {
  readonly database: Database;
}): Promise<void> {
  const copyAllPayments = async () => {
    while ((await copyPayments({ database }, { step: 50 })) !== 'idle');
    return (await database.read(waiting, []))[0]?.n === 0;
  };
  await vi.waitUntil(copyAllPayments, { timeout: scaled(30_000) });
}

const anew = sql(
  'test_listed_payments_anew',
  `update payment_index_state set is_complete = false, backfilled = 0,
     watermark = pg_snapshot_xmin(pg_current_snapshot())::text::bigint`,
);

/** Lets the copy begin with the payments from before, as after a restore. */
export const startCopyAnew = (database: Database): Promise<unknown> => database.write(anew, []);

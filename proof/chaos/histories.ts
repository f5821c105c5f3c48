// Checks the histories of a chaos run with the two checkers that know the contract and not our
// code: each payment is replayed on the reference model, and a consistent order is searched for the
// calls of each payment.

import type pg from 'pg';
import { isLinearizable, type SeenCall } from '../model/linearizable.ts';
import {
  eventsSql,
  type HistoryEvent,
  type HistoryRow,
  historySql,
  replayHistory,
} from '../model/replay-history.ts';
import type { SeenRequest, Shop } from './shop.ts';

export type HistoriesReport = {
  readonly violations: readonly string[];
  readonly replayed: number;
  readonly ordered: number;
  /** The number of payments with too many calls for the search. */
  readonly tooMany: number;
};

const mostCalls = 30;

export async function judgeHistories(
  client: pg.ClientBase,
  shop: Shop,
  clientId: string,
): Promise<HistoriesReport> {
  const { rows } = await client.query<HistoryRow>(historySql, [clientId]);
  const { rows: events } = await client.query<HistoryEvent>(eventsSql, [clientId]);
  const shown = shop.answers.filter(
    ({ kind, status }) => kind !== 'purchase' && (status === 200 || status === 201),
  );
  const replayed = replayHistory(rows, events, shown);
  const ordered = orderCalls(shop, rows);
  return {
    violations: [...replayed.map((one) => `3.4 replayed: ${one}`), ...ordered.violations],
    replayed: new Set(rows.map(({ paymentId }) => paymentId)).size,
    ordered: ordered.count,
    tooMany: ordered.tooMany,
  };
}

function orderCalls(shop: Shop, rows: readonly HistoryRow[]) {
  const amounts = new Map<string, number>();
  const manual = new Set<string>();
  for (const { paymentId, amountMinor, status, type } of rows) {
    if (type === 'purchase') amounts.set(paymentId, amountMinor);
    if (status === 'authorized') manual.add(paymentId);
  }
  const byPayment = Map.groupBy(
    shop.calls.filter(({ move }) => move.kind !== 'purchase'),
    ({ move }) => move.paymentId,
  );
  const violations: string[] = [];
  let [count, tooMany] = [0, 0];
  for (const [paymentId, calls] of byPayment) {
    const amount = paymentId === null ? undefined : amounts.get(paymentId);
    if (paymentId === null || amount === undefined) continue;
    if (calls.length > mostCalls) {
      tooMany += 1;
      continue;
    }
    count += 1;
    const status = manual.has(paymentId) ? 'authorized' : 'succeeded';
    const seen = calls.map(toSeenCall);
    if (!isLinearizable(seen, { amount, status })) {
      const told = JSON.stringify({ amount, status, calls: seen });
      violations.push(`3.4 no order of the calls makes sense: ${paymentId} ${told}`);
    }
  }
  return { violations, count, tooMany };
}

function toSeenCall({ move, calledAt, answeredAt, status, code, shown }: SeenRequest): SeenCall {
  return {
    kind: move.kind as 'capture' | 'cancel' | 'refund',
    key: move.key,
    ...(move.amount === null ? {} : { amount: Math.round(move.amount * 100) }),
    calledAt,
    answeredAt,
    answer: status === null ? null : { status, code, shown },
  };
}

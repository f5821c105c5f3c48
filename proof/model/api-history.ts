// Reads history and events of one payment, its refunds and its chargebacks, for checker 2.

import { sql } from '../../service/src/storage/database/sql.ts';
import type { World } from '../../service/test/world.ts';
import { eventsSql, type HistoryEvent, type HistoryRow, historySql } from './replay-history.ts';

const history = sql<HistoryRow>('model_history', historySql);
const events = sql<HistoryEvent>('model_events', eventsSql);

export async function historyOf(
  { database }: World,
  paymentId: string,
): Promise<{ rows: HistoryRow[]; events: HistoryEvent[] }> {
  return {
    rows: await database.read(history, [paymentId]),
    events: await database.read(events, [paymentId]),
  };
}

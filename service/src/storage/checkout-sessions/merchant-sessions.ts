// Checkout sessions as their merchant reads them. Additions §3.

import type { CheckoutSession } from '../../domain/payments/checkout-session.ts';
import type { Database } from '../database/database.ts';
import { defineList, type ListQuery, type Page } from '../database/lists.ts';
import { sql } from '../database/sql.ts';
import { type SessionRow, sessionColumns, toSession } from './checkout-sessions.ts';

/**
 * The status as `statusOf` shows it: an expired session may still wait for the worker that ends it.
 */
const shownStatus = `case when s.status in ('unclaimed', 'open') and s.expires_at <= svc_clock()
  then 'expired' else s.status end`;

const listRows = defineList<SessionRow>({
  name: 'merchant_sessions.list',
  from: 'checkout_sessions s',
  columns: sessionColumns,
  isScan: true,
  tenant: 's.client_id',
  key: { sql: 's.id', kind: 'uuid' },
  sorts: { createdAt: { sql: 's.created_at', kind: 'instant' } },
  filters: {
    id: { sql: 's.id', kind: 'uuid' },
    status: { sql: shownStatus, kind: 'text' },
    email: { sql: 's.email', kind: 'email' },
    userId: { sql: 's.user_id', kind: 'uuid' },
    reference: { sql: 's.reference', kind: 'text' },
    createdAt: { sql: 's.created_at', kind: 'instant' },
  },
});

const daysListed = 30;

/** The smallest id that a session of 30 days ago can have: their first 48 bits are the time. */
function oldestId(): string {
  const hex = (Date.now() - daysListed * 86_400_000).toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}-0000-0000-000000000000`;
}

/**
 * The sessions of the last 30 days, found by their ids: an index by merchant and time would slow down the
 * creation of each session. Ids contain the machine's time, which the sandbox's clock does not move.
 */
export async function listRecentSessions(
  database: Database,
  clientId: string,
  query: ListQuery,
): Promise<Page<CheckoutSession>> {
  const oldest = oldestId();
  const { rows, ...page } = await listRows(database, clientId, {
    ...query,
    within: [
      // `values` leaves out `oldest`: a cursor is valid only for a query with the same values, and `oldest` grows
      // with each call.
      { shape: 'recent', values: [], write: (bind) => `s.id >= ${bind(oldest)}::uuid` },
    ],
  });
  return { rows: rows.map(toSession), ...page };
}

const find = sql<SessionRow>(
  'merchant_sessions.find',
  `select ${sessionColumns} from checkout_sessions s where s.client_id = $1 and s.id = $2`,
);

type AttemptRow = {
  id: string;
  status: string;
  decline_code: string | null;
  failure_code: string | null;
  created_at: Date;
};

const findAttempts = sql<AttemptRow>(
  'merchant_sessions.attempts',
  `select p.id, p.status, p.decline_code, p.failure_code, p.created_at from payments p
   where p.client_id = $1 and p.session_id = $2 and p.type = 'purchase'
   order by p.created_at, p.id limit 100`,
);

/** A session of the merchant, however old; undefined where there is none. */
export async function findMerchantSession(
  database: Database,
  clientId: string,
  id: string,
): Promise<{ session: CheckoutSession; attempts: AttemptRow[] } | undefined> {
  const [[row], attempts] = await Promise.all([
    database.read(find, [clientId, id]),
    database.read(findAttempts, [clientId, id]),
  ]);
  return row && { session: toSession(row), attempts };
}

// Decides which process compares payments with the providers: one row, held as long as its holder
// moves the next time forward.

import type { Database } from '../database/database.ts';
import { sql } from '../database/sql.ts';

export type ReconcileTurn = {
  readonly holder: string;
  /** How long, from now, until another process may begin. */
  readonly ms: number;
};

const later = `svc_clock() + $2::double precision * interval '1 millisecond'`;

const claim = sql<{ holder: string }>(
  'reconcile_turn.claim',
  `insert into reconcile_turn as t (holder, next_at, timeline)
   values ($1, ${later}, database_timeline())
   on conflict (is_only) do update set holder = excluded.holder, next_at = excluded.next_at,
     timeline = excluded.timeline
   where t.next_at <= svc_clock() or t.timeline is distinct from excluded.timeline
   returning holder`,
);

/**
 * Returns false while another process is comparing, or too soon after the last run. After a failover or a
 * restore nobody waits: what was committed last may be gone, and only the provider has it.
 */
export async function claimTurn(
  database: Database,
  { holder, ms }: ReconcileTurn,
): Promise<boolean> {
  return (await database.write(claim, [holder, ms])).length === 1;
}

const keep = sql(
  'reconcile_turn.keep',
  `update reconcile_turn set next_at = ${later} where holder = $1`,
);

export async function keepTurn(database: Database, { holder, ms }: ReconcileTurn): Promise<void> {
  await database.write(keep, [holder, ms]);
}

const end = sql(
  'reconcile_turn.end',
  `update reconcile_turn set holder = null, next_at = ${later} where holder = $1`,
);

export async function endTurn(database: Database, { holder, ms }: ReconcileTurn): Promise<void> {
  await database.write(end, [holder, ms]);
}

/** The ids after which the next run continues. */
export type Place = { readonly watchedAfter: string | null; readonly othersAfter: string | null };

const findPlaceOf = sql<{ watched_after: string | null; others_after: string | null }>(
  'reconcile_turn.find_place',
  'select watched_after, others_after from reconcile_turn',
);

export async function findPlace(database: Database): Promise<Place> {
  const [row] = await database.read(findPlaceOf, []);
  return { watchedAfter: row?.watched_after ?? null, othersAfter: row?.others_after ?? null };
}

const savePlaceOf = sql(
  'reconcile_turn.save_place',
  `insert into reconcile_turn (next_at, watched_after, others_after) values (svc_clock(), $1, $2)
   on conflict (is_only) do update set watched_after = $1, others_after = $2`,
);

export async function savePlace(database: Database, place: Place): Promise<void> {
  await database.write(savePlaceOf, [place.watchedAfter, place.othersAfter]);
}

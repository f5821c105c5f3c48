// Imports products in batches: a few statements, whatever the size. Contract §8.

import type pg from 'pg';
import type { Price } from '../../domain/money/product.ts';
import type { ProductLine } from '../../domain/money/product-line.ts';
import type { Database, Tx } from '../database/database.ts';
import { type Query, sql } from '../database/sql.ts';

const listClients = sql<{ id: string; name: string }>(
  'import.clients',
  'select c.id, c.name from clients c order by c.name, c.id limit 20',
);

/** Returns the first 20 clients of this installation, by name. */
export const findClients = (database: Database): Promise<{ id: string; name: string }[]> =>
  database.read(listClients, []);

/**
 * The statement has no name, so that it is planned anew for each batch: a plan that was cached when
 * the catalog was small would read all of a large one each time.
 */
const plannedAnew = <Row extends pg.QueryResultRow>(text: string): Query<Row> => ({
  name: '',
  text,
});

// A batch locks and adds many rows in two steps, so no order of rows prevents two imports of one
// catalog from deadlocking: their batches take turns. Single changes lock one row and are not
// affected.
const takeTurn = sql(
  'import.take_turn',
  "select pg_advisory_xact_lock(hashtextextended('import-products:' || $1::text, 0))",
);

const lockKnown = plannedAnew(
  `select 1 from products p where p.client_id = $1 and p.code = any($2)
   for update`,
);

type KnownRow = {
  code: string;
  name: string;
  kind: string;
  interval_unit: string | null;
  is_active: boolean;
  prices: Record<string, number> | null;
};

const findKnown = plannedAnew<KnownRow>(
  `select p.code, p.name, p.kind, p.interval_unit, p.is_active, (
     select json_object_agg(r.currency, r.amount_minor) from product_prices r
     where r.client_id = p.client_id and r.product_code = p.code) as prices
   from products p where p.client_id = $1 and p.code = any($2)`,
);

const insertMany = plannedAnew<{ code: string }>(
  `insert into products (client_id, code, name, kind, interval_unit, is_active, created_at,
     updated_at)
   select $1, line.code, line.name, line.kind, line.unit, line.is_active, now, now
   from unnest($2::text[], $3::text[], $4::text[], $5::text[], $6::boolean[])
     as line (code, name, kind, unit, is_active), (select svc_clock() as now) as clock
   on conflict do nothing returning code`,
);

const updateMany = plannedAnew(
  `update products p set name = line.name, is_active = coalesce(line.is_active, p.is_active),
     updated_at = now
   from unnest($2::text[], $3::text[], $4::boolean[]) as line (code, name, is_active),
     (select svc_clock() as now) as clock
   where p.client_id = $1 and p.code = line.code`,
);

const putPrices = plannedAnew(
  `insert into product_prices as r (client_id, product_code, currency, amount_minor)
   select $1, line.code, line.currency, line.minor
   from unnest($2::text[], $3::text[], $4::bigint[]) as line (code, currency, minor)
   on conflict (client_id, product_code, currency) do update set amount_minor = excluded.amount_minor
   where r.amount_minor <> excluded.amount_minor`,
);

export type BatchCounts = {
  readonly created: number;
  readonly changed: number;
  readonly unchanged: number;
  /** Lines that contradict the catalog, with the product's code. */
  readonly refused: readonly { readonly code: string; readonly reason: ImportRefusal }[];
};
export type ImportRefusal = 'kind_differs' | 'price_required';

/**
 * Writes lines with distinct codes: new products are added, known ones are changed where they
 * differ. Repeating the call changes nothing.
 */
export async function putProducts(
  tx: Tx,
  clientId: string,
  lines: readonly ProductLine[],
): Promise<BatchCounts> {
  const codes = lines.map(({ code }) => code);
  await tx.query(takeTurn, [clientId]);
  // The prices are read after the lock, so that they include the changes of the transaction that
  // held it before.
  await tx.query(lockKnown, [clientId, codes]);
  const rows = await tx.query(findKnown, [clientId, codes]);
  const known = new Map(rows.map((row) => [row.code, row]));
  const refused: { code: string; reason: ImportRefusal }[] = [];
  const [fresh, changed]: [ProductLine[], ProductLine[]] = [[], []];
  for (const line of lines) {
    const row = known.get(line.code);
    const reason = row ? refuseChange(row, line) : refuseNew(line);
    if (reason) refused.push({ code: line.code, reason });
    else if (!row) fresh.push(line);
    else if (isChange(row, line)) changed.push(line);
  }
  const created = new Set((await insert(tx, clientId, fresh)).map(({ code }) => code));
  await update(tx, clientId, changed);
  const written = [...fresh.filter(({ code }) => created.has(code)), ...changed];
  await writePrices(tx, clientId, written);
  const sums = {
    created: created.size,
    changed: changed.length,
    unchanged: lines.length - fresh.length - changed.length - refused.length,
    refused,
  };
  // Another transaction added these products after the look-up: now they are known.
  const late = fresh.filter(({ code }) => !created.has(code));
  return late.length === 0 ? sums : addSums(sums, await putProducts(tx, clientId, late));
}

const addSums = (a: BatchCounts, b: BatchCounts): BatchCounts => ({
  created: a.created + b.created,
  changed: a.changed + b.changed,
  unchanged: a.unchanged + b.unchanged,
  refused: [...a.refused, ...b.refused],
});

const refuseNew = ({ prices }: ProductLine): ImportRefusal | null =>
  prices.length === 0 ? 'price_required' : null;

const refuseChange = (row: KnownRow, line: ProductLine): ImportRefusal | null =>
  row.kind === line.kind && row.interval_unit === line.interval ? null : 'kind_differs';

const isChange = (row: KnownRow, line: ProductLine): boolean =>
  row.name !== line.name ||
  (line.isActive !== null && row.is_active !== line.isActive) ||
  line.prices.some(({ currency, amountMinor }) => row.prices?.[currency] !== amountMinor);

async function insert(tx: Tx, clientId: string, lines: readonly ProductLine[]) {
  if (lines.length === 0) return [];
  return tx.query(insertMany, [
    clientId,
    lines.map(({ code }) => code),
    lines.map(({ name }) => name),
    lines.map(({ kind }) => kind),
    lines.map(({ interval }) => interval),
    lines.map(({ isActive }) => isActive ?? true),
  ]);
}

async function update(tx: Tx, clientId: string, lines: readonly ProductLine[]): Promise<void> {
  if (lines.length === 0) return;
  await tx.query(updateMany, [
    clientId,
    lines.map(({ code }) => code),
    lines.map(({ name }) => name),
    lines.map(({ isActive }) => isActive),
  ]);
}

async function writePrices(tx: Tx, clientId: string, lines: readonly ProductLine[]): Promise<void> {
  const prices = lines.flatMap(({ code, prices: own }): (Price & { code: string })[] =>
    own.map((price) => ({ code, ...price })),
  );
  if (prices.length === 0) return;
  await tx.query(putPrices, [
    clientId,
    prices.map(({ code }) => code),
    prices.map(({ currency }) => currency),
    prices.map(({ amountMinor }) => amountMinor),
  ]);
}

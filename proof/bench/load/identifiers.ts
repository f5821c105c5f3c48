// Ids of seeded rows: UUID v7 of consecutive milliseconds, so that they are as close together in an
// index as real ones. The number alone determines the id, so load processes need no list of ids.

const periodMs = 30 * 86_400_000;
/**
 * One or two periods ago, and the same in all processes of a run. Retention reads every row whose id is older than it
 * keeps, and would find in each pass that all of them ended just now.
 */
export const firstMs = (Math.floor(Date.now() / periodMs) - 1) * periodMs;

export const kinds = {
  session: '001',
  payment: '002',
  operation: '003',
  event: '004',
  buyer: '005',
} as const;

export type Kind = keyof typeof kinds;

/** The id of row `n` of a kind; `pg_temp.bench_id` makes the same one in SQL. */
export function idOf(kind: Kind, n: number): string {
  const time = (firstMs + n).toString(16).padStart(12, '0');
  const serial = n.toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-7${kinds[kind]}-8000-${serial}`;
}

/** Creates the function `pg_temp.bench_id(kind, n)` on this connection. */
export const createIdFunction = `
  create or replace function pg_temp.bench_id(kind text, n bigint) returns uuid
  language sql immutable as $$
    select (substr(time, 1, 8) || '-' || substr(time, 9) || '-7' || kind || '-8000-'
      || lpad(to_hex(n), 12, '0'))::uuid
    from (select lpad(to_hex(${firstMs} + n), 12, '0') as time) as made
  $$`;

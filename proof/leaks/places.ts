// The places where a value could be left: every table of the database, the server's own files, the
// logs.

import { closeSync, openSync, readdirSync, readFileSync, readSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type pg from 'pg';
import type { Place } from './scan.ts';

/** Every row of every table as text, bytea once as hex and once as its bytes. Needs a superuser. */
export async function dumpTables(client: pg.ClientBase): Promise<Place[]> {
  const { rows: tables } = await client.query<{ name: string; binary: string[] }>(`
    select quote_ident(n.nspname) || '.' || quote_ident(c.relname) as name,
      coalesce((select array_agg(quote_ident(a.attname)) from pg_attribute a
        where a.attrelid = c.oid and a.atttypid = 'bytea'::regtype and not a.attisdropped),
        '{}')::text[] as binary
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where c.relkind in ('r', 'p', 'm') and n.nspname not in ('pg_catalog', 'information_schema')
    order by 1`);
  const places: Place[] = [];
  for (const { name, binary } of tables) {
    const { rows } = await client.query<{ row: string }>(`select t::text as row from ${name} t`);
    const parts: Buffer[] = [Buffer.from(rows.map(({ row }) => row).join('\n'))];
    for (const column of binary) {
      const values = await client.query<{ value: Buffer }>(
        `select ${column} as value from ${name} where ${column} is not null`,
      );
      parts.push(...values.rows.map(({ value }) => value));
    }
    places.push({ name: `table ${name}`, bytes: Buffer.concat(parts) });
  }
  return places;
}

export type ServerFiles = {
  readonly wal: Iterable<Place>;
  readonly log: Place | undefined;
};

const newestWal = 8;

/** Files of the server, where it runs on this machine and they may be read; else undefined. */
export async function findServerFiles(client: pg.ClientBase): Promise<ServerFiles | undefined> {
  const { rows } = await client.query<{ folder: string }>(
    "select current_setting('data_directory') as folder",
  );
  const folder = rows[0]?.folder ?? '';
  try {
    // A checkpoint writes everything to the files first: what is only in memory would be missed.
    await client.query('checkpoint');
    const files = readdirSync(join(folder, 'pg_wal'))
      .filter((file) => /^[0-9A-F]{24}$/.test(file))
      .map((file) => join(folder, 'pg_wal', file))
      .sort((a, b) => statSync(b).mtimeMs - statSync(a).mtimeMs)
      .slice(0, newestWal);
    return { wal: readEach(files), log: readTail(join(dirname(folder), 'postgres.log')) };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'EACCES' || code === 'EPERM') return undefined;
    throw error;
  }
}

/** Yields one file at a time: together they are large. */
function* readEach(files: readonly string[]): Generator<Place> {
  for (const file of files) yield { name: `WAL ${file.slice(-8)}`, bytes: readFileSync(file) };
}

const mostLog = 32 * 1024 * 1024;

function readTail(file: string): Place | undefined {
  let handle: number;
  try {
    handle = openSync(file, 'r');
  } catch {
    return undefined;
  }
  try {
    const { size } = statSync(file);
    const bytes = Buffer.alloc(Math.min(size, mostLog));
    readSync(handle, bytes, 0, bytes.length, size - bytes.length);
    return { name: 'log of PostgreSQL', bytes };
  } finally {
    closeSync(handle);
  }
}

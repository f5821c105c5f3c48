import assert from 'node:assert';
import type { Database, Tx } from './database.ts';
import { sql } from './sql.ts';

export type Client = {
  readonly id: string;
  readonly name: string;
  readonly isLive: boolean;
  readonly allowedOrigins: readonly string[];
  readonly apiVersion: string;
  readonly createdAt: Date;
  readonly updatedAt: Date;
};

type Row = {
  id: string;
  name: string;
  is_live: boolean;
  allowed_origins: string[];
  api_version: string;
  created_at: Date;
  updated_at: Date;
};

const columns = 'id, name, is_live, allowed_origins, api_version, created_at, updated_at';

const toClient = (row: Row): Client => ({
  id: row.id,
  name: row.name,
  isLive: row.is_live,
  allowedOrigins: row.allowed_origins,
  apiVersion: row.api_version,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
});

const find = sql<Row>('clients.find', `select ${columns} from clients where id = $1`);

export async function findClient(database: Database, id: string): Promise<Client | undefined> {
  const [row] = await database.read(find, [id]);
  return row && toClient(row);
}

const lockClient = sql<Row>(
  'clients.lock',
  `select ${columns} from clients where id = $1 for no key update`,
);

const replaceOrigins = sql<Row>(
  'clients.replace_origins',
  `update clients set allowed_origins = $2, updated_at = svc_clock()
   where id = $1 returning ${columns}`,
);

/** Replaces the origins whose pages may call the browser routes. Contract §3, Origins. */
export async function replaceAllowedOrigins(
  tx: Tx,
  id: string,
  origins: readonly string[],
): Promise<{ readonly before: Client; readonly after: Client }> {
  const [before] = await tx.query(lockClient, [id]);
  const [after] = await tx.query(replaceOrigins, [id, origins]);
  assert(before && after, 'clients are never deleted');
  return { before: toClient(before), after: toClient(after) };
}

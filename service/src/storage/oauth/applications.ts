// OAuth clients that merchants have registered.

import type { Database, Tx } from '../database/database.ts';
import { defineList, type List } from '../database/lists.ts';
import { sql } from '../database/sql.ts';

export type Application = {
  readonly id: string;
  readonly clientId: string;
  readonly name: string;
  readonly uri: string | null;
  readonly kind: 'confidential' | 'public';
  readonly redirectUris: readonly string[];
  readonly scopes: readonly string[];
  readonly version: number;
  readonly createdAt: Date;
  readonly updatedAt: Date;
};

export type ApplicationRow = {
  id: string;
  client_id: string;
  name: string;
  uri: string | null;
  kind: Application['kind'];
  redirect_uris: string[];
  scopes: string[];
  version: number;
  created_at: Date;
  updated_at: Date;
};

const columns = `a.id, a.client_id, a.name, a.uri, a.kind, a.redirect_uris, a.scopes, a.version,
  a.created_at, a.updated_at`;

export const toApplication = (row: ApplicationRow): Application => ({
  id: row.id,
  clientId: row.client_id,
  name: row.name,
  uri: row.uri,
  kind: row.kind,
  redirectUris: row.redirect_uris,
  scopes: row.scopes,
  version: row.version,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
});

/** Lists one page of the client's applications. */
export const listApplicationRows: List<ApplicationRow> = defineList({
  name: 'applications.list',
  from: '(select * from applications where removed_at is null) a',
  columns,
  tenant: 'a.client_id',
  key: { sql: 'a.id', kind: 'uuid' },
  sorts: {
    createdAt: { sql: 'a.created_at', kind: 'instant' },
    name: { sql: 'a.name', kind: 'text' },
  },
  filters: { name: { sql: 'a.name', kind: 'text' } },
});

const find = sql<ApplicationRow>(
  'applications.find',
  `select ${columns} from applications a
   where a.client_id = $1 and a.id = $2 and a.removed_at is null`,
);

export async function findApplication(
  database: Database,
  clientId: string,
  id: string,
): Promise<Application | undefined> {
  const [row] = await database.read(find, [clientId, id]);
  return row && toApplication(row);
}

const findLive = sql<ApplicationRow & { secret_sha256: Buffer | null }>(
  'applications.find_live',
  `select ${columns}, a.secret_sha256 from applications a where a.id = $1 and a.removed_at is null`,
);

/** Searches across all clients: an authorization request names only the application. */
export async function findLiveApplication(
  database: Database,
  id: string,
): Promise<(Application & { readonly secretSha256: Buffer | null }) | undefined> {
  const [row] = await database.read(findLive, [id]);
  return row && { ...toApplication(row), secretSha256: row.secret_sha256 };
}

const maker = sql<{ name: string }>(
  'applications.maker',
  'select c.name from applications a join clients c on c.id = a.client_id where a.id = $1',
);

/**
 * Returns the name of the client that registered the application, for the person who is asked to
 * allow it.
 */
export async function findMaker(database: Database, id: string): Promise<string | undefined> {
  return (await database.read(maker, [id]))[0]?.name;
}

const insert = sql<ApplicationRow>(
  'applications.insert',
  `insert into applications as a (id, client_id, name, uri, kind, secret_sha256, redirect_uris,
     scopes, created_at, updated_at)
   select $1, $2, $3, $4, $5, $6, $7, $8, c.now, c.now from (select svc_clock() as now) c
   returning ${columns}`,
);

export async function insertApplication(
  tx: Tx,
  application: Omit<Application, 'version' | 'createdAt' | 'updatedAt'>,
  secretSha256: Buffer | null,
): Promise<Application> {
  const { id, clientId, name, uri, kind, redirectUris, scopes } = application;
  const values = [id, clientId, name, uri, kind, secretSha256, redirectUris, scopes];
  const [row] = await tx.query(insert, values);
  return toApplication(row as ApplicationRow);
}

const lock = sql<ApplicationRow>(
  'applications.lock',
  `select ${columns} from applications a
   where a.client_id = $1 and a.id = $2 and a.removed_at is null for update`,
);

export async function lockApplication(
  tx: Tx,
  clientId: string,
  id: string,
): Promise<Application | undefined> {
  const [row] = await tx.query(lock, [clientId, id]);
  return row && toApplication(row);
}

const update = sql<ApplicationRow>(
  'applications.update',
  `update applications a set name = $3, uri = $4, redirect_uris = $5, scopes = $6,
     version = version + 1, updated_at = svc_clock()
   where a.client_id = $1 and a.id = $2 returning ${columns}`,
);

/** The caller has locked the application. */
export async function updateApplication(tx: Tx, changed: Application): Promise<Application> {
  const { clientId, id, name, uri, redirectUris, scopes } = changed;
  const [row] = await tx.query(update, [clientId, id, name, uri, redirectUris, scopes]);
  return toApplication(row as ApplicationRow);
}

const replaceSecret = sql<ApplicationRow>(
  'applications.replace_secret',
  `update applications a set secret_sha256 = $3, version = version + 1, updated_at = svc_clock()
   where a.client_id = $1 and a.id = $2 returning ${columns}`,
);

/** The caller has locked the application. The previous secret stops working at once. */
export async function replaceApplicationSecret(
  tx: Tx,
  { clientId, id }: Pick<Application, 'clientId' | 'id'>,
  secretSha256: Buffer,
): Promise<Application> {
  const [row] = await tx.query(replaceSecret, [clientId, id, secretSha256]);
  return toApplication(row as ApplicationRow);
}

const remove = sql(
  'applications.remove',
  `update applications set removed_at = svc_clock(), updated_at = svc_clock()
   where client_id = $1 and id = $2 and removed_at is null`,
);

/** The caller has locked the application. Its tokens are rejected from the next request on. */
export async function removeApplication(
  tx: Tx,
  { clientId, id }: Pick<Application, 'clientId' | 'id'>,
): Promise<void> {
  await tx.query(remove, [clientId, id]);
}

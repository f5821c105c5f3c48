// Values that belong to no client and are sealed under the service's own key: the columns that hold
// them, for resealing under another key. A value that changed meanwhile is left alone, because it
// was written under the newest key.

import type { Database, Tx } from './database.ts';
import { sql } from './sql.ts';

type Row = { id: string; sealed: Buffer };

type Column = {
  /** The name of the table as the sealed place states it; `field` likewise. */
  readonly table: string;
  readonly field: string;
  /** Lists the values after an id, in id order; null starts at the beginning. */
  readonly list: ReturnType<typeof sql<Row>>;
  readonly replace: ReturnType<typeof sql<{ id: string }>>;
};

const columnOf = (table: string, field: string, column: string): Column => ({
  table,
  field,
  list: sql<Row>(
    `own_secrets.list_${table}`,
    `select id::text as id, ${column} as sealed from ${table}
     where ${column} is not null and ($1::uuid is null or id > $1) order by id limit 500`,
  ),
  replace: sql<{ id: string }>(
    `own_secrets.replace_${table}`,
    `update ${table} set ${column} = $2 where id = $1 and ${column} = $3 returning id`,
  ),
});

export const clientSecrets: readonly Column[] = [
  columnOf('users', 'totp_secret', 'totp_secret_sealed'),
  columnOf('mails', 'body', 'body_sealed'),
  columnOf('kept_answers', 'answer', 'answer_sealed'),
  {
    table: 'oauth_records',
    field: 'payload',
    list: sql<Row>(
      'own_secrets.list_oauth_records',
      `select encode(id_sha256, 'hex') as id, payload_sealed as sealed from oauth_records
       where $1::text is null or id_sha256 > decode($1, 'hex') order by id_sha256 limit 500`,
    ),
    replace: sql<{ id: string }>(
      'own_secrets.replace_oauth_records',
      `update oauth_records set payload_sealed = $2
       where id_sha256 = decode($1, 'hex') and payload_sealed = $3 returning 'done' as id`,
    ),
  },
];

/** Yields every value of a column, page by page; values that are written meanwhile may be missing. */
export async function* readSecrets(
  database: Database,
  { list }: Column,
): AsyncGenerator<Row, void, void> {
  for (let after: string | null = null; ; ) {
    const rows: Row[] = await database.read(list, [after]);
    yield* rows;
    after = rows.at(-1)?.id ?? null;
    if (after === null) return;
  }
}

/** Returns false when the value has changed since it was read. */
export const replaceSecret = async (
  tx: Tx,
  { replace }: Column,
  { id, sealed }: Row,
  renewed: Buffer,
): Promise<boolean> => (await tx.query(replace, [id, renewed, sealed])).length > 0;

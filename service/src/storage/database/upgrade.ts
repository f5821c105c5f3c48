// What the migrations of this version would do to a database, read without changing it.

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { namesIn } from '@svc/contract/servers/apply-migrations';
import { clientOfHosts } from '@svc/contract/servers/database-hosts';
import pg from 'pg';

export type Pending = {
  readonly name: string;
  readonly makes: readonly string[];
  /** Tables that it changes or indexes, with about how many rows they have. */
  readonly changes: readonly { readonly table: string; readonly rows: number }[];
};

export type UpgradePlan = {
  /** `foreign`: somebody else's tables; `older`: of before the first release; `newer`: of a later version. */
  readonly state: 'empty' | 'foreign' | 'older' | 'newer' | 'behind' | 'current';
  readonly database: string;
  readonly server: string;
  readonly applied: readonly string[];
  /** Applied migrations that this version does not know. */
  readonly unknown: readonly string[];
  readonly pending: readonly Pending[];
};

export type Part = {
  readonly folder: string;
  readonly schema: string;
  /** The table of the migrations that were applied. */
  readonly table: string;
};

const root = join(import.meta.dirname, '../../../..');
export const servicePart: Part = {
  ...{ folder: join(root, 'service/migrations'), schema: 'public' },
  table: 'public.schema_migrations',
};
/** Its folder is missing where the vault is installed elsewhere. */
export const vaultPart: Part = {
  ...{ folder: join(root, 'vault/migrations'), schema: 'vault', table: 'vault.migrations' },
};
export const isInstalled = ({ folder }: Part): boolean => existsSync(folder);

/** Names of a part's migrations, in order. */
export const namesOf = ({ folder }: Part): string[] => namesIn(folder);

/** Names of the applied migrations; null without their table, or when it is another program's. */
export async function findApplied(client: pg.Client, { table }: Part): Promise<string[] | null> {
  const { rows } = await client.query<{ is_ours: boolean }>(
    `select exists (select from pg_attribute where attrelid = to_regclass($1)
       and attname = 'name' and not attisdropped) as is_ours`,
    [table],
  );
  if (!rows[0]?.is_ours) return null;
  const { rows: applied } = await client.query<{ name: string }>(
    `select name from ${table} order by name`,
  );
  return applied.map(({ name }) => name);
}

/** Compares the database of the address with a part's migrations. */
export async function planUpgrade(url: string, part: Part): Promise<UpgradePlan> {
  const client = new (clientOfHosts(pg.Client))({
    ...{ connectionString: url, connectionTimeoutMillis: 5000 },
  });
  client.on('error', () => undefined);
  await client.connect();
  try {
    await client.query('begin read only');
    const { rows } = await client.query<{ database: string; server: string; tables: string }>(
      `select current_database() as database, current_setting('server_version') as server,
         (select count(*) from pg_class where relkind in ('r', 'p')
            and relnamespace = to_regnamespace($1)) as tables`,
      [part.schema],
    );
    const { database = '', server = '', tables = '0' } = rows[0] ?? {};
    const found = await findApplied(client, part);
    const applied = found ?? [];
    const known = namesOf(part);
    const unknown = applied.filter((name) => !known.includes(name));
    const missing = known.filter((name) => !applied.includes(name));
    const state = stateOf({
      found,
      tables: Number(tables),
      first: known[0] ?? '',
      unknown,
      missing,
    });
    const pending = state === 'empty' || state === 'behind' ? missing : [];
    const plans = await Promise.all(pending.map((name) => readPending(client, part, name)));
    return {
      state,
      database,
      server: server.split(' ')[0] ?? '',
      applied,
      unknown,
      pending: plans,
    };
  } finally {
    await client.end().catch(() => undefined);
  }
}

function stateOf(facts: {
  readonly found: readonly string[] | null;
  readonly tables: number;
  readonly first: string;
  readonly unknown: readonly string[];
  readonly missing: readonly string[];
}): UpgradePlan['state'] {
  const { found, tables, first, unknown, missing } = facts;
  if (found === null) return tables === 0 ? 'empty' : 'foreign';
  if (found.length === 0) return tables <= 1 ? 'empty' : 'foreign';
  if (!found.includes(first)) return 'older';
  if (unknown.length > 0) return 'newer';
  return missing.length > 0 ? 'behind' : 'current';
}

const allOf = (text: string, pattern: RegExp): string[] => [
  ...new Set([...text.matchAll(pattern)].map(([, name = '']) => name)),
];

async function readPending(client: pg.Client, { folder }: Part, name: string): Promise<Pending> {
  const text = readFileSync(join(folder, `${name}.sql`), 'utf8').replace(/--.*$/gm, '');
  const makes = allOf(text, /\bcreate table (?:if not exists )?([\w.]+)/gi);
  const altered = allOf(text, /\b(?:alter|drop) table (?:if exists )?(?:only )?([\w.]+)/gi);
  const indexed = allOf(text, /\bcreate (?:unique )?index [^;(]*?\bon (?:only )?([\w.]+)/gi);
  const tables = [...new Set([...altered, ...indexed])].filter((one) => !makes.includes(one));
  const { rows } = await client.query<{ table: string; rows: number }>(
    `select name as table, greatest(coalesce(c.reltuples, 0), 0)::float8 as rows
     from unnest($1::text[]) as name left join pg_class c on c.oid = to_regclass(name)`,
    [tables],
  );
  return { name, makes, changes: rows };
}

// Settings that every connection sets for itself, whatever server, database and role are set to. A
// commit is on disk before anything depends on it, transactions have the isolation that the code
// assumes, and short statements are not JIT-compiled. Reliability §4.1, docs/decisions/database.md.
import { sql, type Writing } from './sql.ts';

/** Values as `pg_settings` shows them; times in ms. */
const settings: Readonly<Record<string, string>> = {
  TimeZone: 'UTC',
  DateStyle: 'ISO, MDY',
  synchronous_commit: 'on',
  default_transaction_isolation: 'read committed',
  statement_timeout: '5000',
  lock_timeout: '2000',
  idle_in_transaction_session_timeout: '10000',
  jit: 'off',
};

/** By the state of an error: a statement that is prepared already, or not on this connection. */
export const poolerStates: Readonly<Record<string, string>> = Object.fromEntries(
  ['42P05', '26000'].map((state) => [
    state,
    'a pooler in transaction mode mixes up prepared statements. Use pgbouncer 1.21 or later with ' +
      'max_prepared_statements above 0, or its pool_mode = session',
  ]),
);

/** The start-up options of a connection; spaces within a value are escaped. */
const sessionOptions = Object.entries(settings)
  .map(([name, value]) => `-c ${name}=${value.replaceAll(' ', '\\ ')}`)
  .join(' ');

/** A connection URL may contain these as parameters, which would override the options. */
const inAddress = ['statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout'];

type Connection = { readonly connectionString: string; readonly options: string };

/**
 * Removes from the URL the parameters that would override these options, and puts the URL's own
 * `options` before them. Otherwise the driver would use the URL's options instead.
 */
export function withOptions(url: string, options: string): Connection {
  const [address = '', query] = url.split(/\?(.*)/s);
  const asked = new URLSearchParams(query);
  const theirs = asked.get('options');
  for (const name of ['options', ...inAddress]) asked.delete(name);
  const rest = asked.size > 0 ? `?${asked}` : '';
  return {
    connectionString: address + rest,
    options: theirs ? `${theirs} ${options}` : options,
  };
}

export const withSettings = (url: string): Connection => withOptions(url, sessionOptions);

// Role settings belong to the role that signed in. UTC has a second name, `Etc/UTC`, which many servers use.
const findMissing = sql<{ statement: string }>(
  'session.find_missing',
  `select format('alter role %I in database %I set %s = %L;', session_user, current_database(),
     asked.name, asked.value) as statement
   from unnest($1::text[], $2::text[]) with ordinality as asked(name, value, place)
   left join pg_settings s on s.name = asked.name
   where regexp_replace(s.setting, '^Etc/', '') is distinct from asked.value order by asked.place`,
);

/**
 * Returns the SQL that sets for the role what its sessions lack: a connection pooler in between may
 * have dropped it.
 */
export async function missingSettings(database: Writing): Promise<string[]> {
  const rows = await database.write(findMissing, [Object.keys(settings), Object.values(settings)]);
  return rows.map(({ statement }) => statement);
}

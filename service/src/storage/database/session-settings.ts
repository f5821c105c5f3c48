// What each connection of ours sets for itself, whatever server, database and role are set to. A
// commit is on disk before anybody acts on it; what a transaction sees is what its code was written
// for; and no statement of milliseconds is compiled first. Reliability §4.1, decision 0004.
import { sql, type Writing } from './sql.ts';

/** As `pg_settings` shows them; times in ms. */
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

/** For the start of a connection: spaces in a value are told from those between them. */
const sessionOptions = Object.entries(settings)
  .map(([name, value]) => `-c ${name}=${value.replaceAll(' ', '\\ ')}`)
  .join(' ');

/** Of these an address may bring its own, and they would count for more than what stands beside it. */
const inAddress = ['statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout'];

type Connection = { readonly connectionString: string; readonly options: string };

/**
 * The address without what stands against these options; what else it asks for goes before them. The driver
 * would take the address's in their place.
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

// Role settings are those of who signed in. UTC has a second name, `Etc/UTC`, which many servers are set to.
const findMissing = sql<{ statement: string }>(
  'session.find_missing',
  `select format('alter role %I in database %I set %s = %L;', session_user, current_database(),
     asked.name, asked.value) as statement
   from unnest($1::text[], $2::text[]) with ordinality as asked(name, value, place)
   left join pg_settings s on s.name = asked.name
   where regexp_replace(s.setting, '^Etc/', '') is distinct from asked.value order by asked.place`,
);

/** The SQL that sets for the role what its sessions lack: a pooler between may have dropped it. */
export async function missingSettings(database: Writing): Promise<string[]> {
  const rows = await database.write(findMissing, [Object.keys(settings), Object.values(settings)]);
  return rows.map(({ statement }) => statement);
}

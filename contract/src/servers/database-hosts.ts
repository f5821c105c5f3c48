// An address of PostgreSQL may name several servers, as libpq reads it: `postgres://user@one:5432,two:5433/svc`
// or `?host=one,two&port=5432,5433`, with `target_session_attrs`. The driver knows one server only. Shared by
// service and vault. PostgreSQL: libpq, "Specifying Multiple Hosts".

import { splitAddress } from './database-address.ts';

type Choice = {
  /** The same address for each server, in the order of the list. */
  readonly addresses: readonly string[];
  /** A server that takes no writes is passed over. */
  readonly mustWrite: boolean;
};

const place = /^(\[[^\]]*\]|[^:]*)(?::(\d*))?$/;
/** The service and the vault write: a server that only reads is of no use to them. */
const mustWriteBy: Readonly<Record<string, boolean>> = {
  any: false,
  'read-write': true,
  primary: true,
};

/** `host` and `port` among the parameters take the place of those before the path. */
function readPlaces(authority: string, query: URLSearchParams): string[][] | undefined {
  const asked = query.get('host');
  const written = asked ?? authority;
  const parts = written.split(',').map((one) => (asked === null ? place.exec(one) : [one, one]));
  if (parts.some((part) => part === null)) return undefined;
  const ports = query.get('port')?.split(',') ?? parts.map((part) => part?.[2] ?? '');
  if (ports.length !== 1 && ports.length !== parts.length) return undefined;
  return parts.map((part, at) => [
    part?.[1] ?? '',
    ports.length === 1 ? (ports[0] ?? '') : (ports[at] ?? ''),
  ]);
}

const writePlace = ([host = '', port = '']: string[]): string =>
  `${host.startsWith('/') ? encodeURIComponent(host) : host}${port === '' ? '' : `:${port}`}`;

/** Undefined when the text is no address of PostgreSQL. */
export function readDatabaseHosts(text: string): Choice | undefined {
  const split = splitAddress(text);
  if (!split) return undefined;
  const query = new URLSearchParams(split.query);
  const attrs = query.get('target_session_attrs');
  const mustWrite = attrs === null ? false : mustWriteBy[attrs];
  const places = readPlaces(split.servers, query);
  if (mustWrite === undefined || places === undefined) return undefined;
  if (places.length === 1 && attrs === null) return { addresses: [text], mustWrite };
  for (const name of ['host', 'port', 'target_session_attrs']) query.delete(name);
  const head = `${split.scheme}${split.account}`;
  const tail = `${split.path}${query.size > 0 ? `?${query}` : ''}`;
  return { addresses: places.map((one) => `${head}${writePlace(one)}${tail}`), mustWrite };
}

type Callback = (error: unknown, client?: Client) => void;
type Config = {
  readonly connectionString?: string;
  readonly connectionTimeoutMillis?: number;
  readonly query_timeout?: number;
};
type Client = {
  host: string;
  port: number;
  connect(callback?: Callback): Promise<unknown> | undefined;
  query(text: string): Promise<{ readonly rows: readonly { transaction_read_only?: string }[] }>;
  end(): Promise<void>;
  on(event: 'error', listener: () => void): unknown;
};
type Server = { readonly address: string; readonly host: string; readonly port: number };
type Making = { readonly make: (config: Config) => Client; readonly config: Config };

const usualTimeoutMs = 5_000;

/** A wrong password or database is wrong at every server: the rest of the list is not tried. */
const isFinal = (error: unknown): boolean =>
  /^(28|3D)/.test(String((error as { code?: unknown }).code ?? ''));

/** Throws why that server is of no use. */
async function tryServer(
  address: string,
  mustWrite: boolean,
  { make, config }: Making,
): Promise<Server> {
  const client = make({ ...config, connectionString: address });
  client.on('error', () => undefined);
  try {
    await client.connect();
    // On a standby this is always on.
    const answer = mustWrite ? await client.query('show transaction_read_only') : undefined;
    if (answer?.rows[0]?.transaction_read_only === 'on') throw new Error('it takes no writes');
    return { address, host: client.host, port: client.port };
  } catch (error) {
    if (isFinal(error)) throw error;
    const { message } = error as Error;
    throw new Error(`${client.host}:${client.port}: ${message}`, { cause: error });
  } finally {
    void client.end().catch(() => undefined);
  }
}

/** The first server of the list that accepts and, where asked, takes writes. */
async function findServer({ addresses, mustWrite }: Choice, { make, config }: Making) {
  // One server that hangs leaves time for the others.
  const shareMs = Math.ceil(
    (config.connectionTimeoutMillis ?? usualTimeoutMs) / (addresses.length + 1),
  );
  const timed = { ...config, connectionTimeoutMillis: shareMs, query_timeout: shareMs };
  const reasons: string[] = [];
  for (const address of addresses) {
    try {
      return await tryServer(address, mustWrite, { make, config: timed });
    } catch (error) {
      if (isFinal(error)) throw error;
      reasons.push((error as Error).message);
    }
  }
  const wanted = mustWrite ? 'takes writes' : 'accepts connections';
  throw Object.assign(new Error(`no server of the address ${wanted}: ${reasons.join('; ')}`), {
    code: '08001',
  });
}

/**
 * The driver's client, which reads lists of servers too. Each connection looks for its server anew, the one
 * of the last connection first, so that a failover ends with the connections to the former server.
 */
export function clientOfHosts<C>(DriverClient: C): C {
  const make = (config: Config): Client =>
    new (DriverClient as unknown as new (config: Config) => Client)(config);
  const latest = new Map<string, string>();
  function HostsClient(config: Config): Client {
    const { connectionString = '' } = config;
    const choice = readDatabaseHosts(connectionString);
    const [first] = choice?.addresses ?? [];
    if (!choice || first === undefined) return make(config);
    const client = make({ ...config, connectionString: first });
    if (choice.addresses.length === 1 && !choice.mustWrite) return client;
    const connect = client.connect.bind(client);
    const connectToFound = async () => {
      const known = latest.get(connectionString) ?? first;
      const addresses = [known, ...choice.addresses.filter((one) => one !== known)];
      const found = await findServer({ ...choice, addresses }, { make, config });
      latest.set(connectionString, found.address);
      client.host = found.host;
      client.port = found.port;
      await connect();
    };
    client.connect = (callback) => {
      const connected = connectToFound().then(() => client);
      if (!callback) return connected;
      connected.then(() => callback(null, client), callback);
      return undefined;
    };
    return client;
  }
  return HostsClient as unknown as C;
}

// People who manage their API tokens over HTTP, and the programs that use these tokens: two servers
// of the service on one database, each with its own connections.

import type { Role } from '../../service/src/engine/ports.ts';
import type { LimitSettings } from '../../service/src/http/limits/limits.ts';
import { type Database, openDatabase } from '../../service/src/storage/database/database.ts';
import { sql } from '../../service/src/storage/database/sql.ts';
import { aGrant, type TestGrant } from '../../service/test/grants.ts';
import {
  aClient,
  aToken,
  basicHeader,
  callAs,
  freshDatabase,
  portsFor,
  type TestClient,
} from '../../service/test/harness.ts';
import { aServer, type TestServer } from '../../service/test/server.ts';
import type { Answer } from './merchant.ts';

export type Person = {
  readonly id: string;
  readonly client: TestClient;
  /** An application's access token with the scope `mcp`. */
  readonly grant: TestGrant;
};

export type ShownToken = {
  readonly id: string;
  readonly name: string;
  readonly token: string;
  readonly [field: string]: unknown;
};

const dropToken = sql('spec_tokens_drop', 'delete from api_tokens where id = $1');
const join = sql(
  'spec_tokens_join',
  `insert into memberships (client_id, user_id, role, created_at)
   values ($1, $2, $3, svc_clock())`,
);
const rowOf = sql<{ row: Record<string, unknown>; text: string }>(
  'spec_tokens_row',
  'select to_jsonb(t) as row, t::text as text from api_tokens t where id = $1',
);

type SendOptions = { readonly authorization?: string; readonly body?: unknown };

async function send(
  { app }: TestServer,
  call: Parameters<typeof callAs>[2],
  sent: SendOptions,
): Promise<Answer> {
  const headers = sent.authorization === undefined ? {} : { authorization: sent.authorization };
  const body = 'body' in sent ? { body: sent.body } : {};
  const response = await callAs(app, null, call, { headers, ...body });
  const { statusCode: status, body: text } = response;
  return { status, text, body: text === '' ? {} : response.json(), headers: response.headers };
}

/** The person's calls, made by the application. */
const callsOf = (server: TestServer, { grant: { authorization } }: Person) => ({
  create: (body: unknown = { name: 'till' }) =>
    send(server, 'POST /v1/api-tokens', { authorization, body }),
  list: () => send(server, 'GET /v1/api-tokens', { authorization }),
  get: (id: string) => send(server, `GET /v1/api-tokens/${id}`, { authorization }),
  remove: (id: string) => send(server, `DELETE /v1/api-tokens/${id}`, { authorization }),
  rotate: (id: string, overlapSeconds: unknown) =>
    send(server, `POST /v1/api-tokens/${id}/rotate`, { authorization, body: { overlapSeconds } }),
});

type TokenOptions = {
  readonly client?: TestClient;
  readonly role?: Role;
  readonly scopes?: readonly string[];
  /** An existing person. */
  readonly user?: Person;
};

/** Creates a member of the client (a new client by default) who has authorised an application. */
async function aPerson(database: Database, wanted: TokenOptions): Promise<Person> {
  const client = wanted.client ?? (await aClient(database));
  const { role = 'owner', scopes = ['mcp'], user } = wanted;
  const id = user?.id ?? (await aMember(database, client, role));
  if (user && user.client.id !== client.id) await database.write(join, [client.id, id, role]);
  const grant = { user: { id }, client, scopes, lifeSeconds: 30_000 };
  return { id, client, grant: await aGrant({ database }, grant) };
}

async function aMember(database: Database, client: TestClient, role: Role): Promise<string> {
  const token = await aToken(database, client, { role });
  await database.write(dropToken, [token.id]);
  return token.userId;
}

export type Keeper = Awaited<ReturnType<typeof openKeeper>>;

export async function openKeeper(given: { limits?: LimitSettings } = {}) {
  const db = await freshDatabase();
  const other = openDatabase({ url: db.url });
  const { limits = null } = given;
  const open = (database: Database) => {
    const ports = portsFor(database);
    const settings = { ...ports.settings, attemptLimits: limits };
    return aServer({ ...ports, settings }, { limits });
  };
  const [first, second] = [await open(db.database), await open(other)];
  const servers = [first, second];
  return {
    ...db,
    first,
    second,
    servers,
    send,
    as: (person: Person) => callsOf(first, person),
    aPerson: (wanted: TokenOptions = {}) => aPerson(db.database, wanted),
    /** Creates a token; fails the test when that is refused. */
    async make(person: Person, body: object = {}): Promise<ShownToken> {
      const answer = await callsOf(first, person).create({ name: 'till', ...body });
      if (answer.status !== 201) throw new Error(`no token: ${answer.text}`);
      return answer.body as ShownToken;
    },
    /** Returns the status of a read with Client Basic at each server. */
    statuses: ({ client }: Person, token: string) =>
      Promise.all(
        servers.map(async (server) => {
          const authorization = basicHeader(client.id, token);
          return (await send(server, 'GET /v1/payments', { authorization })).status;
        }),
      ),
    rowOf: async (id: string) => (await db.database.read(rowOf, [id]))[0],
    async close() {
      await Promise.all(servers.map((server) => server.close()));
      await other.close();
      await db.close();
    },
  };
}

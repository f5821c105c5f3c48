// People who manage their API tokens, for the tests of these tokens.

import { refuse } from '../../src/engine/implement.ts';
import type { Caller, Ports } from '../../src/engine/ports.ts';
import { operations } from '../../src/operations/index.ts';
import { sql } from '../../src/storage/database/sql.ts';
import { aClient, aToken, callerOf, type TestClient, type TestToken } from '../harness.ts';

/** A member of a client who acts through an application. */
export type Maker = { readonly client: TestClient; readonly id: string; readonly caller: Caller };

/** Creates a member of the client (a new client by default). */
export async function aMaker(
  ports: Ports,
  given: { client?: TestClient; role?: 'owner' | 'admin' | 'member' } = {},
): Promise<Maker> {
  const client = given.client ?? (await aClient(ports.database));
  const token = await aToken(ports.database, client, { role: given.role ?? 'owner' });
  await ports.database.write(forget, [token.id]);
  return { client, id: token.userId, caller: agentCallerOf(token) };
}

const forget = sql('test_forget_token', 'delete from api_tokens where id = $1');

const agentCallerOf = (token: TestToken): Caller =>
  callerOf(token, {
    via: 'oauth',
    tokenId: 'a grant',
    scopes: ['mcp', 'events:read'],
  } as Partial<Caller>);

export type CreatedToken = { readonly id: string; readonly token: string };

/** Creates a token; throws a refusal. */
export async function createToken(
  ports: Ports,
  { caller }: Pick<Maker, 'caller'>,
  body: Partial<Parameters<typeof operations.createApiToken>[0]['body']> = {},
): Promise<CreatedToken> {
  const input = { body: { name: 'till', ...body } };
  const answer = await operations.createApiToken(input, caller, ports, refuse);
  return (answer as unknown as { body: CreatedToken }).body;
}

const eventsOf = sql<{ type: string; sequence: number; payload: string }>(
  'test_token_events',
  'select type, sequence, payload from events where resource_id = $1 order by sequence',
);

/** Returns the events about a token. */
export async function listTokenEvents(ports: Ports, id: string) {
  const rows = await ports.database.read(eventsOf, [id]);
  return rows.map(({ type, sequence, payload }) => ({
    type,
    sequence,
    ...(JSON.parse(payload) as { data: { object: Record<string, unknown> } }),
  }));
}

const auditOf = sql<{
  action: string;
  actor_kind: string;
  actor_user_id: string | null;
  client_id: string;
  before: object | null;
  after: object | null;
}>(
  'test_token_audit',
  `select action, actor_kind, actor_user_id, client_id, before, after from audit_entries
   where resource_type = 'api_token' and resource_id = $1 order by id`,
);

export const auditedOf = (ports: Ports, id: string) => ports.database.read(auditOf, [id]);

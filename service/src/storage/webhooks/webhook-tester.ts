// The tables `webhook_testers` and `webhook_tester_requests`, and the secrets of the endpoints that
// point to a tester.

import type { WebhookTester } from '@svc/contract/developers/webhook-tester';
import type { Database } from '../database/database.ts';
import { sql } from '../database/sql.ts';

export type TesterAnswer = WebhookTester['answer'];
export type StoredTester = { readonly key: string; readonly answer: TesterAnswer };

/** The most requests that are kept: older ones are deleted when newer ones arrive. */
const mostRequests = 200;

const find = sql<StoredTester>(
  'webhook_testers.find',
  'select key, answer from webhook_testers where client_id = $1',
);

export async function findWebhookTester(
  database: Database,
  clientId: string,
): Promise<StoredTester | undefined> {
  const [row] = await database.read(find, [clientId]);
  return row;
}

const insert = sql(
  'webhook_testers.insert',
  `insert into webhook_testers (client_id, key, created_at)
   select c.id, $2, svc_clock() from clients c where c.id = $1 and not c.is_live
   on conflict do nothing`,
);

/** Creates the tester of a sandbox client, unless there is one. */
export async function insertWebhookTester(
  database: Database,
  clientId: string,
  key: string,
): Promise<void> {
  await database.write(insert, [clientId, key]);
}

const update = sql(
  'webhook_testers.update',
  'update webhook_testers set answer = $2 where client_id = $1',
);

export async function updateTesterAnswer(
  database: Database,
  clientId: string,
  answer: TesterAnswer,
): Promise<void> {
  await database.write(update, [clientId, answer]);
}

// The count locks the tester's own row, so that requests become visible in the order of their
// numbers.
const append = sql<{ answer: TesterAnswer }>(
  'webhook_tester_requests.append',
  `with tester as (
     update webhook_testers set requests = requests + 1 where key = $1
     returning client_id, requests, answer),
   kept as (
     insert into webhook_tester_requests
       (client_id, number, headers, body, answer, received_at, arrived_at)
     select client_id, requests, $2, $3, answer, svc_clock(), clock_timestamp() from tester),
   swept as (
     delete from webhook_tester_requests r using tester
     where r.client_id = tester.client_id and r.number <= tester.requests - ${mostRequests})
   select answer from tester`,
);

export type Header = { readonly name: string; readonly value: string };

/**
 * Stores a request that a tester received; returns the answer for its sender, or undefined when no
 * tester has the key.
 */
export async function appendTesterRequest(
  database: Database,
  request: { readonly key: string; readonly headers: readonly Header[]; readonly body: Buffer },
): Promise<TesterAnswer | undefined> {
  const { key, headers, body } = request;
  const [row] = await database.write(append, [key, JSON.stringify(headers), body]);
  return row?.answer;
}

export type StoredRequest = {
  readonly number: number;
  readonly headers: readonly Header[];
  readonly body: Buffer;
  readonly answer: TesterAnswer;
  readonly receivedAt: Date;
  /** In real time. */
  readonly arrivedAt: Date;
};

type RequestRow = {
  number: string;
  headers: Header[];
  body: Buffer;
  answer: TesterAnswer;
  received_at: Date;
  arrived_at: Date;
};

const list = sql<RequestRow>(
  'webhook_tester_requests.list',
  `select number, headers, body, answer, received_at, arrived_at from webhook_tester_requests
   where client_id = $1 and number > $2 and ($3::bigint is null or number < $3)
   order by number desc limit $4`,
);

const count = sql<{ total: number }>(
  'webhook_tester_requests.count',
  'select count(*)::int as total from webhook_tester_requests where client_id = $1',
);

export type RequestSpan = {
  readonly limit: number;
  readonly after: number;
  readonly before: number | null;
};

/** Returns the requests, newest first, and how many are kept. */
export async function listTesterRequestRows(
  database: Database,
  clientId: string,
  { limit, after, before }: RequestSpan,
): Promise<{ requests: StoredRequest[]; total: number }> {
  const [rows, [counted]] = await Promise.all([
    database.read(list, [clientId, after, before, limit]),
    database.read(count, [clientId]),
  ]);
  const requests = rows.map((row) => ({
    number: Number(row.number),
    headers: row.headers,
    body: row.body,
    answer: row.answer,
    receivedAt: row.received_at,
    arrivedAt: row.arrived_at,
  }));
  return { requests, total: counted?.total ?? 0 };
}

const forget = sql(
  'webhook_tester_requests.forget',
  'delete from webhook_tester_requests where client_id = $1',
);

export async function deleteTesterRequestRows(database: Database, clientId: string): Promise<void> {
  await database.write(forget, [clientId]);
}

export type LeadingEndpoint = {
  readonly id: string;
  readonly secretSealed: Buffer;
  /** Set while a rotation lasts. */
  readonly previousSecretSealed: Buffer | null;
};

const findLeading = sql<{
  id: string;
  secret_sealed: Buffer;
  previous_secret_sealed: Buffer | null;
}>(
  'webhook_endpoints.find_leading',
  `select e.id, e.secret_sealed,
     case when e.previous_secret_until > svc_clock() then e.previous_secret_sealed end
       as previous_secret_sealed
   from webhook_endpoints e where e.client_id = $1 and e.url = $2 and e.deleted_at is null
   order by e.created_at, e.id limit 10`,
);

/** Returns the client's endpoints with exactly this URL. */
export async function findLeadingEndpoints(
  database: Database,
  clientId: string,
  url: string,
): Promise<LeadingEndpoint[]> {
  const rows = await database.read(findLeading, [clientId, url]);
  return rows.map((row) => ({
    id: row.id,
    secretSealed: row.secret_sealed,
    previousSecretSealed: row.previous_secret_sealed,
  }));
}

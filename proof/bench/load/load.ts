// The load generator: a process of its own, so that its CPU time is not mixed with that of the
// service. It runs one plan after the other and ends when the channel to its parent closes.

import { hash, randomBytes } from 'node:crypto';
import pg from 'pg';
import { runClosedLoop } from './closed-loop.ts';
import { idOf } from './identifiers.ts';
import {
  limitAnswer,
  limitBasket,
  limitConnections,
  limitIntent,
  limitMerchant,
  limitNotice,
  limitStatements,
  limitToken,
} from './limit.ts';
import type { HttpLoad, Load, LoadResult, OpenLimitLoad, OpenLoad, SqlLoad } from './load-plan.ts';
import { runOpenLoop } from './open-loop.ts';
import { openRawPool, type RawPool, type RawRequest } from './raw-pool.ts';

const json = { 'content-type': 'application/json' };

type RequestParts = Pick<HttpLoad, 'call' | 'authorization' | 'body'>;

function requestOf({ call, authorization, body }: RequestParts, row: number): RawRequest {
  if (call === 'session') {
    return { method: 'POST', path: '/v1/checkouts/sessions', headers: json, body };
  }
  const path = `/v1/payments/${idOf('payment', row)}`;
  if (call === 'read') return { method: 'GET', path, headers: { authorization }, body: null };
  if (call === 'unchecked-read') {
    const unchecked = `/v1/unchecked/${idOf('payment', row)}`;
    return { method: 'GET', path: unchecked, headers: {}, body: null };
  }
  const headers = { ...json, authorization, 'idempotency-key': `bench-${row}` };
  return { method: 'PUT', path: `${path}/capture`, headers, body: '{}' };
}

const pools = new Map<string, RawPool>();

/** Returns the connections of an earlier round: the time to open them is not measured. */
function poolOf(origin: string): RawPool {
  const pool = pools.get(origin) ?? openRawPool(origin);
  pools.set(origin, pool);
  return pool;
}

async function sendRequest(pool: RawPool, request: RawRequest): Promise<void> {
  const { status, body } = await pool.ask(request);
  if (status >= 300) throw new Error(`${status} ${body}`);
}

async function runHttp(load: HttpLoad): Promise<LoadResult> {
  const pool = poolOf(load.origin);
  const isOnce = load.call === 'capture';
  return runClosedLoop({ ...load, isOnce }, (row) => sendRequest(pool, requestOf(load, row)));
}

async function runOpen(load: OpenLoad): Promise<LoadResult> {
  const pool = poolOf(load.origin);
  const call = { call: 'capture', body: '', authorization: load.authorization } as const;
  return runOpenLoop(load, (row) => sendRequest(pool, requestOf(call, row)));
}

const clients = new Map<string, Promise<pg.Client>>();

function clientOf({ url }: Pick<SqlLoad, 'url'>, lane: number): Promise<pg.Client> {
  const key = `${url} ${lane}`;
  const known = clients.get(key);
  if (known) return known;
  const client = new pg.Client({ connectionString: url });
  // A connection that is lost when the server stops is expected; one that is lost earlier fails its
  // query.
  client.on('error', () => undefined);
  const opened = client.connect().then(() => client);
  clients.set(key, opened);
  return opened;
}

const tokenDigest = hash('sha256', limitToken, 'buffer');
const bodyDigest = hash('sha256', '{}', 'buffer');

type Query = (typeof limitStatements)[keyof typeof limitStatements];

type RunQuery = (query: Query, values: unknown[]) => Promise<void>;

const queryWith =
  (client: pg.Client | undefined, row: number): RunQuery =>
  async (query, values) => {
    const answer = await client?.query({ ...query, values });
    if (answer?.rowCount !== 1) throw new Error(`${query.name} of row ${row} found nothing`);
  };

const lanesOf = (load: Pick<SqlLoad, 'url'>, count: number): Promise<pg.Client[]> =>
  Promise.all(Array.from({ length: count }, (_, lane) => clientOf(load, lane)));

/** Runs one durable statement before the provider's call and one after it. */
async function captureBySql(
  ask: RunQuery,
  row: number,
  provider?: () => Promise<void>,
): Promise<void> {
  const id = idOf('payment', row);
  const key = `bench-${row}`;
  await ask(limitStatements.begin, [id, tokenDigest, key, bodyDigest]);
  await provider?.();
  const event = idOf('event', row);
  await ask(limitStatements.settle, [id, `ch_${row}`, key, limitAnswer, event, limitNotice]);
}

async function runSql(load: SqlLoad): Promise<LoadResult> {
  const { call, inFlight } = load;
  const lanes = await lanesOf(load, inFlight);
  const isOnce = call === 'capture';
  return runClosedLoop({ ...load, isOnce }, async (row, lane) => {
    const ask = queryWith(lanes[lane], row);
    if (call === 'session') {
      const nonce = randomBytes(32).toString('base64url');
      const digest = hash('sha256', nonce, 'buffer');
      return ask(limitStatements.open, [newSessionId(), limitMerchant, digest, limitBasket]);
    }
    if (call === 'read') return ask(limitStatements.read, [idOf('payment', row), tokenDigest]);
    return captureBySql(ask, row);
  });
}

async function runOpenLimit(load: OpenLimitLoad): Promise<LoadResult> {
  const lanes = await lanesOf(load, limitConnections);
  const pool = poolOf(load.providerUrl);
  return runOpenLoop(load, (row) => {
    const path = `/v1/payment_intents/${limitIntent(row)}/capture`;
    const request = { method: 'POST', path, headers: json, body: '{}' } as const;
    const ask = queryWith(lanes[row % lanes.length], row);
    return captureBySql(ask, row, () => sendRequest(pool, request));
  });
}

let sessions = 0;
const newSessionId = (): string => idOf('session', sessions++);

function run(load: Load): Promise<LoadResult> {
  if (load.kind === 'http') return runHttp(load);
  if (load.kind === 'open') return runOpen(load);
  return load.kind === 'open-limit' ? runOpenLimit(load) : runSql(load);
}

process.on('message', (load: Load) => {
  run(load).then(
    (result) => process.send?.({ result }),
    (error: unknown) => process.send?.({ error: String(error) }),
  );
});
process.once('disconnect', () => process.exit(0));
process.send?.({ isReady: true });

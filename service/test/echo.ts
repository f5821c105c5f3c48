// A server with rows of the tests' own, which return what reaches an operation.

import { type ErrorCode, errorEntry } from '@svc/contract/errors/errors';
import { type RowShape, row } from '@svc/contract/rows/row';
import { passTime } from '@svc/tools/pass-time';
import { expect } from 'vitest';
import { Refusal } from '../src/domain/protocol/refusal.ts';
import type { Caller } from '../src/engine/ports.ts';
import type { LimitSettings } from '../src/http/limits/limits.ts';
import type { OperationTable } from '../src/http/rows/api.ts';
import type { Database } from '../src/storage/database/database.ts';
import {
  aClient,
  aToken,
  type Credential,
  callAs,
  freshDatabase,
  portsFor,
  type TestClient,
  type TestDatabase,
  type TestToken,
} from './harness.ts';
import { aServer, type TestServer } from './server.ts';

/** Casts plain JSON Schema to the contract's type. */
const schema = (plain: object) => plain as NonNullable<RowShape['input']['query']>;
const object = (properties: Record<string, object>, more: object = {}) =>
  schema({ type: 'object', properties, ...more });

const Echo = object({ seen: {} }, { required: ['seen'] });
const echoRow = (given: Partial<RowShape>) =>
  row({
    spec: 'Test',
    summary: 'Echoes.',
    call: 'POST /v1/echo',
    auth: 'server',
    scope: null,
    permission: null,
    limit: 'client',
    input: {
      body: object(
        { name: { type: 'string', maxLength: 5 }, n: { type: 'integer' } },
        { additionalProperties: false },
      ),
    },
    answers: { 200: Echo },
    refuses: ['payment_not_found'],
    emits: [],
    ...given,
  } as RowShape);

const path = object({
  paymentId: { type: 'string', pattern: '^[0-9a-fA-F-]{36}$', 'x-code': 'invalid_payment_id' },
});
const echoRows = {
  echo: echoRow({}),
  keyed: echoRow({
    call: 'PUT /v1/keyed/{paymentId}',
    permission: 'holds.end',
    limit: 'money',
    idempotent: true,
    input: {
      path,
      body: object({ amount: { not: {}, 'x-code': 'partial_capture_not_supported' } }),
    },
    refuses: [
      'invalid_payment_id',
      'idempotency_key_required',
      'idempotency_key_invalid',
      'merchant_role_required',
      'partial_capture_not_supported',
    ],
  }),
  listed: echoRow({
    call: 'GET /v1/listed',
    scope: 'payments:read',
    input: {
      query: object(
        {
          page: { type: 'integer', minimum: 1, default: 1, 'x-code': 'invalid_query' },
          limit: {
            type: 'integer',
            minimum: 1,
            maximum: 100,
            default: 20,
            'x-code': 'invalid_query',
          },
        },
        { additionalProperties: false, 'x-code': 'invalid_query' },
      ),
    },
    filters: {
      status: schema({ type: 'string', enum: ['a', 'b'] }),
      amount: schema({ type: 'number' }),
    },
  }),
  fails: echoRow({ call: 'POST /v1/fails' }),
  slow: echoRow({ call: 'POST /v1/slow' }),
  replayed: echoRow({ call: 'POST /v1/replayed' }),
  session: echoRow({
    call: 'GET /v1/session',
    auth: 'session',
    browser: true,
    limit: 'session',
    input: {},
    refuses: ['checkout_session_not_found'],
  }),
  sessionRead: echoRow({
    call: 'GET /v1/session-read',
    auth: 'session',
    limit: 'session-read',
    input: {},
  }),
  unknownSession: echoRow({
    call: 'GET /v1/unknown-session',
    auth: 'session',
    limit: 'session',
    input: {},
    refuses: ['checkout_session_not_found'],
  }),
  attempt: echoRow({
    call: 'POST /v1/attempt',
    auth: 'session',
    limit: 'process',
    input: { body: object({ isPaid: { type: 'boolean' } }) },
  }),
  charge: echoRow({
    call: 'POST /v1/charge',
    auth: 'session',
    limit: 'process',
    input: { body: object({ isPending: { type: 'boolean' } }) },
    refuses: ['checkout_session_claim_pending'],
  }),
  either: echoRow({ call: 'GET /v1/either', auth: 'server-or-session', input: {} }),
  open: echoRow({
    call: 'POST /v1/open',
    auth: 'anyone',
    browser: true,
    limit: 'session-create',
    input: { body: object({ clientId: { type: 'string' } }) },
  }),
};

const showInput = (input: unknown, caller: unknown) => ({
  input: JSON.parse(
    JSON.stringify(input, (_, v) =>
      v?.type === 'Buffer' ? Buffer.from(v.data).toString('hex') : v,
    ),
  ),
  caller: JSON.parse(JSON.stringify(caller)),
});
const echoInput = async (input: unknown, caller: unknown) => ({
  status: 200,
  body: { seen: showInput(input, caller) },
});

type EchoAnswer = Awaited<ReturnType<typeof callAs>>;
type Method = 'GET' | 'POST' | 'PUT' | 'DELETE' | 'PATCH' | 'OPTIONS' | 'HEAD';
type EchoCall = [
  method: Method,
  url: string,
  body?: unknown,
  headers?: Readonly<Record<string, string>>,
  as?: Credential,
];

export type EchoWorld = {
  /** The times of the calls of `POST /v1/slow`. */
  readonly started: readonly number[];
  readonly finished: readonly number[];
  readonly db: TestDatabase;
  readonly server: TestServer;
  readonly client: TestClient;
  readonly token: TestToken;
  /** Calls as the token's owner by default. */
  call(...given: EchoCall): Promise<EchoAnswer>;
  /** Makes `POST /v1/fails` throw this. */
  failWith(error: unknown): Promise<EchoAnswer>;
  close(): Promise<void>;
};

export async function echoWorld({
  beforeCredential,
  slowly = () => passTime(600, 'a slow operation'),
  ...given
}: {
  limits?: LimitSettings;
  nowMs?: () => number;
  maxInFlight?: number;
  shedMs?: number;
  /** Runs before each read of a credential, for any length of time: a lock would time out. */
  beforeCredential?: () => Promise<unknown>;
  /** Awaited by the slow operation. */
  slowly?: () => Promise<unknown>;
} = {}): Promise<EchoWorld> {
  const db = await freshDatabase();
  const client = await aClient(db.database, { allowedOrigins: ['https://shop.example'] });
  const token = await aToken(db.database, client);
  let failure: unknown;
  const throwFailure = async () => {
    throw failure;
  };
  const started: number[] = [];
  const finished: number[] = [];
  const answerSlowly = async (input: unknown, caller: unknown) => {
    started.push(Date.now());
    await slowly();
    finished.push(Date.now());
    return echoInput(input, caller);
  };
  const answerReplayed = async () => ({ status: 200, replay: '{"seen":  1.50}', isReplayed: true });
  const operations: OperationTable = {
    ...Object.fromEntries(Object.keys(echoRows).map((name) => [name, echoInput])),
    fails: throwFailure,
    replayed: answerReplayed,
    slow: answerSlowly,
    attempt: async (input: { body: { isPaid?: boolean } }, caller: Caller) => {
      caller.countAttempt?.();
      const { status, body } = await echoInput(input, caller);
      return { status, body: { ...body, ...(input.body.isPaid ? { type: 'success' } : {}) } };
    },
    charge: async (input: { body: { isPending?: boolean } }, caller: Caller) => {
      if (input.body.isPending) throw new Refusal('checkout_session_claim_pending');
      caller.countAttempt?.();
      return echoInput(input, caller);
    },
    unknownSession: async () => {
      throw new Refusal('checkout_session_not_found');
    },
  };
  const database: Database = {
    ...db.database,
    read: async (query, values) => {
      if (query.name === 'find_api_token') await beforeCredential?.();
      return db.database.read(query, values);
    },
  };
  const ports = portsFor(beforeCredential ? database : db.database);
  const server = await aServer(ports, { rows: echoRows, operations, ...given });
  const call = (...[method, url, body, headers = {}, as = token]: EchoCall) =>
    callAs(server.app, as, `${method} ${url}`, { body, headers });
  return {
    started,
    finished,
    db,
    server,
    client,
    token,
    call,
    failWith(error) {
      failure = error;
      return call('POST', '/v1/fails', {});
    },
    async close() {
      await server.close();
      await db.close();
    },
  };
}

/** Expects the response to be this refusal, complete by Contract §1. */
export function expectRefusal(response: EchoAnswer, code: ErrorCode) {
  const body = response.json();
  expect(body.code).toBe(code);
  const { status } = errorEntry(code);
  expect([response.statusCode, body.status]).toEqual([status, status]);
  expect(body.requestId).toBe(response.headers['request-id']);
  expect(body.docUrl).toBe(`http://localhost:4000/docs#error-${code}`);
  expect(typeof body.retryable).toBe('boolean');
  return body;
}

/** Returns what reached the operation. */
export function readSeen(response: EchoAnswer) {
  expect(response.statusCode, response.body).toBe(200);
  return response.json().seen;
}

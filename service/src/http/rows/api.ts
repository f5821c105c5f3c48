// Serves every row of the contract with its operation. The order of the checks is the contract's:
// credential, limits, path, idempotency key, body, query, role and scope, operation.

import assert from 'node:assert';
import { hash } from 'node:crypto';
import type { ErrorCode } from '@svc/contract/errors/errors';
import type { RowShape, SignInCookie, TextFile } from '@svc/contract/rows/row';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Refusal } from '../../domain/protocol/refusal.ts';
import { refuse } from '../../engine/implement.ts';
import type { Caller, Ports } from '../../engine/ports.ts';
import { arrivalOf } from '../access/arrival.ts';
import type { Authenticator } from '../access/authenticate.ts';
import { type Admission, authorise } from '../access/authorise.ts';
import { type ReadAgain, readAgainWhenLate } from '../access/read-again.ts';
import type { Limits } from '../limits/limits.ts';
import { giveBackOnSuccess, spendLimit, withAttemptCount } from '../limits/rate-limited.ts';
import type { Waits } from '../limits/waits.ts';
import { type Body, noBody } from '../wire/body.ts';
import { writeSignInCookie } from '../wire/cookies.ts';
import { answerPreflight, assertListed, type OriginGuard, shareWithPage } from '../wire/cors.ts';
import { assertExact } from '../wire/exact-numbers.ts';
import { assertPlainBody } from '../wire/plain-text.ts';
import { assertDepth, parseQuery, takeFilters } from '../wire/query.ts';
import { readValue } from '../wire/read-body.ts';
import { sendFile } from '../wire/send-file.ts';
import {
  assertValid,
  checkOf,
  coerceFields,
  serialiserOf,
  withInstants,
} from '../wire/validate.ts';
import { commonRefusals, refusalsOf } from './refusals.ts';
import { fingerprint, keyOf, withCreateKey } from './request-keys.ts';

/** Rows and operations by name, without their individual types, which are checked where both are combined. */
export type RowTable = Readonly<Record<string, RowShape>>;
export type OperationTable = Readonly<
  Record<string, (input: never, caller: Caller, ports: Ports, refuse: never) => Promise<unknown>>
>;

export type Api = {
  readonly rows: RowTable;
  readonly operations: OperationTable;
  readonly ports: Ports;
  readonly authenticator: Authenticator;
  readonly limits: Limits;
  readonly origins: OriginGuard;
  readonly waits: Waits;
};

/** The facts about a call after its headers were read. */
type AdmittedCall = Admission & {
  readonly path: Readonly<Record<string, unknown>>;
  readonly idempotencyKey: string | null;
  readonly readAgain: ReadAgain;
};

declare module 'fastify' {
  interface FastifyRequest {
    /** The network to which limits per address are counted. */
    visitor: string;
    call: AdmittedCall | null;
    /**
     * Reads a recalled credential from the database; null once its operation verifies the
     * credential itself.
     */
    confirm: (() => Promise<void>) | null;
    /** The name of the row, for the access log. */
    operation: string | null;
    /** The path as a template, stored because the framework would build it again at each use. */
    route: string | null;
    errorCode: ErrorCode | null;
  }
}

type ServedRow = {
  readonly name: string;
  readonly row: RowShape;
  readonly method: string;
  readonly url: string;
  readonly run: OperationTable[string];
};

/** `PUT /v1/payments/{paymentId}/capture` as method and Fastify path. */
export function routeOf(call: RowShape['call']): { method: string; url: string } {
  const [method = '', path = ''] = call.split(' ');
  return { method, url: path.replace(/\{(\w+)\}/g, ':$1') };
}

export function serveRows(app: FastifyInstance, api: Api): void {
  const browserMethods = new Map<string, string[]>();
  for (const [name, row] of Object.entries(api.rows)) {
    const run = api.operations[name];
    assert(run, `the row ${name} has an operation`);
    const { method, url } = routeOf(row.call);
    const served: ServedRow = { name, row, method, url, run };
    if (row.browser) browserMethods.set(url, [...(browserMethods.get(url) ?? []), method]);
    app.route({
      method,
      url,
      // Nobody would read the file that a HEAD made.
      exposeHeadRoute: !row.isFile,
      onRequest: (request) => admit(request, served, api),
      handler: (request, reply) => serve(request, reply, { served, api }),
      ...(row.browser ? { onSend: shareWithPage(api.origins) } : {}),
    });
  }
  for (const [url, methods] of browserMethods) {
    app.options(url, answerPreflight(methods));
  }
}

async function admit(
  request: FastifyRequest,
  { name, row, url }: ServedRow,
  api: Api,
): Promise<void> {
  request.operation = name;
  request.route = url;
  const arrival = arrivalOf(request);
  const { rawHeaders, address } = arrival;
  const admission = await api.authenticator.authenticate(row, arrival);
  const readAgain = readAgainWhenLate(row, arrival, api.authenticator);
  request.call = { ...admission, path: {}, idempotencyKey: null, readAgain };
  const { caller } = admission;
  if (caller.kind === 'server' && caller.recalled) request.confirm = caller.recalled.confirm;
  spendLimits(row, caller, { limits: api.limits, address });
  const path = readPath(row, request.params as Record<string, string>);
  const idempotencyKey = keyOf(row, caller, rawHeaders);
  request.call = { ...admission, path, idempotencyKey, readAgain };
}

function spendLimits(
  row: RowShape,
  caller: Caller,
  { limits, address }: { limits: Limits; address: string },
): void {
  const sessions = { key: address, of: 'new sessions from your address' };
  if (row.limit === 'sign-in') {
    spendLimit(limits.signIn, { key: address, of: 'attempts to sign in from your address' });
  }
  if (caller.kind === 'server') {
    spendLimit(limits.client, { key: caller.clientId, of: 'requests with this credential' });
    if (row.limit === 'money')
      spendLimit(limits.money, { key: caller.clientId, of: 'requests that move money' });
  } else if (caller.kind === 'session') {
    const session = caller.nonceSha256.toString('base64');
    if (row.limit === 'session-create') spendLimit(limits.sessionCreate, sessions);
    const taker = row.limit === 'session-read' ? limits.sessionRead : limits.session;
    spendLimit(taker, { key: session, of: 'requests for this session' });
  } else if (caller.kind === 'customer') {
    spendLimit(limits.session, { key: caller.pageId, of: 'requests of this page' });
  } else if (caller.kind === 'person') {
    spendLimit(limits.person, { key: caller.userId, of: 'requests of this person' });
  } else if (row.limit === 'person') {
    spendLimit(limits.person, { key: address, of: 'requests from your address' });
  } else if (row.limit === 'session-create') {
    spendLimit(limits.sessionCreate, sessions);
  }
}

/** Refusals that mean a guess at somebody's identity. */
const wrongProofs: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'link_not_found',
  'passkey_invalid',
  'sign_in_failed',
  'totp_code_invalid',
]);

/** Reads path parameters; UUIDs in lower case, so that one resource has one spelling in fingerprints. */
function readPath(
  row: RowShape,
  params: Readonly<Record<string, string>>,
): Record<string, unknown> {
  if (!row.input.path) return {};
  const texts = Object.entries(params).map(([name, text]): [string, string] => [
    name,
    /^[0-9A-Fa-f-]{36}$/.test(text) ? text.toLowerCase() : text,
  ]);
  const path = coerceFields(row.input.path, texts);
  assertValid(row.input.path, path, 'invalid_request');
  const unstorable = texts.find(([, text]) => text.includes('\0'));
  if (unstorable) throw new Refusal('invalid_request', { param: unstorable[0] });
  return path;
}

async function serve(
  request: FastifyRequest,
  reply: FastifyReply,
  { served, api }: { served: ServedRow; api: Api },
): Promise<FastifyReply> {
  const { call } = request;
  assert(call, 'the request was admitted');
  if (served.row.browser) await assertListed(request, api.origins);
  const input = readInput(served, request, call);
  authorise(served.row, call);
  request.confirm = null;
  try {
    const { visitor: address } = request;
    const waiting = withWait(input, call.caller, { reply, address, waits: api.waits });
    const counted = withAttemptCount(served.row, waiting, { address, limits: api.limits });
    const caller = withCreateKey(served, { ...call, body: bodyOf(request) }, counted);
    const answer = await served.run(input as never, caller, api.ports, refuse as never);
    giveBackOnSuccess(answer, call.caller, api.limits);
    // What a change did is answered in any case: the caller began it with a credential that stood.
    if (served.method === 'GET') await call.readAgain();
    if (served.row.isFile) {
      const { file } = answer as { readonly file: TextFile };
      const clientId = 'clientId' in call.caller ? call.caller.clientId : '';
      return await sendFile(reply, { file, clientId, readAgain: call.readAgain });
    }
    return sendAnswer(reply, served, {
      answer: answer as RowAnswer,
      baseUrl: api.ports.settings.baseUrl,
    });
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    assertDeclared(served, error.code);
    const isNonce = call.caller.kind === 'session' && error.code === 'checkout_session_not_found';
    if (served.row.limit === 'sign-in' && wrongProofs.has(error.code)) {
      spendLimit(api.limits.failedBasic, {
        key: request.visitor,
        of: 'wrong credentials from your address',
      });
    }
    if (isNonce || error.code === 'customer_page_not_found') {
      // A guess at a nonce or link: failures are limited, a right one still passes.
      spendLimit(api.limits.wrongSession, {
        key: request.visitor,
        of: 'wrong guesses from your address',
      });
    }
    throw error;
  }
}

/** Gives a call that asks to wait the signal that ends the wait. */
function withWait(
  { wait }: Record<string, unknown>,
  caller: Caller,
  { reply, address, waits }: { reply: FastifyReply; address: string; waits: Waits },
): Caller {
  if (!wait) return caller;
  if (caller.kind === 'session') {
    const session = caller.nonceSha256.toString('base64');
    return { ...caller, gone: waits.enter({ session, address }, reply.raw) };
  }
  if (caller.kind !== 'server') return caller;
  const session = `${caller.clientId} ${caller.userId}`;
  return { ...caller, gone: waits.enter({ session, address }, reply.raw) };
}

const bodyOf = ({ body }: FastifyRequest): Body => (body as Body | undefined) ?? noBody;

function readInput(
  { name, row, method }: ServedRow,
  request: FastifyRequest,
  call: AdmittedCall,
): Record<string, unknown> {
  const { path, idempotencyKey } = call;
  const body = bodyOf(request);
  const headers = readHeaders(row, request);
  const said = readBody(row, body);
  const { query, filters } = readQuery(row, (request.query as { text: string }).text);
  return {
    ...path,
    ...query,
    ...headers,
    ...(row.input.body ? { body: said } : {}),
    ...(row.filters ? { filters } : {}),
    ...(idempotencyKey === null || !row.idempotent
      ? {}
      : {
          idempotencyKey,
          rawSha256: hash('sha256', body.bytes, 'buffer'),
          canonSha256: fingerprint([method, name, ...Object.values(path)], body),
        }),
  };
}

function readHeaders(row: RowShape, request: FastifyRequest): Record<string, unknown> {
  const schema = row.input.headers;
  if (!schema) return {};
  const named = Object.keys(schema.properties).flatMap((name): [string, string][] => {
    const value = request.headers[name];
    return typeof value === 'string' ? [[name, value]] : [];
  });
  const headers = coerceFields(schema, named);
  assertValid(schema, headers, 'invalid_request');
  return headers;
}

function readBody(row: RowShape, body: Body): unknown {
  if (row.input.body) {
    const said = readValue(row.input.body, body.value);
    assertValid(row.input.body, said, 'invalid_request');
    assertExact(body.inexact, row.input.body);
    if (body.hasControls) assertPlainBody(body.value, row.input.body);
    return withInstants(row.input.body, said as Body['value'], 'invalid_request');
  }
  const [param] = Object.keys(body.value);
  if (param !== undefined) {
    throw new Refusal('invalid_request', { param, message: 'This call takes no body.' });
  }
}

function readQuery(row: RowShape, text: string) {
  const fields = parseQuery(text);
  const filters = takeFilters(fields, row.filters ?? {}, checkOf);
  const schema = row.input.query;
  if (!schema) {
    const [param] = fields.keys();
    if (param === undefined) return { query: {}, filters };
    throw new Refusal('invalid_query', { param, message: 'This call takes no query parameters.' });
  }
  // The most common mistake: a filter without its operator.
  const plain = Object.keys(row.filters ?? {}).find(
    (name) => fields.has(name) && !Object.hasOwn(schema.properties, name),
  );
  if (plain !== undefined) {
    const message = `Write the filter with its operator: ${plain}[eq]=….`;
    throw new Refusal('invalid_query', { param: plain, message });
  }
  const query = coerceFields(schema, fields);
  assertValid(schema, query, 'invalid_query');
  assertDepth(query, filters.length > 0);
  return { query: withInstants(schema, query, 'invalid_query'), filters };
}

/** In tests an undeclared refusal is a bug; in production the caller still gets the true code. */
function assertDeclared({ name, row }: ServedRow, code: ErrorCode): void {
  const isDeclared = refusalsOf(row).has(code) || commonRefusals.has(code);
  if (process.env.NODE_ENV === 'test') assert(isDeclared, `${name} refuses ${code} undeclared`);
}

type RowAnswer = {
  readonly status: number;
  readonly body?: unknown;
  readonly replay?: string;
  readonly isReplayed?: boolean;
  readonly setCookie?: SignInCookie;
};

const json = 'application/json; charset=utf-8';

function sendAnswer(
  reply: FastifyReply,
  { name, row }: ServedRow,
  { answer, baseUrl }: { answer: RowAnswer; baseUrl: string },
): FastifyReply {
  const schema = row.answers[answer.status];
  assert(schema !== undefined, `${name} answers ${answer.status} undeclared`);
  reply.code(answer.status);
  if (answer.isReplayed) reply.header('idempotent-replayed', 'true');
  if (answer.setCookie) {
    assert(row.setsSignIn, `${name} sets the sign-in cookie undeclared`);
    reply.header('set-cookie', writeSignInCookie(answer.setCookie.value, baseUrl));
  }
  if (schema === null) return reply.send();
  return reply
    .header('content-type', json)
    .send(answer.replay ?? serialiserOf(schema)(answer.body));
}

// Every row of the contract over the wire: credentials, unknown fields, and junk of all kinds.

import { randomBytes } from 'node:crypto';
import { rows } from '@svc/contract';
import { type ErrorCode, errorEntry, errors } from '@svc/contract/errors/errors';
import type { RowShape } from '@svc/contract/rows/row';
import { scopes } from '@svc/contract/rows/scopes';
import { byLevel } from '@svc/tools/levels/level';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { aCustomerPage } from '../../../test/customers/customer-pages.ts';
import {
  aClient,
  aProduct,
  aToken,
  type Credential,
  callAs,
  freshDatabase,
  newId,
  portsFor,
  type TestClient,
  type TestDatabase,
  type TestToken,
} from '../../../test/harness.ts';
import { aGrant } from '../../../test/people/grants.ts';
import { aSignIn, fromOwnPage } from '../../../test/people/people.ts';
import { aServer, type TestServer } from '../../../test/server.ts';
import { sealedFor } from '../../../test/webhooks/webhooks.ts';
import { webhookUrlJudge } from '../../webhooks/judge-url.ts';
import { exampleOf } from '../docs/example.ts';
import { codesOf } from '../docs/openapi.ts';

let db: TestDatabase;
let server: TestServer;
let client: TestClient;
let token: TestToken;
beforeAll(async () => {
  db = await freshDatabase();
  client = await aClient(db.database);
  await aProduct(db.database, client, { code: 'mug' });
  const webhooks = { allow: [], resolve: () => Promise.reject(new Error('no such name')) };
  const ports = portsFor(db.database, {
    sealed: sealedFor(db.database),
    judgeWebhookUrl: webhookUrlJudge(webhooks),
  });
  server = await aServer(ports);
});
afterAll(async () => {
  await server.close();
  await db.close();
});

const all: [string, RowShape][] = Object.entries(rows);
const nonce = randomBytes(32).toString('base64url');
const inHeaders = ['customer-page', 'bearer', 'person', 'visitor'];
const credentialOf = ({ auth }: RowShape): Credential => {
  if (inHeaders.includes(auth)) return null;
  return auth === 'session' ? { nonce } : token;
};
let pageToken = '';
let bearer = '';

const exampleId = String(exampleOf(rows.getPayment.input.path.properties.paymentId));

type SentRequest = {
  readonly as?: Credential;
  readonly path?: string;
  readonly query?: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
};

let signedIn: ReturnType<typeof fromOwnPage> | null = null;

/**
 * The headers that our own page sends, with a new sign-in where a call may have ended or used up
 * the earlier one.
 */
async function ownPageHeaders(): Promise<Readonly<Record<string, string>>> {
  signedIn ??= fromOwnPage(await aSignIn(portsFor(db.database), { id: token.userId }));
  return signedIn;
}
const isExempt = (method: string, status: number): boolean =>
  status < 300 ? method === 'GET' : status < 500 && status !== 401 && status !== 429;

async function credentialHeaders({ auth }: RowShape): Promise<Readonly<Record<string, string>>> {
  if (auth === 'customer-page') return { 'x-customer-page-token': pageToken };
  if (auth === 'bearer') return { authorization: bearer };
  return auth === 'person' || auth === 'visitor' ? ownPageHeaders() : {};
}

async function sendRow(row: RowShape, sent: SentRequest) {
  const [method = '', template = ''] = row.call.split(' ');
  const path = template.replace(
    /\{(\w+)\}/g,
    (_, name) => sent.path ?? (name === 'month' ? '2026-11' : newId()),
  );
  const url = sent.query === undefined ? path : `${path}?${sent.query}`;
  const headers = {
    ...(row.idempotent ? { 'idempotency-key': 'key' } : {}),
    // The buyer that the example's body names.
    ...(row.input.headers ? { 'x-user-id': exampleId } : {}),
    ...(sent.as === undefined ? await credentialHeaders(row) : {}),
    ...sent.headers,
  };
  const body = 'body' in sent ? sent.body : row.input.body && exampleOf(row.input.body);
  const as = sent.as === undefined ? credentialOf(row) : sent.as;
  const given = method === 'GET' ? { headers } : { headers, body };
  const response = await callAs(server.app, as, `${method as 'GET'} ${url}`, given);
  if (!isExempt(method, response.statusCode)) signedIn = null;
  return response;
}

/** A rule that does not apply to the row is no test of it. */
const itIf = (applies: boolean): ((title: string, test: () => Promise<void>) => void) =>
  applies ? it : () => undefined;

describe.each(all)('%s', (_name, row) => {
  // Junk for the row before may have been a valid request that ended every credential of its person.
  beforeAll(async () => {
    token = await aToken(db.database, client);
    const acting = { user: { id: token.userId }, client, scopes };
    bearer = (await aGrant(portsFor(db.database), acting)).authorization;
    pageToken = await aCustomerPage(portsFor(db.database), token);
    signedIn = null;
  });

  it('without its credential: the 401 of its kind', async () => {
    // Our own pages say where they are from, signed in or not.
    const isPage = row.auth === 'person' || row.auth === 'visitor';
    const headers = isPage ? fromOwnPage(null) : {};
    const response = await sendRow(row, { as: null, headers });
    const expected: Partial<Record<RowShape['auth'], ErrorCode>> = {
      server: 'authentication_required',
      session: 'checkout_session_token_required',
      'server-or-session': 'authentication_required',
      'customer-page': 'customer_page_token_required',
      bearer: 'authentication_required',
      person: 'sign_in_required',
    };
    const code = expected[row.auth];
    if (code) expect([response.statusCode, response.json().code]).toEqual([401, code]);
    else expect(response.body).not.toContain('authentication_required');
  });

  const isStrict = row.input.body !== undefined && !row.idempotent;
  const takesNonce = ['session', 'server-or-session', 'customer-page'].includes(row.auth);
  itIf(takesNonce)('with a nonce that is unknown or malformed: one answer', async () => {
    const bodies = new Set<string>();
    for (const each of [nonce, 'x', `${nonce} `, 'a'.repeat(5000), nonce.slice(1)]) {
      const isPage = row.auth === 'customer-page';
      // One credential a call: two are refused before either is read.
      const headers: Record<string, string> = isPage ? { 'x-customer-page-token': each } : {};
      const as = isPage ? null : { nonce: each };
      const response = await sendRow(row, { as, headers, path: examplePath(row) });
      const { requestId: _, ...body } = response.json();
      bodies.add(JSON.stringify([response.statusCode, body]));
    }
    expect([...bodies]).toEqual([expect.stringContaining('[404,')]);
  });

  itIf(isStrict)('an unknown field is refused by name', async () => {
    const body = { ...(exampleOf(row.input.body) as object), cpatureMethod: 'manual' };
    const response = await sendRow(row, { body });
    const { code, param } = response.json();
    expect([response.statusCode, code, param]).toEqual([400, 'invalid_request', 'cpatureMethod']);
  });

  itIf(isStrict)('null for whatever may be left out is the field left out', async () => {
    const { properties = {}, required = [] } = row.input.body as Fields;
    const example = exampleOf(row.input.body ?? {}) as object;
    // The example may hold one of two fields of which one is required.
    const optional = Object.keys(properties).filter(
      (name) => !required.includes(name) && !Object.hasOwn(example, name),
    );
    const nulls = Object.fromEntries(optional.map((name) => [name, null]));
    // The request is refused for another field, so that nothing is changed.
    const body = { ...example, ...nulls, cpatureMethod: 'manual' };
    const response = await sendRow(row, { body });
    const { status, param, errors: several = [] } = response.json();
    expect(status).toBe(400);
    const named = [param, ...several.map(({ path }: { path: string }) => path)];
    expect(named.filter((name) => optional.includes(name))).toEqual([]);
  });

  itIf(textsOf(row).length > 0)(
    'no text takes a card number, however it is separated, nor a sign that steers or turns',
    async () => {
      const example = exampleOf(row.input.body ?? {}) as object;
      for (const [name, put] of textsOf(row)) {
        const sendGiven = async (text: string) => {
          const response = await sendRow(row, { body: { ...example, [name]: put(text) } });
          return [response.statusCode, response.json().code];
        };
        const card = await sendGiven(['4242', '4242', '4242', '4242'].join('\u2013'));
        expect(card, name).toEqual([400, 'raw_card_data_forbidden']);
        for (const sign of ['\u001b', '\u009b', '\u202e']) {
          expect((await sendGiven(`Gold${sign}x`))[0], `${name} ${JSON.stringify(sign)}`).toBe(400);
        }
      }
    },
  );

  it('an unknown query parameter is refused by name', async () => {
    const { code, param } = (await sendRow(row, { query: 'lmit=1' })).json();
    expect([code, param]).toEqual(['invalid_query', 'lmit']);
  });

  it('junk is never a 500, and every refusal is declared and complete', async () => {
    const codes = codesOf(row);
    const unnamed = codes.some((code) => errorEntry(code).isUnnamed);
    const declared = new Set<string | null>([...codes, 'route_not_found']);
    const text = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 40 }).filter((t) => t.isWellFormed()),
      fc.constantFrom(
        '',
        ' ',
        '0',
        '-1',
        '1e400',
        'null',
        "' or 1=1--",
        '{{7*7}}',
        '../..',
        '\u0000',
        'ß',
        '😀'.repeat(30),
        newId(),
      ),
    );
    const json = fc.oneof(fc.jsonValue({ maxDepth: 3 }), mutated(row), text);
    const names = fc.constantFrom(
      ...queryNames(row),
      'x[eq]',
      'createdAt[gt]',
      '[]',
      'page',
      'limit',
      'cursor',
      'after',
      'wait',
    );
    const query = fc.array(fc.tuple(names, text), { maxLength: 3 });
    await fc.assert(
      fc.asyncProperty(fc.option(text), query, json, async (path, pairs, body) => {
        const response = await sendRow(row, {
          ...(path === null || path.includes('/') ? {} : { path: encodeURIComponent(path) || 'x' }),
          ...(pairs.length === 0
            ? {}
            : { query: pairs.map((pair) => pair.map(encodeURIComponent).join('=')).join('&') }),
          body: JSON.stringify(body),
        });
        const { statusCode } = response;
        if (statusCode < 300) return;
        const { code, status, requestId } = response.json();
        expect(statusCode, JSON.stringify(server.logged.slice(-2))).toBeLessThan(500);
        // The specification gives some refusals no code.
        if (code === null) expect([statusCode, unnamed]).toEqual([400, true]);
        else {
          expect(declared).toContain(code);
          expect(errors[code as ErrorCode].status).toBe(statusCode);
        }
        expect([status, requestId]).toEqual([statusCode, response.headers['request-id']]);
        expect(response.body).not.toMatch(/select |insert |\/node_modules\/|\.ts:\d/);
      }),
      { numRuns: byLevel({ gate: 25, proof: 150 }) },
    );
    // Far more time than two quiet cores need.
  }, 120_000);
});

type Fields = {
  readonly properties?: Readonly<Record<string, object>>;
  readonly required?: readonly string[];
};

type Text = [name: string, put: (text: string) => unknown];

/** Fields of the body that accept any text, and how each one carries it. */
function textsOf(row: RowShape): Text[] {
  const { properties = {} } = (row.input.body ?? {}) as Fields;
  return Object.entries(properties).flatMap(([name, schema]): Text[] => {
    if (name === 'metadata') return [[name, (text: string) => ({ note: text })]];
    const { type, enum: values, pattern } = schema as Readonly<Record<string, unknown>>;
    // A pattern is checked earlier, with a code of its own.
    const isText = [type].flat().includes('string') && !values && !pattern;
    return isText ? [[name, (text: string) => text]] : [];
  });
}

/** The first path parameter of the examples, which bodies of examples name as well. */
const examplePath = (row: RowShape): string =>
  String(Object.values(exampleOf(row.input.path ?? {}) as object)[0] ?? '');

const queryNames = (row: RowShape): string[] => [
  ...Object.keys(row.input.query?.properties ?? {}),
  ...Object.keys(row.filters ?? {}).flatMap((name) =>
    ['eq', 'in', 'gte', 'like'].map((op) => `${name}[${op}]`),
  ),
];

/** The row's example with one field replaced by something else. */
function mutated(row: RowShape): fc.Arbitrary<unknown> {
  const example = exampleOf(row.input.body ?? {}) as Record<string, unknown>;
  const keys = [...Object.keys(example), 'id', 'clientId', 'status', 'amount', '__proto__'];
  return fc
    .tuple(fc.constantFrom(...keys), fc.jsonValue({ maxDepth: 2 }))
    .map(([key, value]) => ({ ...example, [key]: value }));
}

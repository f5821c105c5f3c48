// Every row of the contract by kinds of identity: who is let through to the operation, and
// with which status and code everybody else is sent away. What is expected is worked out here from
// the row's data and what is true of the identity, never by asking the code that decides.
// Reliability N4, N5.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { rows } from '@svc/contract';
import type { RowShape } from '@svc/contract/rows/row';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Refusal } from '../../service/src/domain/protocol/refusal.ts';
import { exampleOf } from '../../service/src/http/docs/example.ts';
import type { OperationTable } from '../../service/src/http/rows/api.ts';
import {
  callAs,
  freshDatabase,
  newId,
  portsFor,
  type TestDatabase,
} from '../../service/test/harness.ts';
import { aServer, type TestServer } from '../../service/test/server.ts';
import { type Door, type Identity, openIdentities } from './identities.ts';
import { holds } from './role-table.ts';

let db: TestDatabase;
let server: TestServer;
let door: Door;
const reached = new Set<string>();

// An accepted call gets a response that no row returns by itself.
const markers: OperationTable = Object.fromEntries(
  Object.keys(rows).map((name) => [
    name,
    async (_input: never, { requestId }: { requestId: string }) => {
      reached.add(requestId);
      throw new Refusal('method_not_allowed');
    },
  ]),
) as OperationTable;

beforeAll(async () => {
  db = await freshDatabase();
  server = await aServer(portsFor(db.database), { operations: markers });
  door = await openIdentities(db);
});
afterAll(async () => {
  await server?.close();
  await db?.close();
});

type ExpectedResult = 'reached' | readonly [status: number, code: string];
const unauthenticated = [401, 'authentication_required'] as const;

/**
 * The expected result for a program or browser that acts for a merchant: first scope, then role,
 * then the age of the sign-in.
 */
function admitted(row: RowShape, who: Identity): ExpectedResult {
  const { scopes = null, role, bearer } = who;
  const scope = who.basic && row.tokenScope ? row.tokenScope : row.scope;
  // Rows about people and applications require a token that names their scope.
  const isUnnamed = who.basic !== undefined && scopes === null && scope === 'members:write';
  const isNarrow = isUnnamed || (scopes !== null && scope !== null && !scopes.includes(scope));
  if (isNarrow) return [403, 'insufficient_scope'];
  // Rows of a person's own account require no role.
  const isOfClient = row.auth !== 'person' && row.auth !== 'visitor';
  if (isOfClient && row.permission !== null && role && !holds(role, row.permission)) {
    return [403, 'merchant_role_required'];
  }
  const isBrowser = who.basic === undefined && bearer === undefined;
  if (isBrowser && row.asksRecentSignIn && who.signIn === 'stale') {
    return [403, 'recent_sign_in_required'];
  }
  return 'reached';
}

const isForeignPage = ({ from }: Identity, method: string): boolean =>
  from === 'other-page' || from === 'sibling' || (from === undefined && method !== 'GET');

function expectedOfPeople(row: RowShape, who: Identity, method: string): ExpectedResult {
  if (who.basic || who.bearer) return unauthenticated;
  if (isForeignPage(who, method)) return [403, 'cross_site_request'];
  const { signIn } = who;
  if (signIn === 'recent' || signIn === 'stale') return admitted({ ...row, scope: null }, who);
  if (row.auth === 'visitor') return 'reached';
  return signIn === 'half' ? [401, 'second_factor_required'] : [401, 'sign_in_required'];
}

function expectedOfBrowser(row: RowShape, who: Identity, method: string): ExpectedResult {
  if (isForeignPage(who, method)) return [403, 'cross_site_request'];
  if (who.namesClient === 'malformed') return unauthenticated;
  if (who.signIn === 'half') return [401, 'second_factor_required'];
  if (who.signIn === 'ended') return [401, 'sign_in_required'];
  if (who.namesClient === 'foreign') return [403, 'merchant_role_required'];
  return admitted(row, who);
}

function expectedOfPrograms(row: RowShape, who: Identity): ExpectedResult {
  if (who.basic === 'right') return row.auth === 'bearer' ? unauthenticated : admitted(row, who);
  if (who.bearer === 'left') return [403, 'merchant_role_required'];
  const isOpen = who.bearer === 'right' || (who.bearer === 'agents' && row.auth === 'bearer');
  return isOpen ? admitted(row, who) : unauthenticated;
}

function expectedAnswerOf(row: RowShape, who: Identity): ExpectedResult {
  const [method = ''] = row.call.split(' ');
  const isProgram = who.basic !== undefined || who.bearer !== undefined;
  switch (row.auth) {
    case 'session':
      return who.nonce ? 'reached' : [401, 'checkout_session_token_required'];
    case 'customer-page':
      if (!who.page) return [401, 'customer_page_token_required'];
      return who.page === 'right' ? 'reached' : [404, 'customer_page_not_found'];
    case 'person':
    case 'visitor':
      return expectedOfPeople(row, who, method);
    case 'anyone':
      if (isProgram) return expectedOfPrograms(row, who);
      return who.namesClient ? unauthenticated : 'reached';
    default: {
      const kinds = [isProgram, who.nonce, who.page, who.namesClient].filter(Boolean).length;
      if (kinds > 1 || (isProgram && who.signIn)) return unauthenticated;
      if (isProgram) return expectedOfPrograms(row, who);
      if (who.namesClient) return expectedOfBrowser(row, who, method);
      return who.nonce && row.auth === 'server-or-session' ? 'reached' : unauthenticated;
    }
  }
}

async function send(row: RowShape, who: Identity) {
  const [method = '', template = ''] = row.call.split(' ');
  const example = String(Object.values(exampleOf(row.input.path ?? {}) as object)[0] ?? newId());
  const url = template.replace(/\{\w+\}/g, () => example);
  const headers = {
    ...(row.idempotent ? { 'idempotency-key': 'key' } : {}),
    ...(row.input.headers ? { 'x-user-id': newId() } : {}),
    ...(await who.headers()),
  };
  const body = row.input.body && exampleOf(row.input.body);
  return callAs(server.app, null, `${method as 'GET'} ${url}`, {
    headers,
    ...(body === undefined ? {} : { body }),
  });
}

/** Everything of a row from which the service decides who is let in. */
const kindOf = ({ auth, scope, tokenScope, permission, asksRecentSignIn, call }: RowShape) =>
  JSON.stringify([auth, scope, tokenScope, permission, asksRecentSignIn, call.startsWith('GET ')]);
const every = Object.entries(rows) as [string, RowShape][];
const firsts = new Set(
  new Map(every.toReversed().map(([name, row]) => [kindOf(row), name])).values(),
);

/** Every identity tries the first row of each kind; a different sixth of them tries each further row. */
const identitiesFor = (name: string): readonly Identity[] => {
  const turn = every.findIndex(([other]) => other === name) % 6;
  return door.identities.filter((_, at) => firsts.has(name) || at % 6 === turn);
};

describe.each(every)('%s', (name, row) => {
  it('lets in whom its row names, and nobody else', async () => {
    const seen: Record<string, ExpectedResult> = {};
    const wanted: Record<string, ExpectedResult> = {};
    for (const who of identitiesFor(name)) {
      const response = await send(row, who);
      const { code, requestId } = response.json();
      seen[who.name] = reached.has(requestId) ? 'reached' : [response.statusCode, code];
      wanted[who.name] = expectedAnswerOf(row, who);
      expect(response.headers['access-control-allow-credentials']).toBeUndefined();
      if (response.statusCode === 401 && code === 'authentication_required') {
        expect(response.headers['www-authenticate']).toBeDefined();
      }
    }
    expect(seen).toEqual(wanted);
  });
});

describe('the matrix', () => {
  it('has every kind of row, and identities that are let in and sent away at each', () => {
    const auths = new Set(Object.values(rows as Record<string, RowShape>).map(({ auth }) => auth));
    expect([...auths].sort()).toEqual([
      'anyone',
      'bearer',
      'customer-page',
      'person',
      'server',
      'server-or-session',
      'session',
      'visitor',
    ]);
    for (const row of Object.values(rows as Record<string, RowShape>)) {
      const outcomes = door.identities.map((who) => expectedAnswerOf(row, who));
      expect(outcomes).toContain('reached');
      expect(outcomes.filter((one) => one !== 'reached').length).toBeGreaterThan(5);
    }
  });

  it('every call of a merchant names what its role must hold; no other call does', () => {
    const ofMerchants = ['server', 'bearer', 'server-or-session'];
    for (const [name, row] of Object.entries(rows as Record<string, RowShape>)) {
      if (name === 'createCheckoutSession') continue;
      const isNamed = row.permission !== null;
      expect([name, isNamed]).toEqual([name, ofMerchants.includes(row.auth)]);
    }
  });

  it('Spec 5 rule 5, token management: no Basic reaches it, nor a Bearer without mcp', () => {
    const managing = Object.entries(rows as Record<string, RowShape>).filter(([, { call }]) =>
      call.includes('/v1/api-tokens'),
    );
    expect(managing.map(([name]) => name).sort()).toEqual([
      'createApiToken',
      'deleteApiToken',
      'getApiToken',
      'listApiTokens',
      'rotateApiToken',
    ]);
    for (const [, { auth, scope }] of managing) expect([auth, scope]).toEqual(['bearer', 'mcp']);
  });
});

describe('pages', () => {
  it('Spec 5 rule 7: no page of another origin may send a token, and none of our scripts does', async () => {
    const browserRows = Object.values(rows as Record<string, RowShape>).filter(
      ({ browser }) => browser,
    );
    expect(browserRows.length).toBeGreaterThan(5);
    for (const row of browserRows) {
      const [method = '', path = ''] = row.call.replace(/\{\w+\}/, newId()).split(' ');
      const answer = await callAs(server.app, null, `OPTIONS ${path}`, {
        headers: {
          origin: 'http://localhost:5999',
          'access-control-request-method': method,
          'access-control-request-headers': 'authorization',
        },
      });
      const allowed = String(answer.headers['access-control-allow-headers']);
      expect(allowed).toContain('x-checkout-session-token');
      expect(allowed.toLowerCase()).not.toContain('authorization');
      expect(allowed).not.toContain('*');
    }
    const scripts = scriptsOf('pages').concat(scriptsOf('libraries/browser/src'));
    expect(scripts.length).toBeGreaterThan(50);
    const sending = /['"]?authorization['"]?\s*[:\]]|\b(Basic|Bearer) \$\{/i;
    expect(sending.test("headers: { authorization: 'Bearer x' }")).toBe(true);
    const senders = scripts.filter((file) => sending.test(readFileSync(file, 'utf8')));
    expect(senders).toEqual([]);
  });
});

/** Returns the sources that run in browsers, without tests and build scripts. */
function scriptsOf(folder: string): string[] {
  const root = join(import.meta.dirname, '../..', folder);
  return readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter(
      (file) =>
        /\.tsx?$/.test(file) && !/test|node_modules|build|fixture|sign-in-proofs|dist/.test(file),
    )
    .map((file) => join(root, file));
}

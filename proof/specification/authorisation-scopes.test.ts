// Every row of the contract by every scope that there is, for the two kinds of token that carry
// scopes. What a row asks for is read from the row; who is let through is seen by what answers.
// Contract §6.

import { rows } from '@svc/contract';
import type { RowShape } from '@svc/contract/rows/row';
import { scopes as allScopes, type Scope } from '@svc/contract/rows/scopes';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Refusal } from '../../service/src/domain/protocol/refusal.ts';
import { exampleOf } from '../../service/src/http/docs/example.ts';
import type { OperationTable } from '../../service/src/http/rows/api.ts';
import {
  aClient,
  aToken,
  callAs,
  freshDatabase,
  newId,
  portsFor,
  type TestClient,
  type TestDatabase,
  type TestToken,
} from '../../service/test/harness.ts';
import { aGrant } from '../../service/test/people/grants.ts';
import { aServer, type TestServer } from '../../service/test/server.ts';

let db: TestDatabase;
let server: TestServer;
let client: TestClient;
let owner: TestToken;

// An accepted call gets a response that no row returns by itself.
const markers: OperationTable = Object.fromEntries(
  Object.keys(rows).map((name) => [
    name,
    async () => {
      throw new Refusal('method_not_allowed');
    },
  ]),
) as OperationTable;

beforeAll(async () => {
  db = await freshDatabase();
  server = await aServer(portsFor(db.database), { operations: markers });
  client = await aClient(db.database);
  owner = await aToken(db.database, client);
});
afterAll(async () => {
  await server?.close();
  await db?.close();
});

/** Rows that a program calls for its merchant. */
const ofPrograms = Object.entries(rows as Record<string, RowShape>).filter(([, { auth }]) =>
  ['server', 'bearer', 'server-or-session'].includes(auth),
);

const names = (row: RowShape, scope: Scope) => row.scope === scope || row.tokenScope === scope;
/** One row for each scope that rows ask for, and kind of credential. */
const firsts = new Set(
  new Map(
    ofPrograms.map(([name, { auth, scope, tokenScope }]) => [
      JSON.stringify([auth, scope, tokenScope]),
      name,
    ]),
  ).values(),
);

async function withScopes(scopes: readonly string[]) {
  const { authorization: bearer } = await aGrant(
    { database: db.database },
    { user: { id: owner.userId }, client, scopes },
  );
  const { authorization: basic } = await aToken(db.database, client, { scopes });
  return { bearer, basic };
}

/** Returns the result of the call in one word. */
async function outcome(row: RowShape, authorization: string): Promise<string> {
  const [method = '', template = ''] = row.call.split(' ');
  const example = String(Object.values(exampleOf(row.input.path ?? {}) as object)[0] ?? newId());
  const body = row.input.body && exampleOf(row.input.body);
  const { statusCode, ...response } = await callAs(
    server.app,
    null,
    `${method as 'GET'} ${template.replace(/\{\w+\}/g, () => example)}`,
    {
      headers: { authorization, ...(row.idempotent ? { 'idempotency-key': 'key' } : {}) },
      ...(body === undefined ? {} : { body }),
    },
  );
  const { code } = response.json() as { code: string };
  if (code === 'method_not_allowed') return 'reached';
  const told = String(response.headers['www-authenticate'] ?? '');
  const isTold = told === '' || told === `Bearer error="insufficient_scope", scope="${row.scope}"`;
  return `${statusCode} ${code}${isTold ? '' : ` ${told}`}`;
}

/** Returns the results by row, for both kinds of token if the row accepts them. */
async function listOutcomes(scopes: readonly string[], some = ofPrograms) {
  const { bearer, basic } = await withScopes(scopes);
  const seen: Record<string, string> = {};
  for (const [name, row] of some) {
    seen[`${name} by Bearer`] = await outcome(row, bearer);
    if (row.auth !== 'bearer') seen[`${name} by Basic`] = await outcome(row, basic);
  }
  return seen;
}

/**
 * The scope that the row requires of this kind of token: capture and cancel require only the role
 * of a Bearer token.
 */
const requiredScopeOf = ({ scope, tokenScope }: RowShape, kind: string) =>
  kind === 'Basic' && tokenScope !== undefined ? tokenScope : scope;

const expectedAnswers = (isLetIn: (scope: Scope | null) => boolean, some = ofPrograms) =>
  Object.fromEntries(
    some.flatMap(([name, row]) => {
      const kinds = row.auth === 'bearer' ? ['Bearer'] : ['Bearer', 'Basic'];
      return kinds.map((kind) => [
        `${name} by ${kind}`,
        isLetIn(requiredScopeOf(row, kind)) ? 'reached' : '403 insufficient_scope',
      ]);
    }),
  );

describe('Contract §6, scopes', () => {
  it('Contract §6 row scope: each names one that there is, but for capture, cancel and what all may', () => {
    const without = ofPrograms.filter(([, { scope }]) => scope === null).map(([name]) => name);
    expect(without.sort()).toEqual(['cancelPayment', 'capturePayment']);
    for (const row of [rows.cancelPayment, rows.capturePayment] as RowShape[]) {
      expect(row.tokenScope).toBe('payments:write');
    }
    const named = new Set(ofPrograms.map(([, { scope }]) => scope));
    const unknown = [...named].filter((one) => one !== null && !allScopes.includes(one));
    expect(unknown).toEqual([]);
    expect(ofPrograms.length).toBeGreaterThan(40);
  });

  it.each(allScopes)(
    '%s alone opens the rows that name it and no others',
    async (scope) => {
      const some = ofPrograms.filter(([name, row]) => names(row, scope) || firsts.has(name));
      expect(await listOutcomes([scope], some)).toEqual(
        expectedAnswers((asked) => asked === scope || asked === null, some),
      );
    },
    30_000,
  );

  it.each(allScopes)(
    'without %s its rows are 403 insufficient_scope',
    async (scope) => {
      const others = allScopes.filter((one) => one !== scope);
      const some = ofPrograms.filter(([, row]) => names(row, scope));
      expect(await listOutcomes(others, some)).toEqual(
        expectedAnswers((asked) => asked !== scope, some),
      );
    },
    30_000,
  );

  it('Contract §6 mcp: implies none of the others', async () => {
    const rest = ofPrograms.filter(([, { scope }]) => scope !== 'mcp' && scope !== null);
    expect(await listOutcomes(['mcp'], rest)).toEqual(expectedAnswers(() => false, rest));
  });
});

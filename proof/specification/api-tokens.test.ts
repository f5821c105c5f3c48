// API tokens over HTTP, as a person's application manages them with its access token; their limits, races
// and uses are shown beside the operations. Spec 2.5, 4.4, 5, 7.3, 8. Contract §6.

import { hash } from 'node:crypto';
import { rows } from '@svc/contract';
import type { RowShape } from '@svc/contract/rows/row';
import { scopes as allScopes, moneyScopes } from '@svc/contract/rows/scopes';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sql } from '../../service/src/storage/database/sql.ts';
import {
  aClient,
  aToken,
  basicHeader,
  callAs,
  freshDatabase,
  moveClock,
  newId,
  portsFor,
  type TestClient,
  type TestDatabase,
} from '../../service/test/harness.ts';
import { aGrant } from '../../service/test/people/grants.ts';
import { join } from '../../service/test/people/members.ts';
import { aServer, type TestServer } from '../../service/test/server.ts';
import { refusal } from './shop.ts';

let db: TestDatabase;
let server: TestServer;
beforeAll(async () => {
  db = await freshDatabase();
  server = await aServer(portsFor(db.database));
});
afterAll(async () => {
  await server?.close();
  await db?.close();
});

const uuid = expect.stringMatching(
  /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/,
);
const instant = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
const missing = refusal(404, 'api_token_not_found', { type: 'not_found_error' });

type RowCall = Parameters<typeof callAs>[2];
type Shown = { readonly id: string; readonly token: string; readonly [field: string]: unknown };
type Person = { readonly userId: string; readonly client: TestClient };

const dropToken = sql('spec_tokens_drop', 'delete from api_tokens where id = $1');
const rowOf = sql<{ row: string; digest: string }>(
  'spec_tokens_row',
  `select t::text as row, encode(token_sha256, 'hex') as digest from api_tokens t where id = $1`,
);

async function send(authorization: string, call: RowCall, body?: unknown) {
  const headers = { authorization };
  const response = await callAs(server.app, null, call, { headers, ...(body ? { body } : {}) });
  const { statusCode: status, body: text } = response;
  return { status, text, body: (text === '' ? {} : response.json()) as Record<string, unknown> };
}

/** Returns an owner without tokens: a new one by default, or the person at another merchant. */
async function anOwner(given: { client?: TestClient; person?: Person } = {}): Promise<Person> {
  const client = given.client ?? (await aClient(db.database));
  if (given.person) {
    await join(db.database, client, { person: { id: given.person.userId }, role: 'owner' });
    return { userId: given.person.userId, client };
  }
  const { id, userId } = await aToken(db.database, client);
  await db.database.write(dropToken, [id]);
  return { userId, client };
}

/** Returns the calls of an application that the person has authorised. */
async function applicationOf(
  { userId, client }: Person,
  given: { scopes?: readonly string[]; isForAgents?: boolean } = {},
) {
  const { scopes = ['mcp', 'payments:read'], isForAgents = false } = given;
  const grant = { user: { id: userId }, client, scopes, isForAgents, lifeSeconds: 30_000 };
  const { authorization } = await aGrant({ database: db.database }, grant);
  const path = '/v1/api-tokens';
  const create = (body: object = {}) =>
    send(authorization, `POST ${path}`, { name: 'till', ...body });
  return {
    create,
    make: async (body: object = {}): Promise<Shown> => {
      const answer = await create(body);
      expect(answer.status, answer.text).toBe(201);
      return answer.body as Shown;
    },
    list: () => send(authorization, `GET ${path}`),
    get: (id: string) => send(authorization, `GET ${path}/${id}`),
    remove: (id: string) => send(authorization, `DELETE ${path}/${id}`),
    rotate: (id: string, overlapSeconds: unknown) =>
      send(authorization, `POST ${path}/${id}/rotate`, { overlapSeconds }),
  };
}

const read = async ({ client }: Person, token: string, path = '/v1/payments') =>
  (await send(basicHeader(client.id, token), `GET ${path}`)).status;

describe('API tokens', () => {
  it('Spec 2.5 id, name, description, token, createdAt and lastUsedAt · Spec 4.4.1: the value is in the answer of the create alone', async () => {
    const { make, list, get } = await applicationOf(await anOwner());
    const { token, ...shown } = await make({ name: ' \t two words\n', description: 'of the shop' });
    expect(shown).toEqual({
      id: uuid,
      name: 'two words',
      description: 'of the shop',
      createdAt: instant,
      lastUsedAt: null,
      expiresAt: null,
      scopes: ['payments:read'],
    });
    expect(token).toMatch(/^svc_[0-9A-Za-z]{49}$/);
    expect(await make()).toMatchObject({ description: null });
    for (const { text } of [await list(), await get(shown.id)]) {
      expect(text).toContain(shown.id);
      expect(text).not.toMatch(/svc_|token/);
    }
    const logged = JSON.stringify(server.logged);
    expect(logged).toContain('createApiToken');
    expect(logged).not.toContain(token.slice(4, 30));
  });

  it('Spec 2.5 hash: the row holds the SHA-256 of the value and nothing else of it', async () => {
    const { make } = await applicationOf(await anOwner());
    const { id, token } = await make();
    const [row] = await db.database.read(rowOf, [id]);
    expect(row?.digest).toBe(hash('sha256', token));
    expect(row?.row).not.toContain(token.slice(4));
    expect(row?.row).not.toContain(Buffer.from(token).toString('hex'));
  });

  it('Spec 4.4.2 · Spec 4.4.3: active tokens of the person for the selected client, oldest first, each read alone too', async () => {
    const owner = await anOwner();
    const { make, list, get } = await applicationOf(owner);
    const made: Shown[] = [];
    for (const name of ['b', 'c', 'a']) made.push(await make({ name }));
    await (await applicationOf(await anOwner({ client: owner.client }))).make();
    const elsewhere = await anOwner({ client: await aClient(db.database), person: owner });
    await (await applicationOf(elsewhere)).make();
    const shown = made.map(({ token: _, ...rest }) => rest);
    expect(await list()).toMatchObject({ status: 200, body: { data: shown } });
    expect((await get(made[1]?.id ?? '')).body).toEqual(shown[1]);
  });

  it('Spec 4.4.4: 204, and again; it leaves the list and opens nothing more, the others stay', async () => {
    const owner = await anOwner();
    const { make, list, remove } = await applicationOf(owner);
    const [gone, stays] = [await make(), await make()];
    expect(await read(owner, gone.token)).toBe(200);
    for (let n = 0; n < 2; n++)
      expect(await remove(gone.id)).toMatchObject({ status: 204, text: '' });
    expect([await read(owner, gone.token), await read(owner, stays.token)]).toEqual([401, 200]);
    expect((await list()).body).toMatchObject({ data: [{ id: stays.id }] });
  });

  it('Spec 7.3.3 · Spec 5 own user · Contract §1 api_token_not_found: the same bytes for another person’s, another client’s and none', async () => {
    const owner = await anOwner();
    const own = await applicationOf(owner);
    const { id, token } = await own.make();
    const colleague = await applicationOf(await anOwner({ client: owner.client }));
    const elsewhere = await applicationOf(
      await anOwner({ client: await aClient(db.database), person: owner }),
    );
    const answers = [
      await own.get(newId()),
      await own.remove(newId()),
      await own.rotate(newId(), 0),
    ];
    for (const { get, remove, rotate } of [colleague, elsewhere]) {
      answers.push(await get(id), await remove(id), await rotate(id, 0));
    }
    for (const answer of answers) expect(answer).toMatchObject(missing);
    expect(new Set(answers.map(({ text }) => text.replace(/req_\w+/, ''))).size).toBe(1);
    expect(await own.get('x')).toMatchObject(missing);
    expect(await read(owner, token)).toBe(200);
  });

  it('Contract §6 expiresAt: from then on it opens nothing and is not there', async () => {
    const owner = await anOwner();
    const { make, list, get, remove } = await applicationOf(owner);
    const { id, token } = await make({ expiresAt: new Date(Date.now() + 600_000).toISOString() });
    expect(await read(owner, token)).toBe(200);
    await moveClock(db.database, 601_000);
    expect(await read(owner, token)).toBe(401);
    expect((await list()).body.data).toEqual([]);
    expect(await get(id)).toMatchObject(missing);
    expect(await remove(id)).toMatchObject({ status: 204 });
    await moveClock(db.database, -601_000);
  });

  it('Spec 8.2 · Spec 8.3: names of 1 to 100 characters and descriptions of at most 255', async () => {
    const { make, list } = await applicationOf(await anOwner());
    for (const name of ['x', 'ß'.repeat(100), ` ${'😀'.repeat(100)} `, 'e\u0301'.repeat(50)]) {
      expect(await make({ name })).toMatchObject({ name: name.trim() });
    }
    for (const description of ['ß'.repeat(255), '😀'.repeat(255), '']) {
      expect(await make({ description })).toMatchObject({ description });
    }
    expect((await list()).body.data).toHaveLength(7);
  });

  const wrongFields: Readonly<Record<string, readonly unknown[]>> = {
    name: [
      ...['', ' ', '\t\n', '\u00a0\u2003', '\u200b\u2060', 'ß'.repeat(101), '😀'.repeat(101)],
      ...[undefined, null, 7, ['x']],
    ],
    description: ['ß'.repeat(256), '😀'.repeat(256), 7, {}],
    expiresAt: [
      new Date(0).toISOString(),
      '2026-02-31',
      '2026-13-01T00:00:00.000Z',
      'soon',
      1,
      true,
    ],
    scopes: [[], ['mcp'], ['catalog:*'], 'catalog:read', ['catalog:read', 'x']],
  };
  it.each(Object.entries(wrongFields))('400 invalid_request: another %s', async (field, values) => {
    const { create, list } = await applicationOf(await anOwner());
    for (const value of values) {
      expect(await create({ [field]: value }), String(value)).toMatchObject(
        refusal(400, 'invalid_request'),
      );
    }
    expect((await list()).body.data).toEqual([]);
  });

  it('400 invalid_request: another overlap of a rotation', async () => {
    const { make, rotate } = await applicationOf(await anOwner());
    const { id } = await make();
    for (const overlap of [-1, 604_801, 1.5, '60', null, undefined]) {
      expect(await rotate(id, overlap)).toMatchObject(
        refusal(400, 'invalid_request', { param: 'overlapSeconds' }),
      );
    }
  });
});

describe('what a program’s token may do', () => {
  const money = ['payments:write', 'refunds:write', 'checkout:write'];
  const refused = refusal(403, 'insufficient_scope');
  const captureWith = async ({ client }: Person, token: string) => {
    const headers = { authorization: basicHeader(client.id, token), 'idempotency-key': newId() };
    const call = `PUT /v1/payments/${newId()}/capture` as const;
    return (await callAs(server.app, null, call, { headers, body: {} })).json().code;
  };

  it.each([
    { consent: ['mcp'], isForAgents: false, given: [] },
    { consent: ['mcp', 'payments:read'], isForAgents: true, given: ['payments:read'] },
    { consent: allScopes, isForAgents: false, given: allScopes.filter((one) => one !== 'mcp') },
    {
      consent: allScopes,
      isForAgents: true,
      given: allScopes.filter((one) => one !== 'mcp' && !money.includes(one)),
    },
  ])(
    'Contract §6: with the consent $consent, for /mcp $isForAgents, at most $given',
    async ({ consent, isForAgents, given }) => {
      const owner = await anOwner();
      const { make, create } = await applicationOf(owner, { scopes: consent, isForAgents });
      const { token, scopes } = await make();
      expect(scopes).toEqual(given);
      for (const scope of allScopes.filter((one) => one !== 'mcp')) {
        const asked = await create({ scopes: [scope] });
        if ((given as readonly string[]).includes(scope)) expect(asked.status).toBe(201);
        else expect(asked, scope).toMatchObject(refused);
        if (asked.status === 201) await db.database.write(dropToken, [asked.body.id]);
      }
      const isOpen = (given as readonly string[]).includes('payments:write');
      expect(await captureWith(owner, token)).toBe(
        isOpen ? 'payment_not_found' : 'insufficient_scope',
      );
    },
  );

  it('403 insufficient_scope: no new value of a token that may do more, which works on', async () => {
    const owner = await anOwner();
    const wide = await aToken(db.database, owner.client, { user: { id: owner.userId } });
    for (const isForAgents of [true, false]) {
      const { rotate, get, remove } = await applicationOf(owner, { isForAgents });
      expect(await rotate(wide.id, 0)).toMatchObject(refused);
      expect((await get(wide.id)).status).toBe(200);
      const own = await aToken(db.database, owner.client, {
        user: { id: owner.userId },
        scopes: ['payments:read'],
      });
      expect((await rotate(own.id, 0)).status).toBe(200);
      expect((await remove(own.id)).status).toBe(204);
    }
    expect((await send(wide.authorization, 'GET /v1/payments')).status).toBe(200);
  });

  it('the scopes that move money are those of the rows that do', () => {
    const table: readonly RowShape[] = Object.values(rows);
    const moving = table.filter(
      ({ limit, tool }) =>
        limit === 'money' || limit === 'session-create' || tool?.kind === 'money',
    );
    const scopes = moving.flatMap((row) => [row.tokenScope ?? row.scope, toolScope(row)]);
    const named = scopes.filter((scope) => scope !== null && scope !== undefined);
    expect(new Set([...named, 'checkout:write'])).toEqual(new Set(moneyScopes));
  });
});

const toolScope = ({ tool }: RowShape) => (tool?.kind === 'money' ? tool.scope : null);

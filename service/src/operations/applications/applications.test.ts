// Rows of OAuth applications over HTTP: who may, what is refused, what is shown once. Contract §6.

import { hash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  aClient,
  aToken,
  callAs,
  everyScope,
  freshDatabase,
  newId,
  portsFor,
  type TestDatabase,
  type TestToken,
} from '../../../test/harness.ts';
import { aSignIn, fromOwnPage } from '../../../test/people/people.ts';
import { aServer, type TestServer } from '../../../test/server.ts';
import type { Ports } from '../../engine/ports.ts';
import { sql } from '../../storage/database/sql.ts';

let test: TestDatabase;
let ports: Ports;
let server: TestServer;
let owner: TestToken;
let member: TestToken;
let rival: TestToken;
beforeAll(async () => {
  test = await freshDatabase();
  ports = portsFor(test.database);
  server = await aServer(ports);
  const client = await aClient(test.database);
  const scopes = everyScope;
  owner = await aToken(test.database, client, { scopes });
  member = await aToken(test.database, client, { role: 'member', scopes });
  rival = await aToken(test.database, await aClient(test.database), { scopes });
});
afterAll(async () => {
  await server?.close();
  await test?.close();
});

const wish = {
  name: ' Desk ',
  kind: 'confidential',
  redirectUris: ['https://desk.example.test/cb', 'https://desk.example.test/cb'],
  scopes: ['payments:read', 'mcp'],
};

const call = (method: string, path: string, body?: unknown, as: TestToken = owner) =>
  callAs(server.app, as, `${method} /v1/applications${path}` as 'GET /', { body });

const createApplication = async (more: object = {}) =>
  (await call('POST', '', { ...wish, ...more })).json();

const audit = sql<{ action: string; actor_user_id: string; text: string }>(
  'test_application_audit',
  `select action, actor_user_id, row_to_json(e)::text as text from audit_entries e
   where resource_id = $1 order by id`,
);
const rowOf = sql<{ text: string; secret_sha256: Buffer }>(
  'test_application_row',
  'select row_to_json(a)::text as text, secret_sha256 from applications a where id = $1',
);

describe('createApplication', () => {
  it('201: a confidential application and its secret, in this answer alone', async () => {
    const response = await call('POST', '', wish);
    expect(response.statusCode).toBe(201);
    const { secret, ...shown } = response.json();
    expect(shown).toEqual({
      object: 'application',
      id: expect.any(String),
      name: 'Desk',
      uri: null,
      kind: 'confidential',
      redirectUris: ['https://desk.example.test/cb'],
      scopes: ['mcp', 'payments:read'],
      version: 1,
      createdAt: expect.any(String),
      updatedAt: expect.any(String),
    });
    expect(secret).toMatch(/^svc_app_[A-Za-z0-9_-]{43}$/);
    expect((await call('GET', `/${shown.id}`)).json()).toEqual(shown);
    const [row] = await test.database.read(rowOf, [shown.id]);
    expect(row?.secret_sha256).toEqual(hash('sha256', secret, 'buffer'));
    const entries = await test.database.read(audit, [shown.id]);
    expect(entries.map(({ action }) => action)).toEqual(['application.created']);
    const kept = [row?.text, ...entries.map(({ text }) => text), JSON.stringify(server.logged)];
    expect(kept.join()).not.toContain(secret.slice(10));
  });

  it('201: a name keeps its emoji whole', async () => {
    expect(await createApplication({ name: 'Desk 👩‍🍳' })).toMatchObject({ name: 'Desk 👩‍🍳' });
  });

  it('201: a public one has no secret', async () => {
    expect(await createApplication({ kind: 'public' })).toMatchObject({
      kind: 'public',
      secret: null,
    });
  });

  it.each([
    ['an empty name', { name: '  ' }, 'name'],
    ['a name that nobody sees', { name: '\u200b\u00ad' }, 'name'],
    ['a name that turns around', { name: 'Svc\u202etekcit' }, 'name'],
    ['a script to go back to', { redirectUris: ['javascript:alert(1)'] }, 'redirectUris[0]'],
    ['plain http', { redirectUris: ['http://desk.example.test/cb'] }, 'redirectUris[0]'],
    ['a fragment', { redirectUris: ['https://desk.example.test/cb#x'] }, 'redirectUris[0]'],
    ['an address that is none', { uri: 'javascript:alert(1)' }, 'uri'],
    ['a user name in its address', { uri: 'https://pay.example@evil.example/' }, 'uri'],
    ['a password in its address', { uri: 'https://:pay.example@evil.example/' }, 'uri'],
    ['a scope that is none', { scopes: ['sudo'] }, 'scopes[0]'],
    ['no scope', { scopes: [] }, 'scopes'],
    ['a kind that is none', { kind: 'secret' }, 'kind'],
    ['a field that is none', { secret: 'x' }, 'secret'],
  ])('400 invalid_request: %s', async (_, more, param) => {
    const response = await call('POST', '', { ...wish, ...more });
    expect(response.json()).toMatchObject({ status: 400, code: 'invalid_request', param });
  });
});

describe('every row of applications', () => {
  const listAllCalls = (id: string): [string, string, unknown][] => [
    ['POST', '', wish],
    ['GET', '', undefined],
    ['GET', `/${id}`, undefined],
    ['PATCH', `/${id}`, { name: 'X' }],
    ['DELETE', `/${id}`, undefined],
    ['POST', `/${id}/rotate-secret`, {}],
  ];

  it('403 merchant_role_required: a member of the merchant makes and reads none', async () => {
    const { id } = await createApplication();
    for (const [method, path, body] of listAllCalls(id)) {
      const response = await call(method, path, body, member);
      expect(response.json()).toMatchObject({ status: 403, code: 'merchant_role_required' });
    }
  });

  it('404 application_not_found: another merchant’s is byte for byte as one that never was', async () => {
    const { id } = await createApplication();
    for (const [method, path, body] of listAllCalls(id).slice(2)) {
      const missing = path.replace(id, newId());
      const answers = [
        await call(method, path, body, rival),
        await call(method, missing, body, rival),
      ];
      const bodies = answers.map((each) => each.body.replace(/req_\w+/, 'req'));
      expect(bodies[0]).toBe(bodies[1]);
      expect(answers[0]?.json()).toMatchObject({ status: 404, code: 'application_not_found' });
    }
    expect((await call('GET', `/${id}`)).statusCode).toBe(200);
  });

  it('403 recent_sign_in_required: a browser that proved nothing lately changes none', async () => {
    const { id } = await createApplication();
    const old = await aSignIn(ports, { id: owner.userId }, { provenMinutesAgo: 16 });
    const headers = fromOwnPage(old, owner.clientId);
    for (const [method, path, body] of listAllCalls(id)) {
      const target = `${method} /v1/applications${path}` as 'GET /';
      const response = await callAs(server.app, null, target, { body, headers });
      const isRead = method === 'GET';
      expect([target, response.statusCode]).toEqual([target, isRead ? 200 : 403]);
      if (!isRead) expect(response.json()).toMatchObject({ code: 'recent_sign_in_required' });
    }
  });
});

describe('updateApplication', () => {
  it('200: changes what is given, and writes before and after down', async () => {
    const { id } = await createApplication();
    const change = { name: 'Till', scopes: ['mcp'], version: 1 };
    const changed = (await call('PATCH', `/${id}`, change)).json();
    expect(changed).toMatchObject({ name: 'Till', scopes: ['mcp'], version: 2 });
    expect(changed).not.toHaveProperty('secret');
    const entries = await test.database.read(audit, [id]);
    expect(JSON.parse(entries.at(-1)?.text ?? '{}')).toMatchObject({
      action: 'application.changed',
      actor_user_id: owner.userId,
      before: { name: 'Desk' },
      after: { name: 'Till' },
    });
  });

  it('409 version_conflict: somebody else changed it meanwhile', async () => {
    const { id } = await createApplication();
    await call('PATCH', `/${id}`, { name: 'First' });
    const late = await call('PATCH', `/${id}`, { name: 'Second', version: 1 });
    expect(late.json()).toMatchObject({ status: 409, code: 'version_conflict' });
    expect((await call('GET', `/${id}`)).json()).toMatchObject({ name: 'First' });
  });

  it('200 for the same change from the same version again: its first answer was lost', async () => {
    const { id } = await createApplication();
    const body = { name: 'Till', scopes: ['mcp'], version: 1 };
    const first = await call('PATCH', `/${id}`, body);
    const again = await call('PATCH', `/${id}`, body);
    expect([again.statusCode, again.json()]).toEqual([200, first.json()]);
    const empty = await call('PATCH', `/${id}`, { version: 1 });
    expect(empty.json()).toMatchObject({ code: 'version_conflict' });
  });
});

describe('rotateApplicationSecret', () => {
  it('200: another secret; the one before is kept nowhere', async () => {
    const { id, secret } = await createApplication();
    const rotated = (await call('POST', `/${id}/rotate-secret`, {})).json();
    expect(rotated.secret).toMatch(/^svc_app_/);
    expect(rotated.secret).not.toBe(secret);
    const [row] = await test.database.read(rowOf, [id]);
    expect(row?.secret_sha256).toEqual(hash('sha256', rotated.secret, 'buffer'));
    const entries = await test.database.read(audit, [id]);
    expect(entries.at(-1)?.action).toBe('application.secret_rotated');
  });

  it('400 invalid_request: a public application has none', async () => {
    const { id } = await createApplication({ kind: 'public' });
    const response = await call('POST', `/${id}/rotate-secret`, {});
    expect(response.json()).toMatchObject({ status: 400, code: 'invalid_request' });
  });
});

describe('deleteApplication and listApplications', () => {
  it('204, then 404 and out of the list; the list is the merchant’s own', async () => {
    const { id } = await createApplication({ name: 'Gone soon' });
    const listNames = async (as: TestToken) =>
      (await call('GET', '?sortField=name&limit=100', undefined, as)).json();
    expect((await listNames(owner)).data.map((each: { id: string }) => each.id)).toContain(id);
    expect((await call('DELETE', `/${id}`)).statusCode).toBe(204);
    expect((await call('DELETE', `/${id}`)).json()).toMatchObject({
      code: 'application_not_found',
    });
    const after = await listNames(owner);
    expect(after.data.map((each: { id: string }) => each.id)).not.toContain(id);
    expect(after.total).toBe(after.data.length);
    expect(await listNames(rival)).toMatchObject({ data: [], total: 0 });
    const entries = await test.database.read(audit, [id]);
    expect(entries.at(-1)?.action).toBe('application.removed');
  });
});

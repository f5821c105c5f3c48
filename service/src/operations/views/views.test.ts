// Views over HTTP: their owners, who sees them, and what a query may contain.

import { mostViews, type View } from '@svc/contract/dashboard/views';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  aClient,
  aToken,
  callAs,
  freshDatabase,
  newId,
  portsFor,
  type TestDatabase,
  type TestToken,
} from '../../../test/harness.ts';
import { aMemberOf } from '../../../test/people/members.ts';
import { aSignIn, fromOwnPage } from '../../../test/people/people.ts';
import { aServer, type TestServer } from '../../../test/server.ts';

let db: TestDatabase;
let server: TestServer;
let owner: TestToken;
let member: TestToken;
let stranger: TestToken;
/** The browser of a person whose role has no tokens. */
let viewer: Readonly<Record<string, string>>;
beforeAll(async () => {
  db = await freshDatabase();
  const ports = portsFor(db.database);
  const client = await aClient(db.database);
  owner = await aToken(db.database, client);
  member = await aToken(db.database, client, { role: 'member' });
  stranger = await aToken(db.database, await aClient(db.database));
  const person = await aMemberOf(ports, client, { role: 'viewer' });
  viewer = fromOwnPage(await aSignIn(ports, person), client.id);
  server = await aServer(ports);
});
afterAll(async () => {
  await server?.close();
  await db?.close();
});

type ViewCaller = TestToken | 'viewer';
type RowCall = Parameters<typeof callAs>[2];

const callView = (as: ViewCaller, call: RowCall, body?: object) =>
  callAs(server.app, as === 'viewer' ? null : as, call, {
    ...(as === 'viewer' ? { headers: viewer } : {}),
    ...(body ? { body } : {}),
  });

let made = 0;
const save = (given: object = {}, as: ViewCaller = member) => {
  made += 1;
  return callView(as, 'POST /v1/views', {
    list: 'payments',
    name: `View ${made}`,
    query: 'status=failed',
    ...given,
  });
};

async function saveView(given: object = {}, as: ViewCaller = member): Promise<View> {
  const answer = await save(given, as);
  expect(answer.statusCode, answer.body).toBe(201);
  return answer.json();
}

async function listSeen(as: ViewCaller, query = ''): Promise<string[]> {
  const answer = await callView(as, `GET /v1/views?limit=100&${query}`);
  expect(answer.statusCode, answer.body).toBe(200);
  return (answer.json().data as View[]).map(({ id }) => id);
}

const changeView = (id: string, body: object, as: ViewCaller = member) =>
  callView(as, `PATCH /v1/views/${id}`, body);
const remove = (id: string, as: ViewCaller = member) => callView(as, `DELETE /v1/views/${id}`);
const codeOf = (answer: Awaited<ReturnType<typeof save>>) => [
  answer.statusCode,
  answer.json().code,
];

async function logged(id: string): Promise<string[]> {
  const query = `resourceType[eq]=view&resourceId[eq]=${id}&sortDirection=ASC`;
  const answer = await callView(owner, `GET /v1/audit-entries?${query}`);
  return (answer.json().data as { action: string }[]).map(({ action }) => action);
}

describe('views', () => {
  it('201: kept for the person alone, whatever the role; the same one again is the one that is there', async () => {
    const body = {
      name: 'Last month',
      query: 'createdAt=last-month&sort=-amount&columns=amount,fee',
    };
    const mine = await saveView(body);
    expect(mine).toMatchObject({
      ...body,
      object: 'view',
      list: 'payments',
      isShared: false,
      author: { userId: member.userId },
      version: 0,
    });
    expect(await saveView(body)).toEqual(mine);
    const ofViewer = await saveView(body, 'viewer');
    expect(await listSeen(member)).toContain(mine.id);
    expect(await listSeen(owner)).not.toContain(mine.id);
    expect(await listSeen('viewer', 'list[eq]=payments')).toEqual([ofViewer.id]);
    expect(await listSeen('viewer', 'list[eq]=holds')).toEqual([]);
    expect(await logged(mine.id)).toEqual([]);
  });

  it('404 view_not_found: nobody else reads, changes or removes what a person keeps alone', async () => {
    const mine = await saveView();
    for (const as of [owner, stranger, 'viewer'] as const) {
      expect(codeOf(await changeView(mine.id, { name: 'x' }, as))).toEqual([404, 'view_not_found']);
      expect(codeOf(await remove(mine.id, as))).toEqual([404, 'view_not_found']);
    }
    expect(codeOf(await changeView(newId(), { name: 'x' }))).toEqual([404, 'view_not_found']);
    const shared = await saveView({ isShared: true }, owner);
    expect(await listSeen(stranger)).toEqual([]);
    expect(codeOf(await remove(shared.id, stranger))).toEqual([404, 'view_not_found']);
  });

  it('403 merchant_role_required: everyone sees a shared view, owners and admins alone change it', async () => {
    const refused = [403, 'merchant_role_required'];
    expect(codeOf(await save({ isShared: true }))).toEqual(refused);
    const shared = await saveView({ isShared: true }, owner);
    expect(await listSeen('viewer', 'isShared[eq]=true')).toContain(shared.id);
    for (const as of [member, 'viewer'] as const) {
      for (const change of [{ query: '' }, { isShared: true, query: '' }, { isShared: false }]) {
        expect(codeOf(await changeView(shared.id, change, as))).toEqual(refused);
      }
      expect(codeOf(await remove(shared.id, as))).toEqual(refused);
    }
    const mine = await saveView();
    expect(codeOf(await changeView(mine.id, { isShared: true }))).toEqual(refused);
    expect((await changeView(shared.id, { query: '' }, owner)).json()).toMatchObject({ query: '' });
    expect((await remove(shared.id, owner)).statusCode).toBe(204);
    expect(await logged(shared.id)).toEqual(['view.created', 'view.updated', 'view.deleted']);
  });

  it('200: changed once, and by the version that was read', async () => {
    const view = await saveView();
    const changed = await changeView(view.id, { name: 'Late', version: 0 });
    expect(changed.json()).toMatchObject({ name: 'Late', query: 'status=failed', version: 1 });
    const again = await changeView(view.id, { name: 'Late', version: 0 });
    expect(again.json()).toEqual(changed.json());
    const late = await changeView(view.id, { name: 'Later', version: 0 });
    expect(codeOf(late)).toEqual([409, 'version_conflict']);
  });

  it('409 view_name_taken: a name is there once for a list, in any letter case', async () => {
    const first = await saveView({ name: 'Große Fälle' });
    expect(codeOf(await save({ name: 'GROßE fälle' }))).toEqual([409, 'view_name_taken']);
    await saveView({ name: 'Große Fälle', list: 'holds', query: '' });
    await saveView({ name: 'Große Fälle' }, owner);
    const second = await saveView();
    expect(codeOf(await changeView(second.id, { name: first.name }))).toEqual([
      409,
      'view_name_taken',
    ]);
  });

  it('400 invalid_request: what the list does not take, named; a name too long; nothing to change', async () => {
    for (const [list, query, names] of [
      ['payments', 'colour=red', 'colour'],
      ['payments', 'status=paid', 'status'],
      ['payments', 'status=failed&status=failed', 'status'],
      ['payments', 'createdAt=2026-02-30', 'createdAt'],
      ['payments', 'createdAt=next-year', 'createdAt'],
      ['payments', 'amount=..', 'amount'],
      ['payments', 'userId=7', 'userId'],
      ['payments', 'sort=-fee', 'sort'],
      ['payments', 'columns=amount;fee', 'columns'],
      ['payments', 'page=2', 'page'],
      ['payments', 'status%5Beq%5D=failed', 'status[eq]'],
      ['customers', 'status=failed&email=ada@', 'status'],
      ['payments', '__proto__=1', '__proto__'],
    ] as const) {
      const answer = await save({ list, query });
      expect(codeOf(answer), query).toEqual([400, 'invalid_request']);
      const [error] = answer.json().errors;
      expect(error).toMatchObject({ path: 'query', code: 'view_query_invalid' });
      expect(error.message).toContain(` ${names}.`);
    }
    const view = await saveView();
    for (const name of [' ', '\u3000', '\u00a0']) {
      expect(codeOf(await save({ name }))).toEqual([400, 'invalid_request']);
      expect(codeOf(await changeView(view.id, { name }))).toEqual([400, 'invalid_request']);
    }
    for (const body of [{}, { name: '' }, { name: 'x'.repeat(61) }, { query: 'x'.repeat(2001) }]) {
      expect(codeOf(await changeView(view.id, body))).toEqual([400, 'invalid_request']);
    }
    expect(codeOf(await changeView(view.id, { query: 'page=2' }))).toEqual([
      400,
      'invalid_request',
    ]);
    expect(codeOf(await save({ list: 'tokens' }))).toEqual([400, 'invalid_request']);
  });

  it('201: every list with the filters, order and words of its own', async () => {
    for (const [list, query] of [
      [
        'payments',
        'status=failed,unknown&metadata.order=1007&amount=10..50.5&createdAt=..2026-11-30',
      ],
      ['payments', 'email=ada@&isDisputed=true&currency=EUR&lastFour=4242&sort=amount'],
      ['holds', 'authorizationExpiresAt=today&sort=authorizationExpiresAt'],
      ['disputes', 'status=needs_response&sort=evidenceDueBy'],
      ['customers', 'email=ada@&country=DE&createdAt=2026-11-01..2026-11-30'],
      ['cards', 'type=card&status=active'],
      ['subscriptions', 'status=past_due&nextRenewalAt=this-month'],
      ['sessions', 'status=open&createdAt=yesterday'],
    ] as const) {
      expect((await saveView({ list, query })).query).toBe(query);
    }
  });

  it('409 view_limit_reached: fifty of a person', async () => {
    const client = { id: stranger.clientId };
    const other = await aToken(db.database, client);
    for (let count = 0; count < mostViews; count++) await saveView({}, other);
    expect(codeOf(await save({}, other))).toEqual([409, 'view_limit_reached']);
    const shared = await saveView({ isShared: true }, other);
    const unshared = await changeView(shared.id, { isShared: false }, other);
    expect(codeOf(unshared)).toEqual([409, 'view_limit_reached']);
  });

  it('403 insufficient_scope', async () => {
    const client = { id: member.clientId };
    const scoped = await aToken(db.database, client, { scopes: ['customers:read'] });
    expect(codeOf(await save({}, scoped))).toEqual([403, 'insufficient_scope']);
    expect(await listSeen(scoped, 'isShared[eq]=true')).toEqual(
      await listSeen(owner, 'isShared[eq]=true'),
    );
  });
});

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  aClient,
  aToken,
  freshDatabase,
  newId,
  portsFor,
  type TestDatabase,
} from '../../../test/harness.ts';
import { aBrowser, aPerson, aSignedInBrowser, auditOf } from '../../../test/people/accounts.ts';
import { aServer, type TestServer } from '../../../test/server.ts';
import type { Ports } from '../../engine/ports.ts';
import { findRole } from '../../engine/steps/people/membership.ts';
import { openDatabase } from '../../storage/database/database.ts';

let db: TestDatabase;
let ports: Ports;
let server: TestServer;
beforeAll(async () => {
  db = await freshDatabase();
  ports = portsFor(db.database);
  server = await aServer(ports);
});
afterAll(async () => {
  await server?.app.close();
  await db?.close();
});

const signedIn = (person: { readonly id: string }) =>
  aSignedInBrowser({ app: server.app, ports }, person);

type ListedSignIns = {
  data: { id: string; isThisOne: boolean; method: string; userAgent: string }[];
};

describe('listSignIns', () => {
  it('200: where the person is signed in, this one marked, nobody else’s', async () => {
    const person = await aPerson(ports);
    await signedIn(await aPerson(ports));
    const first = await signedIn(person);
    const second = aBrowser(server.app);
    const { email, password } = person;
    await second.call('POST /v1/account/sign-in', { email, password });
    const { data } = (await second.call('GET /v1/account/sign-ins')).json() as ListedSignIns;
    expect(data).toHaveLength(2);
    expect(data[0]).toMatchObject({
      isThisOne: true,
      method: 'password',
      userAgent: 'Firefox/150 (test)',
    });
    const other = (await first.call('GET /v1/account/sign-ins')).json() as ListedSignIns;
    expect(other.data.map(({ isThisOne }) => isThisOne)).toEqual([false, true]);
  });
});

describe('endSignIn', () => {
  it('Contract §6 sign-ins · 204: the next request with that cookie is a stranger’s, in every process', async () => {
    const person = await aPerson(ports);
    const [mine, lost] = [await signedIn(person), await signedIn(person)];
    const database = openDatabase({ url: db.url });
    const other = await aServer(portsFor(database));
    const elsewhere = aBrowser(other.app, { cookie: lost.cookie ?? '' });
    expect((await elsewhere.call('GET /v1/account')).statusCode).toBe(200);
    const { data } = (await mine.call('GET /v1/account/sign-ins')).json() as ListedSignIns;
    const { id } = data.find(({ isThisOne }) => !isThisOne) ?? { id: '' };
    expect((await mine.call(`DELETE /v1/account/sign-ins/${id}`)).statusCode).toBe(204);
    expect((await elsewhere.call('GET /v1/account')).json()).toMatchObject({
      code: 'sign_in_required',
    });
    const again = await mine.call(`DELETE /v1/account/sign-ins/${id}`);
    expect(again.json()).toMatchObject({ code: 'sign_in_not_found', status: 404 });
    await other.app.close();
    await database.close();
  });

  it('404 sign_in_not_found: somebody else’s answers like one that never was', async () => {
    const [mine, theirs] = [
      await signedIn(await aPerson(ports)),
      await signedIn(await aPerson(ports)),
    ];
    const { data } = (await theirs.call('GET /v1/account/sign-ins')).json() as ListedSignIns;
    const answers = [];
    for (const id of [data[0]?.id, newId()]) {
      const answer = await mine.call(`DELETE /v1/account/sign-ins/${id}`);
      answers.push([answer.statusCode, answer.body.replace(/req_\w+/, 'REQUEST')]);
    }
    expect(answers[0]).toEqual(answers[1]);
    expect(answers[0]?.[0]).toBe(404);
    expect((await theirs.call('GET /v1/account')).statusCode).toBe(200);
  });
});

describe('endOtherSignIns', () => {
  it('204: this one stays alone, and the log names the ended ones', async () => {
    const person = await aPerson(ports);
    const [mine, ...others] = [
      await signedIn(person),
      await signedIn(person),
      await signedIn(person),
    ];
    expect((await mine?.call('POST /v1/account/sign-ins/end-others'))?.statusCode).toBe(204);
    expect((await mine?.call('GET /v1/account'))?.statusCode).toBe(200);
    for (const other of others) expect((await other.call('GET /v1/account')).statusCode).toBe(401);
    const actions = (await auditOf(db.database, person.id)).map(({ action }) => action);
    expect(actions.at(-1)).toBe('sign_in.others_ended');
  });
});

describe('signOut', () => {
  it('204: ends the sign-in, forgets the cookie, and may be repeated', async () => {
    const browser = await signedIn(await aPerson(ports));
    const former = browser.cookie ?? '';
    const out = await browser.call('POST /v1/account/sign-out');
    expect(out.statusCode).toBe(204);
    expect(out.headers['set-cookie']).toMatch(/^svc_sign_in=; Path=\/; Max-Age=0;/);
    const thief = aBrowser(server.app, { cookie: former });
    expect((await thief.call('GET /v1/account')).statusCode).toBe(401);
    expect((await browser.call('POST /v1/account/sign-out')).statusCode).toBe(204);
  });
});

describe('updateAccount', () => {
  it('200: the name changes, and the log has both', async () => {
    const person = await aPerson(ports, { name: 'Ada' });
    const browser = await signedIn(person);
    const renamed = await browser.call('PATCH /v1/account', { name: 'Ada Lovelace' });
    expect(renamed.json()).toMatchObject({ name: 'Ada Lovelace' });
    expect((await browser.call('PATCH /v1/account', { name: null })).json()).toMatchObject({
      name: null,
    });
    const lines = (await auditOf(db.database, person.id)).filter(
      ({ action }) => action === 'account.renamed',
    );
    expect(lines.map(({ after }) => after)).toEqual([{ name: 'Ada Lovelace' }, { name: null }]);
  });
});

describe('listMemberships and findRole', () => {
  it('200: the own merchants with the role of now', async () => {
    const person = await aPerson(ports);
    const browser = await signedIn(person);
    expect((await browser.call('GET /v1/account/memberships')).json()).toEqual({ data: [] });
    const client = await aClient(db.database, { name: 'Mugs' });
    const { userId } = await aToken(db.database, client, { role: 'admin' });
    const admin = await signedIn({ id: userId });
    const owner = await aToken(db.database, client, { role: 'owner' });
    const facts = { name: 'Mugs', livemode: false, timeZone: 'UTC' };
    const own = { clientId: client.id, role: 'admin', ...facts };
    expect((await admin.call('GET /v1/account/memberships')).json()).toEqual({
      data: [
        {
          ...own,
          permissions: expect.arrayContaining(['holds.end', 'people.write']),
          owners: [`${owner.userId}@example.test`],
        },
      ],
    });
    expect(await findRole(userId, client.id, ports)).toBe('admin');
    expect(await findRole(person.id, client.id, ports)).toBeUndefined();
  });
});

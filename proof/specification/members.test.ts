// What the contract decides about a merchant's people and how they join, over HTTP: by token, and from
// our own pages. A title begins with the place that it shows.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Ports } from '../../service/src/engine/ports.ts';
import {
  aClient,
  aToken,
  callAs,
  everyScope,
  freshDatabase,
  portsFor,
  type TestClient,
  type TestDatabase,
} from '../../service/test/harness.ts';
import {
  aMemberOf,
  anInvitation,
  aPerson,
  linkIn,
  mailTo,
  type TestPerson,
} from '../../service/test/members.ts';
import { aSignIn, cookieSet, fromOwnPage } from '../../service/test/people.ts';
import { aServer, type TestServer } from '../../service/test/server.ts';

let db: TestDatabase;
let ports: Ports;
let server: TestServer;
beforeAll(async () => {
  db = await freshDatabase();
  ports = portsFor(db.database);
  server = await aServer(ports);
});
afterAll(async () => {
  await server?.close(0);
  await db?.close();
});

type Call = Parameters<typeof callAs>[2];
type Response = Awaited<ReturnType<typeof callAs>>;
const comparablePart = (response: Response) => ({
  status: response.statusCode,
  body: response.body === '' ? null : (response.json() as Record<string, unknown>),
});
const codeOf = (response: Response): string =>
  `${response.statusCode} ${(response.json() as { error?: { code: string }; code?: string }).error?.code ?? response.json().code}`;

/** Creates a merchant with people, and the headers of their calls from our own pages. */
async function aFirm() {
  const client = await aClient(db.database, { name: 'Blue Bikes' });
  const owner = await aMemberOf(ports, client, { role: 'owner' });
  const admin = await aMemberOf(ports, client, { role: 'admin' });
  const member = await aMemberOf(ports, client, { role: 'member' });
  return { client, owner, admin, member, as: (person: TestPerson) => asPerson(person, client) };
}

async function asPerson(person: TestPerson, client?: TestClient, provenMinutesAgo = 0) {
  const signIn = await aSignIn(ports, person, { provenMinutesAgo });
  return (call: Call, body?: unknown) =>
    callAs(server.app, null, call, { headers: fromOwnPage(signIn, client?.id), body });
}

const asVisitor = (call: Call, body?: unknown) =>
  callAs(server.app, null, call, { headers: fromOwnPage(null), body });

describe('Contract §6, members', () => {
  it('Contract §6 members: an owner lists, promotes and removes; the removed has no way in any more', async () => {
    const { client, owner, member, as } = await aFirm();
    const token = await aToken(db.database, client, { user: member, scopes: everyScope });
    const [byOwner, byMember] = [await as(owner), await as(member)];
    const list = comparablePart(await byOwner('GET /v1/members?sortField=email'));
    expect(list).toMatchObject({ status: 200, body: { total: 3, nextCursor: null } });
    expect(codeOf(await byMember('GET /v1/members'))).toBe('403 merchant_role_required');
    const changed = await byOwner(`PATCH /v1/members/${member.id}`, { role: 'admin' });
    expect(comparablePart(changed)).toMatchObject({ status: 200, body: { role: 'admin' } });
    // The next request has the new role, with the browser and with the token.
    expect((await byMember('GET /v1/members')).statusCode).toBe(200);
    expect((await callAs(server.app, token, 'GET /v1/members')).statusCode).toBe(200);

    const refused = await byOwner(`DELETE /v1/members/${member.id}`);
    expect(codeOf(refused)).toBe('409 member_has_tokens');
    expect(refused.body).toContain(`tokenIds.${token.id}`);
    const gone = await byOwner(`DELETE /v1/members/${member.id}?tokenIds=${token.id}`);
    expect(gone.statusCode).toBe(204);
    expect(codeOf(await byMember('GET /v1/members'))).toBe('403 merchant_role_required');
    expect(codeOf(await callAs(server.app, token, 'GET /v1/members'))).toBe(
      '401 authentication_required',
    );
  });

  it('Contract §1 last_owner: 409 to be demoted, removed or to leave', async () => {
    const { client, owner, as } = await aFirm();
    const byOwner = await as(owner);
    const own = await asPerson(owner);
    for (const answer of [
      await byOwner(`PATCH /v1/members/${owner.id}`, { role: 'member' }),
      await byOwner(`DELETE /v1/members/${owner.id}`),
      await own(`DELETE /v1/account/memberships/${client.id}`),
    ])
      expect(codeOf(answer)).toBe('409 last_owner');
  });

  it("Contract §1 member_not_found, invitation_not_found: 404 for another merchant's, the same bytes as for none", async () => {
    const { owner, as } = await aFirm();
    const other = await aFirm();
    const byOwner = await as(owner);
    const { id: foreign } = await anInvitation(ports, other.client);
    const missing = '00000000-0000-4000-8000-000000000000';
    const calls: readonly ((id: string) => [Call, unknown?])[] = [
      (id) => [`PATCH /v1/members/${id}`, { role: 'admin' }],
      (id) => [`DELETE /v1/members/${id}`],
    ];
    const bytes = (answer: Response) =>
      `${answer.statusCode} ${answer.body.replace(/req_\w+/g, 'req')}`;
    for (const call of calls)
      expect(bytes(await byOwner(...call(other.member.id)))).toBe(
        bytes(await byOwner(...call(missing))),
      );
    const [one, none] = [
      await byOwner(`DELETE /v1/invitations/${foreign}`),
      await byOwner(`DELETE /v1/invitations/${missing}`),
    ];
    expect(bytes(one)).toBe(bytes(none));
    expect(codeOf(one)).toBe('404 invitation_not_found');
    for (const id of ['x', `${missing}0`])
      expect(codeOf(await byOwner(`DELETE /v1/members/${id}`))).toBe('404 member_not_found');
  });

  it('Contract §1 recent_sign_in_required: 403 for a browser whose proof is old, never a program', async () => {
    const { client, owner, member } = await aFirm();
    const late = await asPerson(owner, client, 16);
    const token = await aToken(db.database, client, { user: owner, scopes: everyScope });
    const change: [Call, unknown] = [`PATCH /v1/members/${member.id}`, { role: 'admin' }];
    expect(codeOf(await late(...change))).toBe('403 recent_sign_in_required');
    expect((await late('GET /v1/members')).statusCode).toBe(200);
    expect((await callAs(server.app, token, change[0], { body: change[1] })).statusCode).toBe(200);
  });
});

describe('Contract §6, invitations', () => {
  it('Contract §6 invitations: invited by mail, looked at and accepted by a new person, signed in', async () => {
    const { client, owner, as } = await aFirm();
    const byOwner = await as(owner);
    const made = comparablePart(
      await byOwner('POST /v1/invitations', { email: 'Grace@Example.test', role: 'admin' }),
    );
    expect(made).toMatchObject({
      status: 201,
      body: { email: 'grace@example.test', status: 'open' },
    });
    const link = linkIn((await mailTo(ports, 'grace@example.test')).text);
    expect(JSON.stringify(made)).not.toContain(link);
    const looked = comparablePart(await asVisitor('POST /v1/invitation/look', { link }));
    expect(looked).toEqual({
      status: 200,
      body: {
        merchantName: 'Blue Bikes',
        livemode: false,
        role: 'admin',
        email: 'grace@example.test',
        invitedBy: owner.email,
        expiresAt: expect.any(String),
        isYours: false,
      },
    });
    const password = 'plum orchard at seven';
    const accepted = await asVisitor('POST /v1/invitation/accept', {
      link,
      name: 'Grace',
      password,
    });
    expect(comparablePart(accepted)).toEqual({
      status: 200,
      body: { clientId: client.id, merchantName: 'Blue Bikes', role: 'admin' },
    });
    const cookie = cookieSet(accepted);
    expect(cookie).toMatch(/^svc_sign_in=[\w-]{43}; .*HttpOnly/);
    const headers = { ...fromOwnPage(null, client.id), cookie: cookie.split(';')[0] ?? '' };
    const list = await callAs(server.app, null, 'GET /v1/invitations', { headers });
    expect(comparablePart(list)).toMatchObject({
      status: 200,
      body: { data: [{ status: 'accepted' }] },
    });
    expect(codeOf(await asVisitor('POST /v1/invitation/look', { link }))).toBe(
      '404 link_not_found',
    );
    // The log contains neither link nor password nor cookie.
    expect(server.logged.length).toBeGreaterThan(5);
    const logged = JSON.stringify(server.logged);
    for (const secret of [link, password, /svc_sign_in=([\w-]+)/.exec(cookie)?.[1] ?? ''])
      expect(logged).not.toContain(secret);
  });

  it('Contract §6 invitations: accepted by who is signed in with the address, and by nobody else', async () => {
    const { client } = await aFirm();
    const [person, stranger] = [
      await aPerson(ports, { password: null }),
      await aPerson(ports, { password: null }),
    ];
    const { link } = await anInvitation(ports, client, { email: person.email });
    const byStranger = await asPerson(stranger);
    expect(codeOf(await byStranger('POST /v1/invitation/accept', { link }))).toBe(
      '401 sign_in_required',
    );
    const byPerson = await asPerson(person);
    const accepted = await byPerson('POST /v1/invitation/accept', { link });
    expect(accepted.statusCode).toBe(200);
    expect(cookieSet(accepted)).toBe('');
  });

  it('Contract §6 invitations: refused by code', async () => {
    const { owner, admin, as } = await aFirm();
    const [byOwner, byAdmin] = [await as(owner), await as(admin)];
    const invitationBody = (email: unknown, role: unknown) => ({ email, role });
    expect(codeOf(await byAdmin('POST /v1/invitations', invitationBody('a@b.test', 'owner')))).toBe(
      '403 merchant_role_required',
    );
    expect(
      codeOf(await byOwner('POST /v1/invitations', invitationBody(admin.email, 'member'))),
    ).toBe('409 already_a_member');
    for (const body of [
      invitationBody('no address', 'member'),
      invitationBody('a@b.test, c@d.test', 'member'),
      invitationBody('a@b.test\r\nBcc: c@d.test', 'member'),
      invitationBody('a@b.test', 'king'),
      { email: 'a@b.test' },
      { ...invitationBody('a@b.test', 'member'), more: 1 },
    ])
      expect(codeOf(await byOwner('POST /v1/invitations', body))).toBe('400 invalid_request');
  });
});

describe('Contract §6, mails of a sandbox', () => {
  it('Contract §6 sandbox mails: 200 at the machine itself, 404 from elsewhere', async () => {
    expect((await asVisitor('GET /v1/sandbox/mails')).statusCode).toBe(200);
    const elsewhere = await server.app.inject({
      method: 'GET',
      url: '/v1/sandbox/mails',
      remoteAddress: '192.0.2.7',
      headers: fromOwnPage(null),
    });
    expect(codeOf(elsewhere)).toBe('404 route_not_found');
    const other = { ...fromOwnPage(null), 'sec-fetch-site': 'cross-site' };
    const foreign = await callAs(server.app, null, 'GET /v1/sandbox/mails', { headers: other });
    expect(codeOf(foreign)).toBe('403 cross_site_request');
  });

  it('Contract §6 sandbox mails: 403 cross_site_request for a name that was made to resolve here', async () => {
    // With DNS rebinding the page has our origin for its browser, and a GET names no origin.
    const rebound = { host: 'evil.example:4000', 'sec-fetch-site': 'same-origin' };
    const read = await callAs(server.app, null, 'GET /v1/sandbox/mails', { headers: rebound });
    expect(codeOf(read)).toBe('403 cross_site_request');
    const local = { ...rebound, host: '127.0.0.1:4000' };
    const own = await callAs(server.app, null, 'GET /v1/sandbox/mails', { headers: local });
    expect(own.statusCode).toBe(200);
  });
});

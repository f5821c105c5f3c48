// Contract §6: what a program with an API token may do to a merchant's members, over HTTP: only what the
// token's scopes allow, nothing to an owner, and nothing that outlives the token. The service mails all owners
// when an owner is added or removed.

import { scopes as allScopes } from '@svc/contract/rows/scopes';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Ports } from '../../service/src/engine/ports.ts';
import { readWaitingMails } from '../../service/src/engine/steps/mails/read-waiting-mails.ts';
import {
  aClient,
  aToken,
  callAs,
  everyScope,
  freshDatabase,
  newId,
  portsFor,
  type TestDatabase,
} from '../../service/test/harness.ts';
import { aGrant } from '../../service/test/people/grants.ts';
import { aMemberOf, linkIn, mailTo, type TestPerson } from '../../service/test/people/members.ts';
import { aSignIn, fromOwnPage } from '../../service/test/people/people.ts';
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

type RowCall = Parameters<typeof callAs>[2];
type Headers = Readonly<Record<string, string>>;

const send = async (headers: Headers, call: RowCall, body?: object) => {
  const response = await callAs(server.app, null, call, { headers, ...(body ? { body } : {}) });
  const { code } = response.body === '' ? { code: undefined } : response.json();
  return `${response.statusCode}${code === undefined ? '' : ` ${code}`}`;
};

async function aFirm() {
  const client = await aClient(db.database, { name: 'Blue Bikes' });
  const owner = await aMemberOf(ports, client, { role: 'owner' });
  const second = await aMemberOf(ports, client, { role: 'owner' });
  const admin = await aMemberOf(ports, client, { role: 'admin' });
  const byTokenOf = async (person: TestPerson, scopes?: readonly string[]) => {
    const token = await aToken(db.database, client, { user: person, ...(scopes && { scopes }) });
    return { ...token, headers: { authorization: token.authorization } };
  };
  const byOauthOf = async (person: TestPerson) => {
    const grant = await aGrant(ports, { user: person, client, scopes: allScopes });
    return { ...grant, headers: { authorization: grant.authorization } };
  };
  const browserHeadersOf = async (person: TestPerson, isForClient = true) =>
    fromOwnPage(await aSignIn(ports, person), isForClient ? client.id : undefined);
  return {
    client,
    owner,
    second,
    admin,
    byToken: byTokenOf,
    byOauth: byOauthOf,
    inBrowser: browserHeadersOf,
  };
}

const invitationBody = (role: string, email = `${newId()}@example.test`) => ({ email, role });
const mailsTo = async (email: string, kind: string) =>
  (await readWaitingMails(ports)).filter((mail) => mail.to === email && mail.kind === kind);
const noRole = '403 merchant_role_required';

describe('Contract §6, people by a program', () => {
  it('Contract §6 people by token: a program makes and invites no owner, whoever it belongs to', async () => {
    const { owner, admin, byToken, byOauth, inBrowser } = await aFirm();
    const promote = `PATCH /v1/members/${admin.id}` as const;
    for (const { headers } of [await byToken(owner, everyScope), await byOauth(owner)]) {
      expect(await send(headers, 'POST /v1/invitations', invitationBody('owner'))).toBe(noRole);
      expect(await send(headers, promote, { role: 'owner' })).toBe(noRole);
      expect(await send(headers, 'POST /v1/invitations', invitationBody('admin'))).toBe('201');
    }
    const browser = await inBrowser(owner);
    expect(await send(browser, 'POST /v1/invitations', invitationBody('owner'))).toBe('201');
    expect(await send(browser, promote, { role: 'owner' })).toBe('200');
  });

  it.each(['API token', 'consent'])(
    'Contract §6 people by token: revoking the %s revokes the open invitations made with it',
    async (kind) => {
      const { client, owner, byToken, byOauth, inBrowser } = await aFirm();
      const token = await byToken(owner, everyScope);
      const grant = await byOauth(owner);
      const [byProgram, byPerson] = [invitationBody('admin'), invitationBody('admin')];
      const { headers } = kind === 'consent' ? grant : token;
      expect(await send(headers, 'POST /v1/invitations', byProgram)).toBe('201');
      const browser = await inBrowser(owner);
      expect(await send(browser, 'POST /v1/invitations', byPerson)).toBe('201');
      const linkTo = async ({ email }: { email: string }) =>
        linkIn((await mailTo(ports, email)).text);
      const lookAtInvitation = async (whose: { email: string }) =>
        send(fromOwnPage(null), 'POST /v1/invitation/look', { link: await linkTo(whose) });
      expect(await lookAtInvitation(byProgram)).toBe('200');
      const path =
        kind === 'consent'
          ? (`DELETE /v1/account/applications/${grant.grantId}` as const)
          : (`DELETE /v1/api-tokens/${token.id}` as const);
      const own = await inBrowser(owner, kind !== 'consent');
      if (kind === 'consent') await db.database.write(used, [grant.grantId]);
      expect(await send(own, path)).toBe('204');
      expect(await lookAtInvitation(byProgram)).toBe('404 link_not_found');
      const accept = {
        link: await linkTo(byProgram),
        name: 'Eve',
        password: 'four-random-words-9',
      };
      const accepted = await send(fromOwnPage(null), 'POST /v1/invitation/accept', accept);
      expect(accepted).toBe('404 link_not_found');
      expect(await lookAtInvitation(byPerson)).toBe('200');
      const listed = await callAs(server.app, null, 'GET /v1/invitations', { headers: browser });
      const states = Object.fromEntries(
        (listed.json() as { data: { email: string; status: string }[] }).data.map((one) => [
          one.email,
          one.status,
        ]),
      );
      expect(states).toEqual({ [byProgram.email]: 'revoked', [byPerson.email]: 'open' });
      expect(client.id).toBeTruthy();
    },
  );

  it('Contract §6 people by token: a rotation without overlap ends what the old value invited, one with an overlap does not', async () => {
    const { owner, byToken, inBrowser } = await aFirm();
    const browser = await inBrowser(owner);
    const states = [];
    for (const overlapSeconds of [0, 60]) {
      const token = await byToken(owner, everyScope);
      const invited = invitationBody('admin');
      expect(await send(token.headers, 'POST /v1/invitations', invited)).toBe('201');
      const rotated = await send(browser, `POST /v1/api-tokens/${token.id}/rotate`, {
        overlapSeconds,
      });
      expect(rotated).toBe('200');
      const { text } = await mailTo(ports, invited.email);
      const accept = { link: linkIn(text), name: 'Eve', password: 'four-random-words-9' };
      states.push(await send(fromOwnPage(null), 'POST /v1/invitation/accept', accept));
    }
    expect(states).toEqual(['404 link_not_found', '200']);
  });
});

const used = {
  name: 't_grant_used',
  text: 'update oauth_grants set last_used_at = svc_clock() where id = $1',
};

describe('Contract §6, owners are told of owners', () => {
  it('Contract §6 owners told: of one who joins, is made one, is demoted, removed and leaves', async () => {
    const { client, owner, second, admin, byToken, inBrowser } = await aFirm();
    const browser = await inBrowser(owner);
    const countMails = async (...people: { email: string }[]) => {
      const counts = people.map(
        async ({ email }) => (await mailsTo(email, 'owner_changed')).length,
      );
      return Promise.all(counts);
    };
    const change = (id: string, role: string) => send(browser, `PATCH /v1/members/${id}`, { role });
    // A change that concerns no owner sends no mail.
    expect(await change(admin.id, 'member')).toBe('200');
    expect(await countMails(owner, second, admin)).toEqual([0, 0, 0]);
    expect(await change(admin.id, 'owner')).toBe('200');
    expect(await countMails(owner, second, admin)).toEqual([1, 1, 1]);
    const [mail] = await mailsTo(second.email, 'owner_changed');
    expect(mail?.text).toContain(admin.email);
    expect(mail?.text).toContain(`It was done by ${owner.email}`);
    expect(mail?.subject).toContain('Blue Bikes');
    // A demoted owner gets the mail too, when a token with the scope made the change.
    const { headers } = await byToken(owner, everyScope);
    expect(await send(headers, `PATCH /v1/members/${admin.id}`, { role: 'admin' })).toBe('200');
    expect(await countMails(owner, second, admin)).toEqual([2, 2, 2]);
    const third = invitationBody('owner');
    expect(await send(browser, 'POST /v1/invitations', third)).toBe('201');
    const link = linkIn((await mailTo(ports, third.email)).text);
    const joining = { link, name: 'Grace', password: 'four-random-words-9' };
    expect(await send(fromOwnPage(null), 'POST /v1/invitation/accept', joining)).toBe('200');
    expect(await countMails(owner, second, third)).toEqual([3, 3, 1]);
    const { data } = (
      await callAs(server.app, null, 'GET /v1/members', { headers: browser })
    ).json();
    const joined = (data as { userId: string; email: string }[]).find(
      ({ email }) => email === third.email,
    );
    expect(await send(browser, `DELETE /v1/members/${joined?.userId}`)).toBe('204');
    expect(await countMails(owner, second)).toEqual([4, 4]);
    const own = await inBrowser(second, false);
    expect(await send(own, `DELETE /v1/account/memberships/${client.id}`)).toBe('204');
    expect(await countMails(owner)).toEqual([5]);
  });
});

// Invitations from the request to the membership, on a real database.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  aClient,
  freshDatabase,
  moveClock,
  portsFor,
  type TestClient,
  type TestDatabase,
} from '../../../test/harness.ts';
import {
  aMemberOf,
  anInvitation,
  aPerson,
  isLinkOpen,
  join,
  linkIn,
  mailTo,
  memberCaller,
  personCaller,
  visitorCaller,
} from '../../../test/people/members.ts';
import { refuse } from '../../engine/implement.ts';
import type { Caller, Ports, Role } from '../../engine/ports.ts';
import { disablePerson, enablePerson } from '../../engine/runs/operator/people.ts';
import { verifyPassword } from '../../engine/steps/people/password-hash.ts';
import { sql } from '../../storage/database/sql.ts';
import { removeMember } from '../members/remove-member.ts';
import { acceptInvitation } from './accept-invitation.ts';
import { createInvitation } from './create-invitation.ts';
import { deleteInvitation } from './delete-invitation.ts';
import { listInvitations } from './list-invitations.ts';
import { lookAtInvitation } from './look-at-invitation.ts';

let db: TestDatabase;
let ports: Ports;
beforeAll(async () => {
  db = await freshDatabase({ poolSize: 12 });
  ports = portsFor(db.database);
});
afterAll(() => db?.close());

const refusal = (code: string) => expect.objectContaining({ code });
const strong = 'plum orchard at seven';
let count = 0;
const anAddress = () => `guest-${++count}@example.test`;

async function aFirm() {
  const client = await aClient(db.database, { name: 'Blue Bikes' });
  const owner = await aMemberOf(ports, client, { role: 'owner' });
  const admin = await aMemberOf(ports, client, { role: 'admin' });
  return {
    client,
    owner,
    admin,
    as: {
      owner: memberCaller(owner, client),
      admin: memberCaller(admin, client, { role: 'admin' }),
    },
  };
}

const inviteAs = async (caller: Caller, email: string, role: Role = 'member') => {
  const { body } = (await createInvitation({ body: { email, role } }, caller, ports, refuse)) as {
    body: { id: string; email: string; role: Role; status: string; expiresAt: string };
  };
  return body;
};
const lookAtLink = (link: string, caller = visitorCaller()) =>
  lookAtInvitation({ body: { link } }, caller, ports, refuse);
type AcceptBody = { link: string; name?: string; password?: string };
const accept = (body: AcceptBody, caller = visitorCaller()) =>
  acceptInvitation({ body }, caller, ports, refuse);
const role = sql<{ role: Role }>(
  't_role',
  `select m.role from memberships m join users u on u.id = m.user_id
   where m.client_id = $1 and u.email = $2`,
);
const roleOf = async (client: TestClient, email: string) =>
  (await db.database.read(role, [client.id, email]))[0]?.role;
async function statusesFor(caller: Caller): Promise<string[]> {
  const asked = { page: 1, limit: 20, sortDirection: 'ASC', filters: [] } as const;
  const list = await listInvitations({ ...asked, sortField: 'createdAt' }, caller, ports, refuse);
  const { data } = (list as { body: { data: { status: string }[] } }).body;
  return data.map(({ status }) => status);
}
const actions = sql<{ action: string; actor_kind: string }>(
  't_actions',
  'select action, actor_kind from audit_entries where client_id = $1 order by id',
);

describe('createInvitation', () => {
  it('201: the link goes to the address by mail, and stands nowhere else', async () => {
    const { client, owner, as } = await aFirm();
    const email = anAddress();
    const made = await inviteAs(as.owner, email.toUpperCase(), 'admin');
    expect(made).toMatchObject({ object: 'invitation', email, role: 'admin', status: 'open' });
    const mail = await mailTo(ports, email);
    expect(mail.subject).toBe('Join Blue Bikes on Svc');
    expect(mail.text).toContain(
      `${owner.email} invites you to Blue Bikes on Svc with the role Admin.`,
    );
    const link = linkIn(mail.text);
    expect(link).toHaveLength(43);
    expect(JSON.stringify(made)).not.toContain(link);
    const everything = sql<{ text: string }>(
      't_everything',
      `select coalesce(string_agg(t.row, ''), '') as text from (
         select to_jsonb(i)::text as row from invitations i
         union all select to_jsonb(a)::text from audit_entries a
         union all select to_jsonb(m)::text || encode(m.body_sealed, 'escape') from mails m
         union all select to_jsonb(e)::text from events e) t`,
    );
    const [{ text } = { text: '' }] = await db.database.read(everything, []);
    expect(text).toContain(made.id);
    expect(text).not.toContain(link);
    expect(await db.database.read(actions, [client.id])).toEqual([
      { action: 'invitation.created', actor_kind: 'person' },
    ]);
  });

  it('again: a new link, and the old one is dead', async () => {
    const { as } = await aFirm();
    const email = anAddress();
    await inviteAs(as.owner, email);
    const first = linkIn((await mailTo(ports, email)).text);
    await moveClock(db.database, 1000);
    await inviteAs(as.admin, email, 'admin');
    const second = linkIn((await mailTo(ports, email)).text);
    expect(second).not.toBe(first);
    await expect(lookAtLink(first)).rejects.toThrow(refusal('link_not_found'));
    expect(await lookAtLink(second)).toMatchObject({ body: { role: 'admin', email } });
  });

  it('answers alike whether the address has an account', async () => {
    const { as } = await aFirm();
    const { email: known } = await aPerson(ports, { password: null });
    const answers = [await inviteAs(as.owner, known), await inviteAs(as.owner, anAddress())];
    const shapes = answers.map(({ id, email, expiresAt, ...rest }) => ({
      ...rest,
      createdAt: '',
      keys: [id, email, expiresAt].map((each) => typeof each),
    }));
    expect(shapes[0]).toEqual(shapes[1]);
  });

  it('403 merchant_role_required: an admin invites no owner, and takes no such invitation back', async () => {
    const { as } = await aFirm();
    await expect(inviteAs(as.admin, anAddress(), 'owner')).rejects.toThrow(
      refusal('merchant_role_required'),
    );
    const { id } = await inviteAs(as.owner, anAddress(), 'owner');
    await expect(deleteInvitation({ invitationId: id }, as.admin, ports, refuse)).rejects.toThrow(
      refusal('merchant_role_required'),
    );
  });

  it('403 merchant_role_required: an admin ends no invitation of an owner by another one', async () => {
    const { client, as } = await aFirm();
    const byOperator = await anInvitation(ports, client, { role: 'owner' });
    const email = anAddress();
    await inviteAs(as.owner, email, 'owner');
    const byOwner = linkIn((await mailTo(ports, email)).text);
    for (const address of [byOperator.email, email]) {
      await expect(inviteAs(as.admin, address)).rejects.toThrow(refusal('merchant_role_required'));
    }
    expect(await isLinkOpen(ports, byOperator.link)).toBe(true);
    expect(await isLinkOpen(ports, byOwner)).toBe(true);
    // An expired invitation blocks nothing.
    await moveClock(db.database, 7 * 24 * 3_600_000 + 1000);
    expect(await inviteAs(as.admin, email)).toMatchObject({ role: 'member', status: 'open' });
  });

  it('writes down which invitation a new one ended, and whom it would have made what', async () => {
    const { client, as } = await aFirm();
    const email = anAddress();
    const former = await inviteAs(as.owner, email, 'owner');
    await inviteAs(as.owner, email);
    const replaced = sql<{ resource_id: string; before: unknown }>(
      't_replaced',
      `select resource_id, before from audit_entries
       where client_id = $1 and action = 'invitation.replaced'`,
    );
    expect(await db.database.read(replaced, [client.id])).toEqual([
      { resource_id: former.id, before: { email, role: 'owner' } },
    ]);
  });

  it('409 already_a_member', async () => {
    const { admin, as } = await aFirm();
    await expect(inviteAs(as.owner, admin.email)).rejects.toThrow(refusal('already_a_member'));
  });

  it('Contract §10 open invitations · 429 rate_limited: the 51st open one of a client, exact under parallel calls', async () => {
    const { client, owner, as } = await aFirm();
    const { email: first } = await anInvitation(ports, client);
    for (let n = 1; n < 48; n++) await anInvitation(ports, client);
    const results = await Promise.allSettled(
      Array.from({ length: 6 }, () => inviteAs(as.owner, anAddress())),
    );
    const refused = results.flatMap((one) =>
      one.status === 'rejected' ? [(one.reason as { code: string }).code] : [],
    );
    expect(refused).toEqual(Array(4).fill('rate_limited'));
    // An invitation that replaces another one takes no further place.
    const anew = memberCaller(owner, client);
    expect(await inviteAs(anew, first)).toMatchObject({ status: 'open' });
  });

  it('Contract §10 invitations · 429 rate_limited: the 21st of a person within the hour, over all clients at once', async () => {
    const person = await aPerson(ports, { password: null });
    const clients = await Promise.all(Array.from({ length: 24 }, () => aClient(db.database)));
    for (const client of clients) await join(db.database, client, { person, role: 'owner' });
    const results = await Promise.allSettled(
      clients.map((client) => inviteAs(memberCaller(person, client), anAddress())),
    );
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(20);
    const again = memberCaller(person, clients[0]!);
    const caught = await inviteAs(again, anAddress()).catch((error: unknown) => error);
    expect(caught).toMatchObject({ code: 'rate_limited' });
    const wait = (caught as { facts: { retryAfter: number } }).facts.retryAfter;
    expect(wait).toBeGreaterThan(3500);
    // The limit is per person.
    const other = await aMemberOf(ports, clients[0]!, { role: 'owner' });
    const byOther = memberCaller(other, clients[0]!);
    expect(await inviteAs(byOther, anAddress())).toMatchObject({ status: 'open' });
    await moveClock(db.database, wait * 1000);
    expect(await inviteAs(again, anAddress())).toMatchObject({ status: 'open' });
  });
});

describe('a link', () => {
  it('404 link_not_found: unknown, expired after seven days, revoked: all alike', async () => {
    const { client, as } = await aFirm();
    const [expired, revoked] = [
      await anInvitation(ports, client),
      await anInvitation(ports, client),
    ];
    await deleteInvitation({ invitationId: revoked.id }, as.owner, ports, refuse);
    await deleteInvitation({ invitationId: revoked.id }, as.owner, ports, refuse);
    expect(await db.database.read(actions, [client.id])).toHaveLength(1);
    await moveClock(db.database, 7 * 86_400_000 - 60_000);
    expect(await isLinkOpen(ports, expired.link)).toBe(true);
    await moveClock(db.database, 60_000);
    for (const link of ['x'.repeat(43), expired.link, revoked.link]) {
      const refusals = await Promise.all([
        lookAtLink(link).catch((error: unknown) => error),
        accept({ link, name: 'Eve', password: strong }).catch((error: unknown) => error),
      ]);
      for (const one of refusals) expect(one).toMatchObject({ code: 'link_not_found', facts: {} });
    }
    expect(await statusesFor(as.admin)).toEqual(['expired', 'revoked']);
  });

  it("404 invitation_not_found: another merchant's as one that never was", async () => {
    const { as } = await aFirm();
    const other = await aFirm();
    const { id, link } = await anInvitation(ports, other.client);
    for (const invitationId of [id, '00000000-0000-4000-8000-000000000000'])
      await expect(deleteInvitation({ invitationId }, as.owner, ports, refuse)).rejects.toThrow(
        refusal('invitation_not_found'),
      );
    expect(await isLinkOpen(ports, link)).toBe(true);
  });

  it('is dead once who sent it may not send it any more', async () => {
    const { client, admin, as } = await aFirm();
    const { link } = await anInvitation(ports, client, { invitedBy: admin.id });
    expect(await isLinkOpen(ports, link)).toBe(true);
    await removeMember({ userId: admin.id }, as.owner, ports, refuse);
    await expect(accept({ link, name: 'Eve', password: strong })).rejects.toThrow(
      refusal('link_not_found'),
    );
  });

  it('is listed as revoked then, and taken back it stays so whoever its sender is again', async () => {
    const { client, admin, as } = await aFirm();
    const { link, id } = await anInvitation(ports, client, { invitedBy: admin.id });
    expect(await statusesFor(as.owner)).toEqual(['open']);
    await disablePerson(admin.email, ports);
    expect(await statusesFor(as.owner)).toEqual(['revoked']);
    await deleteInvitation({ invitationId: id }, as.owner, ports, refuse);
    await enablePerson(admin.email, ports);
    expect(await isLinkOpen(ports, link)).toBe(false);
    const listEnded = async () =>
      (await db.database.read(actions, [client.id])).filter(
        ({ action }) => action === 'invitation.revoked',
      );
    expect(await listEnded()).toHaveLength(1);
    await deleteInvitation({ invitationId: id }, as.owner, ports, refuse);
    expect(await listEnded()).toHaveLength(1);
  });
});

describe('acceptInvitation', () => {
  it('Contract §6 invitations · 200 as a new person: account, password, proven address, sign-in and membership', async () => {
    const { client } = await aFirm();
    const { email, link, id } = await anInvitation(ports, client, { role: 'owner' });
    const answer = await accept({ link, name: 'Grace', password: strong });
    expect(answer).toMatchObject({
      status: 200,
      body: { clientId: client.id, merchantName: 'Blue Bikes', role: 'owner' },
      setCookie: { value: expect.stringMatching(/^[\w-]{43}$/) },
    });
    expect(await roleOf(client, email)).toBe('owner');
    const account = sql<{
      name: string;
      password_hash: string;
      proven: boolean;
      signed_in: number;
    }>(
      't_account',
      `select name, password_hash, email_proven_at is not null as proven,
         (select count(*)::int from sign_ins s where s.user_id = u.id and s.state = 'open')
           as signed_in
       from users u where email = $1`,
    );
    const [made] = await db.database.read(account, [email]);
    expect(made).toMatchObject({ name: 'Grace', proven: true, signed_in: 1 });
    expect(await verifyPassword(strong, { stored: made!.password_hash, ports })).toBe(true);
    expect(await db.database.read(actions, [client.id])).toEqual([
      { action: 'member.added', actor_kind: 'person' },
    ]);
    await expect(accept({ link, name: 'Grace', password: strong })).rejects.toThrow(
      refusal('link_not_found'),
    );
    expect(id).toBeTruthy();
  });

  it('200 signed in with the address: joins, with no new sign-in', async () => {
    const { client } = await aFirm();
    const person = await aPerson(ports);
    const { link } = await anInvitation(ports, client, { email: person.email, role: 'admin' });
    expect(await lookAtLink(link, personCaller(person))).toMatchObject({ body: { isYours: true } });
    const answer = await accept({ link }, personCaller(person));
    expect(answer).toEqual({
      status: 200,
      body: { clientId: client.id, merchantName: 'Blue Bikes', role: 'admin' },
    });
    expect(await roleOf(client, person.email)).toBe('admin');
  });

  it('401 sign_in_required: nobody, or somebody else, without a password', async () => {
    const { client } = await aFirm();
    const { email, link } = await anInvitation(ports, client);
    const stranger = await aPerson(ports, { password: null });
    for (const caller of [visitorCaller(), personCaller(stranger)])
      await expect(accept({ link }, caller)).rejects.toThrow(refusal('sign_in_required'));
    expect(await roleOf(client, email)).toBeUndefined();
    expect(await roleOf(client, stranger.email)).toBeUndefined();
  });

  it('409 account_exists: the link gives nobody a password over an account that has one', async () => {
    const { client } = await aFirm();
    const person = await aPerson(ports);
    const { link } = await anInvitation(ports, client, { email: person.email });
    await expect(accept({ link, name: 'Eve', password: strong })).rejects.toThrow(
      refusal('account_exists'),
    );
    expect(await isLinkOpen(ports, link)).toBe(true);
    expect(await accept({ link }, personCaller(person))).toMatchObject({ status: 200 });
  });

  it('422 password_too_weak, and the link stays good', async () => {
    const { client } = await aFirm();
    const { link } = await anInvitation(ports, client);
    for (const password of ['short', 'passwordpassword', 'bluebikes2026'])
      await expect(accept({ link, name: 'Grace', password })).rejects.toThrow(
        refusal('password_too_weak'),
      );
    expect(await isLinkOpen(ports, link)).toBe(true);
  });

  it('409 already_a_member: joined meanwhile', async () => {
    const { client } = await aFirm();
    const person = await aPerson(ports);
    const { link } = await anInvitation(ports, client, { email: person.email });
    await join(db.database, client, { person, role: 'member' });
    await expect(accept({ link }, personCaller(person))).rejects.toThrow(
      refusal('already_a_member'),
    );
  });

  it('one link, eight browsers at once: one joins', async () => {
    const { client } = await aFirm();
    const { email, link } = await anInvitation(ports, client);
    const results = await Promise.allSettled(
      Array.from({ length: 8 }, (_, n) =>
        accept({ link, name: `N${n}`, password: `${strong}${n}` }),
      ),
    );
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(await roleOf(client, email)).toBe('member');
  });
});

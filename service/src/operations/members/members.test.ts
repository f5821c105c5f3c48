// Members: changed, removed and gone, over a real database.

import { hash } from 'node:crypto';
import { roles as everyRole } from '@svc/contract/rows/roles';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  aClient,
  aToken,
  callerOf,
  freshDatabase,
  portsFor,
  type TestClient,
  type TestDatabase,
  type TestToken,
} from '../../../test/harness.ts';
import { aGrant } from '../../../test/people/grants.ts';
import { aMemberOf, mailTo, memberCaller, personCaller } from '../../../test/people/members.ts';
import { refuse } from '../../engine/implement.ts';
import type { Caller, Ports, Role } from '../../engine/ports.ts';
import { disablePerson } from '../../engine/runs/operator/people.ts';
import { verifyApiToken } from '../../engine/steps/api-tokens/verify-api-token.ts';
import { verifyAccessToken } from '../../engine/steps/oauth/verify-access-token.ts';
import { sql } from '../../storage/database/sql.ts';
import { createApiToken } from '../api-tokens/create-api-token.ts';
import { leaveClient } from './leave-client.ts';
import { listMembers } from './list-members.ts';
import { removeMember } from './remove-member.ts';
import { updateMember } from './update-member.ts';

let db: TestDatabase;
let ports: Ports;
beforeAll(async () => {
  db = await freshDatabase({ poolSize: 12 });
  ports = portsFor(db.database);
});
afterAll(() => db?.close());

const roles = sql<{ user_id: string; role: Role }>(
  't_roles',
  'select user_id, role from memberships where client_id = $1 order by user_id',
);
const roleOf = async (client: TestClient, person: { id: string }) =>
  (await db.database.read(roles, [client.id])).find((one) => one.user_id === person.id)?.role;
const owners = async (client: TestClient) =>
  (await db.database.read(roles, [client.id])).filter(({ role }) => role === 'owner').length;
const entries = sql<{ action: string; before: object; after: object; actor_user_id: string }>(
  't_entries',
  `select action, before, after, actor_user_id from audit_entries
   where client_id = $1 order by id`,
);

/** Creates a client with a member of each role; `as` contains their callers. */
async function aFirm() {
  const client = await aClient(db.database, { name: 'Blue Bikes' });
  const [owner, admin, member] = await Promise.all([
    aMemberOf(ports, client, { role: 'owner' }),
    aMemberOf(ports, client, { role: 'admin' }),
    aMemberOf(ports, client, { role: 'member' }),
  ]);
  const as = {
    owner: memberCaller(owner, client, { role: 'owner' }),
    admin: memberCaller(admin, client, { role: 'admin' }),
    member: memberCaller(member, client, { role: 'member' }),
  };
  return { client, owner, admin, member, as };
}

const changeMember = (caller: Caller, userId: string, role: Role) =>
  updateMember({ userId, body: { role } }, caller, ports, refuse);
const remove = (caller: Caller, userId: string, tokenIds?: string) =>
  removeMember({ userId, ...(tokenIds ? { tokenIds } : {}) }, caller, ports, refuse);
const verify = ({ clientId, token }: TestToken) =>
  verifyApiToken(clientId, hash('sha256', token, 'buffer'), ports);
const refusal = (code: string) => expect.objectContaining({ code });

describe('listMembers', () => {
  it('200: the people of the client with their roles and active tokens, and who asks', async () => {
    const { client, owner, member, as } = await aFirm();
    await aFirm();
    await aToken(db.database, client, { user: member });
    await aToken(db.database, client, { user: member, revokedAt: new Date() });
    const paging = { page: 1, limit: 20, sortField: 'createdAt', sortDirection: 'ASC' } as const;
    const { body } = (await listMembers({ ...paging, filters: [] }, as.owner, ports, refuse)) as {
      body: { data: { userId: string; role: string; isYou: boolean; activeTokens: number }[] };
    };
    expect(body.data).toHaveLength(3);
    expect(body.data.find(({ userId }) => userId === owner.id)).toMatchObject({
      object: 'member',
      role: 'owner',
      isYou: true,
      email: owner.email,
    });
    expect(body.data.find(({ userId }) => userId === member.id)).toMatchObject({
      activeTokens: 1,
      isYou: false,
    });
    await expect(listMembers({ ...paging, filters: [] }, as.member, ports, refuse)).rejects.toThrow(
      refusal('merchant_role_required'),
    );
  });
});

describe('updateMember', () => {
  it('200: an owner makes any role; it stands in the audit log, before and after', async () => {
    const { client, owner, member, as } = await aFirm();
    expect(await changeMember(as.owner, member.id, 'owner')).toMatchObject({
      body: { role: 'owner' },
    });
    expect(await roleOf(client, member)).toBe('owner');
    // Setting the same role again writes nothing.
    await changeMember(as.owner, member.id, 'owner');
    expect(await db.database.read(entries, [client.id])).toEqual([
      {
        action: 'member.role_changed',
        before: { role: 'member' },
        after: { role: 'owner' },
        actor_user_id: owner.id,
      },
    ]);
  });

  it('200: every role that there is', async () => {
    const { client, member, as } = await aFirm();
    for (const role of everyRole.filter((each) => each !== 'owner')) {
      expect(await changeMember(as.admin, member.id, role)).toMatchObject({ body: { role } });
      expect(await roleOf(client, member)).toBe(role);
    }
  });

  it('409 member_has_tokens: a role without tokens ends those that are named, and consents', async () => {
    for (const role of ['finance', 'support', 'viewer'] as const) {
      const { client, owner, member, as } = await aFirm();
      const token = await aToken(db.database, client, { user: member });
      const grant = await aGrant(ports, { user: member, client, scopes: ['payments:read'] });
      const verifyGrant = () =>
        verifyAccessToken(hash('sha256', grant.accessToken, 'buffer'), ports);
      await expect(changeMember(as.owner, member.id, role)).rejects.toThrow(
        refusal('member_has_tokens'),
      );
      expect([await roleOf(client, member), await verify(token)]).toMatchObject(['member', {}]);
      expect(await verifyGrant()).toBeDefined();
      const body = { role, tokenIds: [token.id] };
      const changed = await updateMember({ userId: member.id, body }, as.owner, ports, refuse);
      expect(changed).toMatchObject({ status: 200, body: { role, activeTokens: 0 } });
      expect([await verify(token), await verifyGrant()]).toEqual([undefined, undefined]);
      const [, last] = await db.database.read(entries, [client.id]);
      expect(last).toMatchObject({
        action: 'member.role_changed',
        before: { role: 'member', tokenIds: [token.id], grants: [{ id: grant.grantId }] },
        after: { role },
        actor_user_id: owner.id,
      });
    }
  });

  it('403 merchant_role_required: no token is made while the role is taken away', async () => {
    const { client, member, as } = await aFirm();
    await changeMember(as.owner, member.id, 'viewer');
    const late = { ...as.member, via: 'person' } as Caller;
    await expect(createApiToken({ body: { name: 'till' } }, late, ports, refuse)).rejects.toThrow(
      refusal('authentication_required'),
    );
    expect(await roleOf(client, member)).toBe('viewer');
  });

  it('403 merchant_role_required: an admin touches no owner and makes none; a member nobody', async () => {
    const { client, owner, admin, member, as } = await aFirm();
    expect(await changeMember(as.admin, member.id, 'admin')).toMatchObject({ status: 200 });
    for (const [userId, role] of [
      [owner.id, 'member'],
      [member.id, 'owner'],
      [admin.id, 'owner'],
    ] as const)
      await expect(changeMember(as.admin, userId, role)).rejects.toThrow(
        refusal('merchant_role_required'),
      );
    await expect(remove(as.admin, owner.id)).rejects.toThrow(refusal('merchant_role_required'));
    await expect(changeMember(as.member, member.id, 'admin')).rejects.toThrow(
      refusal('merchant_role_required'),
    );
    expect(await owners(client)).toBe(1);
  });

  it('403 merchant_role_required: who lost the role while the request waited', async () => {
    const { owner, admin, member, as } = await aFirm();
    await changeMember(as.owner, admin.id, 'member');
    await expect(changeMember(as.admin, member.id, 'admin')).rejects.toThrow(
      refusal('merchant_role_required'),
    );
    await remove(as.owner, admin.id);
    await expect(remove(as.admin, member.id)).rejects.toThrow(refusal('merchant_role_required'));
    expect(owner.id).toBeTruthy();
  });

  it("404 member_not_found: another merchant's member as one that never was", async () => {
    const { as } = await aFirm();
    const other = await aFirm();
    const failures = [];
    for (const userId of [other.member.id, '00000000-0000-4000-8000-000000000000'])
      for (const call of [
        () => changeMember(as.owner, userId, 'admin'),
        () => remove(as.owner, userId),
      ])
        failures.push(await call().catch((error: { code: string; facts: object }) => error));
    expect(failures.map((one) => (one as { code: string }).code)).toEqual(
      Array(4).fill('member_not_found'),
    );
    expect(await roleOf(other.client, other.member)).toBe('member');
  });

  it('409 last_owner: is neither demoted nor removed, nor leaves', async () => {
    const { client, owner, as } = await aFirm();
    await expect(changeMember(as.owner, owner.id, 'admin')).rejects.toThrow(refusal('last_owner'));
    await expect(remove(as.owner, owner.id)).rejects.toThrow(refusal('last_owner'));
    await expect(
      leaveClient({ clientId: client.id }, personCaller(owner), ports, refuse),
    ).rejects.toThrow(refusal('last_owner'));
    expect(await roleOf(client, owner)).toBe('owner');
  });

  it('409 last_owner: of whom nobody else can sign in, though others have the role', async () => {
    const { client, owner, as } = await aFirm();
    const former = await aMemberOf(ports, client, { role: 'owner' });
    await disablePerson(former.email, ports);
    await expect(changeMember(as.owner, owner.id, 'admin')).rejects.toThrow(refusal('last_owner'));
    await expect(
      leaveClient({ clientId: client.id }, personCaller(owner), ports, refuse),
    ).rejects.toThrow(refusal('last_owner'));
    expect(await roleOf(client, owner)).toBe('owner');
    // A member who has been removed can change and remove nobody.
    expect(await changeMember(as.owner, former.id, 'admin')).toMatchObject({ status: 200 });
    expect(await remove(as.owner, former.id)).toEqual({ status: 204 });
  });
});

describe('removeMember', () => {
  it('Contract §6 members · 204: tokens agreed to stop with it, the removed is told, and it is written down', async () => {
    const { client, owner, member, as } = await aFirm();
    const token = await aToken(db.database, client, { user: member });
    expect(await verify(token)).toMatchObject({ tokenId: token.id });
    const caught = await remove(as.owner, member.id).catch((error: unknown) => error);
    expect(caught).toMatchObject({
      code: 'member_has_tokens',
      facts: {
        errors: [{ path: `tokenIds.${token.id}`, code: 'active_api_token', message: 'test' }],
      },
    });
    expect(await roleOf(client, member)).toBe('member');
    expect(await remove(as.owner, member.id, token.id.toUpperCase())).toEqual({ status: 204 });
    expect(await roleOf(client, member)).toBeUndefined();
    expect(await verify(token)).toBeUndefined();
    // The token of a member who returns is still revoked.
    const revoked = sql<{ revoked: boolean }>(
      't_revoked',
      'select revoked_at is not null as revoked from api_tokens where id = $1',
    );
    expect(await db.database.read(revoked, [token.id])).toEqual([{ revoked: true }]);
    const mail = await mailTo(ports, member.email);
    expect(mail).toMatchObject({
      kind: 'member_removed',
      subject: 'You were removed from Blue Bikes',
    });
    const written = await db.database.read(entries, [client.id]);
    expect(written.map(({ action }) => action)).toEqual(['api_token.revoked', 'member.removed']);
    expect(written[1]).toMatchObject({
      actor_user_id: owner.id,
      before: { role: 'member', email: member.email, tokenIds: [token.id], grants: [] },
    });
    await expect(remove(as.owner, member.id)).rejects.toThrow(refusal('member_not_found'));
  });

  it('409 member_has_tokens: a token that was not named keeps all of it as it was', async () => {
    const { client, member, as } = await aFirm();
    const [named, unnamed] = [
      await aToken(db.database, client, { user: member }),
      await aToken(db.database, client, { user: member }),
    ];
    await expect(remove(as.owner, member.id, named.id)).rejects.toThrow(
      refusal('member_has_tokens'),
    );
    expect(await roleOf(client, member)).toBe('member');
    expect(await remove(as.owner, member.id, `${named.id},${unnamed.id}`)).toEqual({ status: 204 });
  });

  it('a token of another client goes on', async () => {
    const { member, as } = await aFirm();
    const elsewhere = await aClient(db.database);
    await db.database.write(
      sql('t_join', `insert into memberships values ($1, $2, 'member', svc_clock())`),
      [elsewhere.id, member.id],
    );
    const token = await aToken(db.database, elsewhere, { user: member });
    expect(await remove(as.owner, member.id)).toEqual({ status: 204 });
    expect(await verify(token)).toMatchObject({ tokenId: token.id });
  });
});

describe('leaveClient', () => {
  it('204, with the tokens agreed to; 404 client_not_found where one is no member', async () => {
    const { client, member, owner } = await aFirm();
    const token = await aToken(db.database, client, { user: member });
    const leaveOwn = (tokenIds?: string) =>
      leaveClient(
        { clientId: client.id, ...(tokenIds ? { tokenIds } : {}) },
        personCaller(member),
        ports,
        refuse,
      );
    await expect(leaveOwn()).rejects.toThrow(refusal('member_has_tokens'));
    expect(await leaveOwn(token.id)).toEqual({ status: 204 });
    await expect(leaveOwn()).rejects.toThrow(refusal('client_not_found'));
    const missing = '00000000-0000-4000-8000-000000000000';
    await expect(
      leaveClient({ clientId: missing }, personCaller(owner), ports, refuse),
    ).rejects.toThrow(refusal('client_not_found'));
    expect((await db.database.read(entries, [client.id])).at(-1)).toMatchObject({
      action: 'member.left',
      actor_user_id: member.id,
    });
  });

  it('two owners who leave at once: one stays, 200 times', async () => {
    const client = await aClient(db.database);
    const first = await aMemberOf(ports, client, { role: 'owner' });
    const second = await aMemberOf(ports, client, { role: 'owner' });
    const back = sql(
      't_back',
      `insert into memberships values ($1, $2, 'owner', svc_clock()), ($1, $3, 'owner', svc_clock())
       on conflict (client_id, user_id) do update set role = 'owner'`,
    );
    const ends: string[] = [];
    for (let round = 0; round < 200; round++) {
      const leaveAs = (person: { id: string }) =>
        leaveClient({ clientId: client.id }, personCaller(person), ports, refuse);
      const demote = () =>
        changeMember(memberCaller(first, client, { role: 'owner' }), first.id, 'member');
      const results = await Promise.allSettled([
        round % 2 ? leaveAs(first) : demote(),
        leaveAs(second),
      ]);
      const refused = results.flatMap((one) =>
        one.status === 'rejected' ? [(one.reason as { code: string }).code] : [],
      );
      ends.push(`${refused.join()} ${await owners(client)}`);
      await db.database.write(back, [client.id, first.id, second.id]);
    }
    expect([...new Set(ends)]).toEqual(['last_owner 1']);
  });
});

describe('a token of an owner or admin', () => {
  it('manages people as its owner may', async () => {
    const { client, admin, member, owner } = await aFirm();
    const token = await aToken(db.database, client, { user: admin });
    const caller = callerOf(token, { role: 'admin' });
    expect(await changeMember(caller, member.id, 'admin')).toMatchObject({ status: 200 });
    await expect(changeMember(caller, owner.id, 'member')).rejects.toThrow(
      refusal('merchant_role_required'),
    );
  });
});

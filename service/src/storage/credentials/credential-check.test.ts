// Credentials of all three kinds at a claim: an ended credential is refused there. Reliability N4.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  aClient,
  aGateway,
  aToken,
  freshDatabase,
  newId,
  portsFor,
  type TestClient,
  type TestDatabase,
  type TestGateway,
} from '../../../test/harness.ts';
import { aClaimRequest, aStoredHold } from '../../../test/payments/claim-requests.ts';
import { aGrant } from '../../../test/people/grants.ts';
import { aSignIn } from '../../../test/people/people.ts';
import type { RequestInitiator } from '../audit-log/request-initiator.ts';
import { sql } from '../database/sql.ts';
import { revokeGrant } from '../oauth/oauth-grants.ts';
import { type Claim, claimOperation } from '../payments/claim-operation.ts';
import type { ClaimRequest } from '../payments/claim-request.ts';

let db: TestDatabase;
let client: TestClient;
let gateway: TestGateway;
beforeAll(async () => {
  db = await freshDatabase();
  client = await aClient(db.database);
  gateway = await aGateway(db.database, client);
  // One owner always remains, whoever leaves.
  await aToken(db.database, client);
});
afterAll(() => db?.close());

async function aClaim(asker: RequestInitiator, given: Partial<ClaimRequest> = {}): Promise<Claim> {
  const paymentId = await aStoredHold(db.database, client, { gateway });
  return claimOperation(db.database, { ...requestOf(paymentId, asker), ...given });
}
const requestOf = (paymentId: string, asker: RequestInitiator): ClaimRequest =>
  aClaimRequest({ clientId: client.id, paymentId, asker });

type Kind = RequestInitiator['via'];
const kinds: Kind[] = ['token', 'oauth', 'person'];

/** Creates an admin who calls with this kind of credential. */
async function anAsker(via: Kind): Promise<RequestInitiator> {
  const token = await aToken(db.database, client, { role: 'admin' });
  const { userId } = token;
  const user = { id: userId };
  const ports = portsFor(db.database);
  const tokenIdOf = {
    token: async () => token.id,
    oauth: async () => (await aGrant(ports, { user, client, scopes: ['mcp'] })).grantId,
    person: async () => (await aSignIn(ports, user)).signInId,
  };
  return { via, userId, tokenId: await tokenIdOf[via]() };
}

const change = (name: string, text: string) => sql<never>(`test_standing_${name}`, text);
const leave = change('leave', 'delete from memberships where user_id = $1');
const demote = change('demote', "update memberships set role = 'member' where user_id = $1");
const disable = change('disable', 'update users set disabled_at = svc_clock() where id = $1');
const revoke = change('revoke', 'update api_tokens set revoked_at = svc_clock() where id = $1');
const expire = change('expire', 'update api_tokens set expires_at = svc_clock() where id = $1');
const endSignIn = change(
  'end_sign_in',
  "update sign_ins set state = 'ended', ended_at = svc_clock() where id = $1",
);
const endLife = change('end_life', 'update sign_ins set expires_at = svc_clock() where id = $1');
const halfOpen = change('half', "update sign_ins set state = 'second_factor' where id = $1");

const refusedWith = (code: string) => ({ kind: 'refused', code });
const gone = {
  token: 'authentication_required',
  oauth: 'authentication_required',
  person: 'sign_in_required',
};

describe.each(kinds)('a claim by %s', (via) => {
  it('is made while the credential stands, with a role of now that suffices', async () => {
    const asker = await anAsker(via);
    expect(await aClaim(asker)).toMatchObject({ kind: 'claimed', isFirstSend: true });
  });

  it('403 merchant_role_required once the role is member', async () => {
    const asker = await anAsker(via);
    await db.database.write(demote, [asker.userId]);
    expect(await aClaim(asker)).toEqual(refusedWith('merchant_role_required'));
  });

  it('once the membership has ended: what the next request is answered', async () => {
    const asker = await anAsker(via);
    await db.database.write(leave, [asker.userId]);
    const code = via === 'token' ? 'authentication_required' : 'merchant_role_required';
    expect(await aClaim(asker)).toEqual(refusedWith(code));
  });

  it('401 for another person’s, another client’s and none', async () => {
    const asker = await anAsker(via);
    const stranger = await anAsker(via);
    for (const tokenId of [stranger.tokenId, newId()]) {
      expect(await aClaim({ ...asker, tokenId })).toEqual(refusedWith(gone[via]));
    }
    const elsewhere = await aClient(db.database);
    const id = await aStoredHold(db.database, client, { gateway });
    const asked = { ...requestOf(id, asker), clientId: elsewhere.id };
    expect(await claimOperation(db.database, asked)).toEqual(refusedWith('payment_not_found'));
  });

  it('nothing is recorded where it is refused', async () => {
    const asker = { ...(await anAsker(via)), tokenId: newId() };
    const operationId = newId();
    await aClaim(asker, { operationId });
    const find = sql(
      `test_standing_operation_${via}`,
      'select from payment_operations where id = $1',
    );
    expect(await db.database.read(find, [operationId])).toEqual([]);
  });

  it('what the request itself wrote before is not refused half-way', async () => {
    const asker = await anAsker(via);
    const asked = requestOf(await aStoredHold(db.database, client, { gateway }), asker);
    expect((await claimOperation(db.database, asked)).kind).toBe('claimed');
    await db.database.write(leave, [asker.userId]);
    // Claims again, as after a commit whose response was lost, and as after a takeover.
    expect((await claimOperation(db.database, asked)).kind).toBe('claimed');
    const takenOver = { ...asked, leaseOwner: newId(), operationId: newId() };
    expect((await claimOperation(db.database, { ...takenOver, isUnderway: true })).kind).toBe(
      'wait',
    );
    expect((await claimOperation(db.database, takenOver)).kind).toBe('refused');
  });
});

describe('401 once it has ended', () => {
  it.each([
    ['an API token that was revoked', 'token', revoke],
    ['an API token that expired', 'token', expire],
    ['a sign-in that was ended', 'person', endSignIn],
    ['a sign-in whose time is over', 'person', endLife],
    ['a sign-in that lacks its second factor', 'person', halfOpen],
  ] as const)('%s', async (_, via, end) => {
    const asker = await anAsker(via);
    await db.database.write(end, [asker.tokenId]);
    expect(await aClaim(asker)).toEqual(refusedWith(gone[via]));
  });

  it('a grant that was revoked', async () => {
    const asker = await anAsker('oauth');
    await db.database.transaction(client.id, (tx) => revokeGrant(tx, asker.tokenId));
    expect(await aClaim(asker)).toEqual(refusedWith('authentication_required'));
  });

  it.each(['oauth', 'person'] as const)('%s of somebody who was disabled', async (via) => {
    const asker = await anAsker(via);
    await db.database.write(disable, [asker.userId]);
    expect(await aClaim(asker)).toEqual(refusedWith(gone[via]));
  });
});

// What happens at the same time as a person's decision about an application.

import { hash, randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  aClient,
  aToken,
  freshDatabase,
  type TestClient,
  type TestDatabase,
  type TestToken,
} from '../../test/harness.ts';
import { untilBlocked } from '../../test/held-row.ts';
import {
  anApplication,
  Browser,
  decide,
  type OauthWorld,
  redirectUri,
  startOauth,
} from '../../test/people/oauth.ts';
import { sql } from '../storage/database/sql.ts';

let test: TestDatabase;
let world: OauthWorld;
let client: TestClient;
let owner: TestToken;
let applicationId: string;
let browser: Browser;
beforeAll(async () => {
  test = await freshDatabase();
  world = await startOauth(test);
  client = await aClient(test.database);
  owner = await aToken(test.database, client);
  applicationId = (await anApplication(world.ports, owner)).id;
  browser = new Browser(world.baseUrl);
  await browser.signIn(world.ports, { id: owner.userId });
});
afterAll(async () => {
  await world?.server.close();
  await test?.close();
});

const lockMember = sql(
  'test_lock_member',
  'select 1 from memberships where client_id = $1 and user_id = $2 for update',
);
const removeMember = sql(
  'test_remove_member',
  'delete from memberships where client_id = $1 and user_id = $2',
);
const grantsOf = sql<{ count: number }>(
  'test_decided_grants',
  'select count(*)::int as count from oauth_grants where client_id = $1 and user_id = $2',
);
const consentsOf = sql<{ count: number }>(
  'test_consents_of',
  `select count(*)::int as count from audit_entries
   where client_id = $1 and user_id = $2 and action = 'consent.given'`,
);
const countGrants = async (user: { userId: string }) => [
  (await test.database.read(grantsOf, [client.id, user.userId]))[0]?.count,
  (await test.database.read(consentsOf, [client.id, user.userId]))[0]?.count,
];

const authorizeAs = (as = browser): Promise<URL> => {
  const verifier = randomBytes(32).toString('base64url');
  const url = new URL('/oauth/authorize', world.baseUrl);
  url.search = new URLSearchParams({
    response_type: 'code',
    client_id: applicationId,
    redirect_uri: redirectUri,
    scope: 'mcp',
    state: 'a-state',
    code_challenge: hash('sha256', verifier, 'base64url'),
    code_challenge_method: 'S256',
  }).toString();
  return as.go(url);
};

const allow = () => ({ decision: 'allow', clientId: client.id });
const refuse = { decision: 'refuse' };

describe('a decision', () => {
  it('is taken once: of six at once one allows, the others are 404 authorization_not_found', async () => {
    const [grants = 0, consents = 0] = await countGrants(owner);
    const page = await authorizeAs();
    const answers = await Promise.all(
      Array.from({ length: 6 }, () => decide(browser, page, allow())),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 404, 404, 404, 404, 404]);
    expect(await countGrants(owner)).toEqual([grants + 1, consents + 1]);
  });

  it('for and against at once: whoever is answered 200 is obeyed', async () => {
    for (let round = 0; round < 4; round += 1) {
      const page = await authorizeAs();
      const [against, inFavour] = await Promise.all([
        decide(browser, page, refuse),
        decide(browser, page, allow()),
      ]);
      expect([against.status, inFavour.status].sort()).toEqual([200, 404]);
      const { redirectTo } = against.status === 200 ? against.body : inFavour.body;
      const back = (await browser.go(redirectTo)).searchParams;
      expect(back.has('code')).toBe(inFavour.status === 200);
      expect(back.get('error')).toBe(against.status === 200 ? 'access_denied' : null);
    }
  });

  it('stays open after a refused try: 404 client_not_found, then 200', async () => {
    const page = await authorizeAs();
    const foreign = await aClient(test.database);
    const wrong = await decide(browser, page, { ...allow(), clientId: foreign.id });
    expect(wrong).toMatchObject({ status: 404, body: { code: 'client_not_found' } });
    expect((await decide(browser, page, allow())).status).toBe(200);
  });

  it('404 client_not_found: a consent that meets the end of the membership leaves nothing', async () => {
    const member = await aToken(test.database, client, { role: 'member' });
    const leaving = new Browser(world.baseUrl);
    await leaving.signIn(world.ports, { id: member.userId });
    const page = await authorizeAs(leaving);
    // Locks the membership and deletes it at the commit, as a removal does.
    const { promise: isHeld, resolve: held } = Promise.withResolvers<void>();
    const { promise: isAsked, resolve: asked } = Promise.withResolvers<void>();
    const removal = test.database.transaction(client.id, async (tx) => {
      await tx.query(lockMember, [client.id, member.userId]);
      held();
      await isAsked;
      await tx.query(removeMember, [client.id, member.userId]);
    });
    await isHeld;
    const answer = decide(leaving, page, allow());
    expect(await Promise.race([answer, untilBlocked(test.url)])).toBeUndefined();
    asked();
    await removal;
    expect(await answer).toMatchObject({ status: 404, body: { code: 'client_not_found' } });
    expect(await countGrants(member)).toEqual([0, 0]);
  });
});

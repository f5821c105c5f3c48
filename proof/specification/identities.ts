// Every kind of credential: valid, invalid, expired and combined.

import { randomBytes } from 'node:crypto';
import { scopes as allScopes } from '@svc/contract/rows/scopes';
import { refuse } from '../../service/src/engine/implement.ts';
import { removeMember } from '../../service/src/operations/members/remove-member.ts';
import { aCustomerPage } from '../../service/test/customers/customer-pages.ts';
import {
  aClient,
  aToken,
  basicHeader,
  callerOf,
  newId,
  portsFor,
  type TestClient,
  type TestDatabase,
  type TestToken,
} from '../../service/test/harness.ts';
import { aGrant } from '../../service/test/people/grants.ts';
import { aSignIn, fromOwnPage } from '../../service/test/people/people.ts';
import { everyRole, type Role, withTokens } from './role-table.ts';

/**
 * The expected rights of an identity. They are written here and not computed by the code under
 * test.
 */
export type Identity = {
  readonly name: string;
  /** Makes new headers for each call, because some calls end their own credential. */
  headers(): Promise<Readonly<Record<string, string>>>;
  /**
   * The credential in the `Authorization` header: `wrong` is unknown, `left` belongs to a former
   * member, `agents` is a token for /mcp alone.
   */
  readonly basic?: 'right' | 'wrong';
  readonly bearer?: 'right' | 'wrong' | 'left' | 'agents';
  readonly nonce?: true;
  readonly page?: 'right' | 'wrong';
  readonly signIn?: 'recent' | 'stale' | 'half' | 'ended';
  readonly namesClient?: 'own' | 'foreign' | 'malformed';
  /** The page from which the call claims to come. */
  readonly from?: 'own-page' | 'other-page' | 'sibling';
  readonly role?: Role;
  /** The token's scopes; null for everything that the role may do. */
  readonly scopes?: readonly string[] | null;
};

export type Door = {
  readonly own: TestClient;
  readonly foreign: TestClient;
  readonly identities: readonly Identity[];
};

type Fixture = Awaited<ReturnType<typeof createFixture>>;

const fixedHeaders = (headers: Record<string, string>) => async () => headers;
const nonce = randomBytes(32).toString('base64url');
const withNonce = { 'x-checkout-session-token': nonce };
const otherPage = { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' };

export async function openIdentities(db: TestDatabase): Promise<Door> {
  const fixture = await createFixture(db);
  const { own, foreign } = fixture;
  const identities = [
    ...strangerIdentities(fixture),
    ...(await basicIdentities(fixture)),
    ...(await bearerIdentities(fixture)),
    ...ownBrowserIdentities(fixture),
    ...browserIdentities(fixture),
    ...foreignPageIdentities(fixture),
    ...mixedIdentities(fixture),
  ];
  return { own, foreign, identities };
}

async function createFixture({ database }: TestDatabase) {
  const ports = portsFor(database);
  const own = await aClient(database);
  const foreign = await aClient(database);
  const made = everyRole.map(async (role) => [role, await aToken(database, own, { role })]);
  const members = Object.fromEntries(await Promise.all(made)) as Record<Role, TestToken>;
  const bearerOf = async ({ userId }: TestToken, scopes: readonly string[], more: object = {}) =>
    aGrant(ports, { user: { id: userId }, client: own, scopes, ...more });
  const gone = await aToken(database, own, { role: 'admin' });
  const left = (await bearerOf(gone, allScopes)).authorization;
  const agreed = { userId: gone.userId, tokenIds: gone.id };
  await removeMember(agreed, callerOf(members.owner), ports, refuse);
  const browser = async (
    role: Role,
    given: Parameters<typeof aSignIn>[2] = {},
    clientId?: string,
  ) => fromOwnPage(await aSignIn(ports, { id: members[role].userId }, given), clientId);
  const pageToken = () => aCustomerPage(ports, members.owner);
  return { database, own, foreign, members, gone, left, bearerOf, browser, pageToken };
}

const strangerIdentities = ({ pageToken }: Fixture): Identity[] => [
  { name: 'nobody', headers: fixedHeaders({}) },
  { name: 'nobody, from our own page', headers: fixedHeaders(fromOwnPage(null)), from: 'own-page' },
  { name: 'nobody, from another page', headers: fixedHeaders(otherPage), from: 'other-page' },
  { name: 'a nonce', headers: fixedHeaders(withNonce), nonce: true },
  {
    name: 'a page token',
    headers: async () => ({ 'x-customer-page-token': await pageToken() }),
    page: 'right',
  },
  {
    name: 'an unknown page token',
    headers: fixedHeaders({ 'x-customer-page-token': nonce }),
    page: 'wrong',
  },
];

async function basicIdentities({
  database,
  own,
  foreign,
  members,
  gone,
}: Fixture): Promise<Identity[]> {
  const stranger = await aToken(database, foreign);
  const narrow = await aToken(database, own, { scopes: ['catalog:read'] });
  const expired = await aToken(database, own, { expiresAt: new Date(Date.now() - 1000) });
  const revoked = await aToken(database, own, { revokedAt: new Date() });
  const wrong: Record<string, string> = {
    'of another client': basicHeader(own.id, stranger.token),
    revoked: revoked.authorization,
    expired: expired.authorization,
    'of somebody who left': gone.authorization,
    malformed: 'Basic x',
  };
  // A token stops working when its owner's role changes to one without tokens.
  const right = everyRole.map(
    (role): Identity => ({
      name: `Basic, ${role}`,
      headers: fixedHeaders({ authorization: members[role].authorization }),
      basic: withTokens.includes(role) ? 'right' : 'wrong',
      role,
      scopes: null,
    }),
  );
  return [
    ...right,
    {
      name: 'Basic, token with one scope',
      headers: fixedHeaders({ authorization: narrow.authorization }),
      basic: 'right',
      role: 'owner',
      scopes: ['catalog:read'],
    },
    ...Object.entries(wrong).map(
      ([name, authorization]): Identity => ({
        name: `Basic, ${name}`,
        headers: fixedHeaders({ authorization }),
        basic: 'wrong',
      }),
    ),
  ];
}

async function bearerIdentities({
  database,
  members,
  left,
  bearerOf,
}: Fixture): Promise<Identity[]> {
  const dead = await bearerOf(members.owner, allScopes);
  const revoke = 'update oauth_grants set revoked_at = svc_clock() where id = $1';
  await database.write({ name: 'door_revoke', text: revoke }, [dead.grantId]);
  const late = await bearerOf(members.owner, allScopes, { lifeSeconds: -10 });
  const wrong: Record<string, string> = {
    revoked: dead.authorization,
    expired: late.authorization,
    unknown: `Bearer ${randomBytes(32).toString('base64url')}`,
    'an API token': `Bearer ${members.owner.token}`,
    malformed: 'Bearer a b',
  };
  const right: [Role, readonly string[], string][] = [
    ['owner', allScopes, 'all scopes'],
    ['admin', allScopes, 'all scopes'],
    ['member', allScopes, 'all scopes'],
    ['owner', ['mcp'], 'mcp only'],
    ['owner', ['events:read'], 'another scope'],
    ['owner', allScopes.filter((scope) => scope !== 'mcp'), 'all but mcp'],
    ['owner', [], 'no scope'],
  ];
  const good = right.map(async ([role, scopes, name]): Promise<Identity> => {
    const { authorization } = await bearerOf(members[role], scopes);
    const headers = fixedHeaders({ authorization });
    return { name: `Bearer, ${role}, ${name}`, headers, bearer: 'right', role, scopes };
  });
  const without = everyRole.filter((role) => !withTokens.includes(role));
  const ofOffice = without.map(
    async (role): Promise<Identity> => ({
      name: `Bearer, ${role}, all scopes`,
      headers: fixedHeaders({
        authorization: (await bearerOf(members[role], allScopes)).authorization,
      }),
      bearer: 'left',
    }),
  );
  return [
    ...(await Promise.all(good)),
    ...(await Promise.all(ofOffice)),
    ...Object.entries(wrong).map(
      ([name, authorization]): Identity => ({
        name: `Bearer, ${name}`,
        headers: fixedHeaders({ authorization }),
        bearer: 'wrong',
      }),
    ),
    {
      name: 'Bearer for /mcp alone, all scopes',
      headers: fixedHeaders({
        authorization: (await bearerOf(members.owner, allScopes, { isForAgents: true }))
          .authorization,
      }),
      bearer: 'agents',
      role: 'owner',
      scopes: allScopes,
    },
    {
      name: 'Bearer of somebody who left',
      headers: fixedHeaders({ authorization: left }),
      bearer: 'left',
    },
  ];
}

const states = {
  recent: {},
  stale: { provenMinutesAgo: 16 },
  half: { isHalf: true },
  ended: { isEnded: true },
} as const;

/** An owner's browser, in each state, with and without a selected client. */
const ownBrowserIdentities = ({ own, browser }: Fixture): Identity[] =>
  Object.entries(states).flatMap(([signIn, given]) =>
    [undefined, own.id].map(
      (clientId): Identity => ({
        name: `cookie, ${signIn}, ${clientId ? 'for the client' : 'no client'}`,
        headers: () => browser('owner', given, clientId),
        signIn: signIn as keyof typeof states,
        from: 'own-page',
        role: 'owner',
        scopes: null,
        ...(clientId ? { namesClient: 'own' } : {}),
      }),
    ),
  );

const browserIdentities = ({ own, foreign, browser }: Fixture): Identity[] => {
  const cookie = { signIn: 'recent', from: 'own-page', scopes: null } as const;
  return [
    ...everyRole.slice(1).map(
      (role): Identity => ({
        ...cookie,
        name: `cookie, ${role}, for the client`,
        headers: () => browser(role, {}, own.id),
        namesClient: 'own',
        role,
      }),
    ),
    {
      ...cookie,
      name: 'cookie for a client of others',
      headers: () => browser('owner', {}, foreign.id),
      namesClient: 'foreign',
    },
    {
      ...cookie,
      name: 'cookie for a client that there is not',
      headers: () => browser('owner', {}, newId()),
      namesClient: 'foreign',
    },
    {
      ...cookie,
      name: 'cookie for a client that is no UUID',
      headers: () => browser('owner', {}, 'x'),
      namesClient: 'malformed',
    },
  ];
};

/** Calls with a valid cookie that our own pages did not make. */
const foreignPageIdentities = ({ own, browser }: Fixture): Identity[] =>
  [undefined, own.id].flatMap((clientId): Identity[] => {
    const which = clientId ? 'for the client' : 'no client';
    const cookie = {
      signIn: 'recent',
      role: 'owner',
      scopes: null,
      ...(clientId ? { namesClient: 'own' as const } : {}),
    } as const;
    const pageHeaders = () => browser('owner', {}, clientId);
    return [
      {
        ...cookie,
        name: `cookie, sent by another page, ${which}`,
        headers: async () => ({ ...(await pageHeaders()), ...otherPage }),
        from: 'other-page',
      },
      {
        ...cookie,
        name: `cookie, sent by a sibling of our site, ${which}`,
        headers: async () => ({ ...(await pageHeaders()), 'sec-fetch-site': 'same-site' }),
        from: 'sibling',
      },
      {
        ...cookie,
        name: `cookie without an origin, ${which}`,
        headers: async () => {
          const { origin: _, 'sec-fetch-site': __, ...rest } = await pageHeaders();
          return rest;
        },
      },
    ];
  });

/** Calls with two credentials. */
const mixedIdentities = ({ own, members, bearerOf, browser, pageToken }: Fixture): Identity[] => {
  const { authorization } = members.owner;
  const ofOwner = { role: 'owner', scopes: null } as const;
  const cookie = { ...ofOwner, signIn: 'recent', from: 'own-page' } as const;
  return [
    {
      ...ofOwner,
      name: 'Basic and a nonce',
      headers: fixedHeaders({ authorization, ...withNonce }),
      basic: 'right',
      nonce: true,
    },
    {
      ...cookie,
      name: 'Basic and a cookie',
      headers: async () => ({ ...(await browser('owner')), authorization }),
      basic: 'right',
    },
    {
      ...cookie,
      name: 'a Bearer and a cookie for the client',
      headers: async () => ({
        ...(await browser('owner', {}, own.id)),
        authorization: (await bearerOf(members.owner, allScopes)).authorization,
      }),
      bearer: 'right',
      namesClient: 'own',
      scopes: allScopes,
    },
    {
      name: 'a nonce and a page token',
      headers: async () => ({ ...withNonce, 'x-customer-page-token': await pageToken() }),
      nonce: true,
      page: 'right',
    },
    {
      ...cookie,
      name: 'a nonce in a browser that is signed in',
      headers: async () => ({ ...(await browser('owner')), ...withNonce }),
      nonce: true,
    },
  ];
};

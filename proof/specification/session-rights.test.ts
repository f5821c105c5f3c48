// Contract §3 and §6: what each credential may do with a session, over HTTP, against a sandbox that
// would really charge: a price of one's own, and the saved cards of a buyer who is vouched for.

import { scopes as allScopes, type Scope } from '@svc/contract/rows/scopes';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { aSavedCard } from '../../service/test/customers/saved-cards.ts';
import { aCustomer, aProduct, aToken, callAs, newId } from '../../service/test/harness.ts';
import { aGrant } from '../../service/test/people/grants.ts';
import { aServer, type TestServer } from '../../service/test/server.ts';
import { startWorld, type World } from '../../service/test/world.ts';

let world: World;
let server: TestServer;
beforeAll(async () => {
  world = await startWorld();
  server = await aServer(world.ports);
  await aProduct(world.database, world.client, { code: 'lamp', prices: { EUR: 1990 } });
});
afterAll(async () => {
  await server?.close(0);
  await world?.close();
});

type Role = 'owner' | 'admin' | 'member';
type Holder = { role: Role; scopes: readonly Scope[] | null; via: 'token' | 'oauth' };

async function headersOf({ role, scopes, via }: Holder): Promise<{ authorization: string }> {
  const token = await aToken(world.database, world.client, {
    role,
    ...(scopes === null ? {} : { scopes }),
  });
  if (via === 'token') return { authorization: token.authorization };
  const user = { id: token.userId };
  const grant = await aGrant(world.ports, { user, client: world.client, scopes: scopes ?? [] });
  return { authorization: grant.authorization };
}

const create = (headers: Record<string, string>, userId: string, line: object = {}) =>
  callAs(server.app, null, 'POST /v1/checkouts/sessions', {
    headers,
    body: {
      clientId: world.client.id,
      currency: 'EUR',
      products: [{ code: 'lamp', quantity: 1, ...line }],
      accountData: { userId, email: 'buyer@example.test' },
    },
  });

/** Returns what the credential can do to a buyer with a saved card, as text. */
async function reachOfHolder(holder: Holder) {
  const headers = await headersOf(holder);
  const { id: userId } = await aCustomer(world.database, world.client);
  const card = await aSavedCard(world, { userId });
  const own: Record<string, string> = {};
  for (const field of ['overrideAmount', 'totalAmount']) {
    const priced = await create(headers, userId, { [field]: 999.99 });
    const body = priced.json();
    own[field] =
      priced.statusCode === 201
        ? `${body.totals.total}`
        : `${priced.statusCode} ${body.code} ${priced.headers['www-authenticate'] ?? ''}`.trim();
  }
  const same = await create(headers, userId, { overrideAmount: 19.9, totalAmount: 19.9 });
  expect(same.statusCode).toBe(201);
  const { id, nonce, buyerVerified } = same.json();
  const page = { 'x-checkout-session-token': nonce };
  const path = `/v1/checkouts/sessions/${id}` as const;
  const listed = await callAs(server.app, null, `GET ${path}/payment-methods`, { headers: page });
  const paid = await callAs(server.app, null, `POST ${path}/process`, {
    headers: { ...page, 'x-user-id': userId },
    body: {
      sessionId: id,
      tokenizedData: { provider: 'cardprovider', type: 'card', paymentMethodId: card.id },
      accountData: { userId, email: 'buyer@example.test' },
    },
  });
  const outcome = ({ statusCode, ...response }: typeof paid) =>
    statusCode === 200 ? '200' : `${statusCode} ${response.json().code}`;
  return { own, buyerVerified, cards: outcome(listed), charge: outcome(paid) };
}

const yes = { overrideAmount: '999.99', totalAmount: '999.99' };
const bothAmounts = (said: string) => ({ overrideAmount: said, totalAmount: said });
const vouched = { buyerVerified: true, cards: '200', charge: '200' };
const unknown = {
  buyerVerified: false,
  cards: '403 buyer_not_verified',
  charge: '403 buyer_not_verified',
};
const noScope = bothAmounts('403 insufficient_scope');
const noScopeTold = bothAmounts(
  '403 insufficient_scope Bearer error="insufficient_scope", scope="payments:write"',
);
const noRole = bothAmounts('403 merchant_role_required');

const start: Scope = 'checkout:write';
const may: [string, Holder, object][] = [
  ['an owner’s token', { role: 'owner', scopes: null, via: 'token' }, { own: yes, ...vouched }],
  ['an admin’s token', { role: 'admin', scopes: null, via: 'token' }, { own: yes, ...vouched }],
  [
    'an owner’s token with checkout:write alone',
    { role: 'owner', scopes: [start], via: 'token' },
    { own: noScope, ...unknown },
  ],
  [
    'an admin’s token with payments:write too',
    { role: 'admin', scopes: [start, 'payments:write'], via: 'token' },
    { own: yes, ...unknown },
  ],
  [
    'an admin’s token with payment_methods:read too',
    { role: 'admin', scopes: [start, 'payment_methods:read'], via: 'token' },
    { own: noScope, ...vouched },
  ],
  ['a member’s token', { role: 'member', scopes: null, via: 'token' }, { own: noRole, ...unknown }],
  [
    'a member’s token with every scope',
    { role: 'member', scopes: allScopes.filter((scope) => scope !== 'mcp'), via: 'token' },
    { own: noRole, ...unknown },
  ],
  [
    'an application of an owner with checkout:write alone',
    { role: 'owner', scopes: [start], via: 'oauth' },
    { own: noScopeTold, ...unknown },
  ],
  [
    'an application of an owner with all three',
    { role: 'owner', scopes: [start, 'payments:write', 'payment_methods:read'], via: 'oauth' },
    { own: yes, ...vouched },
  ],
  [
    'an application of a member with all three',
    { role: 'member', scopes: [start, 'payments:write', 'payment_methods:read'], via: 'oauth' },
    { own: noRole, ...unknown },
  ],
];

describe('Contract §6, what a credential adds to a session', () => {
  it.each(may)('Contract §6 session rights: %s', async (_, holder, expected) => {
    expect(await reachOfHolder(holder)).toEqual(expected);
  });

  it('Contract §6 session rights: another catalog problem stays 422 invalid_catalog_data', async () => {
    const headers = await headersOf({ role: 'member', scopes: null, via: 'token' });
    const answer = await callAs(server.app, null, 'POST /v1/checkouts/sessions', {
      headers,
      body: {
        clientId: world.client.id,
        currency: 'EUR',
        products: [
          { code: 'lamp', quantity: 1, overrideAmount: 1 },
          { code: 'unicorn', quantity: 1 },
        ],
        accountData: { userId: newId(), email: 'buyer@example.test' },
      },
    });
    expect([answer.statusCode, answer.json().code]).toEqual([422, 'invalid_catalog_data']);
  });

  it.each(['token', 'oauth'] as const)(
    'Contract §6 session rights: a member’s %s does not change the catalog that sessions take prices from',
    async (via) => {
      const scopes = via === 'oauth' ? (['catalog:write', start] as const) : null;
      const prices = [{ currency: 'EUR', amount: 0.5 }];
      const free = { code: `FREE-${newId()}`, percentOff: 100 };
      const half = { code: `HALF-${newId()}`, percentOff: 50 };
      expect(
        (await callAs(server.app, world.token, 'POST /v1/coupons', { body: half })).statusCode,
      ).toBe(201);
      const calls = [
        ['PATCH /v1/products/lamp', { prices }],
        ['POST /v1/products', { code: `lamp-${newId()}`, name: 'Lamp', kind: 'item', prices }],
        ['POST /v1/coupons', free],
        [`PATCH /v1/coupons/${half.code}`, { maxRedemptions: null }],
      ] as const;
      const listAnswers = async (headers: Record<string, string>) => {
        const answers = calls.map(([call, body]) =>
          callAs(server.app, null, call, { headers, body }),
        );
        return (await Promise.all(answers)).map((answer) => answer.json().code);
      };
      const refused = calls.map(() => 'merchant_role_required');
      expect(await listAnswers(await headersOf({ role: 'member', scopes, via }))).toEqual(refused);
      const lamp = await callAs(server.app, world.token, 'GET /v1/products/lamp');
      expect(lamp.json().prices).toEqual([{ currency: 'EUR', amount: 19.9 }]);
      expect(await listAnswers(await headersOf({ role: 'admin', scopes, via }))).not.toContain(
        refused[0],
      );
      await callAs(server.app, world.token, 'PATCH /v1/products/lamp', {
        body: { prices: [{ currency: 'EUR', amount: 19.9 }] },
      });
    },
  );

  it.each(['token', 'oauth'] as const)(
    'Contract §6 session rights: who starts checkouts by %s does not change who sells, nor where',
    async (via) => {
      const headers = await headersOf({ role: 'owner', scopes: [start], via });
      const body = { allowedOrigins: ['https://evil.example'], termsUrl: 'https://evil.example/' };
      const asked = await callAs(server.app, null, 'PATCH /v1/client', { headers, body });
      expect([asked.statusCode, asked.json().code]).toEqual([403, 'insufficient_scope']);
      const read = await callAs(server.app, null, 'GET /v1/client', { headers });
      expect(read.json()).toMatchObject({ allowedOrigins: [], termsUrl: null });
    },
  );

  it('Contract §3 buyer: a session that vouches for nobody leaves the merchant’s customers alone', async () => {
    const headers = await headersOf({ role: 'member', scopes: null, via: 'token' });
    const userId = newId();
    expect((await create(headers, userId)).statusCode).toBe(201);
    const read = await callAs(server.app, world.token, `GET /v1/customers/${userId}`);
    expect(read.statusCode).toBe(404);
  });
});

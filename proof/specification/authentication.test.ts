// The specification's section on authentication, rule by rule, over HTTP against a whole service with
// its provider and its vault; rules 1, 5, 6 and 8 have more in api-tokens and payments. Spec 5.
// Contract §2, §3, §6.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { rows } from '@svc/contract';
import type { RowShape } from '@svc/contract/row';
import { scopes as allScopes } from '@svc/contract/scopes';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Database } from '../../service/src/storage/database/database.ts';
import { sql } from '../../service/src/storage/database/sql.ts';
import { aGrant } from '../../service/test/grants.ts';
import {
  aClient,
  aToken,
  basicHeader,
  callAs,
  moveClock,
  newId,
  portsFor,
  type TestToken,
} from '../../service/test/harness.ts';
import { aServer } from '../../service/test/server.ts';
import { email, refusal, sessions } from './buyer.ts';
import { type CardShop, openCardShop } from './cardholder.ts';
import type { Answer } from './merchant.ts';

let shop: CardShop;
beforeAll(async () => {
  shop = await openCardShop();
});
afterAll(() => shop?.close());

type Role = 'owner' | 'admin' | 'member';

/** Calls with an access token of the member, instead of Basic. */
async function bearer(given: { scopes?: readonly string[]; of?: TestToken; lifeSeconds?: number }) {
  const { scopes = allScopes, of = shop.token, lifeSeconds = 3600 } = given;
  const { authorization, grantId } = await aGrant(shop, {
    user: { id: of.userId },
    client: { id: of.clientId },
    scopes,
    lifeSeconds,
  });
  return { ...of, authorization, grantId };
}
const aMember = (role: Role) => aToken(shop.database, shop.client, { role });

const leave = sql(
  'spec_authentication_leave',
  'delete from memberships where client_id = $1 and user_id = $2',
);
const revoke = sql(
  'spec_authentication_revoke',
  'update oauth_grants set revoked_at = svc_clock() where id = $1',
);

const listPayments = (token: TestToken) => shop.ask('GET /v1/payments', { token });
const unauthenticated = refusal(401, 'authentication_required', { type: 'authentication_error' });
const unscoped = refusal(403, 'insufficient_scope', { type: 'permission_error' });
const noLeader = refusal(403, 'merchant_role_required', { type: 'permission_error' });

describe('Spec 5, Authentication', () => {
  it('Spec 5 rule 2: Authorization: Bearer with an access token; unknown, expired and revoked are 401', async () => {
    const token = await bearer({});
    expect(await listPayments(token)).toMatchObject({ status: 200 });
    const value = token.authorization.slice('Bearer '.length);
    const malformed = [
      value,
      `Bearer  ${value}`,
      `Bearer ${value}x`,
      `Bearer ${value} x`,
      'Bearer',
    ];
    for (const authorization of [...malformed, `Bearer ${'A'.repeat(43)}`, `Basic ${value}`]) {
      expect(await listPayments({ ...token, authorization }), authorization).toMatchObject(
        unauthenticated,
      );
    }
    const short = await bearer({ lifeSeconds: 60 });
    expect(await listPayments(short)).toMatchObject({ status: 200 });
    await moveClock(shop.database, 61_000);
    expect(await listPayments(short)).toMatchObject(unauthenticated);
    await moveClock(shop.database, -61_000);
    await shop.database.write(revoke, [token.grantId]);
    expect(await listPayments(token)).toMatchObject(unauthenticated);
  });

  it('Spec 5 rule 3: capture and cancel by Basic, or a Bearer of an owner or admin; else 403', async () => {
    for (const move of ['capture', 'cancel'] as const) {
      const allowed = [
        shop.token,
        await aMember('admin'),
        await bearer({}),
        await bearer({ of: await aMember('admin') }),
      ];
      for (const token of allowed) {
        expect(await shop.move(move, await shop.aHold(), { token })).toMatchObject({ status: 200 });
      }
      const hold = await shop.aHold();
      const former = await aMember('owner');
      const left = await bearer({ of: former });
      await shop.database.write(leave, [former.clientId, former.userId]);
      const member = await aMember('member');
      for (const token of [member, await bearer({ of: member }), left]) {
        expect(await shop.move(move, hold, { token }), move).toMatchObject(noLeader);
      }
      expect(await shop.read(hold)).toMatchObject({ status: 'authorized' });
      expect(await shop.movements(hold)).not.toContain('capture');
    }
  });

  it('Spec 5 rule 4: cards by Basic or a Bearer with the scope, and those of the client alone', async () => {
    const { id, userId } = await shop.aCard(await shop.aBuyer());
    const rival = await aToken(shop.database, await aClient(shop.database));
    const foreign = [rival, await bearer({ of: rival })];
    for (const token of foreign) {
      expect((await shop.list(`?userUuid=${userId}`, token)).body).toMatchObject({ data: [] });
      expect(await shop.remove(id, token)).toMatchObject(refusal(404, 'payment_method_not_found'));
    }
    const listing = await bearer({ scopes: ['payment_methods:read'] });
    for (const token of [shop.token, listing]) {
      expect((await shop.list(`?userUuid=${userId}`, token)).body).toMatchObject({
        data: [{ id }],
      });
    }
    expect(await shop.remove(id, listing)).toMatchObject(unscoped);
    const removing = await bearer({ scopes: ['payment_methods:write'] });
    expect(await shop.remove(id, removing)).toMatchObject({ status: 204 });
  });

  it('Spec 5 rule 6: calls of a checkout take x-checkout-session-token, and no other credential', async () => {
    const session = await shop.open();
    expect(await shop.status(session)).toMatchObject({ status: 200 });
    const { call } = rows.getCheckoutSessionStatus;
    expect(call).toBe(`GET ${sessions}/{sessionId}/status`);
    const bySession = Object.values(rows as Record<string, RowShape>).filter(
      ({ auth }) => auth === 'session',
    );
    const outside = bySession.filter((row) => !row.call.includes(' /v1/checkouts/'));
    expect([bySession.length > 8, outside]).toEqual([true, []]);
    const lacking = refusal(401, 'checkout_session_token_required');
    for (const row of bySession) {
      const path = row.call.replace(/\{\w+\}/, session.sessionId) as 'GET /';
      for (const token of [null, shop.token, await bearer({})]) {
        expect(await shop.ask(path, { token }), row.call).toMatchObject(lacking);
      }
    }
  });

  it('Spec 5 rule 7: no page of another origin may send a token, and none of our scripts does', async () => {
    const browserRows = Object.values(rows as Record<string, RowShape>).filter(
      ({ browser }) => browser,
    );
    expect(browserRows.length).toBeGreaterThan(5);
    for (const row of browserRows) {
      const [method = '', path = ''] = row.call.replace(/\{\w+\}/, newId()).split(' ');
      const answer = await callAs(shop.app, null, `OPTIONS ${path}`, {
        headers: {
          origin: 'http://localhost:5999',
          'access-control-request-method': method,
          'access-control-request-headers': 'authorization',
        },
      });
      const allowed = String(answer.headers['access-control-allow-headers']);
      expect(allowed).toContain('x-checkout-session-token');
      expect(allowed.toLowerCase()).not.toContain('authorization');
      expect(allowed).not.toContain('*');
    }
    const scripts = scriptsOf('pages').concat(scriptsOf('libraries/browser/src'));
    expect(scripts.length).toBeGreaterThan(50);
    const sending = /['"]?authorization['"]?\s*[:\]]|\b(Basic|Bearer) \$\{/i;
    expect(sending.test("headers: { authorization: 'Bearer x' }")).toBe(true);
    const senders = scripts.filter((file) => sending.test(readFileSync(file, 'utf8')));
    expect(senders).toEqual([]);
  });

  it('Spec 5 rule 10: GET /v1/payments by Basic, a Bearer with payments:read or the session; the claim by the session', async () => {
    const { session, paymentId } = await shop.checkout('automatic');
    const ofBuyer = `GET /v1/payments?email=${encodeURIComponent(email)}` as const;
    for (const token of [shop.token, await bearer({ scopes: ['payments:read'] })]) {
      const { body } = await shop.ask(ofBuyer, { token });
      const found = (body.data as { id: string; amount: number }[]).find(
        ({ id }) => id === paymentId,
      );
      expect(found?.amount).toBe(19.9);
    }
    const narrow = await bearer({ scopes: ['mcp', 'payments:write'] });
    expect(await listPayments(narrow)).toMatchObject(unscoped);
    expect(await shop.call(session, ofBuyer)).toMatchObject({
      status: 200,
      body: { data: [{ id: paymentId }], total: 1 },
    });
    expect(await shop.call(null, ofBuyer)).toMatchObject(unauthenticated);

    const shell = await shop.shell();
    const path = `PATCH ${sessions}/${shell.sessionId}/claim` as const;
    expect(await shop.ask(path, { body: {} })).toMatchObject(
      refusal(401, 'checkout_session_token_required'),
    );
    expect(await shop.claim(shell)).toMatchObject({ status: 200 });
  });
});

/** Returns the sources that run in browsers, without tests and build scripts. */
function scriptsOf(folder: string): string[] {
  const root = join(import.meta.dirname, '../..', folder);
  return readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter(
      (file) =>
        /\.tsx?$/.test(file) && !/test|node_modules|build|fixture|sign-in-proofs|dist/.test(file),
    )
    .map((file) => join(root, file));
}

describe('Contract §6, scopes and roles of money and cards', () => {
  it('Contract §6 role alone: a Bearer of an owner captures and cancels whatever its scopes are', async () => {
    const token = await bearer({ scopes: ['catalog:read'] });
    for (const move of ['capture', 'cancel'] as const) {
      expect(await shop.move(move, await shop.aHold(), { token })).toMatchObject({ status: 200 });
    }
  });

  it('Contract §6 refund scope: refunds ask for refunds:write and for an owner or admin', async () => {
    const paymentId = await shop.aPurchase();
    const refund = async (scopes: readonly string[], of = shop.token): Promise<Answer> =>
      shop.move('refunds', paymentId, { token: await bearer({ scopes, of }), body: {} });
    const others = allScopes.filter((scope) => scope !== 'refunds:write');
    expect(await refund(others)).toMatchObject(unscoped);
    expect(await refund(['refunds:write'], await aMember('member'))).toMatchObject(noLeader);
    expect(await shop.read(paymentId)).toMatchObject({ status: 'succeeded', amountRefunded: 0 });
    expect(await refund(['refunds:write'])).toMatchObject({ status: 201 });
  });

  it('Contract §6 card scope: payment_methods:read lists, payment_methods:write removes', async () => {
    const { id, userId } = await shop.aCard(await shop.aBuyer());
    const withoutScope = (scope: string) =>
      bearer({ scopes: allScopes.filter((one) => one !== scope) });
    const listed = await shop.list(
      `?userUuid=${userId}`,
      await withoutScope('payment_methods:read'),
    );
    expect(listed).toMatchObject(unscoped);
    expect(await shop.remove(id, await withoutScope('payment_methods:write'))).toMatchObject(
      unscoped,
    );
    expect(await shop.listedIds(userId)).toEqual([id]);
  });

  it('Contract §6 checksum: a mistyped token is 401 without a question to the database', async () => {
    const asked: string[] = [];
    const watched: Database = {
      ...shop.database,
      read: (query, values) => {
        asked.push(query.name);
        return shop.database.read(query, values);
      },
    };
    const server = await aServer(portsFor(watched));
    const sendToken = (token: string) => {
      asked.length = 0;
      const headers = { authorization: basicHeader(shop.client.id, token) };
      return callAs(server.app, null, 'GET /v1/payments', { headers });
    };
    const status = async (token: string) => (await sendToken(token)).statusCode;
    const { token } = shop.token;
    for (let at = 4; at < token.length; at += 5) {
      const other = token[at] === 'x' ? 'y' : 'x';
      expect(await status(token.slice(0, at) + other + token.slice(at + 1))).toBe(401);
      expect(asked).toEqual([]);
    }
    expect((await sendToken(`${token}x`)).json().message).toContain(
      'the client id as user name, the API token as password',
    );
    expect(await status(token)).toBe(200);
    expect(asked).toContain('find_api_token');
    await server.close();
  });
});

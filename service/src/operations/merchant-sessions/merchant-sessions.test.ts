// A merchant's sessions over HTTP: what is told of each, and what never is.

import type { MerchantSession, MerchantSessionDetails } from '@svc/contract/merchant-sessions';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { aClient, aToken, callAs, newId, type TestToken } from '../../../test/harness.ts';
import { aServer, type TestServer } from '../../../test/server.ts';
import { aSession, cards, pay, startWorld, type World } from '../../../test/world.ts';

let world: World;
let server: TestServer;
let stranger: TestToken;
beforeAll(async () => {
  world = await startWorld();
  server = await aServer(world.ports);
  stranger = await aToken(world.database, await aClient(world.database));
});
afterAll(async () => {
  await server?.close();
  await world?.close();
});

const get = (path: string, as: TestToken = world.token) =>
  callAs(server.app, as, `GET /v1/checkout-sessions${path}`);

describe('a session of the merchant', () => {
  it('that was paid after a decline: cart, totals, both attempts, and that it is done', async () => {
    const session = await aSession(world, { captureMethod: 'automatic' });
    await pay(world, session, cards.poor).catch(() => null);
    await pay(world, session);
    const answer = await get(`/${session.sessionId}`);
    expect(answer.statusCode, answer.body).toBe(200);
    const told = answer.json() as MerchantSessionDetails;
    expect(told).toMatchObject({
      status: 'completed',
      step: 'done',
      products: [{ quantity: 1, totalAmount: 19.9 }],
      totals: { total: 19.9, currency: 'EUR' },
    });
    expect(told.attempts.map(({ status, declineCode }) => [status, declineCode])).toEqual([
      ['failed', 'insufficient_funds'],
      ['succeeded', null],
    ]);
  });

  it('tells neither nonce nor address nor card form', async () => {
    const session = await aSession(world, {});
    for (const path of [`/${session.sessionId}`, `?id[eq]=${session.sessionId}`]) {
      const { body } = await get(path);
      expect(body).toContain(session.sessionId);
      expect(body).not.toContain(session.nonce);
      expect(body).not.toMatch(/"(nonce|url|vault|mountToken|successUrl)"/);
    }
  });

  it('is listed by status, email and time; stops at the card where nobody paid', async () => {
    const session = await aSession(world, {});
    const answer = await get(`?status[eq]=open&sortDirection=DESC&limit=5`);
    const { data } = answer.json() as { data: MerchantSession[] };
    const own = data.find(({ id }) => id === session.sessionId);
    expect(own).toMatchObject({ status: 'open', step: 'card', latestResult: null });
    const byEmail = await get(`?email[eq]=${encodeURIComponent(own?.email?.toUpperCase() ?? '')}`);
    expect(byEmail.json().total).toBeGreaterThan(0);
    const later = new Date(Date.now() + 3_600_000).toISOString();
    expect((await get(`?createdAt[gt]=${later}`)).json().total).toBe(0);
  });

  it('404 checkout_session_not_found: another merchant’s, and none; its list is empty', async () => {
    const { sessionId } = await aSession(world, {});
    for (const answer of [await get(`/${sessionId}`, stranger), await get(`/${newId()}`)]) {
      expect([answer.statusCode, answer.json().code]).toEqual([404, 'checkout_session_not_found']);
    }
    expect((await get('', stranger)).json().total).toBe(0);
  });

  it('400 invalid_query: a filter that there is not; 400 of no id', async () => {
    expect((await get('?nonce[eq]=x')).json().code).toBe('invalid_query');
    expect((await get('/x')).statusCode).toBe(400);
  });

  it('403 insufficient_scope: a token without payments:read', async () => {
    const token = await aToken(world.database, world.client, { scopes: ['catalog:read'] });
    expect((await get('', token)).json().code).toBe('insufficient_scope');
  });
});

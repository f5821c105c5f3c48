// A merchant's sessions over HTTP: which fields are shown, and which never.

import type {
  MerchantSession,
  MerchantSessionDetails,
} from '@svc/contract/checkout-sessions/merchant-sessions';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { aClient, aToken, callAs, newId, type TestToken } from '../../../test/harness.ts';
import { advance } from '../../../test/payments/planted.ts';
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

  it('is listed as it is shown: open no longer once its time is over, though no worker ended it', async () => {
    const { sessionId } = await aSession(world, {});
    const listedAs = async (status: string) =>
      (await get(`?status[eq]=${status}&id[eq]=${sessionId}`)).json().total;
    expect(await Promise.all(['open', 'expired'].map(listedAs))).toEqual([1, 0]);
    await advance(world, 2 * 86_400);
    expect(await Promise.all(['open', 'expired'].map(listedAs))).toEqual([0, 1]);
    expect((await get(`/${sessionId}`)).json().status).toBe('expired');
  });

  it('goes on where its first page ended', async () => {
    await aSession(world, {});
    const first = (await get('?limit=1')).json();
    const answer = await get(`?limit=1&cursor=${first.nextCursor}`);
    expect(answer.statusCode, answer.body).toBe(200);
    expect(answer.json()).toMatchObject({ total: first.total });
    expect(answer.json().data).toHaveLength(1);
    expect(answer.json().data[0].id).not.toBe(first.data[0].id);
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

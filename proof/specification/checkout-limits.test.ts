// Limits of contract §10 over HTTP, with a clock that stands still until it is moved. A title begins
// with the place that it shows.

import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { contractLimits } from '../../service/src/http/limits/limits.ts';
import { newId } from '../../service/test/harness.ts';
import { openShop, refusal, type Shop, sessions } from './buyer.ts';
import type { Answer } from './merchant.ts';

let nowMs = 0;
let shop: Shop;
beforeAll(async () => {
  shop = await openShop({ limits: contractLimits, nowMs: () => nowMs });
});
// Moves to the next hour, in which no limit is used up.
beforeEach(() => passTime(3601));
afterAll(() => shop?.close());

/** Moves the time of this process and of the database. */
async function passTime(seconds: number): Promise<void> {
  nowMs += seconds * 1000;
  await shop.advance(seconds);
}

async function statuses(times: number, call: () => Promise<Answer>) {
  const counts: Record<number, number> = {};
  for (let n = 0; n < times; n++) {
    const { status } = await call();
    counts[status] = (counts[status] ?? 0) + 1;
  }
  return counts;
}

const limited = refusal(429, 'rate_limited', { type: 'rate_limit_error', retryable: true });

/** Pays a session: each further call is a replay, and counts. */
async function paidSession() {
  const session = await shop.open();
  const token = await shop.card(session);
  return { session, token, pay: () => shop.payWith(session, { token }) };
}

describe('Contract §10, per session', () => {
  it('Contract §10 process a minute: six, whichever way they come, then 429', async () => {
    const { session, token, pay } = await paidSession();
    expect(await statuses(3, pay)).toEqual({ 200: 3 });
    expect(await statuses(4, () => shop.charge(session, token))).toEqual({ 200: 3, 429: 1 });
    expect(await pay()).toMatchObject(limited);
    await passTime(61);
    expect(await statuses(7, pay)).toEqual({ 200: 6, 429: 1 });
    expect(await statuses(2, (await paidSession()).pay)).toEqual({ 200: 2 });
  });

  it('Contract §10 process an hour: twenty, then half an hour of nothing, then again', async () => {
    const { pay } = await paidSession();
    for (let n = 0; n < 20; n++) {
      expect((await pay()).status).toBe(200);
      await passTime(20);
    }
    const paused = await pay();
    expect(paused).toMatchObject(limited);
    expect(paused.headers['retry-after']).toBe('1800');
    await passTime(1799);
    expect(await pay()).toMatchObject(limited);
    await passTime(2);
    expect(await pay()).toMatchObject({ status: 200 });
  });
});

describe('Contract §10, per address', () => {
  const shell = (token: Parameters<Shop['call']>[0]) => () =>
    shop.call(token, `POST ${sessions}`, {
      body: { clientId: shop.client.id, currency: 'EUR', deferDataAttachment: true },
    });

  it('Contract §10 session create: 120 a minute without a credential; with one they are not counted', async () => {
    expect(await statuses(121, shell(null))).toEqual({ 201: 120, 429: 1 });
    expect(await statuses(2, shell(shop.token))).toEqual({ 201: 2 });
    await passTime(61);
    expect(await statuses(2, shell(null))).toEqual({ 201: 2 });
  });

  it('Contract §10 session token: ten wrong ones a minute, then 429; a right one still passes', async () => {
    const session = await shop.open();
    const guess = () => shop.get(session, newId());
    expect(await statuses(12, guess)).toEqual({ 404: 10, 429: 2 });
    expect(await shop.get(session)).toMatchObject({ status: 200 });
    await passTime(61);
    expect(await statuses(1, guess)).toEqual({ 404: 1 });
  });

  it('Contract §10 basic: twenty wrong ones a minute, then 429; a right one still passes', async () => {
    const wrong = { ...shop.token, authorization: 'Basic bm9ib2R5Om5vdGhpbmc=' };
    const guess = () => shop.ask('GET /v1/payments', { token: wrong });
    expect(await statuses(22, guess)).toEqual({ 401: 20, 429: 2 });
    expect(await shop.ask('GET /v1/payments')).toMatchObject({ status: 200 });
  });
});

describe('Contract §10, per client', () => {
  const unknown = `/v1/payments/${newId()}`;

  it('Contract §10 client: 100 a second over all calls', async () => {
    const readUnknown = () => shop.ask(`GET ${unknown}`);
    expect(await statuses(101, readUnknown)).toEqual({ 404: 100, 429: 1 });
    await passTime(1);
    expect(await statuses(101, readUnknown)).toEqual({ 404: 100, 429: 1 });
  });

  it('Contract §10 money: captures, cancels and refunds 50 a second, bursts of 100', async () => {
    const moves = ['capture', 'cancel', 'refunds'] as const;
    let n = 0;
    const move = () => shop.move(moves[n++ % 3] ?? 'capture', newId(), { body: {} });
    expect(await statuses(101, move)).toEqual({ 404: 100, 429: 1 });
    await passTime(1);
    expect(await statuses(51, move)).toEqual({ 404: 50, 429: 1 });
    expect(await shop.ask(`GET ${unknown}`)).toMatchObject({ status: 404 });
  });
});

describe('Contract §10, what a limit says', () => {
  it('Contract §10 headers: 429 rate_limited with Retry-After and RateLimit-*; then, and not before, a call passes', async () => {
    const { pay } = await paidSession();
    await statuses(6, pay);
    const { status, headers } = await pay();
    expect(status).toBe(429);
    expect(headers).toMatchObject({
      'ratelimit-limit': '6',
      'ratelimit-remaining': '0',
      'ratelimit-reset': headers['retry-after'],
    });
    await passTime(Number(headers['retry-after']));
    expect((await pay()).status).toBe(200);
  });

  it('Contract §1 rate_limited and rate_limit_error: 429, retryable, with Retry-After', async () => {
    const { pay } = await paidSession();
    await statuses(6, pay);
    const answer = await pay();
    expect(answer).toMatchObject(limited);
    expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
  });

  it('Contract §10 body: 64 kB, and not one byte more', async () => {
    const { session } = await paidSession();
    const text = JSON.stringify({ reason: 'other' });
    const paddedBody = (bytes: number) => text.padEnd(bytes, ' ');
    const decline = (body: string) =>
      shop.call(session, `POST ${sessions}/${session.sessionId}/decline`, { body });
    expect(await decline(paddedBody(65_537))).toMatchObject(refusal(413, 'body_too_large'));
    expect(await decline(paddedBody(65_536))).toMatchObject({ status: 200 });
  });
});

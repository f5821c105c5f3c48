// What the contract adds to API tokens, over HTTP: ends, scopes, rotation, roles, and how many an hour.
// Contract §1, §6, §10.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseApiToken } from '../../service/src/domain/people/api-token.ts';
import { contractLimits } from '../../service/src/http/limits/limits.ts';
import { sql } from '../../service/src/storage/database/sql.ts';
import { basicHeader, moveClock, newId } from '../../service/test/harness.ts';
import { refusal } from './buyer.ts';
import { type Keeper, openKeeper, type Person } from './token-keeper.ts';

let keeper: Keeper;
let person: Person;
beforeAll(async () => {
  keeper = await openKeeper({
    limits: { ...contractLimits, clientPerSecond: 10_000, failedBasicPerMinute: 10_000 },
  });
  person = await keeper.aPerson();
});
afterAll(() => keeper?.close());

const timeInSeconds = (seconds: number) => new Date(Date.now() + seconds * 1000).toISOString();
const advanceAndRun = async (seconds: number, then: () => Promise<unknown>) => {
  await moveClock(keeper.database, seconds * 1000);
  await then();
  await moveClock(keeper.database, -seconds * 1000);
};
const works = [200, 200];
const dead = [401, 401];

describe('API tokens', () => {
  it('Contract §1 api_token_limit_reached: 409 with its type and message', async () => {
    const owner = await keeper.aPerson();
    for (let n = 0; n < 10; n++) await keeper.make(owner);
    expect(await keeper.as(owner).create()).toMatchObject(
      refusal(409, 'api_token_limit_reached', { type: 'conflict_error', retryable: false }),
    );
  });

  it('Contract §1 api_token_not_found: 404 with its type', async () => {
    expect(await keeper.as(person).get(newId())).toMatchObject(
      refusal(404, 'api_token_not_found', { type: 'not_found_error' }),
    );
  });

  it('Contract §6 format: 43 base62 characters and a CRC-32 of six, all of them new', async () => {
    const owner = await keeper.aPerson();
    const values = new Set<string>();
    for (let n = 0; n < 10; n++) values.add((await keeper.make(owner)).token);
    expect(values.size).toBe(10);
    for (const value of values) {
      expect(value).toMatch(/^svc_[0-9A-Za-z]{49}$/);
      expect(parseApiToken(value)).toBe(value);
    }
  });

  it('Contract §6 expiresAt: from then on it does not authenticate, is not listed and not counted', async () => {
    const owner = await keeper.aPerson();
    const { id, token, expiresAt } = await keeper.make(owner, { expiresAt: timeInSeconds(600) });
    expect(Date.parse(String(expiresAt))).toBeGreaterThan(Date.now());
    expect(await keeper.statuses(owner, token)).toEqual(works);
    await advanceAndRun(601, async () => {
      expect(await keeper.statuses(owner, token)).toEqual(dead);
      expect((await keeper.as(owner).list()).body.data).toEqual([]);
      expect(await keeper.as(owner).get(id)).toMatchObject(refusal(404, 'api_token_not_found'));
      expect((await keeper.as(owner).remove(id)).status).toBe(204);
    });
    const wrong = [timeInSeconds(-1), '2026-02-31', '2026-13-01T00:00:00.000Z', 'soon', 1, true];
    for (const given of wrong) {
      const answer = await keeper.as(owner).create({ name: 'x', expiresAt: given });
      expect(answer).toMatchObject(refusal(400, 'invalid_request', { param: 'expiresAt' }));
    }
  });

  it('Contract §6 scopes: no more than they say; absent is what the role allows', async () => {
    const owner = await keeper.aPerson();
    const { token, scopes } = await keeper.make(owner, {
      scopes: ['catalog:read', 'catalog:read'],
    });
    expect(scopes).toEqual(['catalog:read']);
    const authorization = basicHeader(owner.client.id, token);
    const get = (path: string) => keeper.send(keeper.second, `GET ${path}`, { authorization });
    expect((await get('/v1/products')).status).toBe(200);
    expect(await get('/v1/payments')).toMatchObject(refusal(403, 'insufficient_scope'));
    const whole = await keeper.make(owner);
    expect(await keeper.statuses(owner, whole.token)).toEqual(works);
    for (const wrong of [[], ['mcp'], ['catalog:*'], 'catalog:read', ['catalog:read', 'x']]) {
      const answer = await keeper.as(owner).create({ name: 'x', scopes: wrong });
      expect(answer.body).toMatchObject({ status: 400, code: 'invalid_request' });
    }
  });

  it('Contract §6 member: a member’s token gets 403 on capture, cancel and refund', async () => {
    const member = await keeper.aPerson({ role: 'member' });
    const { token } = await keeper.make(member);
    const authorization = basicHeader(member.client.id, token);
    const headers = { authorization, 'idempotency-key': 'one' };
    const calls = [
      ['PUT', 'capture', {}],
      ['PUT', 'cancel', {}],
      ['POST', 'refunds', {}],
    ] as const;
    for (const [method, what, payload] of calls) {
      const url = `/v1/payments/${newId()}/${what}`;
      const answer = await keeper.first.app.inject({ method, url, headers, payload });
      expect([answer.statusCode, answer.json().code]).toEqual([403, 'merchant_role_required']);
    }
  });

  it('Contract §6 rotate: a new value under the same id, the old one for the overlap', async () => {
    const owner = await keeper.aPerson();
    const made = await keeper.make(owner, { scopes: ['payments:read'] });
    const { token: old, ...stays } = made;
    const { status, body } = await keeper.as(owner).rotate(made.id, 3600);
    const value = String(body.token);
    expect([status, body]).toEqual([200, { ...stays, token: expect.stringMatching(/^svc_/) }]);
    expect(value).not.toBe(old);
    expect(await keeper.statuses(owner, old)).toEqual(works);
    expect(await keeper.statuses(owner, value)).toEqual(works);
    await advanceAndRun(3601, async () => {
      expect(await keeper.statuses(owner, old)).toEqual(dead);
      expect(await keeper.statuses(owner, value)).toEqual(works);
    });
    const last = String((await keeper.as(owner).rotate(made.id, 0)).body.token);
    expect(await keeper.statuses(owner, value)).toEqual(dead);
    expect(await keeper.statuses(owner, last)).toEqual(works);
    for (const wrong of [-1, 604_801, 1.5, '60', null, undefined]) {
      const answer = await keeper.as(owner).rotate(made.id, wrong);
      expect(answer).toMatchObject(refusal(400, 'invalid_request', { param: 'overlapSeconds' }));
    }
    await keeper.as(owner).remove(made.id);
    expect(await keeper.statuses(owner, last)).toEqual(dead);
  });

  it('Contract §6 owner: whose membership ended has no token that authenticates', async () => {
    const member = await keeper.aPerson({ role: 'member' });
    const { token } = await keeper.make(member);
    expect(await keeper.statuses(member, token)).toEqual(works);
    const leave = sql(
      'spec_leave',
      'delete from memberships where client_id = $1 and user_id = $2',
    );
    await keeper.database.write(leave, [member.client.id, member.id]);
    expect(await keeper.statuses(member, token)).toEqual(dead);
    expect(await keeper.as(member).create()).toMatchObject(refusal(403, 'merchant_role_required'));
  });

  it('Contract §10 tokens an hour: 429 rate_limited at the 61st, with when to come again', async () => {
    const owner = await keeper.aPerson();
    const { create, remove } = keeper.as(owner);
    for (let n = 0; n < 60; n++) await remove((await keeper.make(owner)).id);
    const answer = await create();
    expect(answer).toMatchObject(refusal(429, 'rate_limited', { retryable: true }));
    const wait = Number(answer.headers['retry-after']);
    expect(wait).toBeGreaterThan(3500);
    expect(answer.headers).toMatchObject({ 'ratelimit-limit': '60', 'ratelimit-remaining': '0' });
    await advanceAndRun(3601, async () => expect((await create()).status).toBe(201));
  });

  it('no log line and no refusal holds a value', async () => {
    const owner = await keeper.aPerson();
    const { id, token } = await keeper.make(owner);
    await keeper.statuses(owner, token);
    const refused = await keeper.as(owner).create({ name: token.repeat(3) });
    expect(refused.text).not.toContain(token);
    await keeper.as(owner).remove(id);
    const lines = JSON.stringify(keeper.servers.flatMap(({ logged }) => logged));
    expect(lines).toContain('createApiToken');
    expect(lines).not.toContain(token.slice(4, 30));
    expect(lines).not.toContain(owner.grant.accessToken);
  });
});

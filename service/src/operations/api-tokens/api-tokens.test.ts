// API tokens at their limits and in races, and what is recorded about them. The endpoints over
// HTTP: proof/specification/api-tokens.test.ts.

import { hash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freshDatabase, moveClock, portsFor, type TestDatabase } from '../../../test/harness.ts';
import {
  aMaker,
  auditedOf,
  createToken,
  listTokenEvents,
  type Maker,
} from '../../../test/people/tokens-by-owner.ts';
import { Refusal } from '../../domain/protocol/refusal.ts';
import { refuse } from '../../engine/implement.ts';
import type { Ports } from '../../engine/ports.ts';
import { verifyApiToken } from '../../engine/steps/api-tokens/verify-api-token.ts';
import { contractLimits } from '../../http/limits/limits.ts';
import { sql } from '../../storage/database/sql.ts';
import { operations } from '../index.ts';

let db: TestDatabase;
let ports: Ports;
let limited: Ports;
beforeAll(async () => {
  db = await freshDatabase();
  ports = portsFor(db.database);
  limited = { ...ports, settings: { ...ports.settings, attemptLimits: contractLimits } };
});
afterAll(() => db?.close());

const codeOf = (error: unknown) => {
  if (error instanceof Refusal) return error.code;
  throw error;
};
const tryToCreate = (by: Maker, at: Ports = ports) =>
  createToken(at, by).then(
    () => 'made',
    (error) => codeOf(error),
  );
const remove = (by: Maker, id: string) =>
  operations.deleteApiToken({ id }, by.caller, ports, refuse);
const list = async (by: Maker) => {
  const answer = await operations.listApiTokens({}, by.caller, ports, refuse);
  return 'body' in answer ? answer.body.data : [];
};
const rotate = async (by: Maker, id: string, overlapSeconds: number) => {
  const input = { id, body: { overlapSeconds } };
  const answer = await operations.rotateApiToken(input, by.caller, ports, refuse);
  return 'body' in answer ? answer.body : { id: '', token: '' };
};
const isTokenValid = async (by: Maker, value: string) =>
  (await verifyApiToken(by.client.id, hash('sha256', value, 'buffer'), ports)) !== undefined;
const tally = (all: readonly string[]) =>
  Object.fromEntries(
    [...new Set(all)].sort().map((one) => [one, all.filter((x) => x === one).length]),
  );

const setEnd = sql('test_end', 'update api_tokens set expires_at = $2 where id = $1');
const leave = sql('test_leave', 'delete from memberships where client_id = $1 and user_id = $2');

describe('the limit of ten', () => {
  it('Spec 7.3.2 · Spec 8.1 · 409 api_token_limit_reached: exactly ten of 50 parallel creates are made', async () => {
    const maker = await aMaker(ports);
    const all = await Promise.all(Array.from({ length: 50 }, () => tryToCreate(maker)));
    expect(tally(all)).toEqual({ api_token_limit_reached: 40, made: 10 });
    expect(await list(maker)).toHaveLength(10);
  });

  it('counts per user and client, and neither revoked ones nor those that ended', async () => {
    const maker = await aMaker(ports);
    const made = [];
    for (let n = 0; n < 10; n++) made.push(await createToken(ports, maker));
    expect(await tryToCreate(maker)).toBe('api_token_limit_reached');
    expect(await tryToCreate(await aMaker(ports, { client: maker.client }))).toBe('made');
    await remove(maker, made[0]?.id ?? '');
    expect(await tryToCreate(maker)).toBe('made');
    expect(await tryToCreate(maker)).toBe('api_token_limit_reached');
    await db.database.write(setEnd, [made[1]?.id, new Date(0)]);
    expect(await tryToCreate(maker)).toBe('made');
  });
});

describe('the limit of the hour', () => {
  /** Creates and revokes this many tokens at a client. */
  const spendTokens = async (maker: Maker, count: number) => {
    for (let n = 0; n < count; n++) await remove(maker, (await createToken(limited, maker)).id);
  };

  it('Contract §10 tokens an hour · 429 rate_limited at the 61st over all clients, with when to come again', async () => {
    const maker = await aMaker(ports);
    await spendTokens(maker, 60);
    const elsewhere = await aMaker(ports);
    const memberships = sql(
      'test_join',
      `insert into memberships (client_id, user_id, role, created_at)
       values ($1, $2, 'owner', svc_clock())`,
    );
    await db.database.write(memberships, [elsewhere.client.id, maker.id]);
    const there = { ...maker, caller: { ...maker.caller, clientId: elsewhere.client.id } as never };
    for (const by of [maker, there]) {
      const refusal = await createToken(limited, by).catch((error: Refusal) => error);
      expect(refusal).toMatchObject({
        code: 'rate_limited',
        facts: { retryAfter: expect.any(Number) },
      });
      const { retryAfter = 0, headers } = (refusal as Refusal).facts;
      expect(retryAfter).toBeGreaterThan(3500);
      expect(retryAfter).toBeLessThanOrEqual(3600);
      expect(headers).toMatchObject({ 'ratelimit-limit': '60', 'ratelimit-remaining': '0' });
    }
    expect(await tryToCreate(elsewhere, limited)).toBe('made');
    await moveClock(db.database, 3_600_000);
    expect(await tryToCreate(maker, limited)).toBe('made');
    await moveClock(db.database, -3_600_000);
  });

  it('exact under 50 parallel creates, and the limit of ten is met first', async () => {
    const maker = await aMaker(ports);
    await spendTokens(maker, 55);
    const all = await Promise.all(Array.from({ length: 50 }, () => tryToCreate(maker, limited)));
    expect(tally(all)).toEqual({ made: 5, rate_limited: 45 });
    const full = await aMaker(ports);
    await spendTokens(full, 50);
    for (let n = 0; n < 10; n++) await createToken(limited, full);
    expect(await tryToCreate(full, limited)).toBe('api_token_limit_reached');
  });
});

describe('rotateApiToken', () => {
  it('Contract §6 rotate: two values authenticate during the overlap, one after it; the row stays one', async () => {
    const maker = await aMaker(ports);
    const first = await createToken(ports, maker);
    const second = await rotate(maker, first.id, 60);
    expect(second.id).toBe(first.id);
    expect(await list(maker)).toHaveLength(1);
    expect([
      await isTokenValid(maker, first.token),
      await isTokenValid(maker, second.token),
    ]).toEqual([true, true]);
    await moveClock(db.database, 60_500);
    expect([
      await isTokenValid(maker, first.token),
      await isTokenValid(maker, second.token),
    ]).toEqual([false, true]);
    await moveClock(db.database, -60_500);
  });

  it('without an overlap the old value stops at once; of several only the last one overlaps', async () => {
    const maker = await aMaker(ports);
    const first = await createToken(ports, maker);
    const second = await rotate(maker, first.id, 0);
    expect([
      await isTokenValid(maker, first.token),
      await isTokenValid(maker, second.token),
    ]).toEqual([false, true]);
    const third = await rotate(maker, first.id, 600);
    const fourth = await rotate(maker, first.id, 600);
    const values = [second.token, third.token, fourth.token];
    expect(await Promise.all(values.map((value) => isTokenValid(maker, value)))).toEqual([
      false,
      true,
      true,
    ]);
  });

  it('revoking ends every value, and the overlap is no longer than the token', async () => {
    const maker = await aMaker(ports);
    const first = await createToken(ports, maker);
    const second = await rotate(maker, first.id, 604_800);
    await remove(maker, first.id);
    expect([
      await isTokenValid(maker, first.token),
      await isTokenValid(maker, second.token),
    ]).toEqual([false, false]);
    const ending = await createToken(ports, maker, {
      expiresAt: new Date(Date.now() + 30_000).toISOString(),
    });
    const after = await rotate(maker, ending.id, 600);
    await moveClock(db.database, 31_000);
    expect([
      await isTokenValid(maker, ending.token),
      await isTokenValid(maker, after.token),
    ]).toEqual([false, false]);
    await expect(rotate(maker, ending.id, 0)).rejects.toMatchObject({
      code: 'api_token_not_found',
    });
    await moveClock(db.database, -31_000);
  });
});

describe('who may', () => {
  it('401: an API token looks after no tokens, whatever let it come this far', async () => {
    const maker = await aMaker(ports);
    const { id } = await createToken(ports, maker);
    const caller = { ...maker.caller, via: 'token' } as never;
    const asToken = { ...maker, caller };
    for (const attempt of [
      createToken(ports, asToken),
      list(asToken),
      remove(asToken, id),
      rotate(asToken, id, 0),
    ]) {
      await expect(attempt).rejects.toMatchObject({ code: 'authentication_required' });
    }
    expect(await list(maker)).toHaveLength(1);
  });

  it('401 where the membership ended after the request was let in: nothing is made', async () => {
    const maker = await aMaker(ports, { role: 'admin' });
    await db.database.write(leave, [maker.client.id, maker.id]);
    expect(await tryToCreate(maker)).toBe('authentication_required');
    expect(await list(maker)).toHaveLength(0);
  });
});

describe('what is written', () => {
  it('api_token.created and api_token.revoked, once each, in sequence, without value or digest', async () => {
    const maker = await aMaker(ports);
    const { id, token } = await createToken(ports, maker, {
      description: 'shop floor',
      scopes: ['events:read'],
    });
    const rotated = await rotate(maker, id, 60);
    await Promise.all([remove(maker, id), remove(maker, id), remove(maker, id)]);
    const told = await listTokenEvents(ports, id);
    expect(told.map(({ type, sequence }) => [type, sequence])).toEqual([
      ['api_token.created', 1],
      ['api_token.revoked', 2],
    ]);
    expect(told[0]?.data.object).toEqual({
      id,
      userId: maker.id,
      name: 'till',
      description: 'shop floor',
      createdAt: expect.any(String),
      lastUsedAt: null,
      expiresAt: null,
      scopes: ['events:read'],
    });
    const audited = await auditedOf(ports, id);
    expect(audited.map(({ action }) => action)).toEqual([
      'api_token.created',
      'api_token.rotated',
      'api_token.revoked',
    ]);
    const actor = { actor_kind: 'oauth', actor_user_id: maker.id, client_id: maker.client.id };
    for (const entry of audited) expect(entry).toMatchObject(actor);
    const written = JSON.stringify([told, audited]);
    for (const value of [token, rotated.token]) {
      for (const secret of [value, hash('sha256', value), hash('sha256', value, 'base64')]) {
        expect(written).not.toContain(secret);
      }
    }
  });

  it('a refused create writes nothing', async () => {
    const maker = await aMaker(ports);
    for (let n = 0; n < 10; n++) await createToken(ports, maker);
    const count = sql<{ n: number }>(
      'test_count_entries',
      `select (select count(*) from audit_entries where client_id = $1)::int
         + (select count(*) from events where client_id = $1)::int as n`,
    );
    const before = await db.database.read(count, [maker.client.id]);
    expect(before).toEqual([{ n: 20 }]);
    expect(await tryToCreate(maker)).toBe('api_token_limit_reached');
    expect(await db.database.read(count, [maker.client.id])).toEqual(before);
  });
});

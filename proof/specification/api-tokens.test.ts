// The specification's rows about API tokens, over HTTP. Spec 2.5, 4.4, 5, 7.3, 8. Contract §6.

import { hash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { basicHeader, moveClock, newId } from '../../service/test/harness.ts';
import { refusal } from './buyer.ts';
import { type Keeper, openKeeper, type Person, type ShownToken } from './token-keeper.ts';

let keeper: Keeper;
let person: Person;
beforeAll(async () => {
  keeper = await openKeeper();
  person = await keeper.aPerson();
});
afterAll(() => keeper?.close());

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const instant = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const repeatedText = (count: number, letter = 'ß') => letter.repeat(count);
const bodyOf = ({ text }: { text: string }) => text.replace(/req_\w+/, '');

describe('Spec 2.5, API token', () => {
  it('Spec 2.5 id: a UUID', async () => {
    expect((await keeper.make(person)).id).toMatch(uuid);
  });
  it('Spec 2.5 name: as given, trimmed', async () => {
    expect((await keeper.make(person, { name: ' \t two words\n' })).name).toBe('two words');
  });
  it('Spec 2.5 description: as given, or null', async () => {
    expect(await keeper.make(person, { description: 'of the shop' })).toMatchObject({
      description: 'of the shop',
    });
    expect(await keeper.make(person)).toMatchObject({ description: null });
  });
  it('Spec 2.5 token: begins with svc_, and stands in the answer of the create alone', async () => {
    const owner = await keeper.aPerson();
    const made = await keeper.make(owner);
    expect(made.token).toMatch(/^svc_[0-9A-Za-z]{49}$/);
    const { list, get } = keeper.as(owner);
    for (const { text } of [await list(), await get(made.id)]) {
      expect(text).toContain(made.id);
      expect(text).not.toContain('svc_');
      expect(text).not.toContain('token');
    }
  });
  it('Spec 2.5 createdAt: an instant', async () => {
    const { createdAt } = await keeper.make(person);
    expect(createdAt).toMatch(instant);
    expect(Math.abs(Date.parse(String(createdAt)) - Date.now())).toBeLessThan(60_000);
  });
  it('Spec 2.5 lastUsedAt: null until a successful use with Basic is recorded', async () => {
    const owner = await keeper.aPerson();
    const { id, token, lastUsedAt } = await keeper.make(owner);
    const readLastUsed = async () => (await keeper.as(owner).get(id)).body.lastUsedAt;
    expect([lastUsedAt, await readLastUsed()]).toEqual([null, null]);
    expect(await keeper.statuses(owner, `${token.slice(0, -1)}!`)).toEqual([401, 401]);
    expect(await keeper.statuses(owner, token)).toEqual([200, 200]);
    await expect.poll(readLastUsed, { timeout: 5000 }).toMatch(instant);
  });
  it('Spec 2.5 hash: the row holds the SHA-256 of the value and nothing else of it', async () => {
    const { id, token } = await keeper.make(await keeper.aPerson());
    const kept = await keeper.rowOf(id);
    expect(kept?.row.token_sha256).toBe(`\\x${hash('sha256', token)}`);
    expect(kept?.text).not.toContain(token.slice(4));
    expect(kept?.text).not.toContain(Buffer.from(token).toString('hex'));
  });
});

/** Uses are written in order: once the use of a later token is written, the earlier ones are. */
async function untilUsesWritten(owner: Person): Promise<void> {
  const { id, token } = await keeper.make(owner);
  await keeper.statuses(owner, token);
  const use = async () => (await keeper.as(owner).get(id)).body.lastUsedAt;
  await expect.poll(use, { timeout: 5000 }).not.toBeNull();
}

describe('Spec 4.4, API tokens', () => {
  it('Spec 4.4.1: 201 with id, name, description, token, createdAt and lastUsedAt', async () => {
    const { status, body } = await keeper.as(person).create({ name: 'a', description: 'b' });
    expect({ status, body }).toEqual({
      status: 201,
      body: {
        id: expect.stringMatching(uuid),
        name: 'a',
        description: 'b',
        token: expect.stringMatching(/^svc_/),
        createdAt: expect.stringMatching(instant),
        lastUsedAt: null,
        expiresAt: null,
        scopes: null,
      },
    });
  });

  it('Spec 4.4.2: active tokens of the acting user for the selected client, oldest first', async () => {
    const owner = await keeper.aPerson();
    const made: ShownToken[] = [];
    for (const name of ['b', 'c', 'a']) made.push(await keeper.make(owner, { name }));
    const colleague = await keeper.aPerson({ client: owner.client });
    const elsewhere = await keeper.aPerson({ user: owner, client: person.client });
    await keeper.make(colleague);
    await keeper.make(elsewhere);
    const { status, body, text } = await keeper.as(owner).list();
    const shown = made.map(({ token: _, ...rest }) => rest);
    expect({ status, body }).toEqual({ status: 200, body: { data: shown } });
    for (const { token } of made) {
      for (const secret of [token, hash('sha256', token), hash('sha256', token, 'base64')]) {
        expect(text).not.toContain(secret);
      }
    }
    expect((await keeper.as(colleague).list()).body.data).toHaveLength(1);
    expect((await keeper.as(elsewhere).list()).body.data).toHaveLength(1);
  });

  it('Spec 4.4.3: the same as the entry of the list', async () => {
    const owner = await keeper.aPerson();
    const { id } = await keeper.make(owner, { name: 'one', description: 'two' });
    const { list, get } = keeper.as(owner);
    const { status, body } = await get(id);
    expect({ status, data: [body] }).toEqual({ status: 200, ...(await list()).body });
  });

  it('Spec 4.4.4: 204, again too; it leaves the list and stops in every process; others stay', async () => {
    const owner = await keeper.aPerson();
    const [gone, stays] = [await keeper.make(owner), await keeper.make(owner)];
    expect(await keeper.statuses(owner, gone.token)).toEqual([200, 200]);
    const { remove, list } = keeper.as(owner);
    const gone204 = { status: 204, text: '' };
    expect(await remove(gone.id)).toMatchObject(gone204);
    expect(await keeper.statuses(owner, gone.token)).toEqual([401, 401]);
    expect(await keeper.statuses(owner, stays.token)).toEqual([200, 200]);
    expect(await remove(gone.id)).toMatchObject(gone204);
    expect((await list()).body).toMatchObject({ data: [{ id: stays.id }] });
  });
});

describe('Spec 5, Authentication', () => {
  it('Spec 5 rule 1, Basic: the client’s UUID and an active token, at that client alone', async () => {
    const owner = await keeper.aPerson();
    const elsewhere = await keeper.aPerson({ user: owner, client: person.client });
    const { token } = await keeper.make(owner);
    expect(await keeper.statuses(owner, token)).toEqual([200, 200]);
    expect(await keeper.statuses(elsewhere, token)).toEqual([401, 401]);
  });

  it('Spec 5 rule 5, token management: Bearer with the scope mcp; Basic is 401 on every call', async () => {
    const owner = await keeper.aPerson();
    const { id, token } = await keeper.make(owner);
    const calls = [
      ['POST /v1/api-tokens', { name: 'x' }],
      ['GET /v1/api-tokens'],
      [`GET /v1/api-tokens/${id}`],
      [`DELETE /v1/api-tokens/${id}`],
      [`POST /v1/api-tokens/${id}/rotate`, { overlapSeconds: 0 }],
    ] as const;
    const narrow = await keeper.aPerson({
      client: owner.client,
      user: owner,
      scopes: ['payments:read', 'members:write'],
    });
    for (const [call, body] of calls) {
      const sent = body ? { body } : {};
      const withBasic = { ...sent, authorization: basicHeader(owner.client.id, token) };
      expect(await keeper.send(keeper.first, call, withBasic), call).toMatchObject(
        refusal(401, 'authentication_required'),
      );
      const unscoped = { ...sent, authorization: narrow.grant.authorization };
      expect(await keeper.send(keeper.first, call, unscoped), call).toMatchObject(
        refusal(403, 'insufficient_scope'),
      );
    }
    expect(await keeper.statuses(owner, token)).toEqual([200, 200]);
  });

  it('Spec 5 rule 5, own user: the client of the Bearer token bounds, and each call is the acting user’s', async () => {
    const owner = await keeper.aPerson();
    const { id, token } = await keeper.make(owner);
    const colleague = await keeper.aPerson({ client: owner.client });
    const elsewhere = await keeper.aPerson({ user: owner, client: person.client });
    const foreign = refusal(404, 'api_token_not_found');
    for (const stranger of [colleague, elsewhere]) {
      const { get, remove, rotate } = keeper.as(stranger);
      for (const answer of [await get(id), await remove(id), await rotate(id, 0)]) {
        expect(answer).toMatchObject(foreign);
      }
    }
    expect(await keeper.statuses(owner, token)).toEqual([200, 200]);
  });

  it('Spec 5 rule 8, last use: written after a success only, at most once an hour a token', async () => {
    const owner = await keeper.aPerson();
    const { id, token } = await keeper.make(owner);
    const read = async () => (await keeper.as(owner).get(id)).body.lastUsedAt as string | null;
    await keeper.statuses(owner, token);
    await expect.poll(read, { timeout: 5000 }).not.toBeNull();
    const first = await read();
    await keeper.statuses(owner, token);
    await untilUsesWritten(owner);
    expect(await read()).toBe(first);
    await moveClock(keeper.database, 3_600_500);
    await keeper.statuses(owner, token);
    await expect.poll(read, { timeout: 5000 }).not.toBe(first);
    await moveClock(keeper.database, -3_600_500);
  });
});

describe('Spec 7.3, Other errors', () => {
  it('Spec 7.3.2: 409 api_token_limit_reached, ten active tokens for the client', async () => {
    const owner = await keeper.aPerson();
    for (let n = 0; n < 10; n++) await keeper.make(owner);
    expect(await keeper.as(owner).create()).toMatchObject(refusal(409, 'api_token_limit_reached'));
    const elsewhere = await keeper.aPerson({ user: owner, client: person.client });
    expect((await keeper.as(elsewhere).create()).status).toBe(201);
  });

  it('Spec 7.3.3: 404 for another user’s, another client’s and none: the same bytes', async () => {
    const owner = await keeper.aPerson();
    const { id } = await keeper.make(owner);
    const gone = await keeper.make(owner);
    await keeper.as(owner).remove(gone.id);
    const elsewhere = await keeper.aPerson({ user: owner, client: person.client });
    const { id: there } = await keeper.make(elsewhere);
    const colleague = await keeper.aPerson({ client: owner.client });
    const answers = [
      await keeper.as(colleague).get(id),
      await keeper.as(owner).get(there),
      await keeper.as(owner).get(newId()),
      await keeper.as(owner).get(gone.id),
      await keeper.as(colleague).remove(id),
      await keeper.as(owner).remove(newId()),
      await keeper.as(owner).rotate(there, 0),
      await keeper.as(owner).rotate(gone.id, 0),
    ];
    for (const answer of answers) expect(answer).toMatchObject(refusal(404, 'api_token_not_found'));
    expect(new Set(answers.map(bodyOf)).size).toBe(1);
    expect(await keeper.as(owner).get('x')).toMatchObject(refusal(404, 'api_token_not_found'));
  });
});

describe('Spec 8, Limits', () => {
  it('Spec 8.1: exactly ten active ones of 50 creates at once, over two processes', async () => {
    const { grant, ...owner } = await keeper.aPerson();
    const sent = { authorization: grant.authorization, body: { name: 'till' } };
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, n) =>
        keeper.send(n % 2 ? keeper.first : keeper.second, 'POST /v1/api-tokens', sent),
      ),
    );
    const made = answers.filter(({ status }) => status === 201);
    expect(made).toHaveLength(10);
    const rest = answers.filter((answer) => !made.includes(answer));
    for (const answer of rest)
      expect(answer).toMatchObject(refusal(409, 'api_token_limit_reached'));
    expect((await keeper.as({ ...owner, grant }).list()).body.data).toHaveLength(10);
  });

  it('Spec 8.2: a name of 1 to 100 characters after trimming, else 400 invalid_request', async () => {
    const owner = await keeper.aPerson();
    const { create } = keeper.as(owner);
    for (const name of [
      'x',
      repeatedText(100),
      ` ${repeatedText(100, '😀')} `,
      'e\u0301'.repeat(50),
    ]) {
      const { status, body } = await create({ name });
      expect([status, body.name]).toEqual([201, name.trim()]);
    }
    const wrong = [
      '',
      ' ',
      '\t\n',
      '\u00a0\u2003',
      '\u200b\u2060',
      repeatedText(101),
      repeatedText(101, '😀'),
    ];
    for (const name of [...wrong, undefined, null, 7, ['x']]) {
      const answer = await create({ name });
      expect(answer).toMatchObject(refusal(400, 'invalid_request', { param: 'name' }));
    }
    expect((await keeper.as(owner).list()).body.data).toHaveLength(4);
  });

  it('Spec 8.3: a description of at most 255 characters, else 400 invalid_request', async () => {
    const { create } = keeper.as(await keeper.aPerson());
    for (const description of [repeatedText(255), repeatedText(255, '😀'), '']) {
      const { status, body } = await create({ name: 'x', description });
      expect([status, body.description]).toEqual([201, description]);
    }
    for (const description of [repeatedText(256), repeatedText(256, '😀'), 7, {}]) {
      const answer = await create({ name: 'x', description });
      expect(answer).toMatchObject(refusal(400, 'invalid_request', { param: 'description' }));
    }
  });

  it('Spec 8.4: many uses within an hour write lastUsedAt once', async () => {
    const owner = await keeper.aPerson();
    const { id, token } = await keeper.make(owner);
    const version = async () => (await keeper.rowOf(id))?.row.last_used_at;
    for (let n = 0; n < 20; n++) await keeper.statuses(owner, token);
    await expect.poll(version, { timeout: 5000 }).not.toBeNull();
    const first = await version();
    for (let n = 0; n < 20; n++) await keeper.statuses(owner, token);
    await untilUsesWritten(owner);
    expect(await version()).toBe(first);
  });
});

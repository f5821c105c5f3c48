import { hash, randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type EchoWorld, echoWorld, expectRefusal, readSeen } from '../../../test/echo.ts';
import { aClient, aToken, basicHeader, newId } from '../../../test/harness.ts';
import { newApiToken } from '../../domain/people/api-token.ts';

const basicChallenge = 'Basic realm="svc", charset="UTF-8"';

let world: EchoWorld;
const call: EchoWorld['call'] = (...given) => world.call(...given);
beforeAll(async () => {
  world = await echoWorld();
});
afterAll(() => world.close());

describe('Client Basic', () => {
  const withHeader = (authorization: string) =>
    call('POST', '/v1/echo', {}, { authorization }, null);

  it('Spec 5 rule 1, Basic: knows world.client, owner, role and scopes', async () => {
    const { caller } = readSeen(await call('POST', '/v1/echo', {}));
    expect(caller).toMatchObject({
      kind: 'server',
      clientId: world.client.id,
      userId: world.token.userId,
      tokenId: world.token.id,
      role: 'owner',
      scopes: null,
    });
    const upper = basicHeader(world.client.id.toUpperCase(), world.token.token);
    expect(readSeen(await withHeader(upper)).caller.clientId).toBe(world.client.id);
    expect(
      readSeen(await withHeader(world.token.authorization.replace('Basic', 'bASIC'))).caller.kind,
    ).toBe('server');
  });

  it('every wrong credential gives one and the same 401', async () => {
    const other = await aToken(world.db.database, await aClient(world.db.database));
    const expired = await aToken(world.db.database, world.client, {
      expiresAt: new Date(Date.now() - 1000),
    });
    const revoked = await aToken(world.db.database, world.client, { revokedAt: new Date() });
    const right = world.token.authorization.slice('Basic '.length);
    const base64 = (text: string) => Buffer.from(text, 'latin1').toString('base64');
    const wrong = [
      '',
      'Basic',
      'Basic ',
      right,
      `Bearer ${world.token.token}`,
      `Basic  ${right}`,
      `Basic ${right} `,
      `Basic ${right}x`,
      `Basic ${right}, Basic ${right}`,
      `Basic ${right.replace(/=*$/, '')}====`,
      `Basic !${right}`,
      `Basic ${Buffer.from(`${world.client.id}:${world.token.token}`).toString('base64url').replaceAll('=', '')}-`,
      `Basic ${base64(world.client.id)}`,
      `Basic ${base64(`${world.client.id}:`)}`,
      `Basic ${base64(`:${world.token.token}`)}`,
      `Basic ${base64(`${world.client.id}:${world.token.token}\n`)}`,
      `Basic ${base64(`${world.client.id}:${world.token.token}:x`)}`,
      `Basic ${base64(`x${world.client.id}:${world.token.token}`)}`,
      `Basic ${base64(`{${world.client.id}}:${world.token.token}`)}`,
      `Basic ${'A'.repeat(1100)}`,
      `Basic ${base64('\u00e9:\u00e9')}`,
      basicHeader(world.client.id, newApiToken(randomBytes(32))),
      basicHeader(world.client.id, other.token),
      basicHeader(other.clientId, world.token.token),
      basicHeader(world.client.id, expired.token),
      basicHeader(world.client.id, revoked.token),
      basicHeader(newId(), world.token.token),
      basicHeader(world.client.id, hash('sha256', world.token.token)),
      basicHeader(world.client.id, world.token.token.replace('svc_', 'SVC_')),
    ];
    const bodies = new Set<string>();
    for (const header of wrong) {
      const response = await withHeader(header);
      const { requestId: _, ...body } = expectRefusal(response, 'authentication_required');
      const isBasic = /^basic( |$)/i.test(header);
      const challenge = response.headers['www-authenticate'];
      if (isBasic) expect(challenge).toBe(basicChallenge);
      else expect(challenge).toMatch(/^Bearer .*resource_metadata=".*, Basic realm="svc"/);
      bodies.add(JSON.stringify(body));
    }
    expectRefusal(await call('POST', '/v1/echo', {}, {}, null), 'authentication_required');
    expect(bodies.size).toBe(1);
  });

  it('Contract §6 owner: the owner must still be a member', async () => {
    const gone = await aToken(world.db.database, world.client, { role: 'admin' });
    expect(readSeen(await call('POST', '/v1/echo', {}, {}, gone)).caller.role).toBe('admin');
    await world.db.database.write(
      { name: 't_leave', text: 'delete from memberships where user_id = $1' },
      [gone.userId],
    );
    expectRefusal(await call('POST', '/v1/echo', {}, {}, gone), 'authentication_required');
  });

  it('Spec 5 rule 8, last use · Spec 8.4 · Spec 2.5 lastUsedAt: lastUsedAt is written after a success, once an hour', async () => {
    const used = await aToken(world.db.database, world.client);
    const lastUse = async (of = used) =>
      (
        await world.db.database.read<{ at: Date | null }>(
          { name: 't_use', text: 'select last_used_at as at from api_tokens where id = $1' },
          [of.id],
        )
      )[0]?.at ?? null;
    const other = used.token.replace(/.$/, (last) => (last === 'x' ? 'y' : 'x'));
    await withHeader(basicHeader(world.client.id, other));
    await call('POST', '/v1/echo', {}, {}, used);
    await expect.poll(() => lastUse()).not.toBeNull();
    const first = await lastUse();
    await call('POST', '/v1/echo', {}, {}, used);
    // Uses are written in order, so the use of another token is written after this one.
    const next = await aToken(world.db.database, world.client);
    await call('POST', '/v1/echo', {}, {}, next);
    await expect.poll(() => lastUse(next)).not.toBeNull();
    expect(await lastUse()).toEqual(first);
  });

  it('Contract §6 scopes · 403 insufficient_scope, and scopes that suffice', async () => {
    const narrow = await aToken(world.db.database, world.client, { scopes: ['catalog:read'] });
    expectRefusal(await call('GET', '/v1/listed', undefined, {}, narrow), 'insufficient_scope');
    const enough = await aToken(world.db.database, world.client, { scopes: ['payments:read'] });
    readSeen(await call('GET', '/v1/listed', undefined, {}, enough));
  });
});

describe('the session header', () => {
  it('Spec 5 rule 6 · 401 checkout_session_token_required when absent, never Basic', async () => {
    expectRefusal(
      await call('GET', '/v1/session', undefined, {}, null),
      'checkout_session_token_required',
    );
    expectRefusal(await call('GET', '/v1/session'), 'checkout_session_token_required');
  });

  it('is handed on as a digest', async () => {
    const nonce = randomBytes(32).toString('base64url');
    const { caller } = readSeen(await call('GET', '/v1/session', undefined, {}, { nonce }));
    expect(Buffer.from(caller.nonceSha256.data)).toEqual(hash('sha256', nonce, 'buffer'));
    expect(caller.kind).toBe('session');
  });

  it('Spec 5 rule 10: server-or-session takes either, and a Basic that is wrong is no session', async () => {
    expect(readSeen(await call('GET', '/v1/either')).caller.kind).toBe('server');
    expect(
      readSeen(await call('GET', '/v1/either', undefined, {}, { nonce: 'x' })).caller.kind,
    ).toBe('session');
    expectRefusal(await call('GET', '/v1/either', undefined, {}, null), 'authentication_required');
    expectRefusal(
      await call('GET', '/v1/either', undefined, { authorization: 'Basic x' }, { nonce: 'x' }),
      'authentication_required',
    );
  });

  it('anyone: none is anonymous, wrong is refused', async () => {
    expect(readSeen(await call('POST', '/v1/open', {}, {}, null)).caller.kind).toBe('anonymous');
    expect(readSeen(await call('POST', '/v1/open', {})).caller.kind).toBe('server');
    expectRefusal(
      await call('POST', '/v1/open', {}, { authorization: 'Basic x' }, null),
      'authentication_required',
    );
  });
});

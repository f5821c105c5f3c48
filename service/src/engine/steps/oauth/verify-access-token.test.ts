import { hash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  aClient,
  aToken,
  freshDatabase,
  moveClock,
  newId,
  portsFor,
  type TestClient,
  type TestDatabase,
} from '../../../../test/harness.ts';
import { aGrant } from '../../../../test/people/grants.ts';
import { sql } from '../../../storage/database/sql.ts';
import { revokeGrant } from '../../../storage/oauth/oauth-grants.ts';
import type { Ports } from '../../ports.ts';
import { verifyAccessToken } from './verify-access-token.ts';

let test: TestDatabase;
let ports: Ports;
let client: TestClient;
let user: { id: string };
beforeAll(async () => {
  test = await freshDatabase();
  ports = portsFor(test.database);
  client = await aClient(test.database);
  user = { id: (await aToken(test.database, client, { role: 'admin' })).userId };
});
afterAll(() => test?.close());

const verify = (token: string) => verifyAccessToken(hash('sha256', token, 'buffer'), ports);
const scopes = ['mcp', 'payments:read'];

const setRole = sql('test_set_role', 'update memberships set role = $2 where user_id = $1');
const leave = sql('test_leave_granted', 'delete from memberships where user_id = $1');
const disable = sql(
  'test_disable_granted',
  'update users set disabled_at = svc_clock() where id = $1',
);
const anApplication = sql(
  'test_application',
  `insert into applications (id, client_id, name, kind, redirect_uris, scopes, created_at, updated_at)
   values ($1, $2, 'Desk', 'public', '{}', '{mcp}', svc_clock(), svc_clock())`,
);
const removeApplication = sql(
  'test_remove_application',
  'update applications set removed_at = svc_clock() where id = $1',
);

describe('verifyAccessToken', () => {
  it('answers grant, application, person, client, role of now and scopes', async () => {
    const grant = await aGrant(ports, { user, client, scopes });
    expect(await verify(grant.accessToken)).toEqual({
      grantId: grant.grantId,
      applicationId: grant.applicationId,
      userId: user.id,
      clientId: client.id,
      role: 'admin',
      scopes,
      isForAgents: false,
    });
    await test.database.write(setRole, [user.id, 'member']);
    expect((await verify(grant.accessToken))?.role).toBe('member');
  });

  it('an unknown token, and one whose hour is over, is none', async () => {
    const grant = await aGrant(ports, { user, client, scopes, lifeSeconds: 3600 });
    expect(await verify(`${grant.accessToken}x`)).toBeUndefined();
    await moveClock(test.database, 3_599_000);
    expect(await verify(grant.accessToken)).toBeDefined();
    await moveClock(test.database, 1500);
    expect(await verify(grant.accessToken)).toBeUndefined();
  });

  it('a revoked grant ends its token at the next look', async () => {
    const grant = await aGrant(ports, { user, client, scopes });
    await test.database.transaction(client.id, (tx) => revokeGrant(tx, grant.grantId));
    expect(await verify(grant.accessToken)).toBeUndefined();
  });

  it('a removed application ends its tokens', async () => {
    const applicationId = newId();
    await test.database.write(anApplication, [applicationId, client.id]);
    const grant = await aGrant(ports, { user, client, scopes, applicationId });
    expect((await verify(grant.accessToken))?.applicationId).toBe(applicationId);
    await test.database.write(removeApplication, [applicationId]);
    expect(await verify(grant.accessToken)).toBeUndefined();
  });

  it('who has left has no role; who was disabled has no token', async () => {
    const other = { id: (await aToken(test.database, client, { role: 'admin' })).userId };
    const grant = await aGrant(ports, { user: other, client, scopes });
    await test.database.write(leave, [other.id]);
    expect((await verify(grant.accessToken))?.role).toBeNull();
    await test.database.write(disable, [other.id]);
    expect(await verify(grant.accessToken)).toBeUndefined();
  });
});

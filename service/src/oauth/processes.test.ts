// Two processes of the service over one database: what one process ends, the other refuses.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  aClient,
  aToken,
  everyScope,
  freshDatabase,
  portsFor,
  type TestClient,
  type TestDatabase,
  type TestToken,
} from '../../test/harness.ts';
import { aGrant } from '../../test/people/grants.ts';
import { anApplication } from '../../test/people/oauth.ts';
import { type ServiceProcesses, serviceProcesses } from '../../test/service-processes.ts';
import type { Ports } from '../engine/ports.ts';

let processes: ServiceProcesses;
let test: TestDatabase;
let ports: Ports;
let client: TestClient;
let owner: TestToken;
let one: string;
let two: string;

beforeAll(async () => {
  test = await freshDatabase();
  processes = serviceProcesses(test);
  ports = portsFor(test.database);
  client = await aClient(test.database);
  owner = await aToken(test.database, client, { scopes: everyScope });
  [one, two] = (await Promise.all([processes.start(), processes.start()])) as [string, string];
});
afterAll(async () => {
  processes?.kill();
  await test?.close();
});

describe('two processes', () => {
  it('each answers where the OAuth server is, and speaks its protocol', async () => {
    for (const url of [one, two]) {
      const metadata = await fetch(`${url}/.well-known/oauth-authorization-server`);
      expect(await metadata.json()).toHaveProperty('token_endpoint');
      const refused = await fetch(`${url}/oauth/token`, {
        method: 'POST',
        body: new URLSearchParams({ grant_type: 'refresh_token', client_id: 'x' }),
      });
      expect([refused.status, await refused.json()]).toMatchObject([
        401,
        { error: 'invalid_client' },
      ]);
    }
  });

  it('an application removed in one is 401 in the other at the very next request, each time', async () => {
    for (let round = 0; round < 10; round += 1) {
      const { id } = await anApplication(ports, owner);
      const user = { id: owner.userId };
      const scopes = ['mcp', 'payments:read'];
      const { authorization } = await aGrant(ports, { user, client, scopes, applicationId: id });
      const listPayments = () => fetch(`${two}/v1/payments`, { headers: { authorization } });
      expect((await listPayments()).status).toBe(200);
      const removed = await fetch(`${one}/v1/applications/${id}`, {
        method: 'DELETE',
        headers: { authorization: owner.authorization },
      });
      expect(removed.status).toBe(204);
      expect((await listPayments()).status).toBe(401);
    }
  });
});

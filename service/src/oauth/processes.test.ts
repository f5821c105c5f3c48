// The service as it is started, twice over one database: what one process ends is over in the other.

import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { aGrant } from '../../test/grants.ts';
import {
  aClient,
  aToken,
  freshDatabase,
  portsFor,
  type TestClient,
  type TestDatabase,
  type TestToken,
} from '../../test/harness.ts';
import { anApplication } from '../../test/oauth.ts';
import type { Ports } from '../operations/ports.ts';

const main = join(import.meta.dirname, '../main.ts');
const key = Buffer.alloc(32, 7).toString('base64');
const children: ChildProcess[] = [];
let test: TestDatabase;
let ports: Ports;
let client: TestClient;
let owner: TestToken;
let one: string;
let two: string;

function start(): Promise<string> {
  const child = spawn(process.execPath, [main], {
    env: {
      PATH: process.env.PATH ?? '',
      DATABASE_URL: test.url,
      DATABASE_OWNER_URL: test.ownerUrl,
      SVC_HOST: '127.0.0.1',
      SVC_PORT: '0',
      SVC_KEY: key,
      SVC_VAULT_SHARED_KEY: key,
      SVC_VAULT_ORIGIN: 'http://127.0.0.1:1',
      SVC_VAULT_INTERNAL_URL: 'http://127.0.0.1:1',
      SVC_PROVIDER_URL: 'http://127.0.0.1:1',
    },
  });
  children.push(child);
  return new Promise((resolve, reject) => {
    let out = '';
    child.stdout?.on('data', (part) => {
      out += part;
      if (out.includes('\n'))
        resolve(String(JSON.parse(out).url).replace('localhost', '127.0.0.1'));
    });
    child.on('exit', (code) => reject(new Error(`ended with ${code}: ${out}`)));
  });
}

beforeAll(async () => {
  test = await freshDatabase();
  ports = portsFor(test.database);
  client = await aClient(test.database);
  owner = await aToken(test.database, client);
  [one, two] = (await Promise.all([start(), start()])) as [string, string];
}, 60_000);
afterAll(async () => {
  for (const child of children) child.kill('SIGKILL');
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
      const read = () => fetch(`${two}/v1/payments`, { headers: { authorization } });
      expect((await read()).status).toBe(200);
      const removed = await fetch(`${one}/v1/applications/${id}`, {
        method: 'DELETE',
        headers: { authorization: owner.authorization },
      });
      expect(removed.status).toBe(204);
      expect((await read()).status).toBe(401);
    }
  });
});

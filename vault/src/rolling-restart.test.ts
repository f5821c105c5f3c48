// Vaults behind a proxy that are replaced one after the other, while buyers send cards all the time.

import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { freePort } from '@svc/tools/free-port';
import { replaceEach, SmallProxy } from '@svc/tools/small-proxy';
import { bareEnvironment } from '@svc/tools/test-database/bare-environment';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { buildForm } from '../build.ts';
import { vaultDatabase } from '../test/harness.ts';
import { signMountToken } from './signatures.ts';

const sharedKey = Buffer.alloc(32, 2);
const parents = 'p'.repeat(43);
const children = new Map<string, ChildProcess>();
// The wire of a provider that takes every card.
const provider = createServer((request, response) => {
  request.resume();
  request.once('end', () => response.end('{"id":"pm_1","card":{"brand":"visa"}}'));
});
let database: Awaited<ReturnType<typeof vaultDatabase>>;
beforeAll(async () => {
  await buildForm();
  database = await vaultDatabase();
  await new Promise<void>((resolve) => provider.listen(0, '127.0.0.1', resolve));
});
afterAll(async () => {
  for (const child of children.values()) child.kill('SIGKILL');
  provider.close();
  await database?.drop();
});

async function start(origin: string): Promise<string> {
  const { port } = provider.address() as AddressInfo;
  const url = `http://127.0.0.1:${await freePort()}`;
  const child = spawn(process.execPath, [join(import.meta.dirname, 'main.ts')], {
    env: {
      ...bareEnvironment(),
      VAULT_PORT: new URL(url).port,
      VAULT_INTERNAL_PORT: '0',
      VAULT_ORIGIN: origin,
      VAULT_DATABASE_URL: database.url,
      VAULT_KEY: Buffer.alloc(32, 1).toString('base64'),
      VAULT_SHARED_KEY: sharedKey.toString('base64'),
      VAULT_PROVIDER_URL: `http://127.0.0.1:${port}`,
      VAULT_DRAIN_MS: '6000',
    },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  children.set(url, child);
  await new Promise<void>((resolve, reject) => {
    child.stdout.once('data', () => resolve());
    child.once('exit', (code) => reject(new Error(`the vault ended with ${code}`)));
  });
  return url;
}

function stop(url: string): Promise<number | null> {
  const child = children.get(url);
  return new Promise((resolve) => {
    child?.once('exit', resolve);
    child?.kill('SIGTERM');
  });
}

it('with VAULT_DRAIN_MS no card is lost', async () => {
  const proxy = new SmallProxy();
  const origin = `http://127.0.0.1:${await proxy.listen()}`;
  proxy.backends = await Promise.all([start(origin), start(origin)]);
  await Promise.all(proxy.backends.map((url) => proxy.ready(url)));
  const { counts, exits } = await replaceEach(
    proxy,
    { start: () => start(origin), stop },
    async () => {
      const mountToken = signMountToken(
        {
          sessionId: randomUUID(),
          clientId: randomUUID(),
          publishableKey: 'pk_test_1',
          livemode: false,
          parents,
          expiresAt: Math.floor(Date.now() / 1000) + 600,
        },
        sharedKey,
      );
      const answer = await fetch(`${origin}/form/tokens`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', origin },
        body: JSON.stringify({
          ...{ number: '4242424242424242', expiryMonth: 12, expiryYear: 2040, cvc: '123' },
          ...{ mountToken, parents },
        }),
      });
      return answer.status;
    },
  );
  proxy.close();
  expect(proxy.lost).toEqual([]);
  expect(exits).toEqual([0, 0]);
  expect(Object.keys(counts)).toEqual(['200']);
  expect(counts[200]).toBeGreaterThan(50);
}, 120_000);

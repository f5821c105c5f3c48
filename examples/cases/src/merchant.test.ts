// An example on a port that is taken says so in one line.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, it } from 'vitest';

it('names PORT= where its port is taken, and nothing else', async () => {
  const other = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  const { port } = other.address() as AddressInfo;
  const child = spawn(process.execPath, [join(import.meta.dirname, 'hosted-checkout.ts')], {
    env: {
      PORT: String(port),
      SVC_API_URL: 'http://127.0.0.1:1',
      SVC_SANDBOX_URL: 'http://127.0.0.1:1',
      SVC_CLIENT_ID: 'client',
      SVC_API_TOKEN: 'svc_token',
      SVC_PROVIDER_SECRET_KEY: 'sk_test',
      SVC_USER_ID: 'user',
      SVC_USER_EMAIL: 'ada@example.com',
    },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let err = '';
  child.stderr.on('data', (part) => {
    err += part;
  });
  expect(await once(child, 'close')).toEqual([1, null]);
  expect(err).toBe(`Port ${port} is taken: set PORT= to another.\n`);
  other.close();
});

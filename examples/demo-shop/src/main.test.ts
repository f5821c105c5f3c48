import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { readConfig } from './config.ts';

const env = {
  PORT: '0',
  SVC_API_URL: 'http://127.0.0.1:1',
  SVC_CHECKOUT_URL: 'http://127.0.0.1:1',
  SVC_CLIENT_ID: 'client',
  SVC_API_TOKEN: 'svc_token',
  SVC_PROVIDER_SECRET_KEY: 'sk_test',
  SVC_WEBHOOK_SECRET: 'svc_whsec_x',
  SVC_USER_ID: 'user',
};
const start = (more: Record<string, string>) => {
  const main = fileURLToPath(new URL('main.ts', import.meta.url));
  const child = spawn(process.execPath, [main], { env: { ...env, ...more }, stdio: 'pipe' });
  const seen = { out: '', err: '' };
  child.stdout.on('data', (part) => (seen.out += part));
  child.stderr.on('data', (part) => (seen.err += part));
  return { child, seen };
};

describe('readConfig', () => {
  it('names everything that is missing or wrong at once', () => {
    const wrong = { PORT: 'x', SVC_API_URL: 'localhost', SVC_WEBHOOK_SECRET: 'whsec_x' };
    expect(() => readConfig(wrong)).toThrow(
      /SVC_CHECKOUT_URL is missing[\s\S]*SVC_USER_ID is missing[\s\S]*SVC_API_URL is not[\s\S]*svc_whsec_[\s\S]*PORT/,
    );
    expect(readConfig(env)).toMatchObject({ host: '127.0.0.1', port: 0, file: undefined });
    expect(readConfig({ ...env, PORT: undefined }).port).toBe(4003);
  });
});

describe('main', () => {
  it('prints where it is when it is ready, and ends on SIGTERM', async () => {
    const { child, seen } = start({});
    await once(child.stdout, 'data');
    const ready = JSON.parse(seen.out) as { ready: boolean; url: string };
    expect(ready).toEqual({
      ready: true,
      url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
    });
    expect((await fetch(`${ready.url}/webhooks`)).status).toBe(200);
    child.kill('SIGTERM');
    expect(await once(child, 'exit')).toEqual([0, null]);
    expect(seen.err).toBe('');
  });

  it('ends with a clear message on a busy port and on a missing setting', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const busy = start({ PORT: String((other.address() as AddressInfo).port) });
    expect(await once(busy.child, 'exit')).toEqual([1, null]);
    expect(busy.seen.err).toMatch(/^Port \d+ is taken: set PORT to another\.\n$/);
    other.close();
    const missing = start({ SVC_API_TOKEN: '' });
    expect(await once(missing.child, 'exit')).toEqual([1, null]);
    expect(missing.seen.err).toContain('SVC_API_TOKEN is missing');
  });
});

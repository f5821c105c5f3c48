import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { type SandboxOptions, startSandbox } from '../index.ts';

const folder = mkdtempSync(join(tmpdir(), 'sandbox-seeds-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** Keys of an account of this name, and the secret of its first webhook endpoint. */
const secretsOf = async (options: SandboxOptions): Promise<string[]> => {
  const sandbox = await startSandbox({ limits: null, ...options });
  try {
    const post = async (path: string, type: string, body: string, key = ''): Promise<object> => {
      const headers = { 'content-type': type, authorization: `Bearer ${key}` };
      return (await fetch(sandbox.url + path, { method: 'POST', headers, body })).json() as never;
    };
    const named = JSON.stringify({ name: 'shop' });
    const account = (await post('/_control/accounts', 'application/json', named)) as {
      secretKey: string;
      publishableKey: string;
    };
    const fields = new URLSearchParams({ url: 'http://127.0.0.1:9/', 'enabled_events[0]': '*' });
    const form = 'application/x-www-form-urlencoded';
    const path = '/v1/webhook_endpoints';
    const made = (await post(path, form, String(fields), account.secretKey)) as { secret: string };
    return [account.secretKey, account.publishableKey, made.secret];
  } finally {
    await sandbox.close();
  }
};

describe('keys and the secret of notices', () => {
  test('are those of no other sandbox', async () => {
    const all = await Promise.all([
      secretsOf({}),
      secretsOf({}),
      secretsOf({ file: join(folder, 'one.db') }),
      secretsOf({ seed: 'sandbox' }),
    ]);
    expect(new Set(all.flat()).size).toBe(12);
  });

  test('stay with the file', async () => {
    const file = join(folder, 'kept.db');
    const [first, second] = [await secretsOf({ file }), await secretsOf({ file })];
    expect(second.slice(0, 2)).toEqual(first.slice(0, 2));
  });

  test('are the same for the same seed', async () => {
    expect(await secretsOf({ seed: 'x' })).toEqual(await secretsOf({ seed: 'x' }));
  });
});

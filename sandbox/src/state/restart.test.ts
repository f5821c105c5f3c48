import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import Stripe from 'stripe';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createHold, openBench } from '../../test/sandbox.ts';

const folder = mkdtempSync(join(tmpdir(), 'sandbox-restart-'));
afterAll(() => rmSync(folder, { recursive: true }));

const main = fileURLToPath(new URL('../main.ts', import.meta.url));

const started: ChildProcess[] = [];
afterAll(() => {
  for (const child of started) child.kill('SIGKILL');
});

const run = (env: Record<string, string>): ChildProcess => {
  const child = spawn(process.execPath, [main], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  started.push(child);
  return child;
};

const readyUrl = async (child: ChildProcess): Promise<string> => {
  const [chunk] = (await once(child.stdout as NodeJS.ReadableStream, 'data')) as [Buffer];
  return (JSON.parse(chunk.toString()) as { url: string }).url;
};

const readEnding = async (child: ChildProcess) => {
  let stderr = '';
  child.stderr?.on('data', (chunk: Buffer) => {
    stderr += chunk.toString();
  });
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, stderr };
};

describe('a restart', () => {
  test('keeps objects, ledger, keys, clock and scheduled ends', async () => {
    const file = join(folder, 'one.db');
    const first = await openBench({ file });
    await first.control.advance(3600);
    const { id } = await createHold(first);
    const other = await createHold(first);
    const key = { idempotencyKey: 'once' };
    await first.stripe.paymentIntents.capture(id, {}, key);
    await first.sandbox.close();

    const second = await openBench({ file });
    expect(second.secretKey).toBe(first.secretKey);
    const replayed = await second.stripe.paymentIntents.capture(id, {}, key);
    expect(replayed.lastResponse.headers['idempotent-replayed']).toBe('true');
    expect((await second.control.ledger(id)).map(({ kind }) => kind)).toEqual([
      'authorize',
      'capture',
    ]);
    expect(await second.control.get('/clock')).toMatchObject({ shiftSeconds: 3600 });
    await second.control.advance(8 * 86_400);
    expect((await second.stripe.paymentIntents.retrieve(other.id)).status).toBe('canceled');
    expect((await createHold(second)).id).not.toBe(id);
    await second.sandbox.close();
  });
});

describe('the process', () => {
  const file = join(folder, 'below', 'two.db');
  let child: ChildProcess;
  let url: string;
  beforeAll(async () => {
    child = run({ SANDBOX_FILE: file, SANDBOX_PORT: '0' });
    url = await readyUrl(child);
  });
  const account = async (at: string): Promise<Stripe> => {
    const answer = await fetch(`${at}/_control/accounts`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"name":"kill"}',
    });
    const { secretKey } = (await answer.json()) as { secretKey: string };
    const { port } = new URL(at);
    return new Stripe(secretKey, { host: '127.0.0.1', port, protocol: 'http', telemetry: false });
  };

  test('kill -9 loses no answered capture', async () => {
    const stripe = await account(url);
    const answered: string[] = [];
    for (let round = 0; round < 5; round += 1) {
      const intent = await stripe.paymentIntents.create({
        amount: 100,
        currency: 'usd',
        confirm: true,
        allowed_payment_method_types: ['card'],
        payment_method: 'pm_card_visa',
        capture_method: 'manual',
      });
      await stripe.paymentIntents.capture(intent.id);
      answered.push(intent.id);
    }
    child.kill('SIGKILL');
    await once(child, 'close');
    child = run({ SANDBOX_FILE: file, SANDBOX_PORT: new URL(url).port });
    url = await readyUrl(child);
    const again = await account(url);
    for (const id of answered) {
      expect((await again.paymentIntents.retrieve(id)).status).toBe('succeeded');
    }
    const ledger = (await (await fetch(`${url}/_control/ledger`)).json()) as {
      entries: { kind: string }[];
    };
    expect(ledger.entries.filter(({ kind }) => kind === 'capture')).toHaveLength(5);
  });

  test('says in one line why it cannot start', async () => {
    const { port } = new URL(url);
    const busy = await readEnding(run({ SANDBOX_PORT: port }));
    expect(busy).toEqual({
      code: 1,
      stderr: `sandbox: port ${port} on 127.0.0.1 is in use (SANDBOX_PORT)\n`,
    });
    const unwritable = await readEnding(run({ SANDBOX_FILE: '/proc/none/sandbox.db' }));
    expect(unwritable.code).toBe(1);
    expect(unwritable.stderr).toMatch(/^sandbox: .*SANDBOX_FILE.*\n$/);
    const inFile = await readEnding(run({ SANDBOX_FILE: join(file, 'sandbox.db') }));
    expect(inFile.stderr).toMatch(/^sandbox: .*SANDBOX_FILE.*\n$/);
    const mode = await readEnding(run({ SANDBOX_MODE: 'careless' }));
    expect(mode.stderr).toMatch(/^sandbox: SANDBOX_MODE must be .*\n$/);
    const open = await readEnding(run({ SANDBOX_HOST: '0.0.0.0' }));
    expect(open).toMatchObject({ code: 1, stderr: 'sandbox: 0.0.0.0 is not a loopback address\n' });
  });

  test('SIGTERM ends it cleanly', async () => {
    child.kill('SIGTERM');
    expect(await readEnding(child)).toMatchObject({ code: 0, stderr: '' });
  });
});

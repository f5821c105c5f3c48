// The thirty days of demo data of a new sandbox: every state that the pages show, and consistent
// books.

import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, it, vi } from 'vitest';
import { scaled } from '../machine.ts';
import type { Block } from './block.ts';
import { root } from './options.ts';
import { aFolder, removeFolders, startWithDemoData, stop, stopAll } from './start-runs.ts';

const firstPort = 14860;
vi.setConfig({ testTimeout: scaled(180_000), hookTimeout: scaled(60_000) });

afterEach(() => stopAll());
afterAll(() => removeFolders());

const shiftOf = async (sandboxUrl: string): Promise<number | undefined> => {
  const read = await fetch(`${sandboxUrl}/_control/clock`).catch(() => undefined);
  return read && ((await read.json()) as { shiftSeconds: number }).shiftSeconds;
};

function reader({ apiUrl, clientId, apiToken }: Block) {
  const authorization = `Basic ${Buffer.from(`${clientId}:${apiToken}`).toString('base64')}`;
  const list = async (path: string) => {
    const response = await fetch(`${apiUrl}/v1/${path}`, { headers: { authorization } });
    return (await response.json()) as { total: number; data: Record<string, unknown>[] };
  };
  return { list, total: async (path: string) => (await list(`${path}&limit=1`)).total };
}

/** Runs the operator's command for the service in this folder. */
function svc(folder: string, ...command: string[]): { status: number | null; out: string } {
  const args = [join(root, 'service/src/svc.ts'), ...command, '--data', folder];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  return { status, out: stdout + stderr };
}

describe('npm start in an empty folder', () => {
  it('has thirty days of payments in all states, in two currencies, and audit and reconcile find nothing', async () => {
    const folder = aFolder();
    const run = startWithDemoData(['--data', folder, '--port', String(firstPort)]);
    const block = await run.block;
    expect(run.said()).not.toContain('demo data is not complete');
    expect(await shiftOf(block.sandboxUrl)).toBe(0);
    const { list, total } = reader(block);

    const statuses =
      'succeeded authorized failed refunded partially_refunded refund_failed voided'.split(' ');
    for (const status of statuses) {
      expect([status, await total(`payments?status[eq]=${status}`)]).not.toEqual([status, 0]);
    }
    for (const code of 'generic_decline insufficient_funds lost_card expired_card'.split(' ')) {
      expect([code, await total(`payments?declineCode[eq]=${code}`)]).not.toEqual([code, 0]);
    }
    for (const currency of ['EUR', 'JPY']) {
      expect(await total(`payments?currency[eq]=${currency}`)).toBeGreaterThan(5);
    }
    const { data: disputes } = await list('disputes?limit=10');
    expect(disputes.map(({ status }) => status).toSorted()).toEqual([
      'lost',
      'needs_response',
      'won',
    ]);
    const { data: subscriptions } = await list('subscriptions?limit=10');
    expect(subscriptions.map(({ status }) => status).toSorted()).toEqual([
      'active',
      'canceled',
      'past_due',
    ]);
    expect(await total('customers?')).toBeGreaterThan(8);
    expect(await total('payment-methods?status[eq]=active')).toBeGreaterThan(2);

    const { data: oldest } = await list('payments?sortDirection=ASC&limit=1');
    const days = (Date.now() - Date.parse(oldest[0]?.createdAt as string)) / 86_400_000;
    expect(days).toBeGreaterThan(29.9);
    expect(days).toBeLessThan(31);
    const { data: newest } = await list('payments?limit=1');
    expect(Date.parse(newest[0]?.createdAt as string)).toBeLessThanOrEqual(Date.now());

    expect(svc(folder, 'audit')).toMatchObject({
      status: 0,
      out: expect.stringContaining('0 violations'),
    });
    expect(svc(folder, 'reconcile', '--all')).toMatchObject({
      status: 0,
      out: expect.stringContaining('0 differences'),
    });

    const before = await total('payments?');
    await stop(run);
    const again = startWithDemoData(['--data', folder, '--port', String(firstPort)]);
    await again.block;
    // Only the payment that the start itself makes.
    expect(await total('payments?')).toBe(before + 1);
  });

  it('killed among the days: the next start moves the clock to now, and pays', async () => {
    const folder = aFolder();
    const args = ['--data', folder, '--port', String(firstPort + 10)];
    const first = startWithDemoData(args);
    const sandboxUrl = `http://127.0.0.1:${firstPort + 12}`;
    const isAmongDays = async () => ((await shiftOf(sandboxUrl)) ?? 0) < -86_400;
    await expect.poll(isAmongDays, { timeout: scaled(90_000), interval: 5 }).toBe(true);
    first.child.kill('SIGKILL');
    await first.ended;
    const block = await startWithDemoData(args).block;
    expect(await shiftOf(block.sandboxUrl)).toBe(0);
  });
});

// The page of metrics over a real database and the sandbox: money in doubt, holds, calls and refusals are on it.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { aStuckRefund } from '../../test/payments/stuck-operations.ts';
import { aHold, startWorld, type World } from '../../test/world.ts';
import { type Metrics, openMetrics } from './metrics.ts';

let world: World;
let metrics: Metrics;
beforeAll(async () => {
  world = await startWorld();
  const config = {
    mode: 'sandbox',
    mail: null,
    providerUrl: world.sandbox.url,
    walletUrl: null,
    vaultInternalUrl: 'http://127.0.0.1:1',
  } as const;
  const connections = () => ({ inUse: 3, idle: 2, waiting: 1 });
  metrics = openMetrics({ config, database: world.database, connections });
});
afterAll(() => world?.close());

/** The value of a series; undefined where the page has none. */
async function readSeries(series: string): Promise<number | undefined> {
  const line = (await metrics.read()).split('\n').find((one) => one.startsWith(`${series} `));
  return line === undefined ? undefined : Number(line.slice(series.length + 1));
}

describe('the page of metrics', () => {
  it('counts answers by operation and status, refusals by code, and times both', async () => {
    metrics.countAnswer({ operation: 'capturePayment', status: 201, code: null, ms: 12 });
    metrics.countAnswer({ operation: 'capturePayment', status: 429, code: 'rate_limited', ms: 1 });
    const series = 'svc_request_seconds_bucket{le="0.025",operation="capturePayment",status="201"}';
    expect(await readSeries(series)).toBe(1);
    expect(
      await readSeries('svc_refusals_total{operation="capturePayment",code="rate_limited"}'),
    ).toBe(1);
  });

  it('shows holds, a refund in doubt with its age, and the calls that led there', async () => {
    await aHold(world);
    await aStuckRefund(world, 'drop_request');
    // What was read before is kept for a few seconds.
    await expect.poll(() => readSeries('svc_open_operations{state="manual"}')).toBe(1);
    expect(await readSeries('svc_open_operation_oldest_seconds{state="manual"}')).toBeGreaterThan(
      86_400,
    );
    expect(await readSeries('svc_open_holds{ends_within="any"}')).toBe(1);
    expect(
      await readSeries('svc_call_seconds_count{to="card_provider",outcome="done"}'),
    ).toBeGreaterThan(0);
    expect(
      await readSeries('svc_call_seconds_count{to="card_provider",outcome="failed"}'),
    ).toBeGreaterThan(0);
  });

  it('shows connections, version and mode', async () => {
    expect(await readSeries('svc_database_connections{state="waiting"}')).toBe(1);
    expect(await readSeries('svc_info{version="0.1.0",mode="sandbox"}')).toBe(1);
    expect(await readSeries('svc_database_up')).toBe(1);
  });
});

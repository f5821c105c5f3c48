// One run of one side with its costs: CPU time per operation by process tree, write-ahead log per
// operation, and the share of the machine that other processes used meanwhile.

import type { Cluster } from './cluster.ts';
import type { LoadResult } from './load/load-plan.ts';
import { machineCpu, treeCpuMs } from './processor.ts';

export type Sample = LoadResult & {
  /** Service and PostgreSQL: the cost of an operation in production. */
  readonly cpuUs: number;
  readonly serviceUs: number;
  readonly postgresUs: number;
  /** The load generator, which is not part of any cost. */
  readonly loadUs: number;
  readonly providerUs: number;
  readonly walBytes: number;
  /** Share of the machine that other processes used, 0 to 1. */
  readonly foreign: number;
};

export type Trees = {
  readonly service: readonly number[];
  readonly provider: readonly number[];
  readonly load: readonly number[];
};

export async function takeSample(
  cluster: Cluster,
  trees: Trees,
  run: () => Promise<LoadResult>,
): Promise<Sample> {
  const read = async () => ({
    wal: await cluster.walBytes(),
    service: treeCpuMs(trees.service),
    provider: treeCpuMs(trees.provider),
    load: treeCpuMs(trees.load),
    postgres: treeCpuMs([cluster.pid]),
    ours: treeCpuMs([process.pid, cluster.pid]),
    ...machineCpu(),
  });
  const before = await read();
  const result = await run();
  const after = await read();
  const perCapture = (key: keyof typeof before) => (after[key] - before[key]) / result.succeeded;
  const microseconds = (key: keyof typeof before) => perCapture(key) * 1000;
  const busy = after.busyMs - before.busyMs;
  const foreign = (busy - (after.ours - before.ours)) / (after.totalMs - before.totalMs);
  return {
    ...result,
    cpuUs: microseconds('service') + microseconds('postgres'),
    serviceUs: microseconds('service'),
    postgresUs: microseconds('postgres'),
    loadUs: microseconds('load'),
    providerUs: microseconds('provider'),
    walBytes: perCapture('wal'),
    foreign: Math.max(0, foreign),
  };
}

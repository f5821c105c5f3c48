// The layer `operations`: what happens to servers, under purchases, with real parts: Debian's PostgreSQL, Patroni,
// etcd, HAProxy, nginx, pgBackRest. docs/operating/failover.md.

import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isInstalled, machineMissing, runInMachine } from '../kit/machine.ts';
import type { Row } from './judge.ts';
import { scenes } from './scenarios.ts';

const packages = [
  ...['postgresql', 'patroni', 'etcd-server', 'python3-etcd', 'haproxy', 'nginx', 'pgbackrest'],
  ...['iproute2', 'util-linux'],
];

type Options = { readonly signal: AbortSignal; readonly onProgress: (done: number) => void };
type Said = { readonly name: string; readonly row?: Row; readonly problems: readonly string[] };

export const operationsScenarios = Object.values(scenes).flatMap(
  ({ scenarios }) => scenarios,
).length;

/** Returns why the layer cannot run here. */
export function missing(): string | undefined {
  const machine = machineMissing();
  if (machine) return machine;
  const absent = packages.filter((name) => !isInstalled(name));
  return absent.length > 0 ? `apt-get install ${absent.join(' ')}` : undefined;
}

const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`;

export const describe = ({ name, row }: Said): string =>
  row
    ? `${name}: ${row.purchases} purchases, ${row.lost} lost, ${row.twice} twice, ${row.others} other answers, ` +
      `${row.gone} gone, alert ${row.alert}, ${seconds(row.longestMs)} without a purchase; ` +
      `svc reconcile: ${row.reconcile}; svc audit: ${row.audit}`
    : `${name}: not judged`;

type Choice = {
  readonly scene: string;
  /** Of its faults those whose names have the words. */
  readonly words?: string;
  readonly signal: AbortSignal;
  readonly told: (said: Said) => void;
};

/** Returns what ended the machine before its time; undefined when nothing did. */
export async function runScene({ scene, words = '', signal, told }: Choice) {
  const folder = mkdtempSync(join(tmpdir(), 'svc-operations-'));
  // The servers run as another account, which enters it.
  chmodSync(folder, 0o755);
  try {
    return await runInMachine({
      ...{ main: join(import.meta.dirname, 'main.ts'), args: [folder, scene, words], signal },
      told: (line) => told(JSON.parse(line) as Said),
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

export async function runOperations({ onProgress, signal }: Options) {
  const said: Said[] = [];
  const violations: string[] = [];
  const notRun = missing();
  for (const scene of notRun ? [] : Object.keys(scenes)) {
    if (signal.aborted) break;
    const told = (one: Said) => onProgress(said.push(one));
    const failure = await runScene({ scene, signal, told });
    if (failure && !signal.aborted) violations.push(`${scene}: ${failure}`);
  }
  return {
    done: said.filter(({ row }) => row).length,
    violations: [
      ...violations,
      ...said.flatMap(({ name, problems }) => problems.map((problem) => `${name}: ${problem}`)),
    ],
    ...{ sometimes: {}, commands: said.map(describe), ...(notRun ? { notRun } : {}) },
  };
}

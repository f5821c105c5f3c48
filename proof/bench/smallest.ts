// Whole purchases on the smallest machine: `svc bench` with database, service and card form held to one virtual CPU and
// 512 MB by the kernel; load and the stand-in of the provider run outside. Needs root and a hierarchy of cgroups.

import { type ChildProcess, spawn } from 'node:child_process';
import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  readFileSync,
  rmdirSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { startPostgres } from '@svc/service/start/postgres/index';
import { root } from '@svc/tools/start/options';
import type { Closers } from './load/closers.ts';
import { median } from './load/statistics.ts';
import { visitTree } from './processor.ts';

const cpus = 1;
const memoryMb = 512;

type Step = {
  readonly rateAsked: number;
  readonly rateReached: number;
  readonly failed: Readonly<Record<string, number>>;
  readonly captureMs: { readonly p50: number; readonly p95: number; readonly p99: number } | null;
};

export type Smallest =
  | { readonly skipped: string }
  | { readonly rounds: readonly (Step & { readonly mostMb: number })[] };

type Settings = {
  readonly rounds: number;
  /** Purchases a second. */
  readonly rates: readonly number[];
  readonly seconds: number;
  readonly say: (line: string) => void;
};

/** Makes purchases for so many seconds in each round; `svc bench` warms up before. */
export async function measureSmallest(
  closers: Closers,
  { rounds, rates, seconds, say }: Settings,
): Promise<Smallest> {
  const group = openGroup();
  if (typeof group === 'string') return { skipped: group };
  await closers.add(() => group.close());
  const server = await startPostgres({
    dataDir: join(root, '.cache/bench-postgres-smallest'),
    project: root,
    settings: { shared_buffers: '64MB' },
    say,
  });
  await closers.add(() => server.stop());
  group.take(server.pid, () => true);
  const adminUrl = server.url('postgres', 'postgres');
  const taken: (Step & { mostMb: number })[] = [];
  for (let round = 1; round <= rounds; round++) {
    for (const rate of rates) {
      const step = await runOnce(group, { rate, seconds, adminUrl });
      taken.push({ ...step, mostMb: group.mostMb() });
      say(
        `smallest machine ${round}/${rounds}, ${rate} a second: p99 ${ms(step.captureMs?.p99)} ms`,
      );
    }
  }
  return { rounds: taken };
}

type Group = {
  /** Moves those of the process and its descendants whose command line is wanted. */
  take(pid: number, isWanted: (commandLine: string) => boolean): void;
  /** The most memory that was used at once, cached files included. */
  mostMb(): number;
  close(): void;
};

const hierarchy = '/sys/fs/cgroup';

/** Makes a group with these limits, of either version of cgroups; returns why it cannot. */
function openGroup(): Group | string {
  const isSecond = existsSync(join(hierarchy, 'cgroup.controllers'));
  const name = `svc-bench-${process.pid}`;
  const [cpu, memory] = isSecond
    ? [join(hierarchy, name), join(hierarchy, name)]
    : [join(hierarchy, 'cpu', name), join(hierarchy, 'memory', name)];
  const places = [...new Set([cpu, memory])];
  const write = (place: string, file: string, value: string) =>
    writeFileSync(join(place, file), value);
  const close = () => {
    for (const place of places.filter((each) => existsSync(each))) rmdirSync(place);
  };
  try {
    accessSync(isSecond ? hierarchy : join(hierarchy, 'memory'), constants.W_OK);
    for (const place of places) mkdirSync(place, { recursive: true });
    const [period, bytes] = [100_000, String(memoryMb * 1024 * 1024)];
    if (isSecond) {
      write(cpu, 'cpu.max', `${cpus * period} ${period}`);
      write(memory, 'memory.max', bytes);
    } else {
      write(cpu, 'cpu.cfs_period_us', String(period));
      write(cpu, 'cpu.cfs_quota_us', String(cpus * period));
      write(memory, 'memory.limit_in_bytes', bytes);
    }
  } catch (error) {
    close();
    return `limits of CPU and memory need root and cgroups (${(error as Error).message})`;
  }
  const most = isSecond ? 'memory.peak' : 'memory.max_usage_in_bytes';
  return {
    take(pid, isWanted) {
      visitTree([pid], (each) => {
        const isTaken = readFileSync(`/proc/${each}/cgroup`, 'utf8').includes(name);
        if (isTaken || !isWanted(readFileSync(`/proc/${each}/cmdline`, 'latin1'))) return;
        for (const place of places) write(place, 'cgroup.procs', String(each));
      });
    },
    mostMb: () => Number(readFileSync(join(memory, most), 'utf8')) / 1024 ** 2,
    close,
  };
}

const ms = (value: number | undefined): string => value?.toFixed(1) ?? '-';

const ofInstallation = /(service|vault)\/src\/main\.ts/;

async function runOnce(
  group: Group,
  { rate, seconds, adminUrl }: { readonly rate: number; seconds: number; adminUrl: string },
): Promise<Step> {
  const wish = ['--rate', String(rate), '--seconds', String(seconds), '--json'];
  const child: ChildProcess = spawn(
    process.execPath,
    [join(root, 'service/src/svc.ts'), 'bench', '--provider', 'sandbox', ...wish],
    { cwd: root, env: { ...process.env, DATABASE_ADMIN_URL: adminUrl }, stdio: 'pipe' },
  );
  let [said, troubles] = ['', ''];
  child.stdout?.on('data', (chunk: Buffer) => {
    said += chunk;
  });
  child.stderr?.on('data', (chunk: Buffer) => {
    troubles += chunk;
  });
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  // Each process is moved as soon as it is seen, before the warm-up ends.
  for (let isOver = false; !isOver; ) {
    if (child.pid) group.take(child.pid, (line) => ofInstallation.test(line));
    isOver = await Promise.race([ended.then(() => true), pause(300, false)]);
  }
  const [step] = said === '' ? [] : (JSON.parse(said) as { steps: Step[] }).steps;
  if (!step) throw new Error(`svc bench measured nothing: ${said}${troubles}`);
  return step;
}

/** Returns the block of the report. */
export function describeSmallest(found: Smallest): string {
  const what = `smallest machine, ${cpus} virtual CPU and ${memoryMb} MB for database, service and card form`;
  if ('skipped' in found) return `${what}: not measured: ${found.skipped}`;
  const rates = new Set(found.rounds.map(({ rateAsked }) => rateAsked));
  const lines = [...rates].map((rate) => {
    const rounds = found.rounds.filter(({ rateAsked }) => rateAsked === rate);
    const of = (key: 'p50' | 'p95' | 'p99') =>
      rounds.map(({ captureMs }) => captureMs?.[key] ?? NaN);
    const failed = rounds.flatMap((round) => Object.values(round.failed));
    return (
      `  ${rate} whole purchases a second: ${ms(median(rounds.map(({ rateReached }) => rateReached)))} reached, ` +
      `${failed.reduce((sum, one) => sum + one, 0)} failed; a capture's p50 ${ms(median(of('p50')))}, ` +
      `p95 ${ms(median(of('p95')))}, p99 ${ms(median(of('p99')))} ms (${of('p99').map(ms).join(', ')}); ` +
      `${Math.round(Math.max(...rounds.map(({ mostMb }) => mostMb)))} MB at most`
    );
  });
  return [what, ...lines].join('\n');
}

// Many schedules, one after the other, over one database of their own.

import type { Mode } from '@svc/sandbox';
import { runAudit } from '../../service/src/operations/audit/run-audit.ts';
import { type Counts, faultNames } from './chances.ts';
import { runSchedule, type Schedule } from './schedule.ts';
import { sights } from './sights.ts';
import { openStage, type Stage } from './stage.ts';

export type ScheduleOptions = {
  readonly count: number;
  /** The first seed; the others follow it. */
  readonly seed: number;
  readonly mode: Mode;
  onProgress(done: number): void;
};

export type ScheduleReport = {
  readonly schedules: number;
  readonly violations: readonly string[];
  /** How often each fault and coincidence was met; zero where one never was. */
  readonly sometimes: Readonly<Record<string, number>>;
};

const auditEvery = 250;

/** Runs them all, each judged by itself, and the audit of the whole database now and then. */
export async function runSchedules(options: ScheduleOptions): Promise<ScheduleReport> {
  const seeds = Array.from({ length: options.count }, (_, index) => options.seed + index);
  const stage = await openStage(options.mode);
  try {
    return await runSeeds(stage, seeds, options.onProgress);
  } finally {
    await stage.close();
  }
}

export async function runSeeds(
  stage: Stage,
  seeds: readonly number[],
  onProgress: (done: number) => void,
): Promise<ScheduleReport> {
  const violations: string[] = [];
  const sometimes: Counts = Object.fromEntries([...faultNames, ...sights].map((name) => [name, 0]));
  for (const [index, seed] of seeds.entries()) {
    const schedule = await runSchedule(stage, seed);
    for (const [name, count] of Object.entries(schedule.counts)) {
      sometimes[name] = (sometimes[name] ?? 0) + count;
    }
    if (schedule.violations.length > 0) violations.push(describeFailure(schedule));
    const done = index + 1;
    if (done % auditEvery === 0 || done === seeds.length) {
      const found = await auditAll(stage);
      violations.push(...found.map((one) => `audit after seed ${seed}, ${stage.mode}: ${one}`));
    }
    onProgress(done);
  }
  return { schedules: seeds.length, violations, sometimes };
}

async function auditAll({ url }: Stage): Promise<string[]> {
  const found: string[] = [];
  await runAudit({
    url,
    onViolation: ({ rule, says, subject, found: what }) =>
      void found.push(`${rule} ${says}: ${subject} (${what})`),
  });
  // Waiting for a person is how a refund ends whose outcome nobody can find out.
  return found.filter((one) => !/^R1[bc] /.test(one));
}

/** What went wrong, how it came to it, and how to see it again. */
function describeFailure({ seed, mode, violations, trace }: Schedule): string {
  return [
    `seed ${seed}, ${mode} provider`,
    ...violations.map((one) => `  ${one}`),
    ...trace.map((line) => `  ${line}`),
    `  replay: npm run sim -- --seed ${seed} --mode ${mode} --trace`,
  ].join('\n');
}

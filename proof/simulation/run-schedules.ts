// Many schedules, one after the other, over one database of their own.

import type { Mode } from '@svc/sandbox';
import { runAudit } from '../../service/src/engine/runs/audit/run-audit.ts';
import { addCounts, type SeedGround } from '../covers/run-seeds.ts';
import type { Counts } from './chances.ts';
import { runSchedule, type Schedule } from './schedule.ts';
import { openStage, type Stage } from './stage.ts';
import { wantedOfSchedules } from './wanted.ts';

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
  const stage = await openStage(options.mode);
  const violations: string[] = [];
  const sometimes: Counts = Object.fromEntries(wantedOfSchedules.map((name) => [name, 0]));
  try {
    for (let done = 1; done <= options.count; done++) {
      const schedule = await runSchedule(stage, options.seed + done - 1);
      addCounts(sometimes, schedule.counts);
      if (schedule.violations.length > 0) violations.push(describeFailure(schedule));
      if (done % auditEvery === 0 || done === options.count) {
        const found = await auditAll(stage);
        const after = `audit after seed ${schedule.seed}, ${stage.mode}`;
        violations.push(...found.map((one) => `${after}: ${one}`));
      }
      options.onProgress(done);
    }
    return { schedules: options.count, violations, sometimes };
  } finally {
    await stage.close();
  }
}

/** A stage for one schedule after the other; the audit of the whole database comes last. */
export async function openSchedules(mode: Mode): Promise<SeedGround> {
  const stage = await openStage(mode);
  return {
    async run(seed) {
      const { violations, trace, counts } = await runSchedule(stage, seed);
      return { violations, trace, sometimes: counts };
    },
    judge: async () => (await auditAll(stage)).map((one) => `audit, ${mode}: ${one}`),
    close: () => stage.close(),
  };
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

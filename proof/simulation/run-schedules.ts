// Runs many schedules, one after the other, on one database.

import type { Mode } from '@svc/sandbox';
import { runAudit } from '../../service/src/engine/runs/audit/run-audit.ts';
import { addCounts, type SeedFixture } from '../kit/run-seeds.ts';
import type { Counts } from './chances.ts';
import { wantedOfSchedules } from './expected-counters.ts';
import { runSchedule, type Schedule } from './schedule.ts';
import { openStage, type Stage } from './stage.ts';

export type ScheduleOptions = {
  readonly count: number;
  /** The first seed; the others are consecutive. */
  readonly seed: number;
  readonly mode: Mode;
  onProgress(done: number): void;
};

export type ScheduleReport = {
  readonly schedules: number;
  readonly violations: readonly string[];
  /** How often each fault and coincidence happened; zero for those that did not. */
  readonly sometimes: Readonly<Record<string, number>>;
};

const auditEvery = 250;

/** Runs all schedules and checks each; sometimes also audits the whole database. */
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

/** Opens a fixture for one schedule after the other; the audit of the whole database comes last. */
export async function openSchedules(mode: Mode): Promise<SeedFixture> {
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
  // A refund whose outcome nobody can find out rightly waits for a person.
  return found.filter((one) => !/^R1[bc] /.test(one));
}

/** Returns the violations, the trace, and the command that runs the seed again. */
function describeFailure({ seed, mode, violations, trace }: Schedule): string {
  return [
    `seed ${seed}, ${mode} provider`,
    ...violations.map((one) => `  ${one}`),
    ...trace.map((line) => `  ${line}`),
    `  replay: npm run sim -- --seed ${seed} --mode ${mode} --trace`,
  ].join('\n');
}

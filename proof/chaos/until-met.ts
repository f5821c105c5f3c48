// A short run may by chance not come across all that it must: it goes on with other seeds.

import type { ChaosReport } from './chaos-run.ts';

const mostRuns = 3;

/** Runs until everything wanted was met, a violation shows, or three runs are over. */
export async function untilMet(
  wanted: readonly string[],
  run: (seed: number) => Promise<ChaosReport>,
): Promise<{ readonly reports: readonly ChaosReport[]; readonly unmet: readonly string[] }> {
  const first = Date.now() % 1_000_000;
  const reports: ChaosReport[] = [];
  let unmet = wanted;
  while (unmet.length > 0 && reports.length < mostRuns) {
    const report = await run(first + reports.length);
    reports.push(report);
    unmet = unmet.filter((name) => !report.sometimes[name]);
    if (report.violations.length > 0) break;
  }
  return { reports, unmet };
}

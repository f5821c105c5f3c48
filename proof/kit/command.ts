// What the commands of the random layers have in common: they print a report, or the trace of one seed.

/** Prints the report of many seeds; the process ends with 1 when a seed violates a guarantee. */
export function printReport(report: { readonly violations: readonly string[] }): void {
  console.log(JSON.stringify(report, null, 2));
  if (report.violations.length > 0) process.exitCode = 1;
}

/** Prints one seed that ran again; the process ends with 1 when it violates a guarantee. */
export function printReplay({
  trace,
  violations,
}: Readonly<Record<'trace' | 'violations', string[]>>) {
  if (trace.length > 0) console.log(trace.join('\n'));
  console.log(violations.length > 0 ? violations.join('\n') : 'no violation');
  if (violations.length > 0) process.exitCode = 1;
}

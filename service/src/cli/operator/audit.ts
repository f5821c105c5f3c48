import { type Audit, runAudit, type Violation } from '../../engine/runs/audit/run-audit.ts';
import { interruptedCode, type OperatorCommand, type Surroundings } from '../line/command.ts';
import { readFlags, readTarget, reportFlags } from '../line/flags.ts';
import { startProgress } from '../line/progress.ts';
import { countedNoun, openReport, table } from '../line/report.ts';

const columns = ['rule', 'says', 'subject', 'found'];

const help = `svc audit: checks the invariants of money, keys, events and recovery in the database

Reads one snapshot of the database and writes nothing there. Prints each invariant, how often it
is broken, and the first examples. Exits with 1 when any is.

  --database URL  the database; overrides DATABASE_URL
  --data DIR      the data folder of npm start (default .svc); overrides environment variables
  --json FILE     every violation, as a JSON document
  --csv FILE      every violation, as CSV
`;

export const auditCommand: OperatorCommand = {
  name: 'audit',
  summary: 'check the invariants in the database',
  help,
  async run(args, around) {
    const flags = readFlags(args, { ...reportFlags, database: { type: 'string' } });
    const target = readTarget(flags);
    const url = around.databaseUrl(flags.database as string | undefined);
    const report = target && (await openReport(target, columns, { command: 'audit' }));
    const progress = startProgress('audit', around.err);
    try {
      const audit = await runAudit({
        url,
        signal: around.signal,
        onProgress: progress.at,
        ...(report ? { onViolation: (violation: Violation) => report.add(violation) } : {}),
      });
      progress.end();
      print(audit, around);
      if (!audit.isComplete) {
        await report?.discard();
        return interruptedCode;
      }
      const { results, payments, violations } = audit;
      await report?.finish({
        payments,
        violations,
        rules: results.map(({ rule, says, violations }) => ({ rule, says, violations })),
      });
      return violations === 0 ? 0 : 1;
    } catch (error) {
      progress.end();
      await report?.discard();
      throw error;
    }
  },
};

function print(audit: Audit, { out }: Surroundings): void {
  const lines = audit.results.flatMap(({ rule, says, violations, examples }) => [
    [rule, String(violations), says],
    ...examples.map(({ subject, found }) => ['', '', `  ${subject}: ${found}`]),
    ...(violations > examples.length
      ? [['', '', `  and ${violations - examples.length} more`]]
      : []),
  ]);
  out.write(table([['rule', 'broken', 'what must hold'], ...lines]));
  const seen = `${audit.results.length} invariants over ${countedNoun(audit.payments, 'payment')}`;
  out.write(`${seen}: ${countedNoun(audit.violations, 'violation')}\n`);
  if (!audit.isComplete) out.write('broken off: what was not looked at may be violated too\n');
}

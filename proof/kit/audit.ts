import { runAudit } from '../../service/src/engine/runs/audit/run-audit.ts';

/** Runs `svc audit` on the database and returns each violation, which begins with its rule. */
export async function auditAll(url: string): Promise<string[]> {
  const violations: string[] = [];
  await runAudit({
    url,
    onViolation: ({ rule, says, subject, found }) =>
      void violations.push(`${rule} ${says}: ${subject} (${found})`),
  });
  return violations;
}

// Opens the fixture of schedules, which run one after the other on one database.

import type { Mode } from '@svc/sandbox';
import { runAudit } from '../../service/src/engine/runs/audit/run-audit.ts';
import type { SeedFixture } from '../kit/run-seeds.ts';
import { type Fixture, openFixture } from './fixture.ts';
import { runSchedule } from './schedule.ts';

/** Opens a fixture for one schedule after the other; the audit of the whole database comes last. */
export async function openSchedules(mode: Mode): Promise<SeedFixture> {
  const fixture = await openFixture(mode);
  return {
    async run(seed) {
      const { violations, trace, counts } = await runSchedule(fixture, seed);
      return { violations, trace, sometimes: counts };
    },
    judge: async () => (await auditAll(fixture)).map((one) => `audit, ${mode}: ${one}`),
    close: () => fixture.close(),
  };
}

async function auditAll({ url }: Fixture): Promise<string[]> {
  const found: string[] = [];
  await runAudit({
    url,
    onViolation: ({ rule, says, subject, found: what }) =>
      void found.push(`${rule} ${says}: ${subject} (${what})`),
  });
  // A refund whose outcome nobody can find out rightly waits for a person.
  return found.filter((one) => !/^R1[bc] /.test(one));
}

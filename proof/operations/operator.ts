// What an operator does after a fault, by the commands of the guides: looks, and after lost commits goes through
// "After a restore" of docs/operating/running.md.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runSvc } from '../chaos/commands.ts';
import type { Asked } from './buyers.ts';
import type { Ground } from './ground.ts';

type Difference = {
  readonly kind: string;
  readonly paymentId: string;
  readonly providerId: string;
  readonly providerStatus: string;
};

export type Findings = {
  /** Payments of which the provider has money and the database nothing, by the provider's id. */
  readonly unknown: readonly Difference[];
  readonly differences: readonly Difference[];
  readonly reconcile: string;
  readonly audit: string;
  readonly problems: readonly string[];
};

const lastOf = (text: string): string => text.trimEnd().split('\n').at(-1) ?? '';

/** Runs `svc reconcile` and `svc audit`, which only look. */
export async function look({ fixture, network }: Ground, since: number): Promise<Findings> {
  const file = join(network.folder, 'differences.json');
  const from = new Date(since).toISOString();
  const flags = ['--all', '--older-than', '0s', '--rate', '1000', '--since', from, '--json', file];
  const reconcile = await runSvc(['reconcile', ...flags], fixture.serviceEnv);
  const audit = await runSvc(['audit'], fixture.serviceEnv);
  const { rows } = JSON.parse(readFileSync(file, 'utf8')) as { rows: Difference[] };
  return {
    unknown: rows.filter(({ kind }) => kind === 'unknown_money'),
    differences: rows,
    ...{ reconcile: lastOf(reconcile.text), audit: lastOf(audit.text) },
    problems: [reconcile, audit].flatMap(({ code, text }) => (code === 0 ? [] : [text])),
  };
}

/** Steps 3 to 5: settles, decides about each payment that is not here, and says it to the end. */
export async function mendLosses(
  ground: Ground,
  { since, asked }: { since: number; asked: readonly Asked[] },
): Promise<Findings> {
  const { fixture } = ground;
  const from = new Date(since).toISOString();
  const settling = ['reconcile', '--all', '--settle', '--rate', '1000', '--since', from];
  await runSvc(settling, fixture.serviceEnv);
  const { unknown } = await look(ground, since);
  const sold = new Set(
    asked
      .filter(({ kind, final }) => kind === 'capture' && final === 200)
      .map(({ paymentId }) => paymentId),
  );
  const problems: string[] = [];
  for (const { providerId, paymentId, providerStatus } of unknown) {
    const decision = sold.has(paymentId)
      ? '--adopt'
      : providerStatus === 'captured'
        ? '--refund'
        : '--release';
    const flags = [decision, providerId, '--reason', 'commits were lost in a failover'];
    const { code, text } = await runSvc(['reconcile', ...flags], fixture.serviceEnv);
    if (code !== 0)
      problems.push(`svc reconcile ${decision} ${providerId} (${providerStatus}): ${text}`);
  }
  const said = await look(ground, since);
  return { ...said, problems: [...problems, ...said.problems] };
}

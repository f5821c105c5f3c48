// The audit: every rule over one snapshot of any database of ours, span by span, so that memory
// stays the same for any number of payments. Reads only.

import {
  type BrokenRow,
  openSnapshot,
  type Snapshot,
  type Span,
} from '../../../storage/database/audit.ts';
import { methodRules } from './method-rules.ts';
import { moneyRules } from './money-rules.ts';
import { promiseRules } from './promise-rules.ts';
import type { Rule } from './rule.ts';
import { subscriptionRules } from './subscription-rules.ts';
import { sumRules } from './sum-rules.ts';

/** The rules for payments and their events. */
export const paymentRules: readonly Rule[] = [...moneyRules, ...promiseRules];
export const rules: readonly Rule[] = [
  ...paymentRules,
  ...methodRules,
  ...subscriptionRules,
  ...sumRules,
];

export type Violation = BrokenRow & { readonly rule: string; readonly says: string };

export type RuleResult = {
  readonly rule: string;
  readonly says: string;
  readonly violations: number;
  /** At most three of the violations. */
  readonly examples: readonly BrokenRow[];
};

export type Audit = {
  readonly results: readonly RuleResult[];
  readonly payments: number;
  readonly violations: number;
  /** False when the audit was aborted: then zero violations prove nothing. */
  readonly isComplete: boolean;
};

export type AuditSettings = {
  readonly url: string;
  readonly signal?: AbortSignal;
  readonly spanSize?: number;
  /** Called with the number of payments checked so far, and of all. */
  readonly onProgress?: (done: number, total: number) => void;
  /** Called with each violation in turn. It is awaited, so a slow writer slows the audit. */
  readonly onViolation?: (violation: Violation) => void | Promise<void>;
};

const first = '00000000-0000-0000-0000-000000000000';
const last = 'ffffffff-ffff-ffff-ffff-ffffffffffff';
const examplesKept = 3;

type RuleFindings = { count: number; examples: BrokenRow[] };

/** Runs every rule. Ends early, incomplete, when the signal is aborted. */
export async function runAudit(settings: AuditSettings): Promise<Audit> {
  const { signal } = settings;
  const found = new Map<Rule, RuleFindings>(
    rules.map((rule) => [rule, { count: 0, examples: [] }]),
  );
  let payments = 0;
  let isComplete = false;
  let snapshot: Snapshot | undefined;
  try {
    snapshot = await openSnapshot(settings.url, signal);
    for await (const done of auditSpans(snapshot, settings, found)) payments = done;
    isComplete = !signal?.aborted;
  } catch (error) {
    // An abort cancels the running statement, which then throws.
    if (!signal?.aborted) throw error;
  } finally {
    await snapshot?.close();
  }
  const results = rules.map((rule) => {
    const { count, examples } = found.get(rule) ?? { count: 0, examples: [] };
    return { rule: rule.id, says: rule.says, violations: count, examples };
  });
  const violations = results.reduce((sum, result) => sum + result.violations, 0);
  return { results, payments, violations, isComplete };
}

/** Yields the number of payments checked so far. */
async function* auditSpans(
  snapshot: Snapshot,
  settings: AuditSettings,
  found: ReadonlyMap<Rule, RuleFindings>,
): AsyncGenerator<number> {
  const { signal, spanSize = 2000, onProgress } = settings;
  const check = async (over: Rule['over'], span: Span) => {
    for (const rule of rules.filter((one) => one.over === over)) {
      if (signal?.aborted) return;
      await checkRule(snapshot, { rule, span, found }, settings.onViolation);
    }
  };
  let after = first;
  let done = 0;
  onProgress?.(done, snapshot.payments);
  while (!signal?.aborted) {
    const end = await snapshot.nextSpanEnd(after, spanSize);
    // The last span reaches to the end of all ids, so that it includes rows whose payment does not exist.
    const until = !end || end.payments < spanSize ? last : end.until;
    await check('span', { after, until });
    done += end?.payments ?? 0;
    onProgress?.(done, snapshot.payments);
    yield done;
    if (until === last) break;
    after = until;
  }
  await check('whole', { after: first, until: last });
}

async function checkRule(
  snapshot: Snapshot,
  { rule, span, found }: { rule: Rule; span: Span; found: ReadonlyMap<Rule, RuleFindings> },
  onViolation: AuditSettings['onViolation'],
): Promise<void> {
  const mine = found.get(rule);
  if (!mine) return;
  for await (const rows of snapshot.rows(rule.sql, span)) {
    for (const each of rows) {
      const found = rule.judge ? rule.judge(each) : each.found;
      if (found === undefined) continue;
      const row = { subject: each.subject, found };
      mine.count += 1;
      if (mine.examples.length < examplesKept) mine.examples.push(row);
      await onViolation?.({ rule: rule.id, says: rule.says, ...row });
    }
  }
}

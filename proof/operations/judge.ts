// Judges one fault by what clients heard, what the provider booked, what the database knows and what the
// operator was told.

import type { LedgerEntry } from '../kit/provider-account.ts';
import type { Asked } from './buyers.ts';

export type Alarm = { readonly kind: string; readonly at: number };

export type Bounds = {
  /** The alert that must come; null where the fault is over before one is due. */
  readonly tells: string | null;
  /** Commits may be gone: their objects are then answered 404. */
  readonly losesRows?: boolean;
  /** Each request is answered at once by the service itself. */
  readonly isSeamless?: boolean;
  /** The longest time without a purchase. */
  readonly withinMs: number;
};

export type Evidence = {
  /** The first purchase, the fault, and the end of the purchases. */
  readonly begun: number;
  readonly from: number;
  readonly until: number;
  readonly asked: readonly Asked[];
  readonly ledger: readonly LedgerEntry[];
  readonly alarms: readonly Alarm[];
  /** Payments in the database, by id: their status. */
  readonly known: ReadonlyMap<string, string>;
  /** What `svc reconcile` and `svc audit` found first, and what they said in the end. */
  readonly named: ReadonlySet<string>;
  readonly reconcile: string;
  readonly audit: string;
  readonly commandProblems: readonly string[];
};

export type Row = {
  readonly purchases: number;
  readonly lost: number;
  readonly twice: number;
  readonly others: number;
  readonly gone: number;
  readonly alert: string;
  readonly longestMs: number;
  readonly reconcile: string;
  readonly audit: string;
};

const expected = new Set([409, 429, 503]);
/** What a captured payment is, also after a refund. */
const sold = new Set(['succeeded', 'partially_refunded', 'refunded']);

/** Names each intent and each session of which money was taken, or given back, more often than asked. */
function findTwice(ledger: readonly LedgerEntry[], asked: readonly Asked[]): string[] {
  const sessions = new Map<string, string>();
  const captures = new Map<string, number>();
  const refunds = new Map<string, number>();
  const add = (to: Map<string, number>, key: string) => to.set(key, (to.get(key) ?? 0) + 1);
  for (const { kind, intent, metadata } of ledger) {
    if (kind === 'authorize' && metadata.session_id)
      sessions.set(intent ?? '', metadata.session_id);
    if (kind === 'capture') add(captures, intent ?? '');
    if (kind === 'refund') add(refunds, intent ?? '');
  }
  const bySession = new Map<string, number>();
  for (const [intent] of captures) add(bySession, sessions.get(intent) ?? intent);
  const wanted = asked.filter(({ kind }) => kind === 'refund').length;
  const given = [...refunds.values()].reduce((sum, times) => sum + times, 0);
  return [
    ...[...captures]
      .filter(([, times]) => times > 1)
      .map(([intent]) => `captured twice: ${intent}`),
    ...[...bySession].filter(([, times]) => times > 1).map(([id]) => `session paid twice: ${id}`),
    ...[...refunds].filter(([, times]) => times > 1).map(([intent]) => `refunded twice: ${intent}`),
    ...(given > wanted ? [`${given} refunds of ${wanted} that were asked for`] : []),
  ];
}

/** The longest time between two captures that a client was told, or to the begin or end of the run. */
function longestGapMs({ asked, begun, until }: Evidence): number {
  const ends = asked
    .filter(({ kind, final }) => kind === 'capture' && final !== null && final < 300)
    .map(({ endedAt }) => endedAt)
    .toSorted((one, other) => one - other);
  const times = [begun, ...ends, until];
  return times.reduce((longest, at, index) => Math.max(longest, at - (times[index - 1] ?? at)), 0);
}

/** A request is lost when its client was never told that what it asked for is done. */
const isLost = ({ final, paymentId }: Asked, { known }: Evidence, { losesRows }: Bounds): boolean =>
  final === null || (final >= 300 && !(losesRows && final === 404 && !known.has(paymentId ?? '')));

export function judge(evidence: Evidence, bounds: Bounds): { row: Row; problems: string[] } {
  const { asked, alarms, from, known, named, ledger, commandProblems } = evidence;
  const captured = asked.filter(({ kind, final }) => kind === 'capture' && final === 200);
  const lost = asked.filter((one) => isLost(one, evidence, bounds));
  const others = asked.flatMap(({ kind, key, answers }) =>
    answers
      .filter(({ status }) => status >= 300 && !expected.has(status))
      .filter(({ status }) => !(bounds.losesRows && status === 404))
      .map(({ status, code }) => `${status} ${code} to ${kind} ${key}`),
  );
  const gone = captured.filter(({ paymentId }) => !sold.has(known.get(paymentId ?? '') ?? ''));
  const twice = findTwice(ledger, asked);
  const longestMs = longestGapMs(evidence);
  const alarm = alarms.find(({ kind }) => kind === bounds.tells);
  const problems = [
    ...lost.map(({ kind, key, final, answers }) => {
      const heard = answers.at(-1);
      return `lost: ${kind} ${key}: ${final ?? `no end, ${heard?.status} ${heard?.code}`}`;
    }),
    ...twice,
    ...others.map((one) => `answered ${one}`),
    ...(bounds.losesRows ? [] : gone.map(({ key }) => `answered 200 and gone: ${key}`)),
    ...unnamed(ledger, known, named).map((intent) => `svc reconcile does not name ${intent}`),
    ...(bounds.isSeamless ? unanswered(asked) : []),
    ...(bounds.tells && !alarm ? [`no alert ${bounds.tells}`] : []),
    ...(longestMs > bounds.withinMs ? [`${longestMs} ms without a purchase`] : []),
    ...commandProblems,
  ];
  const row = {
    ...{ purchases: captured.length, lost: lost.length, twice: twice.length },
    ...{ others: others.length, gone: gone.length, longestMs },
    alert: alarm ? `${alarm.kind} after ${Math.round((alarm.at - from) / 1000)} s` : 'none due',
    ...{ reconcile: evidence.reconcile, audit: evidence.audit },
  };
  return { row, problems };
}

const unanswered = (asked: readonly Asked[]): string[] =>
  asked
    .filter((one) => one.unanswered > 0)
    .map(({ kind, key, unanswered: times }) => `${times} times without an answer: ${kind} ${key}`);

/** Money that moved at the provider for a payment that is not here, and that nobody named. */
function unnamed(
  ledger: readonly LedgerEntry[],
  known: ReadonlyMap<string, string>,
  named: ReadonlySet<string>,
): string[] {
  return ledger
    .filter(({ kind, metadata }) => kind === 'authorize' && !known.has(metadata.payment_id ?? ''))
    .map(({ intent }) => intent ?? '')
    .filter((intent) => !named.has(intent));
}

import { rows } from '@svc/contract';
import type { ActivityReport } from '@svc/contract/reports/reports';
import type { InputOf } from '@svc/contract/rows/row';
import { checkedDate } from '@svc/contract/values/instants';
import { toMajor } from '../../domain/money/money.ts';
import { implement } from '../../engine/implement.ts';
import { requireServer } from '../../engine/require-server.ts';
import { readReportZone } from '../../engine/steps/reports/report-zone.ts';
import { addSums, noSums, showFigures } from '../../engine/steps/reports/show-figures.ts';
import { readAskingTime } from '../../storage/database/clock.ts';
import type { Reader } from '../../storage/database/reads.ts';
import {
  type AttemptRow,
  readActivity,
  readAttemptSums,
  readAttempts,
  readBuckets,
  readGroups,
  readMovementSums,
  readPeriodBefore,
  type Span,
} from '../../storage/reports/activity.ts';

const dayMs = 24 * 3600_000;
const mostDays = { hour: 32, day: 400, week: 1200, month: 4000 } as const;

/**
 * Returns the movements and attempts of each hour, day, week or month of a zone, by currency, and
 * those of the same number of days before. Additions §8. Refuses invalid_query for an unknown zone,
 * and for a span that ends before it begins or is too long.
 */
export const getActivityReport = implement(rows.getActivityReport)(
  async (input, caller, ports, refuse) => {
    const { clientId } = requireServer(caller);
    const { database } = ports;
    const { interval = 'day', by, currency } = input;
    const { timeZone } = await readReportZone(database, clientId, input.timeZone);
    const to = input.to === undefined ? await readAskingTime(database) : checkedDate(input.to);
    const from =
      input.from === undefined ? new Date(to.getTime() - 30 * dayMs) : checkedDate(input.from);
    const days = (to.getTime() - from.getTime()) / dayMs;
    if (days <= 0 || days > mostDays[interval]) {
      const message = `Ask for up to ${mostDays[interval]} days by ${interval}; to comes after from.`;
      return refuse('invalid_query', { param: 'to', message });
    }
    const span: Span = { clientId, from, to, timeZone, interval };
    const body = await ports.report((reader, asOf) =>
      readReport(reader, { span, currency, by, asOf }),
    );
    return { status: 200, body };
  },
);

type ReportQuery = {
  readonly span: Span;
  readonly currency: InputOf<typeof rows.getActivityReport>['currency'];
  readonly by: InputOf<typeof rows.getActivityReport>['by'];
  readonly asOf: Date | null;
};

async function readReport(reader: Reader, query: ReportQuery): Promise<ActivityReport> {
  const { span, currency, by, asOf } = query;
  const { from, to, timeZone, interval } = span;
  const beforeFrom = await readPeriodBefore(reader, span);
  const currencies = await readCurrencies(reader, { span, beforeFrom, currency });
  const groups = by ? await readGroups(reader, span, { by, currency }) : null;
  return {
    asOf: asOf?.toISOString() ?? null,
    from: from.toISOString(),
    to: to.toISOString(),
    beforeFrom: beforeFrom.toISOString(),
    timeZone,
    interval,
    currencies,
    groups:
      groups?.map((row) => ({
        currency: row.currency,
        name: row.name,
        ...(row.brand === undefined ? {} : { brand: row.brand }),
        ...(row.country === undefined ? {} : { country: row.country }),
        succeeded: Number(row.succeeded),
        failed: Number(row.failed),
        amount: toMajor(Number(row.succeeded_minor), row.currency),
      })) ?? null,
  };
}

async function readCurrencies(
  database: Reader,
  {
    span,
    beforeFrom,
    currency,
  }: Pick<ReportQuery, 'span' | 'currency'> & { readonly beforeFrom: Date },
): Promise<ActivityReport['currencies']> {
  const before = { ...span, from: beforeFrom, to: span.from };
  const starts = await readBuckets(database, span);
  const [moved, tried, movedBefore, triedBefore] = await Promise.all([
    readActivity(database, { ...span, starts }),
    readAttempts(database, { ...span, starts }),
    readMovementSums(database, before),
    readAttemptSums(database, before),
  ]);
  const names = [...moved, ...tried, ...movedBefore, ...triedBefore].map((row) => row.currency);
  const wanted = [...new Set(names)].filter((name) => currency === undefined || name === currency);
  const shown = wanted.map((name) => {
    const isOfCurrency = (row: { readonly currency: string }) => row.currency === name;
    const [own, attempts] = [moved.filter(isOfCurrency), tried.filter(isOfCurrency)];
    const [movedAt, triedAt] = [mapByStart(own), mapByStart(attempts)];
    return {
      currency: name,
      totals: { ...showFigures(addSums(own), name), ...countAttempts(attempts) },
      before: {
        ...showFigures(movedBefore.find(isOfCurrency) ?? noSums, name),
        ...countAttempts(triedBefore.filter(isOfCurrency)),
      },
      buckets: starts.map((at, place) => {
        const triedThen = triedAt.get(at.getTime());
        return {
          startsAt: at.toISOString(),
          endsAt: (starts[place + 1] ?? span.to).toISOString(),
          ...showFigures(movedAt.get(at.getTime()) ?? noSums, name),
          ...countAttempts(triedThen ? [triedThen] : []),
        };
      }),
    };
  });
  // Sorted by the number of payments: amounts of two currencies cannot be compared.
  const compareByPayments = (a: (typeof shown)[number], b: (typeof shown)[number]) =>
    b.totals.payments - a.totals.payments || (a.currency < b.currency ? -1 : 1);
  return shown.sort(compareByPayments);
}

/** Maps the rows of one currency by the start of their bucket; each bucket has at most one row. */
const mapByStart = <Row extends { readonly starts_at: Date }>(rows: readonly Row[]) =>
  new Map(rows.map((row) => [row.starts_at.getTime(), row]));

const countAttempts = (all: readonly Omit<AttemptRow, 'starts_at'>[]) => ({
  succeeded: all.reduce((sum, row) => sum + Number(row.succeeded), 0),
  failed: all.reduce((sum, row) => sum + Number(row.failed), 0),
});

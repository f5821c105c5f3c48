// One word has one sum wherever it stands: on Home, in the heads of lists, in reports by day and month, in the
// ledger, in the files and on receipts. Random histories, in two zones and three currencies. The same answers come
// from the sums that are kept and from the payments themselves.

import type { Receipt } from '@svc/contract/payments/receipts';
import type { ActivityReport, MonthReport, ReportFigures } from '@svc/contract/reports/reports';
import { byLevel } from '@svc/tools/levels/level';
import { scaled } from '@svc/tools/machine';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { aProduct, callAs } from '../../../test/harness.ts';
import { copyEveryPayment } from '../../../test/payments/listed-payments.ts';
import {
  type Act,
  acts,
  currencies,
  monthsBetween,
  startHistory,
} from '../../../test/payments/merchant-history.ts';
import { aServer, type TestServer } from '../../../test/server.ts';
import { startWorld, type World } from '../../../test/world.ts';
import { readAskingTime } from '../../storage/database/clock.ts';
import { sql } from '../../storage/database/sql.ts';

/** East and west of Greenwich, each with days that begin within an hour of Greenwich's. */
const zones = ['Asia/Kathmandu', 'America/St_Johns'] as const;
const dayMs = 86_400_000;

type Fixture = { readonly world: World; readonly server: TestServer; readonly startedAt: Date };

async function openFixture(): Promise<Fixture> {
  const world = await startWorld();
  const server = await aServer(world.ports);
  const prices = { EUR: 1990, JPY: 2500, KWD: 5120 };
  await aProduct(world.database, world.client, { code: 'pot', prices });
  return { world, server, startedAt: await readAskingTime(world.database) };
}

async function ask({ world, server }: Fixture, path: string) {
  const answer = await callAs(server.app, world.token, `GET /v1/${path}`);
  expect(answer.statusCode, `${path}: ${answer.body}`).toBe(200);
  return answer;
}

type Line = Readonly<Record<string, string | null>>;
const linesOf = (body: string): Line[] =>
  body
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));

/** Thousandths, the smallest unit of the three currencies. */
const units = (amount: string | number | null | undefined): number =>
  Math.round(Number(amount ?? 0) * 1000);

const figureNames = [
  ...(['paid', 'refunded', 'refundsFailed', 'paymentsFailed', 'chargedBack'] as const),
  ...(['reinstated', 'fees', 'net', 'payments', 'refunds', 'chargebacks', 'withoutFee'] as const),
];
type Figures = Readonly<Record<(typeof figureNames)[number], number>>;
const addFigures = (all: readonly ReportFigures[]): Figures =>
  Object.fromEntries(
    figureNames.map((name) => [name, all.reduce((sum, one) => sum + units(one[name]), 0)]),
  ) as Figures;
const add = (rows: readonly Line[], column: string): number =>
  rows.reduce((sum, row) => sum + units(row[column]), 0);
const ofCurrency = <Row extends { readonly currency?: string | null }>(
  rows: readonly Row[],
  name: string,
) => rows.filter(({ currency }) => currency === name);

/** Everything that tells sums, as the API answers it. */
async function readPlaces(fixture: Fixture, zone: string, to: Date) {
  const body = { timeZone: zone };
  const changed = await callAs(fixture.server.app, fixture.world.token, 'PATCH /v1/client', {
    body,
  });
  expect(changed.statusCode, changed.body).toBe(200);
  const from = new Date(fixture.startedAt.getTime() - dayMs);
  const span = `from=${from.toISOString()}&to=${to.toISOString()}`;
  const activity = async (more: string): Promise<ActivityReport> =>
    (await ask(fixture, `reports/activity?${span}${more}`)).json();
  const months: MonthReport[] = [];
  const ledger: Line[] = [];
  for (const month of monthsBetween(from, to)) {
    months.push((await ask(fixture, `reports/months/${month}`)).json());
    const lines = await ask(fixture, `reports/months/${month}/ledger?style=json`);
    ledger.push(...linesOf(lines.body));
  }
  const [byDay, byWeek, byMonth, byCountry, byBrand] = [
    await activity('&by=declineCode'),
    await activity('&interval=week&by=declineCodeCountry'),
    await activity('&interval=month&by=declineCodeBrand'),
    await activity('&interval=month&by=country'),
    await activity('&interval=month&by=brand'),
  ];
  const twoDays = new Date(to.getTime() - 2 * dayMs).toISOString();
  const byHour = (
    await ask(fixture, `reports/activity?from=${twoDays}&to=${to.toISOString()}&interval=hour`)
  ).json() as ActivityReport;
  const totals = async (query: string) =>
    (await ask(fixture, `payments/totals?${query}`)).json().data as Totals[];
  const booked = (days: string) => `${days}&financialEffectiveAt[lt]=${to.toISOString()}`;
  return {
    ...{ byDay, byWeek, byMonth, byHour, byCountry, byBrand, months, ledger },
    file: linesOf((await ask(fixture, 'payments.csv?style=json')).body),
    disputes: (await ask(fixture, 'disputes?limit=100')).json().data as ListedMoney[],
    all: await totals(''),
    purchases: await totals('type[eq]=purchase'),
    refunds: await totals('type[eq]=refund&status[eq]=succeeded'),
    withdrawn: await totals('type[eq]=chargeback&amount[gt]=0'),
    reinstated: await totals('type[eq]=chargeback&amount[lt]=0'),
    disputed: await totals('isDisputed[eq]=true'),
    bookedPurchases: await totals(booked('type[eq]=purchase')),
  };
}
type Places = Awaited<ReturnType<typeof readPlaces>>;
type ListedMoney = { readonly currency: string; readonly amount: number; readonly status: string };
type Totals = {
  readonly currency: string;
  readonly captured: number;
  readonly refunded: number;
  readonly chargedBack: number;
  readonly fee: number;
  readonly net: number;
};
const totalOf = (all: readonly Totals[], currency: string) => {
  const found = all.find((one) => one.currency === currency);
  const sum = (name: Exclude<keyof Totals, 'currency'>) => units(found?.[name]);
  return {
    captured: sum('captured'),
    refunded: sum('refunded'),
    chargedBack: sum('chargedBack'),
    fee: sum('fee'),
    net: sum('net'),
  };
};

const zero = Object.fromEntries(figureNames.map((name) => [name, 0])) as Figures;

function expectOneSum(places: Places, zone: string): void {
  for (const currency of currencies) {
    const home = places.byDay.currencies.find((one) => one.currency === currency);
    const sums = home ? addFigures([home.totals]) : zero;
    const said = (place: string) => `${currency} in ${zone}: ${place}`;
    for (const [name, report] of Object.entries({
      ...{ day: places.byDay, week: places.byWeek, month: places.byMonth },
    })) {
      const own = report.currencies.find((one) => one.currency === currency);
      expect(addFigures(own?.buckets ?? []), said(`buckets by ${name}`)).toEqual(sums);
    }
    const monthly = places.months.flatMap(({ currencies: all }) => ofCurrency(all, currency));
    expect(addFigures(monthly), said('months')).toEqual(sums);
    expectLedger(ofCurrency(places.ledger, currency), { sums, said });
    expectDays(places, { currency, zone, said });
    const left = {
      captured: sums.paid - sums.paymentsFailed,
      refunded: sums.refunded - sums.refundsFailed,
      chargedBack: sums.chargedBack - sums.reinstated,
    };
    const whole = { ...left, fee: sums.fees, net: sums.net };
    expect(totalOf(places.all, currency), said('head of payments')).toEqual(whole);
    expectFile(places.file, { currency, whole, said });
    const of = (all: readonly Totals[], name: keyof typeof left) => totalOf(all, currency)[name];
    expect(totalOf(places.purchases, currency), said('head of purchases')).toEqual(whole);
    expect(of(places.bookedPurchases, 'captured'), said('booked')).toBe(left.captured);
    expect(of(places.refunds, 'refunded'), said('head of refunds')).toBe(left.refunded);
    expect(of(places.withdrawn, 'chargedBack'), said('withdrawn')).toBe(sums.chargedBack);
    expect(of(places.reinstated, 'chargedBack'), said('reinstated')).toBe(0 - sums.reinstated);
    expect(of(places.disputed, 'chargedBack'), said('disputed')).toBe(left.chargedBack);
    const disputes = ofCurrency(places.disputes, currency);
    const amounts = (all: readonly ListedMoney[]) =>
      all.reduce((sum, { amount }) => sum + units(amount), 0);
    expect(amounts(disputes), said('disputes')).toBe(sums.chargedBack);
    const won = disputes.filter(({ status }) => status === 'won');
    expect(amounts(won), said('disputes won')).toBe(sums.reinstated);
  }
}

type Said = (place: string) => string;

function expectLedger(lines: readonly Line[], { sums, said }: { sums: Figures; said: Said }): void {
  const ofKind = (kind: string) => lines.filter((line) => line.kind === kind);
  const changeOf = (kind: string) => add(ofKind(kind), 'change');
  const inLedger: Figures = {
    paid: changeOf('payment'),
    refunded: 0 - changeOf('refund'),
    refundsFailed: changeOf('refund_failed'),
    paymentsFailed: 0 - changeOf('payment_failed'),
    chargedBack: 0 - changeOf('chargeback'),
    reinstated: changeOf('chargeback_reinstated'),
    fees: add(lines, 'fee'),
    net: add(lines, 'net'),
    payments: ofKind('payment').length * 1000,
    refunds: ofKind('refund').length * 1000,
    chargebacks: ofKind('chargeback').length * 1000,
    withoutFee: lines.filter(({ fee }) => fee === null || fee === '').length * 1000,
  };
  expect(inLedger, said('ledger')).toEqual(sums);
}

/** Each day of Home is that day of the ledger. */
function expectDays(
  { byDay, ledger }: Places,
  { currency, zone, said }: { currency: string; zone: string; said: Said },
): void {
  const lines = ofCurrency(ledger, currency);
  const report = byDay.currencies.find((one) => one.currency === currency);
  const days = new Intl.DateTimeFormat('en-CA', { timeZone: zone });
  // A closed ledger keeps the local times of the zone in which it was closed.
  const dayOf = (instant: string | null | undefined) => days.format(new Date(instant ?? 0));
  for (const { startsAt, net } of report?.buckets ?? []) {
    const day = dayOf(startsAt);
    const booked = lines.filter((line) => dayOf(line.booked_at_utc) === day);
    expect(add(booked, 'net'), said(day)).toBe(units(net));
  }
}

function expectFile(
  file: readonly Line[],
  given: { currency: string; whole: ReturnType<typeof totalOf>; said: Said },
): void {
  const rows = ofCurrency(file, given.currency);
  const amountOf = (type: string, statuses: readonly string[]) =>
    add(
      rows.filter((row) => row.type === type && statuses.includes(row.status ?? '')),
      'amount',
    );
  expect(
    {
      captured: add(rows, 'captured'),
      refunded: amountOf('refund', ['succeeded']),
      chargedBack: amountOf('chargeback', ['succeeded']),
      fee: add(rows, 'fee'),
      net: add(rows, 'net'),
    },
    given.said('file'),
  ).toEqual(given.whole);
}

/** What the buyers' papers say, against the list's sums. */
async function expectReceipts(fixture: Fixture, { file, all }: Places): Promise<void> {
  const told: Record<string, { paid: number; given: number; refunded: number }> = {};
  for (const { id, type, status } of file) {
    const has = type === 'purchase' ? ['succeeded', 'partially_refunded', 'refunded'] : [];
    if (type === 'refund') has.push('succeeded');
    if (!has.includes(status ?? '')) continue;
    const receipt: Receipt = (await ask(fixture, `payments/${id}/receipt`)).json();
    told[receipt.currency] ??= { paid: 0, given: 0, refunded: 0 };
    const sum = told[receipt.currency] as NonNullable<(typeof told)[string]>;
    if (type === 'purchase') sum.paid += units(receipt.amount);
    else sum.refunded += units(receipt.amount);
    sum.given += units(receipt.amountRefunded);
  }
  for (const [currency, { paid, given, refunded }] of Object.entries(told)) {
    const { captured, refunded: wanted } = totalOf(all, currency);
    expect([paid, given, refunded], `receipts in ${currency}`).toEqual([captured, wanted, wanted]);
  }
}

/** Months that were closed where places were compared. */
const closed = new Set<string>();

const setComplete = sql(
  'test_same_sums_complete',
  'update payment_index_state set is_complete = $1',
);

/** Compares all places in both zones: by the sums that are kept, then by the payments themselves. */
async function compare(fixture: Fixture, isBooked: boolean): Promise<void> {
  const { database } = fixture.world;
  const to = new Date((await readAskingTime(database)).getTime() + 1000);
  for (const zone of zones) {
    const kept = await readPlaces(fixture, zone, to);
    for (const { closing, month } of kept.months) if (closing?.lines) closed.add(month);
    // What the provider has not booked is in the heads of lists and in no report.
    if (isBooked) expectOneSum(kept, zone);
    await database.write(setComplete, [false]);
    const direct = await readPlaces(fixture, zone, to);
    await database.write(setComplete, [true]);
    expect(kept, `kept sums in ${zone}`).toEqual(direct);
    if (isBooked && zone === zones[0]) await expectReceipts(fixture, kept);
  }
}

it(
  'one sum for one word, in random histories of two zones and three currencies',
  async () => {
    const seen = new Set<Act>();
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom(...acts), { minLength: 8, maxLength: 16 }),
        async (drawn) => {
          const fixture = await openFixture();
          try {
            const play = startHistory(fixture, (isBooked) => compare(fixture, isBooked));
            // Few histories draw each of these, and each books in a way of its own.
            const first: Act[] = ['sell', 'sell', 'sell', 'sellLate', 'refund', 'dispute'];
            const then: Act[] = ['days', 'days', 'days', 'days', 'close', 'failRefund', 'sell'];
            const last: Act[] = ['hours', 'win', 'takeBack', 'dispute', 'refund', 'compare'];
            for (const act of [...drawn, ...first]) await play[act]();
            await copyEveryPayment(fixture.world);
            for (const act of then) await play[act]();
            await copyEveryPayment(fixture.world);
            for (const act of last) await play[act]();
            await copyEveryPayment(fixture.world);
            await play.compare();
            for (const act of drawn) seen.add(act);
          } finally {
            await fixture.server.close();
            await fixture.world.close();
          }
        },
      ),
      { numRuns: byLevel({ gate: 2, proof: 20 }), endOnFailure: true },
    );
    expect(seen.size).toBeGreaterThan(acts.length / 2);
    expect(closed.size).toBeGreaterThan(0);
  },
  scaled(240_000),
);

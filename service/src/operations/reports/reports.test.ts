// Reports and ledgers through the real routes, compared with the provider's own balance
// transactions.

import { createHash } from 'node:crypto';
import type { ActivityReport, MonthFigures, MonthReport } from '@svc/contract/reports/reports';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { aClient, aToken, callAs, type TestToken } from '../../../test/harness.ts';
import {
  aPurchase,
  deliverDisputeEvents,
  dispute,
  disputeOf,
  step,
} from '../../../test/payments/disputes.ts';
import { failRefund } from '../../../test/payments/failed-refunds.ts';
import { readAtProviderAgain } from '../../../test/payments/merchant-history.ts';
import { addUpFile, readPaymentFile } from '../../../test/payments/payment-file.ts';
import { advance, aRefund } from '../../../test/payments/planted.ts';
import { aServer, type TestServer } from '../../../test/server.ts';
import { aSession, pay, startWorld, type World } from '../../../test/world.ts';
import { readClock } from '../../storage/database/clock.ts';
import { findPayment } from '../../storage/payments/payments.ts';

type Fixture = { readonly world: World; readonly server: TestServer };

async function openFixture(): Promise<Fixture> {
  const world = await startWorld();
  const server = await aServer(world.ports);
  const body = { timeZone: 'Europe/Berlin' };
  await callAs(server.app, world.token, 'PATCH /v1/client', { body });
  return { world, server };
}
const close = async ({ world, server }: Fixture) => {
  await server.close();
  await world.close();
};

const getReport = ({ world, server }: Fixture, path: string, as: TestToken = world.token) =>
  callAs(server.app, as, `GET /v1/reports/${path}`);

async function monthOf(fixture: Fixture, month: string): Promise<MonthReport> {
  const answer = await getReport(fixture, `months/${month}`);
  expect(answer.statusCode, answer.body).toBe(200);
  return answer.json();
}

type Line = Readonly<Record<string, string | null>>;
const linesOf = (body: string): Line[] =>
  body
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));

async function ledgerOf(fixture: Fixture, month: string): Promise<Line[]> {
  const answer = await getReport(fixture, `months/${month}/ledger?style=json`);
  expect(answer.statusCode, answer.body).toBe(200);
  return linesOf(answer.body);
}

const closeMonth = ({ world, server }: Fixture, month: string, as: TestToken = world.token) =>
  callAs(server.app, as, `POST /v1/reports/months/${month}/close`);

const clockOf = async ({ world }: Fixture): Promise<Date> =>
  world.database.transaction(world.client.id, readClock);

/** Returns the current month in Berlin, and the next one. */
async function months(fixture: Fixture): Promise<[string, string]> {
  const now = await clockOf(fixture);
  const parts = new Intl.DateTimeFormat('en-CA', { timeZone: 'Europe/Berlin' }).format(now);
  const [year = 0, month = 0] = parts.split('-').map(Number);
  const nameOfMonth = (at: number) =>
    `${year + Math.floor(at / 12)}-${String((at % 12) + 1).padStart(2, '0')}`;
  return [nameOfMonth(month - 1), nameOfMonth(month)];
}

async function aSale({ world }: Fixture, currency = 'EUR'): Promise<string> {
  const session = await aSession(world, { captureMethod: 'automatic', currency });
  const answer = await pay(world, session);
  return (answer as { body: { paymentId: string } }).body.paymentId;
}

/** Returns hundredths, also for amounts of yen. */
const cents = (amount: string | number | null | undefined): number =>
  Math.round(Number(amount ?? 0) * 100);
const added = (lines: readonly Line[], field: string): number =>
  lines.reduce((sum, line) => sum + cents(line[field]), 0);

/** Expects a month and its ledger to agree to the cent, figure by figure. */
function expectAgreement(figures: MonthFigures, all: readonly Line[]): void {
  const lines = all.filter(({ currency }) => currency === figures.currency);
  const sumOfKind = (kind: string) =>
    added(
      lines.filter((line) => line.kind === kind),
      'change',
    );
  expect({
    paid: sumOfKind('payment'),
    refunded: 0 - sumOfKind('refund'),
    refundsFailed: sumOfKind('refund_failed'),
    paymentsFailed: 0 - sumOfKind('payment_failed'),
    chargedBack: 0 - sumOfKind('chargeback'),
    reinstated: sumOfKind('chargeback_reinstated'),
    fees: added(lines, 'fee'),
    net: added(lines, 'net'),
  }).toEqual({
    paid: cents(figures.paid),
    refunded: cents(figures.refunded),
    refundsFailed: cents(figures.refundsFailed),
    paymentsFailed: cents(figures.paymentsFailed),
    chargedBack: cents(figures.chargedBack),
    reinstated: cents(figures.reinstated),
    fees: cents(figures.fees),
    net: cents(figures.net),
  });
  expect(added(lines, 'change') - added(lines, 'fee')).toBe(added(lines, 'net'));
}

/** Returns what the provider has booked, in its minor units by currency. */
async function providersNet({ world }: Fixture): Promise<Record<string, number>> {
  const net: Record<string, number> = {};
  for (let after = ''; ; ) {
    const url = `${world.sandbox.url}/v1/balance_transactions?limit=100${after}`;
    const headers = { authorization: `Bearer ${world.account.secretKey}` };
    const page = (await (await fetch(url, { headers })).json()) as {
      data: { id: string; net: number; currency: string }[];
      has_more: boolean;
    };
    for (const one of page.data) {
      const name = one.currency.toUpperCase();
      net[name] = (net[name] ?? 0) + one.net * (name === 'JPY' ? 100 : 1);
    }
    if (!page.has_more) return net;
    after = `&starting_after=${page.data.at(-1)?.id}`;
  }
}

describe('a month', () => {
  let fixture: Fixture;
  let closedMonth = '';
  beforeAll(async () => {
    fixture = await openFixture();
  });
  afterAll(() => close(fixture));

  it('adds up by currency, and its ledger to the same; the chargeback’s sign is turned', async () => {
    const { world } = fixture;
    const [month] = await months(fixture);
    const sold = await aSale(fixture);
    await aSale(fixture, 'JPY');
    await aRefund(world, sold, 5);
    const disputed = await aPurchase(world);
    const opened = await dispute(world, disputed.intent);
    await deliverDisputeEvents(world, opened);
    await step(world, opened, 'close', { outcome: 'won' });
    await deliverDisputeEvents(world, opened);

    const report = await monthOf(fixture, month);
    const lines = await ledgerOf(fixture, month);
    expect(report).toMatchObject({ timeZone: 'Europe/Berlin', closing: null, notBooked: [] });
    const [eur, jpy] = report.currencies;
    expect(report.currencies.map(({ currency }) => currency)).toEqual(['EUR', 'JPY']);
    expect(eur).toMatchObject({ paid: 39.8, refunded: 5, chargedBack: 19.9, reinstated: 19.9 });
    expect(jpy).toMatchObject({ paid: 2500, refunded: 0, fees: 103, net: 2397 });
    for (const figures of report.currencies) expectAgreement(figures, lines);

    const { id: disputeId } = await disputeOf(world, disputed.paymentId);
    const purchase = await findPayment(world.database, world.client.id, disputed.paymentId);
    const ofDispute = lines.filter(({ dispute_id: id }) => id === disputeId);
    expect(ofDispute.map(({ kind, change }) => [kind, change])).toEqual([
      ['chargeback', '-19.90'],
      ['chargeback_reinstated', '19.90'],
    ]);
    for (const line of ofDispute) {
      expect(line).toMatchObject({
        charge_id: purchase?.gatewayChargeId,
        original_payment_id: disputed.paymentId,
      });
    }
    const refund = lines.find(({ kind }) => kind === 'refund');
    expect(refund).toMatchObject({ change: '-5.00', fee: '0.00', original_payment_id: sold });
  });

  it('409 month_not_over; a member closes nothing; 403 insufficient_scope', async () => {
    const [month] = await months(fixture);
    const early = await closeMonth(fixture, month);
    expect([early.statusCode, early.json().code]).toEqual([409, 'month_not_over']);
    const member = await aToken(fixture.world.database, fixture.world.client, { role: 'member' });
    const refused = await closeMonth(fixture, month, member);
    expect([refused.statusCode, refused.json().code]).toEqual([403, 'merchant_role_required']);
    const scoped = await aToken(fixture.world.database, fixture.world.client, {
      scopes: ['refunds:write'],
    });
    for (const path of ['months/2026-11', 'months/2026-11/ledger']) {
      expect((await getReport(fixture, path, scoped)).json().code).toBe('insufficient_scope');
    }
    expect((await closeMonth(fixture, month, scoped)).json().code).toBe('insufficient_scope');
  });

  it('400: a zone, a month and a span that are none', async () => {
    for (const path of ['months/2026-11?timeZone=%2B02:00', 'months/2026-11/ledger?timeZone=X/Y']) {
      expect((await getReport(fixture, path)).json()).toMatchObject({
        code: 'invalid_query',
        param: 'timeZone',
      });
    }
    expect((await getReport(fixture, 'months/2026-13')).json().code).toBe('invalid_request');
    expect((await closeMonth(fixture, '2026-00')).json().code).toBe('invalid_request');
    const span = 'activity?from=2026-11-02T00:00:00Z&to=2026-11-01T00:00:00Z';
    expect((await getReport(fixture, span)).json().code).toBe('invalid_query');
  });

  it('closed: the same bytes for ever, and what comes late is the next month’s', async () => {
    const { world } = fixture;
    const [month, next] = await months(fixture);
    // Booked in this month, but its record comes after the month is closed.
    await world.fault({ path: '/v1/' }, 'late_balance', { count: 1000 });
    const late = await aSale(fixture);
    await world.control('DELETE', '/_control/faults');
    expect((await monthOf(fixture, month)).notBooked).toEqual([
      { currency: 'EUR', payments: 1, amount: 19.9 },
    ]);
    await advance(world, 32 * 86_400);

    const open = await monthOf(fixture, month);
    closedMonth = month;
    const closed = await closeMonth(fixture, month);
    expect(closed.statusCode, closed.body).toBe(200);
    const { closing, ...rest } = closed.json() as MonthReport;
    expect(rest).toEqual({ ...open, closing: undefined });
    const path = `months/${month}/ledger`;
    const first = await getReport(fixture, path);
    expect(createHash('sha256').update(first.rawPayload).digest('hex')).toBe(closing?.sha256);

    await readAtProviderAgain(world, late);
    const after = await getReport(fixture, path);
    expect(after.body).toBe(first.body);
    expect((await monthOf(fixture, month)).currencies).toEqual(open.currencies);
    const following = await monthOf(fixture, next);
    expect(following.currencies).toMatchObject([{ currency: 'EUR', late: { paid: 19.9 } }]);
    const lines = await ledgerOf(fixture, next);
    expect(lines).toMatchObject([{ payment_id: late, belongs_to: month, change: '19.90' }]);
    const audit = await callAs(
      fixture.server.app,
      world.token,
      'GET /v1/audit-entries?action[eq]=month.closed',
    );
    expect(audit.json().total).toBe(1);
  });

  it('409 month_closed: a month is closed once', async () => {
    const again = await closeMonth(fixture, closedMonth);
    expect([again.statusCode, again.json().code]).toEqual([409, 'month_closed']);
  });

  it('another merchant sees nothing of it, and closes its own', async () => {
    const stranger = await aToken(fixture.world.database, await aClient(fixture.world.database));
    const [month] = await months(fixture);
    expect((await getReport(fixture, `months/${month}`, stranger)).json().currencies).toEqual([]);
    const ledger = await getReport(fixture, `months/${month}/ledger`, stranger);
    expect(ledger.body.split('\r\n')).toHaveLength(2);
  });
});

describe('activity', () => {
  let fixture: Fixture;
  beforeAll(async () => {
    fixture = await openFixture();
  });
  afterAll(() => close(fixture));

  const activity = async (query: string): Promise<ActivityReport> => {
    const answer = await getReport(fixture, `activity?${query}`);
    expect(answer.statusCode, answer.body).toBe(200);
    return answer.json();
  };

  it('days are of the zone: 25 hours in October, 23 in March, and the period before as long', async () => {
    await aSale(fixture);
    const winter = 'from=2026-10-24T22:00:00Z&to=2026-10-26T23:00:00Z';
    const known = await activity(`${winter}&timeZone=Europe/Berlin`);
    expect(known.beforeFrom).toBe('2026-10-22T22:00:00.000Z');
    const now = await clockOf(fixture);
    const to = new Date(now.getTime() + 60_000).toISOString();
    const from = new Date(now.getTime() - 300 * 86_400_000).toISOString();
    const { currencies } = await activity(`from=${from}&to=${to}&timeZone=Europe/Berlin`);
    const [eur] = currencies;
    const hours = (eur?.buckets ?? [])
      .slice(1, -1)
      .map(({ startsAt, endsAt }) => (Date.parse(endsAt) - Date.parse(startsAt)) / 3_600_000);
    expect(new Set(hours)).toContain(24);
    for (const length of hours) expect([23, 24, 25]).toContain(length);
    const sum = (eur?.buckets ?? []).reduce((all, one) => all + cents(one.net), 0);
    expect(sum).toBe(cents(eur?.totals.net));
    expect(eur?.totals).toMatchObject({ paid: 19.9, fees: 0.88, net: 19.02, succeeded: 1 });
  });

  it('groups attempts by why they failed, and by brand', async () => {
    const session = await aSession(fixture.world, { captureMethod: 'automatic' });
    await pay(fixture.world, session, '4000000000009995').catch(() => undefined);
    const now = await clockOf(fixture);
    const span = `from=${new Date(now.getTime() - 86_400_000).toISOString()}&to=${new Date(now.getTime() + 60_000).toISOString()}`;
    const { groups } = await activity(`${span}&by=declineCode`);
    expect(groups).toContainEqual({
      ...{ currency: 'EUR', name: 'insufficient_funds', succeeded: 0, failed: 1, amount: 0 },
    });
    const both = await activity(`${span}&by=declineCodeBrand`);
    expect(both.groups).toContainEqual({
      ...{ currency: 'EUR', name: 'insufficient_funds', brand: 'visa' },
      ...{ succeeded: 0, failed: 1, amount: 0 },
    });
    const brands = await activity(`${span}&by=brand&currency=JPY`);
    expect([brands.groups, brands.currencies]).toEqual([[], []]);
  });
});

describe('random histories', () => {
  it('what the months add up to is what the provider booked, however it came', async () => {
    const act = fc.constantFrom('sell', 'sell', 'yen', 'refund', 'fail', 'dispute', 'win', 'days');
    await fc.assert(
      fc.asyncProperty(fc.array(act, { minLength: 6, maxLength: 14 }), async (acts) => {
        const fixture = await openFixture();
        try {
          // Few runs draw each of these acts, and each has a booking of its own.
          await liveThrough(fixture, [...acts, 'refund', 'fail', 'dispute', 'win']);
          const told: Record<string, number> = {};
          const [last] = await months(fixture);
          for (const month of monthsBetween(started, last)) {
            const [report, lines] = [await monthOf(fixture, month), await ledgerOf(fixture, month)];
            for (const figures of report.currencies) {
              expectAgreement(figures, lines);
              told[figures.currency] = (told[figures.currency] ?? 0) + cents(figures.net);
            }
          }
          expect(told).toEqual(await providersNet(fixture));
          expect(addUpFile(await readPaymentFile(fixture), 'net')).toEqual(told);
        } finally {
          await close(fixture);
        }
      }),
      { numRuns: 3 },
    );
  });

  let started = '';
  async function liveThrough(fixture: Fixture, acts: readonly string[]): Promise<void> {
    const { world } = fixture;
    [started] = await months(fixture);
    const sales = [await aSale(fixture)];
    const refunds: string[] = [];
    const disputes: string[] = [];
    for (const act of acts) {
      if (act === 'sell') sales.push(await aSale(fixture));
      if (act === 'yen') await aSale(fixture, 'JPY');
      if (act === 'days') await advance(world, 9 * 86_400);
      const sale = sales.at(-1);
      if (act === 'refund' && sale) refunds.push(await aRefund(world, sale, 1).catch(() => ''));
      const refund = refunds.pop();
      if (act === 'fail' && refund) await failRefund(fixture.world, refund);
      else if (refund) refunds.push(refund);
      if (act === 'dispute') {
        const { intent } = await aPurchase(world);
        const opened = await dispute(world, intent);
        await deliverDisputeEvents(world, opened);
        disputes.push(opened);
      }
      const opened = act === 'win' ? disputes.pop() : undefined;
      if (opened) {
        await step(world, opened, 'close', { outcome: 'won' });
        await deliverDisputeEvents(world, opened);
      }
    }
  }

  function monthsBetween(first: string, last: string): string[] {
    const found = [first];
    while (found.at(-1) !== last && found.length < 12) {
      const [year = 0, month = 0] = (found.at(-1) ?? '').split('-').map(Number);
      const isOver = month === 12;
      found.push(`${isOver ? year + 1 : year}-${String(isOver ? 1 : month + 1).padStart(2, '0')}`);
    }
    return found;
  }
});

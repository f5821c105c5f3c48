// Files of payments that are made by themselves after each month. Additions §8, Monthly files.

import type { ExportSchedule } from '@svc/contract/reports/export-schedules';
import type { Export } from '@svc/contract/reports/exports';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { aClient, aToken, callAs, moveClock, type TestToken } from '../../../test/harness.ts';
import { aMemberOf } from '../../../test/people/members.ts';
import { aSignIn, fromOwnPage } from '../../../test/people/people.ts';
import { aServer, type TestServer } from '../../../test/server.ts';
import { aSession, pay, startWorld, type World } from '../../../test/world.ts';
import type { Role } from '../../engine/ports.ts';
import { beginMonthlyExports } from '../../engine/runs/exports/begin-monthly-exports.ts';
import { makeExports } from '../../engine/runs/exports/make-exports.ts';
import { notifyPeople } from '../../engine/runs/notifications/notify-people.ts';
import { sql } from '../../storage/database/sql.ts';

const endSchedules = sql('test_no_schedules', 'delete from export_schedules');
const endExports = sql('test_no_exports', 'delete from exports');

let world: World;
let server: TestServer;
beforeAll(async () => {
  world = await startWorld();
  server = await aServer(world.ports);
  await zone('Europe/Berlin');
}, 60_000);
afterAll(async () => {
  await server?.close();
  await world?.close();
});
beforeEach(async () => {
  await world.database.write(endSchedules, []);
  await world.database.write(endExports, []);
});

const onError = (_clientId: string, error: unknown) => {
  throw error;
};
const begin = (ports: Pick<World['ports'], 'database' | 'newId'> = world.ports) =>
  beginMonthlyExports(ports, { onError });
/** A person in a browser: finance, support and viewers have no tokens. */
async function colleague(role: Role) {
  const { id } = await aMemberOf(world.ports, world.client, { role });
  const headers = fromOwnPage(await aSignIn(world.ports, { id }), world.client.id);
  return { id, headers };
}
type Asker = TestToken | Awaited<ReturnType<typeof colleague>>;
const call = (path: string, as: Asker = world.token) =>
  'headers' in as
    ? callAs(server.app, null, path as 'GET /', { headers: as.headers })
    : callAs(server.app, as, path as 'GET /');
const codeOf = async (path: string, as?: Asker) => {
  const { statusCode, body } = await call(path, as);
  return [statusCode, body === '' ? undefined : JSON.parse(body).code];
};
async function schedule(query = '', as?: Asker): Promise<ExportSchedule> {
  const answer = await call(`POST /v1/export-schedules?${query}`, as);
  expect(answer.statusCode, answer.body).toBe(201);
  return answer.json();
}
const schedules = async (): Promise<ExportSchedule[]> =>
  (await call('GET /v1/export-schedules')).json().data;
const files = async (): Promise<Export[]> =>
  (await call('GET /v1/exports?sortField=createdAt&sortDirection=ASC')).json().data;

const setZone = sql('test_schedule_zone', 'update clients set time_zone = $2 where id = $1');
const zone = (name: string) => world.database.write(setZone, [world.client.id, name]);
const readNow = sql<{ now: Date }>('test_schedule_now', 'select svc_clock() as now');
async function now(): Promise<Date> {
  const [row] = await world.database.read(readNow, []);
  return row?.now ?? new Date(Number.NaN);
}
const goTo = async (instant: string | Date) =>
  moveClock(world.database, new Date(instant).getTime() - (await now()).getTime());

const monthBounds = sql<{ month: string; begins: Date; ends: Date }>(
  'test_schedule_month',
  `select to_char(m, 'YYYY-MM') as month, m at time zone $3 as begins,
     (m + interval '1 month') at time zone $3 as ends
   from (select date_trunc('month', $1::timestamptz at time zone $3)
     + make_interval(months => $2) as m) month`,
);

/** The month of Berlin that is `months` after the one of `from`, when it begins, and when it ends. */
async function monthFrom(from: Date, months: number, timeZone = 'Europe/Berlin') {
  const [row] = await world.database.read(monthBounds, [from, months, timeZone]);
  if (!row) throw new Error('there is a month');
  return row;
}
const hour = 3_600_000;
const later = (instant: Date, ms: number) => new Date(instant.getTime() + ms);
const daysOf = ({ begins, ends }: { begins: Date; ends: Date }) =>
  `createdAt[gte]=${begins.toISOString()}&createdAt[lt]=${ends.toISOString()}`;

const toldOf = sql<{ role: string; kind: string; stage: string; way: string }>(
  'test_schedule_notifications',
  `select m.role, n.kind, f.stage, n.way from notifications n
   join notification_facts f on f.id = n.fact_id
   join memberships m on m.client_id = n.client_id and m.user_id = n.user_id
   join exports e on e.id = f.subject_id
   where n.client_id = $1 and n.kind = 'monthly_file' order by m.role`,
);

describe('the file of a month', () => {
  it('is begun an hour after the month by the merchant’s clock, once, by any number of processes', async () => {
    await pay(world, await aSession(world, { captureMethod: 'automatic' }));
    const month = await monthFrom(await now(), 0);
    const finance = await colleague('finance');
    const query = 'type[eq]=purchase&style=european&columns=id,amount,created';
    const made = await schedule(query, finance);
    expect(made).toMatchObject({
      nextMonth: month.month,
      nextAt: later(month.ends, hour).toISOString(),
      filters: 'type[eq]=purchase',
      columns: ['id', 'amount', 'created'],
      author: { userId: finance.id },
    });
    await goTo(later(month.ends, hour - 60_000));
    expect([await begin(), await files()]).toEqual([0, []]);
    await goTo(later(month.ends, hour + 1000));
    const begun = await Promise.all([begin(), begin(), begin()]);
    expect(begun.sort()).toEqual([0, 0, 1]);
    expect(await begin()).toBe(0);
    await makeExports(world.ports, { onError });
    const [file, ...more] = await files();
    expect(more).toEqual([]);
    expect(file).toMatchObject({
      status: 'ready',
      month: month.month,
      rows: 1,
      timeZone: 'Europe/Berlin',
      filters: `type[eq]=purchase&${daysOf(month)}`,
    });
    expect(file?.fileName).toBe(`SANDBOX_payments_${month.month}_EUR_Europe-Berlin_1-rows.csv`);
    const atOnce = await call(
      `GET /v1/payments.csv?type[eq]=purchase&${daysOf(month)}&style=european&columns=id,amount,created`,
    );
    const kept = await call(`GET /v1/exports/${file?.id}/file`);
    expect(kept.body).toBe(atOnce.body);
    const next = await monthFrom(month.begins, 1);
    expect(await schedules()).toMatchObject([{ id: made.id, nextMonth: next.month }]);
    const { data } = (await call('GET /v1/audit-entries?action[eq]=export.begun')).json();
    const begunHere = data.find(({ resource }: { resource: object }) => {
      return 'id' in resource && resource.id === file?.id;
    });
    expect(begunHere).toMatchObject({ actor: { kind: 'system' }, after: { month: month.month } });
  });

  it('is made up for, once each, after a service that was down for months', async () => {
    const first = await monthFrom(await now(), 0);
    await schedule();
    const [second, third] = [await monthFrom(first.begins, 1), await monthFrom(first.begins, 2)];
    await goTo(later(third.ends, hour + 1000));
    while ((await begin()) > 0);
    const made = await files();
    expect(made.map(({ month }) => month)).toEqual([first.month, second.month, third.month]);
    expect(made.map(({ filters }) => filters)).toEqual([first, second, third].map(daysOf));
  });

  it('follows the one before without a gap, also when the time zone was changed between', async () => {
    const first = await monthFrom(await now(), 0);
    await schedule();
    await goTo(later(first.ends, hour + 1000));
    await begin();
    try {
      await zone('Pacific/Auckland');
      const { ends } = await monthFrom(first.begins, 1);
      const there = await monthFrom(later(ends, -48 * hour), 0, 'Pacific/Auckland');
      await goTo(later(there.ends, hour + 1000));
      expect(await begin()).toBe(1);
      const [, file] = await files();
      expect(file?.filters).toBe(daysOf({ begins: first.ends, ends: there.ends }));
      expect(file?.timeZone).toBe('Pacific/Auckland');
    } finally {
      await zone('Europe/Berlin');
    }
  });

  it('stays due where its beginning is rolled back', async () => {
    const month = await monthFrom(await now(), 0);
    await schedule();
    await goTo(later(month.ends, hour + 1000));
    const newId = () => {
      throw new Error('killed here');
    };
    await expect(begin({ ...world.ports, newId })).rejects.toThrow('killed here');
    expect(await files()).toEqual([]);
    expect(await begin()).toBe(1);
  });

  it('is told of by a mail that has no file, to who chose it', async () => {
    const month = await monthFrom(await now(), 0);
    await schedule();
    for (const role of ['finance', 'viewer', 'support'] as const) await colleague(role);
    await goTo(later(month.ends, hour + 1000));
    await begin();
    await makeExports(world.ports, { onError });
    const passed = { onError: (_: unknown, error: unknown) => onError('', error) };
    await notifyPeople(world.ports, passed);
    const mail = { kind: 'monthly_file', stage: 'ready', way: 'mail' };
    const told = await world.database.read(toldOf, [world.client.id]);
    // Members, support and viewers chose nothing, and owners and finance have it until they choose.
    expect(new Set(told.map(({ role }) => role))).toEqual(new Set(['finance', 'owner']));
    for (const one of told) expect(one).toMatchObject(mail);
  });
});

describe('who has files made each month', () => {
  it('owners, admins and finance; everybody at the merchant sees which', async () => {
    for (const role of ['member', 'support', 'viewer'] as const) {
      const person = await colleague(role);
      expect(await codeOf('POST /v1/export-schedules', person)).toEqual([
        403,
        'merchant_role_required',
      ]);
    }
    const member = await aToken(world.database, world.client, { role: 'member' });
    const { id } = await schedule('', await colleague('finance'));
    expect((await call('GET /v1/export-schedules', member)).json().data).toHaveLength(1);
    expect(await codeOf(`DELETE /v1/export-schedules/${id}`, member)).toEqual([
      403,
      'merchant_role_required',
    ]);
    expect(await codeOf(`DELETE /v1/export-schedules/${id}`)).toEqual([204, undefined]);
    expect(await codeOf(`DELETE /v1/export-schedules/${id}`)).toEqual([
      404,
      'export_schedule_not_found',
    ]);
    const { data } = (await call('GET /v1/audit-entries?limit=2')).json();
    expect(data.map(({ action }: { action: string }) => action)).toEqual([
      'export.unscheduled',
      'export.scheduled',
    ]);
  });

  it('404 export_schedule_not_found: another merchant’s', async () => {
    const { id } = await schedule();
    const stranger = await aToken(world.database, await aClient(world.database));
    expect(await codeOf(`DELETE /v1/export-schedules/${id}`, stranger)).toEqual([
      404,
      'export_schedule_not_found',
    ]);
    expect((await call('GET /v1/export-schedules', stranger)).json().data).toEqual([]);
  });

  it('409 export_schedule_limit_reached: the sixth; the same once more is the same', async () => {
    const [first, again] = await Promise.all([schedule('style=json'), schedule('style=json')]);
    expect(again.id).toBe(first.id);
    for (const amount of [1, 2, 3, 4]) await schedule(`amount[eq]=${amount}`);
    expect(await codeOf('POST /v1/export-schedules?amount[eq]=5')).toEqual([
      409,
      'export_schedule_limit_reached',
    ]);
  });

  it('400 invalid_query: days, a time zone, and columns that do not exist', async () => {
    for (const query of [
      'createdAt[gte]=2026-11-01',
      'timeZone=UTC',
      'columns=colour',
      'style=x',
    ]) {
      expect(await codeOf(`POST /v1/export-schedules?${query}`), query).toEqual([
        400,
        'invalid_query',
      ]);
    }
  });

  it('one that has ended makes no file, and the files that were made stay', async () => {
    const month = await monthFrom(await now(), 0);
    const { id } = await schedule();
    await goTo(later(month.ends, hour + 1000));
    await begin();
    await call(`DELETE /v1/export-schedules/${id}`);
    const next = await monthFrom(month.begins, 1);
    await makeExports(world.ports, { onError });
    expect(await files()).toMatchObject([{ status: 'ready', month: month.month }]);
    await goTo(later(next.ends, hour + 1000));
    expect(await begin()).toBe(0);
  });
});

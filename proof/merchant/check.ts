// Checks that a merchant ended in the service's state: each event was applied once and in order,
// and the state that the merchant built from events equals the API's.

import { sql } from '../../service/src/storage/database/sql.ts';
import { callAs } from '../../service/test/harness.ts';
import type { Fixture } from './fixture.ts';
import type { MerchantRecords } from './shop.ts';

type Fields = Readonly<Record<string, unknown>>;

/** The service's state at the end, with all events since the start. */
export type Truth = {
  readonly events: readonly { id: string; resource: string; sequence: number }[];
  readonly payments: ReadonlyMap<string, { status: string; refunded: number; hasOrder: boolean }>;
  readonly refunds: ReadonlyMap<string, { status: string; payment: string }>;
  readonly methods: ReadonlyMap<string, boolean>;
  readonly subscriptions: ReadonlyMap<string, { status: string; periodEnd: string }>;
};

const statusOf = sql<{ status: string }>(
  'proof_merchant_method',
  'select status from payment_methods where client_id = $1 and id = $2',
);

const resourceOf = ({ resource }: Fields): string => (resource as { id: string }).id;

const idsOf = (events: readonly Fields[], type: string): Set<string> =>
  new Set(events.filter((one) => String(one.type).startsWith(type)).map(resourceOf));

async function listAll(fixture: Fixture, path: string): Promise<Fields[]> {
  const found: Fields[] = [];
  let cursor: unknown = null;
  do {
    const more = cursor === null ? '' : `&cursor=${encodeURIComponent(String(cursor))}`;
    const page = await read(fixture, `${path}${more}`);
    found.push(...(page.data as Fields[]));
    cursor = page.nextCursor ?? null;
  } while (cursor !== null);
  return found;
}

async function read(fixture: Fixture, path: string): Promise<Fields> {
  const answer = await callAs(fixture.app, fixture.world.token, `GET ${path}`);
  if (answer.statusCode !== 200) throw new Error(`${path}: ${answer.body}`);
  return answer.json() as Fields;
}

export async function readTruth(fixture: Fixture, from: Date): Promise<Truth> {
  const since = `limit=100&createdAt[gte]=${from.toISOString()}`;
  const listed = await listAll(fixture, `/v1/events?${since}&sortDirection=ASC`);
  const events = listed.map(({ id, sequence, resource }) => ({
    ...{ id: String(id), resource: (resource as { id: string }).id, sequence: Number(sequence) },
  }));
  const bought = new Set(
    listed.filter(({ type }) => type === 'item.purchased').map((one) => resourceOf(one)),
  );
  const all = await listAll(fixture, `/v1/payments?${since}`);
  const rows = (type: string) => all.filter((one) => one.type === type);
  const methods = new Map<string, boolean>();
  for (const id of idsOf(listed, 'payment_method.')) {
    // The API reports a removed method as missing, so its row is read.
    const { database, client } = fixture.world;
    const [row] = await database.read(statusOf, [client.id, id]);
    methods.set(id, row?.status === 'active');
  }
  const subscriptions = new Map<string, { status: string; periodEnd: string }>();
  for (const id of idsOf(listed, 'subscription.')) {
    const { status, currentPeriodEnd } = await read(fixture, `/v1/subscriptions/${id}`);
    subscriptions.set(id, { status: String(status), periodEnd: String(currentPeriodEnd) });
  }
  return {
    ...{ events, methods, subscriptions },
    payments: new Map(
      rows('purchase').map(({ id, status, amountRefunded }) => [
        String(id),
        {
          status: String(status).replace(/^(partially_)?refunded$/, 'succeeded'),
          refunded: Math.round(Number(amountRefunded) * 100),
          hasOrder: bought.has(String(id)),
        },
      ]),
    ),
    refunds: new Map(
      rows('refund').map(({ id, status, parentPaymentId }) => [
        String(id),
        { status: String(status), payment: String(parentPaymentId) },
      ]),
    ),
  };
}

/** Returns the violations, one line each. */
export function judge(known: MerchantRecords, truth: Truth): string[] {
  return [...judgeEvents(known, truth), ...judgeState(known, truth)];
}

function judgeEvents({ seen }: MerchantRecords, { events }: Truth): string[] {
  const found: string[] = [];
  const times = new Map<string, number>();
  const latest = new Map<string, number>();
  for (const { event, resource, sequence } of seen) {
    times.set(event, (times.get(event) ?? 0) + 1);
    if (sequence <= (latest.get(resource) ?? 0)) found.push(`out of order: ${event}`);
    latest.set(resource, sequence);
  }
  for (const [event, count] of times) {
    if (count > 1) found.push(`applied ${count} times: ${event}`);
  }
  for (const { id, sequence } of events) {
    if (!times.has(id)) found.push(`never applied: ${id}, number ${sequence}`);
  }
  return found;
}

function judgeState(known: MerchantRecords, truth: Truth): string[] {
  const refunded = new Map<string, number>();
  for (const { payment, status, amount } of known.refunds) {
    if (status !== 'succeeded') continue;
    refunded.set(payment, (refunded.get(payment) ?? 0) + Number(amount));
  }
  const orders = (id: string) => known.orders.filter(({ payment }) => payment === id).length;
  const own = {
    payments: known.payments.map(({ id, status }): [string, unknown] => [
      id,
      { status, refunded: refunded.get(id) ?? 0, orders: orders(id) },
    ]),
    refunds: known.refunds.map(({ id, status, payment }) => [id, { status, payment }]),
    methods: known.methods.map(({ id, is_kept }) => [id, is_kept === 1]),
    subscriptions: known.subscriptions.map(({ id, status, period_end }) => [
      id,
      { status, periodEnd: period_end },
    ]),
  } as const;
  const service = {
    ...truth,
    payments: new Map(
      [...truth.payments].map(([id, { hasOrder, ...rest }]) => [
        id,
        { ...rest, orders: hasOrder ? 1 : 0 },
      ]),
    ),
  };
  return (['payments', 'refunds', 'methods', 'subscriptions'] as const).flatMap((kind) =>
    listDifferences(kind, new Map(own[kind] as [string, unknown][]), service[kind]),
  );
}

function listDifferences(
  kind: string,
  known: ReadonlyMap<string, unknown>,
  truth: ReadonlyMap<string, unknown>,
): string[] {
  return [...new Set([...known.keys(), ...truth.keys()])].flatMap((id) => {
    const [ours, theirs] = [known, truth].map((one) => JSON.stringify(one.get(id)));
    return ours === theirs ? [] : [`state of ${kind}: ${id} is ${theirs}, known as ${ours}`];
  });
}

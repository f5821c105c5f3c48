// The measures: each is a pair of sides, the limit's and ours, that run one after the other in
// every round.

import type { Cluster } from './cluster.ts';
import { addHolds, createLimit, limitConnections } from './load/limit.ts';
import type { HttpLoad, LoadResult, SingleUseRows, SqlLoad } from './load/load-plan.ts';
import type { LoadProcess } from './load/load-process.ts';
import { hasPgbench, pgbenchSeconds, runPgbench } from './pgbench.ts';
import type { Product, ProviderKind } from './product.ts';
import type { Trees } from './sample.ts';
import { openUnusedRows, type Stock } from './stock.ts';

export type MeasuredSide = {
  readonly trees: Trees;
  run(ms: number): Promise<LoadResult>;
  /**
   * Seeds as many rows as a run of `ms` needs at this rate; null for a side that uses up no rows.
   */
  readonly supply: ((perSecond: number, ms: number) => number) | null;
  readonly stock: Stock | null;
};

export type Measure = {
  readonly name: string;
  readonly title: string;
  readonly limit: MeasuredSide;
  readonly ours: MeasuredSide;
};

export const measureNames = [
  'capture-32',
  'capture-128',
  'capture-sandbox',
  'capture-pgbench',
  'session',
  'session-128',
  'shell',
  'shell-128',
  'read',
  'auth',
] as const;
export type MeasureName = (typeof measureNames)[number];

export type Limit = {
  readonly url: string;
  readonly stock: Stock;
  /** Returns how many holds are captured according to the limit's tables. */
  countCaptured(): Promise<number>;
};

export async function openLimit(cluster: Cluster): Promise<Limit> {
  const database = await cluster.createDatabase('limit');
  await database.withAdmin(createLimit);
  return {
    url: database.superuserUrl,
    stock: openUnusedRows((rows) =>
      database.withAdmin(async (admin) => {
        await addHolds(admin, rows);
        await admin.query('vacuum analyze hold, request, notice, outbox, credential');
      }),
    ),
    countCaptured: () =>
      database.withAdmin(async (admin) => {
        const { rows } = await admin.query<{ count: string }>(
          `select count(*) from hold
           join request on request.hold = hold.id and answer is not null
           join notice on notice.hold = hold.id
           join outbox on outbox.notice = notice.id
           where phase = 2`,
        );
        return Number(rows[0]?.count);
      }),
  };
}

export type Parts = {
  readonly load: LoadProcess;
  readonly limit: Limit;
  readonly products: Readonly<Partial<Record<ProviderKind, Product & { stock: Stock }>>>;
  /**
   * A second service for the stub's product, whose read needs no token; null when that is not
   * measured.
   */
  readonly unchecked: { readonly origin: string; readonly pid: number } | null;
};

/** Returns enough rows for a run that is half as fast again as the last one. */
const rowsFor = (perSecond: number, ms: number): number =>
  Math.ceil((perSecond * ms * 1.5) / 1000) + 256;

const runWithRows = async (stock: Stock, run: (rows: SingleUseRows) => Promise<LoadResult>) => {
  const result = await run(stock.left());
  stock.spend(result.used);
  return result;
};

function limitSide({ load, limit }: Parts, call: SqlLoad['call']): MeasuredSide {
  const plan = { kind: 'sql', url: limit.url, call, inFlight: limitConnections } as const;
  const trees = { service: [], provider: [], load: [load.pid] };
  if (call === 'capture') {
    const run = (ms: number) => runWithRows(limit.stock, (rows) => load.run({ ...plan, rows, ms }));
    return { trees, run, supply: rowsFor, stock: limit.stock };
  }
  const rows = { first: 0, count: seededRows };
  return { trees, run: (ms) => load.run({ ...plan, rows, ms }), supply: null, stock: null };
}

/** The number of rows that every database has from the start, so that reads find something. */
export const seededRows = 2000;

// Higher than any rate that was measured: a client that runs past its range of rows would count
// captures that did not happen, and the audit would reject the whole run.
const pgbenchMost = (ms: number): number => pgbenchSeconds(ms) * 16_000;

function pgbenchSide({ limit }: Parts): MeasuredSide {
  return {
    // pgbench is a child process that ends within the run; its CPU time is not measured separately.
    trees: { service: [], provider: [], load: [] },
    run: (ms) =>
      runWithRows(limit.stock, (rows) => {
        const most = { ...rows, count: Math.min(rows.count, pgbenchMost(ms)) };
        return runPgbench({ url: limit.url, rows: most, clients: limitConnections, ms });
      }),
    supply: (_, ms) => pgbenchMost(ms),
    stock: limit.stock,
  };
}

/** Reads through one process, with a token or without: the same handler and statement. */
function readSide(
  { load }: Parts,
  { origin, pid }: NonNullable<Parts['unchecked']>,
  read: Pick<HttpLoad, 'call' | 'authorization'>,
): MeasuredSide {
  const plan = { kind: 'http', ...read, origin, body: '' } as const;
  const rows = { first: 0, count: seededRows };
  return {
    trees: { service: [pid], provider: [], load: [load.pid] },
    run: (ms) => load.run({ ...plan, rows, inFlight: 32, ms }),
    supply: null,
    stock: null,
  };
}

type SessionLoad = Pick<HttpLoad, 'call' | 'inFlight'> & { readonly isShell?: boolean };

/** The body of a session: cart and buyer. */
const sessionOf = ({ clientId, productCode, buyerId }: Product) => ({
  clientId,
  captureMethod: 'manual',
  currency: 'EUR',
  products: [{ code: productCode, quantity: 1 }],
  accountData: { userId: buyerId, email: 'buyer@example.test' },
});

const shellOf = ({ clientId }: Product) => ({
  clientId,
  currency: 'EUR',
  account: { country: 'DE' },
  deferDataAttachment: true,
});

export function serviceSide(
  { load }: Pick<Parts, 'load'>,
  product: Product & { stock: Stock },
  { call, inFlight, isShell = false }: SessionLoad,
): MeasuredSide {
  const { origin, authorization, stock } = product;
  const body = JSON.stringify(isShell ? shellOf(product) : sessionOf(product));
  const plan = { kind: 'http', origin, authorization, body, call, inFlight } as const;
  const trees = {
    service: [product.service.pid],
    provider: [product.provider.pid],
    load: [load.pid],
  };
  if (call === 'capture') {
    const run = (ms: number) => runWithRows(stock, (rows) => load.run({ ...plan, rows, ms }));
    return { trees, run, supply: rowsFor, stock };
  }
  const rows = { first: 0, count: seededRows };
  return { trees, run: (ms) => load.run({ ...plan, rows, ms }), supply: null, stock: null };
}

/** Returns the measures that this machine can run, in the order of a round. */
export function listMeasures(parts: Parts): Measure[] {
  const { stub, sandbox } = parts.products;
  const measures: Measure[] = [];
  const add = (name: MeasureName, title: string, ours: MeasuredSide, call: SqlLoad['call']) =>
    measures.push({ name, title, ours, limit: limitSide(parts, call) });
  if (stub) {
    const side = (call: HttpLoad['call'], inFlight: number, isShell = false) =>
      serviceSide(parts, stub, { call, inFlight, isShell });
    add('capture-32', 'capture, 32 in flight', side('capture', 32), 'capture');
    add('capture-128', 'capture, 128 in flight', side('capture', 128), 'capture');
    add('session', 'full session create, 32', side('session', 32), 'session');
    add('session-128', 'full session create, 128', side('session', 128), 'session');
    add('shell', 'shell create, 32 in flight', side('session', 32, true), 'session');
    add('shell-128', 'shell create, 128 in flight', side('session', 128, true), 'session');
    add('read', 'GET payment, 32 in flight', side('read', 32), 'read');
    if (parts.unchecked) {
      measures.push({
        name: 'auth',
        title: 'the same, to anyone and to a token',
        limit: readSide(parts, parts.unchecked, { call: 'unchecked-read', authorization: '' }),
        ours: readSide(parts, parts.unchecked, {
          call: 'read',
          authorization: stub.authorization,
        }),
      });
    }
  }
  if (sandbox) {
    const side = serviceSide(parts, sandbox, { call: 'capture', inFlight: 32 });
    add('capture-sandbox', 'capture at the sandbox, 32', side, 'capture');
  }
  if (hasPgbench()) {
    add('capture-pgbench', 'the limit through pgbench', pgbenchSide(parts), 'capture');
  }
  return measures.sort((a, b) => orderOf(a) - orderOf(b));
}

const orderOf = ({ name }: Measure): number => measureNames.indexOf(name as MeasureName);

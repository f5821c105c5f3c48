// The faults, as data: what happens, what mends it, and what is allowed meanwhile.

import { readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { root } from '@svc/tools/start/options';
import { version } from '../../contract/src/version.ts';
import { buildTree } from '../../deploy/tree.ts';
import { serviceEntry } from '../chaos/slots.ts';
import { until } from './cluster.ts';
import type { Ground, GroundPlan } from './ground.ts';
import type { Bounds } from './judge.ts';
import type { Host } from './network.ts';

export type Scenario = Bounds & {
  readonly name: string;
  /** Where clients send their requests; to both processes by default. */
  readonly through?: 'nginx';
  /** How many clients buy at the same time. */
  readonly loops?: number;
  /** Begins the fault, waits until it is over or overcome, and mends what is broken. */
  readonly run: (ground: Ground) => Promise<void>;
};

export type Scene = { readonly plan: GroundPlan; readonly scenarios: readonly Scenario[] };

const isReplaced = async ({ cluster }: Ground, former: Host): Promise<void> => {
  await until(`a successor of ${former}`, async () => (await cluster.primary()) !== former);
};

/** The host is without power, and comes back later. */
async function losePower(ground: Ground): Promise<void> {
  const { cluster, network } = ground;
  const former = await cluster.primary();
  network.signal(former, 'SIGKILL');
  await isReplaced(ground, former);
  await pause(5000);
  cluster.start(former);
  await cluster.whole();
}

async function switchOver(ground: Ground): Promise<void> {
  const former = await ground.cluster.primary();
  await ground.cluster.switchOver();
  await isReplaced(ground, former);
  await ground.cluster.whole();
}

async function cutCable(ground: Ground): Promise<void> {
  const { cluster, network } = ground;
  const former = await cluster.primary();
  network.cut(former);
  await isReplaced(ground, former);
  await pause(10_000);
  network.join(former);
  await cluster.whole();
}

/** Nothing of PostgreSQL answers; what was begun is still open when it goes on. */
async function hangPrimary(ground: Ground): Promise<void> {
  const { cluster, network } = ground;
  const former = await cluster.primary();
  network.signal(former, 'SIGSTOP', 'postgres');
  await isReplaced(ground, former);
  await pause(5000);
  network.signal(former, 'SIGCONT', 'postgres');
  await cluster.whole();
}

/** Until the operator has been told; the judge names an alert that did not come. */
const isTold = async ({ alarms }: Ground, wanted: string, since: number): Promise<void> => {
  const isSo = () => alarms.some(({ kind, at }) => kind === wanted && at > since);
  await until(wanted, isSo, alertWithinMs).catch(() => undefined);
};

const isToldOfDatabase = (ground: Ground) => isTold(ground, 'database_down', Date.now());

async function hang(ground: Ground): Promise<void> {
  ground.network.signal('db1', 'SIGSTOP', 'postgres');
  await isToldOfDatabase(ground);
  ground.network.signal('db1', 'SIGCONT', 'postgres');
}

async function makeReadOnly(ground: Ground): Promise<void> {
  const change = (sql: string) =>
    ground.network.on(
      'db1',
      `PGOPTIONS='-c default_transaction_read_only=off' psql -c '${sql}' -c 'select pg_reload_conf()'`,
    );
  change('alter system set default_transaction_read_only = on');
  await isToldOfDatabase(ground);
  change('alter system reset default_transaction_read_only');
}

async function fillDisk(ground: Ground): Promise<void> {
  const { network, cluster } = ground;
  // What the server frees by its restarts is taken too.
  const more = 'dd if=/dev/zero of=/var/lib/postgresql/fill bs=64k oflag=append conv=notrunc';
  network.start('db1', `sh -c 'while true; do ${more}; sleep 0.2; done'`);
  await isToldOfDatabase(ground);
  network.signal('db1', 'SIGKILL', 'while true');
  network.on('db1', 'rm /var/lib/postgresql/fill');
  // A server that has ended because its log had no room is started by its unit.
  if (network.signal('db1', 'SIGWINCH', 'postgres -D') === 0) cluster.start('db1');
  await cluster.whole();
}

/** The database goes back to a moment before the last purchases; the service is stopped meanwhile. */
async function restoreEarlier(ground: Ground): Promise<void> {
  const { cluster, fixture } = ground;
  const begun = Date.now();
  const moment = `${new Date().toISOString().slice(0, -1).replace('T', ' ')}+00`;
  await pause(8000);
  await Promise.all(fixture.slots.map((slot) => slot.stop()));
  await cluster.restore(moment);
  await Promise.all(fixture.slots.map((slot) => slot.start()));
  await isTold(ground, 'unknown_money', begun);
}

/** nginx passes a process over for its `fail_timeout`. */
const failTimeoutMs = 10_000;

async function replaceProcesses({ fixture }: Ground, entry?: string): Promise<void> {
  for (const slot of fixture.slots) {
    await slot.stop();
    await slot.start(entry);
    await pause(failTimeoutMs);
  }
}

/** What a later version may bring: it suits the one before (CONTRIBUTING.md, "Add a migration"). */
const laterMigrations = {
  '0098_payment_tag': 'alter table payments add column tag text',
  '0099_events_by_type':
    'drop index concurrently if exists events_by_type;\ncreate index concurrently events_by_type on events (type);\n',
};

/** A release of a later version takes the place of this one; for a while they serve side by side. */
async function upgrade(ground: Ground): Promise<void> {
  const { fixture, network } = ground;
  const [tree, next] = [join(network.folder, 'next'), `${version}.1`];
  await buildTree(tree, next);
  const file = join(tree, 'contract/src/version.ts');
  writeFileSync(file, readFileSync(file, 'utf8').replace(`'${version}'`, `'${next}'`));
  for (const [name, text] of Object.entries(laterMigrations)) {
    writeFileSync(join(tree, 'service/migrations', `${name}.sql`), text);
  }
  await replaceProcesses(ground, join(relative(root, tree), serviceEntry));
  const told = await Promise.all(
    ground.addresses.map(async (url) => (await fetch(`${url}/readyz`)).text()),
  );
  const { rows } = await fixture.owner.query<{ name: string }>(
    'select name from schema_migrations order by id offset 1',
  );
  const names = rows.map(({ name }) => name).join();
  if (names !== Object.keys(laterMigrations).join() || !told.every((text) => text.includes(next)))
    throw new Error(`not upgraded to ${next}: ${told.join()}; migrations ${names}`);
}

async function killProcess({ fixture }: Ground): Promise<void> {
  const [slot] = fixture.slots;
  await slot.kill();
  await pause(failTimeoutMs);
  await slot.start();
}

/** A trouble is looked for each minute, and told of when it has lasted one. */
const alertWithinMs = 150_000;
const failure = { tells: 'database_down', withinMs: 240_000 };
const losses = { tells: 'unknown_money', losesRows: true, withinMs: 120_000 };
const failover = { tells: null, withinMs: 60_000 };

const ofCluster: readonly Scenario[] = [
  { name: 'power of the primary lost', run: losePower, ...failover },
  { name: 'planned switchover', run: switchOver, ...failover },
  { name: 'cable of the primary cut', run: cutCable, ...failover },
  { name: 'PostgreSQL of the primary hangs', run: hangPrimary, ...failover },
];

/** The standbys get nothing of the last seconds before the primary is gone. */
async function losePowerBehind(ground: Ground): Promise<void> {
  const begun = Date.now();
  const { cluster, network } = ground;
  await cluster.change({
    synchronous_mode: false,
    maximum_lag_on_failover: 64 << 20,
    postgresql: { parameters: { wal_receiver_timeout: '60s', wal_sender_timeout: '60s' } },
  });
  await cluster.whole();
  network.signal(await cluster.primary(), 'SIGSTOP', 'walsender');
  await pause(8000);
  await losePower(ground);
  await isTold(ground, 'unknown_money', begun);
}

export const scenes: Readonly<Record<string, Scene>> = {
  'synchronous, HAProxy': { plan: { mode: 'unguarded', by: 'haproxy' }, scenarios: ofCluster },
  'synchronous, list of hosts': { plan: { mode: 'unguarded', by: 'list' }, scenarios: ofCluster },
  'asynchronous, list of hosts': {
    plan: { mode: 'guarded', by: 'list' },
    scenarios: [{ name: 'power of the primary lost', run: losePowerBehind, ...losses }],
  },
  'one server': {
    plan: { mode: 'unguarded', by: 'one server' },
    scenarios: [
      {
        ...{ name: 'rolling restart behind nginx', run: replaceProcesses, through: 'nginx' },
        ...{ tells: null, withinMs: 10_000, isSeamless: true },
      },
      {
        ...{ name: 'upgrade behind nginx', run: upgrade, through: 'nginx', loops: 24 },
        ...{ tells: null, withinMs: 10_000, isSeamless: true },
      },
      {
        ...{ name: 'kill -9 of a process behind nginx', run: killProcess, through: 'nginx' },
        ...{ tells: null, withinMs: 10_000 },
      },
      { name: 'database hangs', run: hang, ...failure },
      { name: 'database read-only', run: makeReadOnly, ...failure },
      { name: 'disk full', run: fillDisk, ...failure },
      { name: 'restored to 8 s before', run: restoreEarlier, ...losses },
    ],
  },
};

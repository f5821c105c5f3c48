// The metrics of the service in the text form of Prometheus: what this process counts, and what waits or
// fails in the database. docs/operating/watching.md lists them.

import { subscribe } from 'node:diagnostics_channel';
import { serveMetrics } from '@svc/contract/servers/serve-metrics';
import { version } from '@svc/contract/version';
import {
  AggregatorRegistry,
  Counter,
  collectDefaultMetrics,
  Gauge,
  Histogram,
  Registry,
} from 'prom-client';
import { isUnavailable } from '../engine/is-unavailable.ts';
import type { AnswerFacts } from '../http/wire/log-access.ts';
import type { Database, OpenDatabase } from '../storage/database/database.ts';
import { readWork, type Work } from '../storage/doctor/read-work.ts';
import type { Config } from './config.ts';
import { CannotStart } from './migrate-database.ts';

const requestBuckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];
const callBuckets = [0.05, 0.1, 0.25, 0.5, 1, 2, 4, 8, 12];
/** How long the facts of the database are kept: several collectors cost no more than one. */
const freshMs = 5000;

export type Metrics = {
  /** Counts a request that was answered. */
  countAnswer(facts: AnswerFacts): void;
  readonly contentType: string;
  /** Returns the page of this process. */
  read(): Promise<string>;
};

type MetricsOptions = {
  readonly config: Pick<Config, 'mode' | 'mail' | 'providerUrl' | 'walletUrl' | 'vaultInternalUrl'>;
  readonly database: Database;
  readonly connections: OpenDatabase['connections'];
};

export function openMetrics({ config, database, connections }: MetricsOptions): Metrics {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  new Gauge({
    name: 'svc_info',
    help: 'Always 1; its labels are the version and the mode.',
    labelNames: ['version', 'mode'],
    aggregator: 'max',
    registers,
  }).set({ version, mode: config.mode }, 1);
  const requests = new Histogram({
    name: 'svc_request_seconds',
    help: 'Requests by operation and status, from the first byte to the last.',
    labelNames: ['operation', 'status'],
    buckets: requestBuckets,
    registers,
  });
  const refusals = new Counter({
    name: 'svc_refusals_total',
    help: 'Requests that were refused, by operation and error code; rate_limited are limits that were hit.',
    labelNames: ['operation', 'code'],
    registers,
  });
  watchCalls(registry, targetsOf(config));
  addConnections(registry, connections);
  addWork(
    registry,
    database,
    workGauges.filter(({ name }) => config.mail || name !== lateMails),
  );
  AggregatorRegistry.setRegistries(registry);
  // Listens, in a supervised process, for the one that started it: that one serves the page of all.
  openSharedMetrics();
  return {
    countAnswer({ operation, status, code, ms }) {
      requests.observe({ operation, status }, ms / 1000);
      if (code !== null) refusals.inc({ operation, code });
    },
    contentType: registry.contentType,
    read: () => registry.metrics(),
  };
}

/** The page of all processes together, for the one that supervises them. */
export function openSharedMetrics(): Pick<Metrics, 'contentType' | 'read'> {
  const registry = new AggregatorRegistry();
  return { contentType: registry.contentType, read: () => registry.clusterMetrics() };
}

/** Serves the page on its own port. Throws CannotStart where the port cannot be listened on. */
export async function servePage(
  { metricsHost: host, metricsPort }: Pick<Config, 'metricsHost' | 'metricsPort'>,
  page: Pick<Metrics, 'contentType' | 'read'>,
): Promise<void> {
  const port = metricsPort ?? 0;
  await serveMetrics({ host, port, ...page }).catch((error: NodeJS.ErrnoException) => {
    throw new CannotStart(
      `cannot serve metrics on ${host}:${port} (SVC_METRICS_HOST, SVC_METRICS_PORT): ${error.message}`,
    );
  });
}

type Targets = ReadonlyMap<string, string>;

function targetsOf({
  providerUrl,
  walletUrl,
  vaultInternalUrl,
}: MetricsOptions['config']): Targets {
  const origin = (url: string): string => new URL(url).origin;
  return new Map([
    ...(walletUrl ? [[origin(walletUrl), 'wallet'] as const] : []),
    [origin(providerUrl), 'card_provider'],
    [origin(vaultInternalUrl), 'vault'],
  ]);
}

type Exchange = { request: { origin?: unknown }; response?: { statusCode: number } };

const outcomeOf = (status: number): string =>
  status === 429 ? 'held_back' : status >= 500 ? 'failed' : status >= 400 ? 'refused' : 'done';

/**
 * Times the calls to provider, wallet and vault. The HTTP client tells of each on channels of Node's
 * diagnostics, so that no call has to know of metrics.
 */
function watchCalls(registry: Registry, targets: Targets): void {
  const calls = new Histogram({
    name: 'svc_call_seconds',
    help: 'Calls to the card provider, the wallet and the vault, by outcome: done, refused, held_back (429), failed.',
    labelNames: ['to', 'outcome'],
    buckets: callBuckets,
    registers: [registry],
  });
  const startedAt = new WeakMap<object, number>();
  const end = (request: Exchange['request'], outcome: string) => {
    const from = startedAt.get(request);
    const to = targets.get(String(request.origin));
    if (from === undefined || to === undefined) return;
    startedAt.delete(request);
    calls.observe({ to, outcome }, (performance.now() - from) / 1000);
  };
  subscribe('undici:request:create', (message) => {
    startedAt.set((message as Exchange).request, performance.now());
  });
  subscribe('undici:request:headers', (message) => {
    const { request, response } = message as Exchange;
    end(request, outcomeOf(response?.statusCode ?? 0));
  });
  subscribe('undici:request:error', (message) => end((message as Exchange).request, 'failed'));
}

function addConnections(registry: Registry, connections: OpenDatabase['connections']): void {
  new Gauge({
    name: 'svc_database_connections',
    help: 'Connections for transactions: in use, idle; and requests that wait for one.',
    labelNames: ['state'],
    registers: [registry],
    collect() {
      const { inUse, idle, waiting } = connections();
      this.set({ state: 'in_use' }, inUse);
      this.set({ state: 'idle' }, idle);
      this.set({ state: 'waiting' }, waiting);
    },
  });
}

type WorkGauge = {
  readonly name: string;
  readonly help: string;
  readonly labels?: readonly string[];
  /** Label values and the value of each series. */
  readonly series: (work: Work) => readonly (readonly [Record<string, string>, number])[];
};

/** Absent where no mail server is set: mails wait there on purpose. */
const lateMails = 'svc_late_mails';

const workGauges: readonly WorkGauge[] = [
  {
    name: 'svc_open_operations',
    help: 'Captures, cancellations, refunds and payments that are not finished, by state; in_doubt: the provider has not said what happened.',
    labels: ['state'],
    series: ({ operations }) => operations.map((one) => [{ state: one.state }, one.count]),
  },
  {
    name: 'svc_open_operation_oldest_seconds',
    help: 'Age of the oldest of them, by state.',
    labels: ['state'],
    series: ({ operations }) => operations.map((one) => [{ state: one.state }, one.oldestSeconds]),
  },
  {
    name: 'svc_open_holds',
    help: 'Holds on cards that nobody has captured yet, by when they end.',
    labels: ['ends_within'],
    series: ({ money }) => [
      [{ ends_within: '1h' }, money.holdsWithinHour],
      [{ ends_within: '24h' }, money.holdsWithinDay],
      [{ ends_within: 'any' }, money.openHolds],
    ],
  },
  {
    name: 'svc_late_work_seconds',
    help: 'How long the oldest piece of due work has waited for a worker, by kind.',
    labels: ['work'],
    series: ({ waiting }) =>
      Object.entries(waiting.lateSeconds).map(([work, seconds]) => [{ work }, seconds]),
  },
  {
    name: lateMails,
    help: 'Mails that could not be sent for an hour.',
    series: ({ waiting }) => [[{}, waiting.lateMails]],
  },
  {
    name: 'svc_failing_endpoint_seconds',
    help: 'How long an endpoint of a merchant has failed; the hundred that have failed longest.',
    labels: ['client', 'endpoint'],
    series: ({ endpoints }) =>
      endpoints.map((one) => [
        { client: one.clientId, endpoint: one.endpointId },
        one.failingSeconds,
      ]),
  },
  {
    name: 'svc_failing_endpoint_pending',
    help: 'Deliveries that wait at such an endpoint, counted up to 1000.',
    labels: ['client', 'endpoint'],
    series: ({ endpoints }) =>
      endpoints.map((one) => [{ client: one.clientId, endpoint: one.endpointId }, one.pending]),
  },
  {
    name: 'svc_unknown_money',
    help: 'Payments at the provider that Svc does not know, and about which nobody has decided.',
    series: ({ money }) => [[{}, money.unknownMoney]],
  },
  {
    name: 'svc_reconcile_differences',
    help: 'Differences from the provider that the last whole comparison named and did not settle.',
    series: ({ money }) => [[{}, money.differences]],
  },
  {
    name: 'svc_reconcile_age_seconds',
    help: 'Age of the last comparison with the provider; absent before the first.',
    series: ({ waiting }) =>
      waiting.reconciledSecondsAgo === null ? [] : [[{}, waiting.reconciledSecondsAgo]],
  },
  {
    name: 'svc_refused_gateways',
    help: 'Gateways in use whose key the provider has refused.',
    series: ({ money }) => [[{}, money.refusedGateways]],
  },
  {
    name: 'svc_removed_rows',
    help: 'Rows that retention has removed, or shortened, by kind.',
    labels: ['kind'],
    series: ({ removed }) => removed.map((one) => [{ kind: one.kind }, one.removed]),
  },
];

/**
 * Adds the gauges of the database. While it cannot be read they are absent and `svc_database_up` is 0,
 * so that an old value is never taken for a new one.
 */
function addWork(registry: Registry, database: Database, gauges: readonly WorkGauge[]): void {
  const registers = [registry];
  // Every process reads the same facts: the highest is right, a sum would not be.
  const aggregator = 'max';
  const read = keepFresh(() => readUnlessDown(database));
  new Gauge({
    name: 'svc_database_up',
    help: '1 while the database answers.',
    aggregator: 'min',
    registers,
    async collect() {
      this.set((await read()) === null ? 0 : 1);
    },
  });
  for (const { name, help, labels = [], series } of gauges) {
    new Gauge({
      name,
      help,
      labelNames: [...labels],
      aggregator,
      registers,
      async collect() {
        const work = await read();
        this.reset();
        if (work === null) return;
        for (const [labelValues, value] of series(work)) this.set(labelValues, value);
      },
    });
  }
}

/** Returns null while the database cannot be reached. */
async function readUnlessDown(database: Database): Promise<Work | null> {
  try {
    return await readWork(database);
  } catch (error) {
    if (!isUnavailable(error)) throw error;
    return null;
  }
}

/** Keeps the answer of `read` for a few seconds, also while it is being read. */
function keepFresh<T>(read: () => Promise<T>): () => Promise<T> {
  let kept: { readonly atMs: number; readonly answer: Promise<T> } | undefined;
  return () => {
    const now = performance.now();
    if (!kept || now - kept.atMs >= freshMs) kept = { atMs: now, answer: read() };
    return kept.answer;
  };
}

// The metrics of the vault in the text form of Prometheus. They count requests and never say anything of a
// card. docs/operating/watching.md lists them.
import { type MetricsServer, serveMetrics } from '@svc/contract/servers/serve-metrics';
import { version } from '@svc/contract/version';
import type pg from 'pg';
import { collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { StartTrouble } from './database.ts';
import type { AnswerFacts } from './server.ts';
import type { Mode } from './settings.ts';

export type VaultMetrics = {
  /** Counts a request that was answered. */
  countAnswer(facts: AnswerFacts): void;
  /** Serves the page. Throws `StartTrouble` when the port cannot be listened on. */
  serve(): Promise<void>;
  close(): Promise<void>;
};

type MetricsOptions = {
  readonly host: string;
  readonly port: number;
  readonly mode: Mode;
  readonly pool: pg.Pool;
};

export function openMetrics({ host, port, mode, pool }: MetricsOptions): VaultMetrics {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  new Gauge({
    name: 'svc_vault_info',
    help: 'Always 1; its labels are the version and the mode.',
    labelNames: ['version', 'mode'],
    registers,
  }).set({ version, mode }, 1);
  const requests = new Histogram({
    name: 'svc_vault_request_seconds',
    help: 'Requests by route and status, from the card form and from the service.',
    labelNames: ['route', 'status'],
    registers,
  });
  new Gauge({
    name: 'svc_vault_database_connections',
    help: 'Connections to the database: in use, idle; and requests that wait for one.',
    labelNames: ['state'],
    registers,
    collect() {
      this.set({ state: 'in_use' }, pool.totalCount - pool.idleCount);
      this.set({ state: 'idle' }, pool.idleCount);
      this.set({ state: 'waiting' }, pool.waitingCount);
    },
  });
  let server: MetricsServer | undefined;
  return {
    countAnswer: ({ route, status, ms }) => requests.observe({ route, status }, ms / 1000),
    serve: async () => {
      const page = {
        host,
        port,
        contentType: registry.contentType,
        read: () => registry.metrics(),
      };
      server = await serveMetrics(page).catch((error: NodeJS.ErrnoException) => {
        throw new StartTrouble(
          `metrics cannot be served on ${host}:${port} (VAULT_METRICS_HOST, VAULT_METRICS_PORT): ${error.message}`,
        );
      });
    },
    close: async () => server?.close(),
  };
}

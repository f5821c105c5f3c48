// Starts the service: settings, migrations, ports, HTTP, workers; and stops it in reverse.
// Prints one line of JSON on stdout when ready; logs go to stderr.

import { EventEmitter } from 'node:events';

// The same as --disable-proto=delete, however the process was started, before anything else is loaded.
Reflect.deleteProperty(Object.prototype, '__proto__');

// A log that cannot be written, for lack of space or of a reader, must not end a payment.
process.stderr.on('error', () => undefined);
const { ConfigInvalid, readConfig, shownSettings } = await import('./start/config.ts');
const { gatherLines, openLog } = await import('./http/wire/log.ts');
const { CannotStart, migrateDatabase, reasonOf } = await import('./start/migrate-database.ts');
const { isSupervised, supervise } = await import('./start/processes.ts');
const { shedOwner } = await import('./start/shed-owner.ts');
// Supervised processes were started without the owner's credentials.
if (!isSupervised) await shedOwner().catch(exitUnstarted);
// A process that only supervises others does not load their modules.
if (!isSupervised) await superviseIfAsked();
const { rows } = await import('@svc/contract');
const { version } = await import('@svc/contract/version');
const { freePort } = await import('./start/free-port.ts');
const { buildServer } = await import('./http/server.ts');
const { openOauth } = await import('./oauth/open-oauth.ts');
const { operations } = await import('./operations/index.ts');
const { describeUndecided, undecidedMend } = await import(
  './engine/runs/operator/installations.ts'
);
const { receiveNotice } = await import('./engine/runs/notices/receive-notice.ts');
const { openPorts } = await import('./start/open-ports.ts');
const { assertMode } = await import('./start/database-mode.ts');
const { hasWallets } = await import('./storage/gateways/gateways.ts');
const { missingSettings } = await import('./storage/database/session-settings.ts');
const { tellTakes } = await import('./storage/people/shared-limits.ts');
const { documentFetcher } = await import('./webhooks/fetch-document.ts');
const { startClosePaymentDays } = await import('./workers/close-payment-days.ts');
const { startCopyPayments } = await import('./workers/copy-payments.ts');
const { startDeliverWebhooks } = await import('./workers/deliver-webhooks.ts');
const { startExpireRefundRequests } = await import('./workers/expire-refund-requests.ts');
const { startExpireHolds } = await import('./workers/expire-holds.ts');
const { startFinishDetachments } = await import('./workers/finish-detachments.ts');
const { startExpireSessions } = await import('./workers/expire-sessions.ts');
const { startMailBuyers } = await import('./workers/mail-buyers.ts');
const { startMakeExports } = await import('./workers/make-exports.ts');
const { startNotifyPeople } = await import('./workers/notify-people.ts');
const { startReadNotices } = await import('./workers/read-notices.ts');
const { startSendMails } = await import('./workers/send-mails.ts');
const { startReconcile } = await import('./workers/reconcile.ts');
const { startRemoveOld } = await import('./workers/remove-old.ts');
const { startRenewSubscriptions } = await import('./workers/renew-subscriptions.ts');
const { startTellOperator } = await import('./workers/tell-operator.ts');
const { startSettleInDoubt } = await import('./workers/settle-in-doubt.ts');
const { startSettleSetups } = await import('./workers/settle-setups.ts');
const { startSweepOauth } = await import('./workers/sweep-oauth.ts');
const { startWatchVault } = await import('./workers/watch-vault.ts');

type Config = ReturnType<typeof readConfig>['config'];
type Log = ReturnType<typeof openLog>;
type Ports = import('./engine/ports.ts').Ports;
type Stop = () => Promise<void>;

/** The time after the signal for work in progress; everything ends within 20 s, reliability R5. */
const drainMs = 18_000;
/** The time for which a proxy may use kept connections after the end of listening. */
const mostLingerMs = 1000;
/** The time to close the database. */
const closeMs = 1500;
/** The time after the start in which only callers are served. */
const warmUpMs = 300;

/** Prints what keeps the service from starting, one line for each reason. */
function exitUnstarted(error: unknown): never {
  const lines = error instanceof ConfigInvalid ? error.problems : [reasonOf(error)];
  process.stderr.write(lines.map((line) => `svc: ${line}\n`).join(''));
  process.exit(1);
}

/** A connection pooler drops settings that a session asks for at its start: then the role must have them. */
async function checkSessions(database: Ports['database']): Promise<void> {
  const missing = await missingSettings(database);
  if (missing.length === 0) return;
  throw new CannotStart(
    'the sessions of DATABASE_URL lack settings that payments rest on, as behind a pooler that drops ' +
      `them. Run once, and have a pooler open new connections: ${missing.join(' ')}`,
  );
}

type Connections = import('./storage/database/database.ts').Connections;
type Nudges = EventEmitter<Record<Parameters<Ports['nudge']>[0], []>>;

const workerFields = ['clientId', 'paymentId', 'operationId', 'kind', 'endpointId', 'eventId'];

/** The log for workers: only fields of the allow-list pass. */
const workerLog = (log: Log, worker: string) => {
  const logAt = (level: 'info' | 'warn' | 'error') => (facts: object, message: string) => {
    const { status, errorCode, err, ...named } = facts as Readonly<Record<string, unknown>>;
    const ids = workerFields.flatMap((name) => (named[name] ? [[name, String(named[name])]] : []));
    log[level](message, {
      worker,
      ...Object.fromEntries(ids),
      ...(typeof status === 'number' ? { status } : {}),
      ...(errorCode ? { code: String(errorCode) } : {}),
      ...(err === undefined
        ? {}
        : { error: err instanceof Error ? (err.stack ?? err.message) : String(err) }),
    });
  };
  return { info: logAt('info'), warn: logAt('warn'), error: logAt('error') };
};

function startWorkers(ports: Ports, nudges: Nudges, log: Log): Stop {
  const listenTo =
    (...names: Parameters<Ports['nudge']>[0][]) =>
    (listener: () => void) => {
      for (const name of names) nudges.on(name, listener);
      return () => {
        for (const name of names) nudges.off(name, listener);
      };
    };
  const workers = [
    startSettleInDoubt(ports, {
      log: workerLog(log, 'settle-in-doubt'),
      onNudge: listenTo('settle-in-doubt'),
    }),
    startSettleSetups(ports, { log: workerLog(log, 'settle-setups') }),
    startClosePaymentDays(ports, { log: workerLog(log, 'close-payment-days') }),
    startCopyPayments(ports, { log: workerLog(log, 'copy-payments') }),
    startExpireHolds(ports, {
      log: workerLog(log, 'expire-holds'),
      onNudge: listenTo('moved-clock'),
    }),
    startFinishDetachments(ports, { log: workerLog(log, 'finish-detachments') }),
    startExpireRefundRequests(ports, {
      log: workerLog(log, 'expire-refund-requests'),
      onNudge: listenTo('moved-clock'),
    }),
    startExpireSessions(ports, {
      log: workerLog(log, 'expire-sessions'),
      onNudge: listenTo('moved-clock'),
    }),
    startRenewSubscriptions(ports, {
      log: workerLog(log, 'renew-subscriptions'),
      onNudge: listenTo('moved-clock'),
    }),
    startMailBuyers(ports, {
      log: workerLog(log, 'mail-buyers'),
      onNudge: listenTo('mail-buyers', 'moved-clock'),
    }),
    startMakeExports(ports, {
      log: workerLog(log, 'make-exports'),
      onNudge: listenTo('make-exports'),
    }),
    startNotifyPeople(ports, {
      log: workerLog(log, 'notify-people'),
      onNudge: listenTo('moved-clock'),
    }),
    startTellOperator(ports, { log: workerLog(log, 'tell-operator') }),
    startSendMails(ports, { log: workerLog(log, 'send-mails') }),
    startReconcile(ports, { log: workerLog(log, 'reconcile') }),
    startRemoveOld(ports, {
      log: workerLog(log, 'remove-old'),
      onNudge: listenTo('moved-clock'),
    }),
    startSweepOauth(ports, { log: workerLog(log, 'sweep-oauth') }),
    startWatchVault(ports, { log: workerLog(log, 'watch-vault') }),
    startReadNotices(ports, {
      log: workerLog(log, 'read-notices'),
      onNudge: listenTo('read-notices'),
    }),
    startDeliverWebhooks(ports, {
      log: workerLog(log, 'deliver-webhooks'),
      onNudge: listenTo('deliver-webhooks'),
    }),
  ];
  return async () => void (await Promise.all(workers.map((worker) => worker.stop())));
}

const waitAtMost = (ms: number, work: Promise<unknown>): Promise<unknown> =>
  Promise.race([work, new Promise((resolve) => setTimeout(resolve, ms))]);

/** Returns when one process serves; invalid settings are reported by the start itself. */
async function superviseIfAsked(): Promise<void> {
  try {
    const { config } = readConfig(process.env);
    if (config.processes > 1) await supervise(config, openLog(config.logLevel, process.stderr));
  } catch (error) {
    if (!(error instanceof ConfigInvalid)) throw error;
  }
}

async function withPort({ config, ...rest }: ReturnType<typeof readConfig>) {
  if (config.port !== 0) return { config, ...rest };
  return readConfig({ ...process.env, SVC_PORT: String(await freePort()) });
}

/** Serves metrics where a port was named; a supervising process serves those of its processes. */
async function openMetricsIfAsked(
  config: Config,
  opened: { database: Ports['database']; connections: () => Connections },
) {
  if (config.metricsPort === null) return undefined;
  const { openMetrics, servePage } = await import('./start/metrics.ts');
  const metrics = openMetrics({ config, ...opened });
  if (!isSupervised) await servePage(config, metrics);
  return metrics;
}

/** Opens the log, and warns of settings that are seldom meant. */
function openStartLog(config: Config, warnings: readonly string[]): Log {
  const log = openLog(config.logLevel, gatherLines(process.stderr));
  for (const warning of warnings) log.warn(warning);
  if (config.limits === null) log.warn('rate limits are off');
  return log;
}

/**
 * Fetches metadata documents of applications (contract §6): small documents, fetched quickly. Strangers name
 * the URLs, so networks that were opened for merchants' endpoints stay closed in live mode.
 */
const applicationDocuments = ({ isLive, webhookAllow }: Config) =>
  documentFetcher({ allow: isLive ? [] : webhookAllow, maxBytes: 5 * 1024, totalMs: 5000 });

async function startService(): Promise<{ url: string; stop: Stop; log: Log }> {
  const { config, warnings } = await withPort(readConfig(process.env));
  const log = openStartLog(config, warnings);
  const nudges: Nudges = new EventEmitter();
  const nudge: Ports['nudge'] = (worker) => void nudges.emit(worker);
  const { ports, connections, warmUp, close } = openPorts(config, nudge, log);
  await migrateDatabase(config, ports.database);
  await checkSessions(ports.database);
  await assertMode(config, ports.database);
  const undecided = await describeUndecided(ports);
  if (undecided) log.warn(`${undecided}: ${undecidedMend}`);
  if (!config.walletUrl && (await hasWallets(ports.database))) {
    log.warn('a merchant has a wallet, but SVC_WALLET_URL is not set: no wallet is offered');
  }
  if (config.isLive && !config.mail) {
    log.warn('SVC_SMTP_URL is not set: mails to people wait here, see `svc mails`');
  }
  const metrics = await openMetricsIfAsked(config, { database: ports.database, connections });
  const server = buildServer({
    ...config,
    ...(metrics && { onAnswer: metrics.countAnswer }),
    rows,
    operations,
    ports,
    shareTakes: (takes) => tellTakes(ports.database, takes),
    receiveNotice,
    mountOauth: openOauth({
      ports,
      key: config.key,
      formerKeys: config.formerKeys ?? [],
      fetchDocument: applicationDocuments(config),
      log,
      isLimited: config.limits !== null,
    }),
    log,
  });
  await server.listen(config.host, config.port).catch((error: NodeJS.ErrnoException) => {
    const where = `${config.host}:${config.port}`;
    throw new CannotStart(
      error.code === 'EADDRINUSE'
        ? `port ${config.port} on ${config.host} is taken; set SVC_PORT to another one`
        : `cannot listen on ${where} (SVC_HOST, SVC_PORT): ${error.message}`,
    );
  });
  // A start that fails prints its reason alone.
  log.info('started', { version, mode: config.mode, settings: shownSettings(process.env) });
  let stopWorkers: Stop = async () => undefined;
  // The first passes of the workers and the loading of the provider's SDK take the processor for tens of
  // milliseconds, for which the first callers would wait.
  const warmingUp = setTimeout(() => {
    stopWorkers = startWorkers(ports, nudges, log);
    void Promise.all([warmUp(), server.warmUp()]);
  }, warmUpMs);
  return {
    url: config.baseUrl,
    log,
    async stop() {
      clearTimeout(warmingUp);
      server.drain();
      await new Promise((resolve) => setTimeout(resolve, config.drainDelayMs));
      const leftMs = drainMs - config.drainDelayMs;
      const lingerMs = Math.min(config.drainDelayMs, mostLingerMs);
      // Workers take up nothing new; unfinished work is taken up again once its lease expires.
      await waitAtMost(leftMs, Promise.all([server.close(leftMs, lingerMs), stopWorkers()]));
      await waitAtMost(closeMs, close());
    },
  };
}

try {
  const { url, stop, log } = await startService();
  let isStopping = false;
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => {
      // A terminal sends SIGINT to all processes at once: the supervising process passes it on.
      if (isSupervised && signal === 'SIGINT') return;
      // A second signal means that the person does not want to wait.
      if (isStopping) process.exit(1);
      isStopping = true;
      log.info('stopping');
      stop().then(
        () => process.exit(0),
        (error: unknown) => {
          log.error('the service did not stop cleanly', { error: String(error) });
          process.exit(1);
        },
      );
    });
  }
  console.log(JSON.stringify({ ready: true, url }));
} catch (error) {
  exitUnstarted(error);
}

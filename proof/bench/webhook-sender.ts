// The senders that deliveries are compared with, each in a process of its own: a loop that signs
// and posts and stores nothing (`loop`), and the same work as jobs of two queues on PostgreSQL
// (`pg-boss`, `graphile-worker`), which are loaded from the bench's folder. Each job signs, posts
// and stores the attempt as a row; a batch is stored in one statement when the queue has batches.

import { createHmac, createSecretKey, randomBytes } from 'node:crypto';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { idSource } from '@svc/service/domain/protocol/uuid-v7';
import { Pool } from 'undici';

const newId = idSource(Date.now, randomBytes);

export type SenderPlan = {
  readonly kind: 'loop' | 'pg-boss' | 'graphile-worker';
  readonly url: string;
  readonly body: string;
  readonly secret: string;
  readonly sockets: number;
  readonly count: number;
  /** Only for the queues. */
  readonly databaseUrl?: string;
  readonly folder?: string;
};

export type SenderResult = { readonly perSecond: number } | { readonly error: string };

/** The stored result of an attempt. */
type StoredResult = {
  readonly status: number;
  readonly startedAt: Date;
  readonly durationMs: number;
};

type Post = (body: string) => Promise<StoredResult>;

type Queryable = { query(text: string, values?: unknown[]): Promise<unknown> };

const attemptsTable = `create table kept_attempts (
  id uuid primary key, outcome text not null, http_status int, error text, response_excerpt text,
  duration_ms int not null, started_at timestamptz not null, url text)`;

/** Writes attempts as rows with time-ordered keys, as the service does. */
async function keepAttempts(database: Queryable, url: string, kept: readonly StoredResult[]) {
  await database.query(
    `insert into kept_attempts (id, outcome, http_status, duration_ms, started_at, url)
     select a.id, 'delivered', a.status, a.duration_ms, a.started_at, $5
     from unnest($1::uuid[], $2::int[], $3::int[], $4::timestamptz[])
       as a(id, status, duration_ms, started_at)`,
    [
      kept.map(newId),
      kept.map(({ status }) => status),
      kept.map(({ durationMs }) => durationMs),
      kept.map(({ startedAt }) => startedAt),
      url,
    ],
  );
}

/** Signs in both schemes, as a delivery does. */
function openPost({ url, secret, sockets }: SenderPlan): Post {
  const { origin, pathname } = new URL(url);
  const pool = new Pool(origin, { connections: sockets, pipelining: 1 });
  const key = createSecretKey(secret.slice('svc_whsec_'.length), 'base64');
  return async (body) => {
    const startedAt = new Date();
    const seconds = Math.floor(Date.now() / 1000);
    const bytes = Buffer.from(body);
    const own = createHmac('sha256', secret).update(`${seconds}.`).update(bytes).digest('hex');
    const standard = createHmac('sha256', key)
      .update(`evt_1.${seconds}.`)
      .update(bytes)
      .digest('base64');
    const answer = await pool.request({
      method: 'POST',
      path: pathname,
      headers: {
        'content-type': 'application/json; charset=utf-8',
        'svc-signature': `t=${seconds},v1=${own}`,
        'webhook-id': 'evt_1',
        'webhook-timestamp': String(seconds),
        'webhook-signature': `v1,${standard}`,
      },
      body: bytes,
    });
    await answer.body.dump();
    if (answer.statusCode !== 200) throw new Error(`status ${answer.statusCode}`);
    return { status: 200, startedAt, durationMs: Date.now() - startedAt.getTime() };
  };
}

async function runLoop(plan: SenderPlan, post: Post): Promise<void> {
  let left = plan.count;
  const lane = async () => {
    while (left-- > 0) await post(plan.body);
  };
  await Promise.all(Array.from({ length: plan.sockets }, lane));
}

type Boss = {
  on(event: 'error', listener: () => void): void;
  start(): Promise<unknown>;
  createQueue(name: string): Promise<unknown>;
  insert(...jobs: unknown[]): Promise<unknown>;
  work(
    name: string,
    options: object,
    work: (jobs: { data: { body: string } }[]) => Promise<void>,
  ): Promise<unknown>;
};

async function runBoss(plan: SenderPlan, post: Post, begin: () => void): Promise<void> {
  const load = createRequire(join(plan.folder ?? '', 'package.json'));
  const loaded = load('pg-boss') as { PgBoss?: unknown; default?: unknown };
  const PgBoss = (loaded.PgBoss ?? loaded.default ?? loaded) as new (options: object) => Boss;
  const boss = new PgBoss({ connectionString: plan.databaseUrl, max: 16 });
  boss.on('error', () => undefined);
  await boss.start();
  await boss.createQueue('deliveries');
  const { Pool: Connections } = load('pg') as { Pool: new (options: object) => Queryable };
  const database = new Connections({ connectionString: plan.databaseUrl, max: 4 });
  await database.query(attemptsTable);
  // Newer versions take the queue's name first.
  const jobs = Array.from({ length: plan.count }, () => ({
    name: 'deliveries',
    data: { body: plan.body },
  }));
  for (let at = 0; at < jobs.length; at += 1000) {
    const part = jobs.slice(at, at + 1000);
    await (boss.insert.length > 1 ? boss.insert('deliveries', part) : boss.insert(part));
  }
  begin();
  let done = 0;
  await new Promise<void>((resolve, reject) => {
    const workBatch = async (taken: { data: { body: string } }[]) => {
      const kept = await Promise.all(taken.map(({ data }) => post(data.body)));
      await keepAttempts(database, plan.url, kept);
      done += taken.length;
      if (done >= plan.count) resolve();
    };
    // A worker that has done its batch waits until half a second has passed, its shortest interval: as many of them, with
    // batches as large, as keep the sockets busy meanwhile. Priorities are not used, so it need not sort by them.
    const options = { batchSize: 1000, pollingIntervalSeconds: 0.5, priority: false };
    const lanes = Array.from({ length: 8 }, () => boss.work('deliveries', options, workBatch));
    void Promise.all(lanes).catch(reject);
  });
}

type Graphile = {
  makeWorkerUtils(options: object): Promise<{
    migrate(): Promise<void>;
    withPgClient(work: (client: Queryable) => Promise<unknown>): Promise<unknown>;
  }>;
  run(options: object): Promise<unknown>;
  readonly Logger: new (openScope: () => () => void) => object;
};

async function runGraphile(plan: SenderPlan, post: Post, begin: () => void): Promise<void> {
  const load = createRequire(join(plan.folder ?? '', 'package.json'));
  const { makeWorkerUtils, run, Logger } = load('graphile-worker') as Graphile;
  // Unless it is told otherwise it writes a line for every job.
  const logger = new Logger(() => () => undefined);
  const connectionString = plan.databaseUrl;
  const utils = await makeWorkerUtils({ connectionString, logger });
  await utils.migrate();
  await utils.withPgClient((client) => client.query(attemptsTable));
  await utils.withPgClient((client) =>
    client.query(
      `select graphile_worker.add_jobs(array(
         select row('deliver', $1::json, null, null, null, null, null, null)::graphile_worker.job_spec
         from generate_series(1, $2)))`,
      [JSON.stringify({ body: plan.body }), plan.count],
    ),
  );
  begin();
  let done = 0;
  await new Promise<void>((resolve, reject) => {
    const deliver = async ({ body }: { body: string }, helpers: Queryable) => {
      await keepAttempts(helpers, plan.url, [await post(body)]);
      if (++done >= plan.count) resolve();
    };
    // What its guide to performance recommends: https://worker.graphile.org/docs/performance
    const worker = {
      ...{ connectionString, concurrentJobs: 24, maxPoolSize: 25, pollInterval: 500 },
      ...{ localQueue: { size: 500 }, completeJobBatchDelay: 0, failJobBatchDelay: 0 },
    };
    run({ preset: { worker }, logger, noHandleSignals: true, taskList: { deliver } }).catch(reject);
  });
}

async function sendAll(plan: SenderPlan): Promise<SenderResult> {
  const post = openPost(plan);
  let beganMs = performance.now();
  const begin = () => {
    beganMs = performance.now();
  };
  if (plan.kind === 'loop') await runLoop(plan, post);
  else if (plan.kind === 'pg-boss') await runBoss(plan, post, begin);
  else await runGraphile(plan, post, begin);
  return { perSecond: (plan.count / (performance.now() - beganMs)) * 1000 };
}

process.on('disconnect', () => process.exit(0));
process.on('message', (plan: SenderPlan) => {
  sendAll(plan).then(
    (result) => process.send?.(result),
    (error: unknown) => process.send?.({ error: String(error) }),
  );
});
process.send?.({ isReady: true });

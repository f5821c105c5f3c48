// What deliveries are compared with, each in a process of its own: a loop that signs and posts and
// keeps nothing (`loop`), and the same work as jobs of two queues on PostgreSQL (`pg-boss`,
// `graphile-worker`), which are found in the folder that the bench was told.

import { createHmac, createSecretKey } from 'node:crypto';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { Pool } from 'undici';

export type SenderPlan = {
  readonly kind: 'loop' | 'pg-boss' | 'graphile-worker';
  readonly url: string;
  readonly body: string;
  readonly secret: string;
  readonly sockets: number;
  readonly count: number;
  /** Of the queues. */
  readonly databaseUrl?: string;
  readonly folder?: string;
};

export type SenderResult = { readonly perSecond: number } | { readonly error: string };

type Post = (body: string) => Promise<void>;

/** Signs in both schemes, as a delivery does. */
function openPost({ url, secret, sockets }: SenderPlan): Post {
  const { origin, pathname } = new URL(url);
  const pool = new Pool(origin, { connections: sockets, pipelining: 1 });
  const key = createSecretKey(secret.slice('svc_whsec_'.length), 'base64');
  return async (body) => {
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
    const work = async (taken: { data: { body: string } }[]) => {
      await Promise.all(taken.map(({ data }) => post(data.body)));
      done += taken.length;
      if (done >= plan.count) resolve();
    };
    const options = { batchSize: 500, pollingIntervalSeconds: 0.5 };
    const lanes = Array.from({ length: 4 }, () => boss.work('deliveries', options, work));
    void Promise.all(lanes).catch(reject);
  });
}

type Graphile = {
  makeWorkerUtils(options: object): Promise<{
    migrate(): Promise<void>;
    withPgClient(work: (client: { query(...q: unknown[]): unknown }) => unknown): Promise<unknown>;
  }>;
  run(options: object): Promise<unknown>;
};

async function runGraphile(plan: SenderPlan, post: Post, begin: () => void): Promise<void> {
  const load = createRequire(join(plan.folder ?? '', 'package.json'));
  const { makeWorkerUtils, run } = load('graphile-worker') as Graphile;
  const connectionString = plan.databaseUrl;
  const utils = await makeWorkerUtils({ connectionString });
  await utils.migrate();
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
    const deliver = async ({ body }: { body: string }) => {
      await post(body);
      if (++done >= plan.count) resolve();
    };
    run({
      connectionString,
      concurrency: 24,
      maxPoolSize: 25,
      noHandleSignals: true,
      pollInterval: 500,
      taskList: { deliver },
    }).catch(reject);
  });
}

async function send(plan: SenderPlan): Promise<SenderResult> {
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
  send(plan).then(
    (result) => process.send?.(result),
    (error: unknown) => process.send?.({ error: String(error) }),
  );
});
process.send?.({ isReady: true });

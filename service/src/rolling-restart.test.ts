// Processes behind a proxy that are replaced one after the other, while requests come all the time.

import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { freshDatabase, type TestDatabase } from '../test/harness.ts';
import { type ServiceProcesses, serviceProcesses } from '../test/service-processes.ts';
import { aReceiver, type Receiver } from '../test/webhooks.ts';

let db: TestDatabase;
let processes: ServiceProcesses;
let vault: Receiver;
beforeAll(async () => {
  db = await freshDatabase();
  processes = serviceProcesses(db);
  vault = await aReceiver();
});
afterAll(async () => {
  processes?.kill();
  await vault?.close();
  await db?.close();
});

/** As small as a proxy can be: asks for health, keeps connections, and tries nothing twice. */
class SmallProxy {
  readonly #agent = new http.Agent({ keepAlive: true, maxSockets: 16 });
  readonly #healthy = new Set<string>();
  readonly #server: http.Server;
  readonly #failed = new Map<string, number>();
  readonly #looking = setInterval(() => void this.#look(), 100);
  #isLooking = false;
  /** Why a request was lost. */
  readonly lost: string[] = [];
  backends: string[];
  #turn = 0;

  constructor(backends: string[]) {
    this.backends = backends;
    this.#server = http.createServer((request, response) => this.#forward(request, response));
  }

  async listen(): Promise<number> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    return (this.#server.address() as AddressInfo).port;
  }

  /** One after the other; two that fail in a row turn a process away, as one that is slow does not. */
  async #look(): Promise<void> {
    if (this.#isLooking) return;
    this.#isLooking = true;
    await Promise.all(
      this.backends.map(async (url) => {
        const headers = { connection: 'close' };
        const isReady = await fetch(`${url}/readyz`, { headers }).then(
          ({ status }) => status === 200,
          () => false,
        );
        const failed = isReady ? 0 : (this.#failed.get(url) ?? 0) + 1;
        this.#failed.set(url, failed);
        if (isReady) this.#healthy.add(url);
        else if (failed >= 2) this.#healthy.delete(url);
      }),
    );
    this.#isLooking = false;
  }

  isHealthy(url: string): boolean {
    return this.#healthy.has(url);
  }

  #forward(request: http.IncomingMessage, response: http.ServerResponse): void {
    const healthy = [...this.#healthy];
    const url = healthy[this.#turn++ % Math.max(1, healthy.length)];
    const lose = (why: string) => {
      this.lost.push(why);
      response.writeHead(502).end();
    };
    if (url === undefined) {
      lose('no process is ready');
      return;
    }
    const { method, headers } = request;
    const onwards = { method, headers, agent: this.#agent };
    const call = http.request(url + request.url, onwards, (answer) => {
      response.writeHead(answer.statusCode ?? 502);
      answer.pipe(response);
    });
    call.on('error', ({ message }) => lose(`${url}: ${message}`));
    request.pipe(call);
  }

  close(): void {
    clearInterval(this.#looking);
    this.#agent.destroy();
    this.#server.close();
  }
}

it('with SVC_DRAIN_MS no request is lost', async () => {
  const env = { SVC_DRAIN_MS: '6000', SVC_VAULT_INTERNAL_URL: vault.url, SVC_LIMITS: 'off' };
  const first = await Promise.all([processes.start(env), processes.start(env)]);
  const proxy = new SmallProxy([...first]);
  const port = await proxy.listen();
  await expect.poll(() => first.every((url) => proxy.isHealthy(url))).toBe(true);
  const counts: Record<number, number> = {};
  let isOver = false;
  const visit = async () => {
    while (!isOver) {
      // A call with a body, which a proxy must not repeat.
      const { status } = await fetch(`http://127.0.0.1:${port}/v1/checkouts/sessions`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: '{}',
      });
      counts[status] = (counts[status] ?? 0) + 1;
    }
  };
  const visitors = Array.from({ length: 4 }, visit);
  for (const old of first) {
    const ended = processes.stop(old);
    const next = await processes.start(env);
    proxy.backends.push(next);
    expect(await ended).toBe(0);
    proxy.backends = proxy.backends.filter((url) => url !== old);
    await expect.poll(() => proxy.isHealthy(next)).toBe(true);
  }
  isOver = true;
  await Promise.all(visitors);
  proxy.close();
  expect(proxy.lost).toEqual([]);
  expect(Object.keys(counts)).toEqual(['400']);
  expect(counts[400]).toBeGreaterThan(50);
}, 120_000);

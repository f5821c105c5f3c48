// A proxy in front of processes that are replaced one after the other, for tests of rolling restarts.

import http from 'node:http';
import type { AddressInfo } from 'node:net';

/** A minimal proxy: it checks health, keeps connections open, and never retries. */
export class SmallProxy {
  readonly #agent = new http.Agent({ keepAlive: true, maxSockets: 16 });
  readonly #healthy = new Set<string>();
  readonly #server: http.Server;
  readonly #failed = new Map<string, number>();
  readonly #looking = setInterval(() => this.backends.forEach((url) => void this.#look(url)), 100);
  /** The processes whose health is being checked. */
  readonly #checked = new Set<string>();
  #looked: ((value?: unknown) => void)[] = [];
  /** The reasons for which requests were lost. */
  readonly lost: string[] = [];
  backends: string[];
  #turn = 0;

  constructor(backends: string[] = []) {
    this.backends = backends;
    this.#server = http.createServer((request, response) => this.#forward(request, response));
  }

  async listen(): Promise<number> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    return (this.#server.address() as AddressInfo).port;
  }

  /** Checks the health of one process, once at a time. Two failures in a row remove it, a slow response does not. */
  async #look(url: string): Promise<void> {
    if (this.#checked.has(url)) return;
    this.#checked.add(url);
    const headers = { connection: 'close' };
    const isReady = await fetch(`${url}/readyz`, { headers }).then(
      ({ status }) => status === 200,
      () => false,
    );
    const failed = isReady ? 0 : (this.#failed.get(url) ?? 0) + 1;
    this.#failed.set(url, failed);
    if (isReady) this.#healthy.add(url);
    else if (failed >= 2) this.#healthy.delete(url);
    this.#checked.delete(url);
    for (const resolve of this.#looked.splice(0)) resolve();
  }

  /** Resolves once the process at this address receives requests. */
  async ready(url: string): Promise<void> {
    while (!this.#healthy.has(url)) await new Promise((resolve) => this.#looked.push(resolve));
  }

  #forward(request: http.IncomingMessage, response: http.ServerResponse): void {
    const healthy = [...this.#healthy];
    const url = healthy[this.#turn++ % Math.max(1, healthy.length)];
    const loseRequest = (why: string) => {
      this.lost.push(why);
      response.writeHead(502).end();
    };
    if (url === undefined) {
      loseRequest('no process is ready');
      return;
    }
    const { method, headers } = request;
    const onwards = { method, headers, agent: this.#agent };
    const call = http.request(url + request.url, onwards, (answer) => {
      response.writeHead(answer.statusCode ?? 502);
      answer.pipe(response);
    });
    call.on('error', ({ message }) => loseRequest(`${url}: ${message}`));
    request.pipe(call);
  }

  close(): void {
    clearInterval(this.#looking);
    this.#agent.destroy();
    this.#server.close();
  }
}

/**
 * Calls `ask` in four loops while each backend is replaced by a new one. Returns how often each response
 * came. `stop` resolves to the exit code of the process at an address.
 */
export async function replaceEach<Answer extends PropertyKey>(
  proxy: SmallProxy,
  processes: { start(): Promise<string>; stop(url: string): Promise<number | null> },
  ask: () => Promise<Answer>,
): Promise<{ counts: Record<Answer, number>; exits: (number | null)[] }> {
  const counts = {} as Record<Answer, number>;
  const exits: (number | null)[] = [];
  let isOver = false;
  const visitors = Array.from({ length: 4 }, async () => {
    while (!isOver) {
      const answer = await ask();
      counts[answer] = (counts[answer] ?? 0) + 1;
    }
  });
  for (const old of [...proxy.backends]) {
    const ended = processes.stop(old);
    const next = await processes.start();
    proxy.backends.push(next);
    exits.push(await ended);
    proxy.backends = proxy.backends.filter((url) => url !== old);
    await proxy.ready(next);
  }
  isOver = true;
  await Promise.all(visitors);
  return { counts, exits };
}

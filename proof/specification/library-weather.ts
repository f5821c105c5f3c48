// A merchant's page in a real browser, on its own origin and under a strict policy, with a
// controllable network in front of the service, which loses responses, stalls and fails.

import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, request as forward, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sharedBrowser } from '@svc/tools/browser';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { buildLibrary } from '../../libraries/browser/build.ts';

/**
 * `lost`: the service answers, but the response is dropped. `cut`: the response ends after its
 * head. `held`: forwarded when it is released. `silent`: never answered. A status: returned in
 * place of the service's response.
 */
export type Weather =
  | 'lost'
  | 'cut'
  | 'held'
  | 'silent'
  | { readonly status: number; readonly retryAfter?: number };
type ForwardedCall = { readonly call: string; readonly text: string };

const html = `<!doctype html><html lang="en"><head><title>Shop</title>
<script type="module" src="/page.js"></script></head><body></body></html>`;
const script = `import * as svc from '/svc/index.js';
globalThis.svc = svc;
globalThis.stray = [];
addEventListener('unhandledrejection', ({ reason }) => stray.push(String(reason)));
globalThis.told = (cause) => ({ is: cause instanceof svc.SvcError, type: cause.type, code: cause.code,
  status: cause.status, retryable: cause.retryable });`;

async function listen(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

export class Storm {
  page!: Page;
  context!: BrowserContext;
  /** The requests that reached the service, without preflights. */
  passed: ForwardedCall[] = [];
  /** The network's behaviour for claims, in turn; afterwards it works. */
  claims: Weather[] = [];
  /** The number of requests that the browser aborted while they were held. */
  givenUp = 0;
  violations: string[] = [];
  foreign: string[] = [];
  shop = '';
  api = '';
  #service = '';
  #folder = '';
  #browser!: Browser;
  #servers: Server[] = [];
  #release: () => void = () => {};
  #isReleased = Promise.resolve();

  async start(service: string): Promise<void> {
    this.#service = service;
    this.#folder = mkdtempSync(join(tmpdir(), 'svc-storm-'));
    [this.#browser] = await Promise.all([
      sharedBrowser(),
      buildLibrary(join(this.#folder, 'dist')),
    ]);
    const network = createServer((request, response) => {
      void this.#carry(request, (status, headers, body) => {
        if (status === 0) return void request.socket.destroy();
        response.writeHead(status, headers);
        if (body === null) return void response.write('{', () => request.socket.destroy());
        response.end(body);
      });
    });
    const pages = createServer(({ url = '/' }, response) => {
      const file = url.startsWith('/svc/') ? join(this.#folder, 'dist', url.slice(5)) : null;
      const type = url === '/' ? 'text/html' : 'text/javascript';
      const policy = [
        "default-src 'none'",
        "script-src 'self'",
        `connect-src ${this.api}`,
        "require-trusted-types-for 'script'",
      ].join('; ');
      response.writeHead(200, { 'content-type': type, 'content-security-policy': policy });
      response.end(file ? readFileSync(file) : url === '/' ? html : script);
    });
    this.#servers = [network, pages];
    this.api = await listen(network);
    this.shop = await listen(pages);
  }

  async stop(): Promise<void> {
    for (const server of this.#servers) {
      server.closeAllConnections();
      server.close();
    }
    rmSync(this.#folder, { recursive: true });
  }

  /** Opens a private window with `api` in it; its clock is stopped unless `ticks` is set. */
  async open({ ticks = false, before = '' } = {}): Promise<void> {
    Object.assign(this, { passed: [], claims: [], givenUp: 0, violations: [], foreign: [] });
    this.#isReleased = new Promise((resolve) => {
      this.#release = resolve;
    });
    this.context = await this.#browser.newContext();
    this.page = await this.context.newPage();
    this.page.on('console', (message) => {
      if (/Content Security Policy|Trusted/i.test(message.text())) {
        this.violations.push(message.text());
      }
    });
    this.page.on('pageerror', ({ message }) => this.violations.push(message));
    this.page.on('request', (request) => {
      const { origin } = new URL(request.url());
      if (origin !== this.api && origin !== this.shop) this.foreign.push(request.url());
    });
    if (before) await this.page.addInitScript(before);
    if (!ticks) await this.page.clock.install();
    await this.page.goto(this.shop);
    await this.page.waitForFunction('globalThis.svc !== undefined');
    await this.run(`globalThis.api = new svc.PaymentAPI(${JSON.stringify(`${this.api}/`)});`);
    if (!ticks) await this.page.clock.pauseAt(Date.now() + 3_600_000);
  }

  /** Runs the code in the page, past the page's policy, and returns the value of its `return`. */
  run<T = unknown>(code: string, given: unknown = null): Promise<T> {
    return this.page.evaluate(`(async (given) => { ${code} })(${JSON.stringify(given)})`);
  }

  /**
   * Moves the page's clock by small steps until the condition is true; returns how far it moved.
   */
  async passUntil(isSo: () => boolean | Promise<boolean>): Promise<number> {
    let passedMs = 0;
    while (!(await isSo())) {
      if (passedMs > 30_000) throw new Error('the page did not come to it');
      await this.page.clock.runFor(50);
      passedMs += 50;
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    return passedMs;
  }

  release(): void {
    this.#release();
  }
  bodies(): string[] {
    return this.passed.filter(({ call }) => call.endsWith('/claim')).map(({ text }) => text);
  }

  async #carry(
    request: IncomingMessage,
    answer: (
      status: number,
      headers: Record<string, string | string[] | undefined>,
      body: Buffer | string | null,
    ) => void,
  ): Promise<void> {
    const { method = '', url = '' } = request;
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const sent = Buffer.concat(chunks);
    const isClaim = method === 'PATCH' && url.endsWith('/claim');
    if (method !== 'OPTIONS') {
      this.passed.push({ call: `${method} ${url.split('?')[0]}`, text: sent.toString() });
    }
    const weather = isClaim ? this.claims.shift() : undefined;
    request.socket.once('close', () => {
      if (weather === 'silent' || weather === 'held') this.givenUp += 1;
    });
    if (weather === 'silent') return;
    if (weather === 'held') await this.#isReleased;
    const cors = {
      'access-control-allow-origin': this.shop,
      'access-control-expose-headers': 'retry-after',
    };
    if (typeof weather === 'object') {
      const { status, retryAfter } = weather;
      const when = retryAfter === undefined ? {} : { 'retry-after': `${retryAfter}` };
      const type = { 'content-type': 'application/json', connection: 'close' };
      return answer(
        status,
        { ...cors, ...when, ...type },
        JSON.stringify({ code: 'storm', status }),
      );
    }
    const upstream = await this.#ask(request, sent);
    if (weather === 'lost') return answer(0, {}, '');
    // Without this, a browser may itself repeat a request that a reused connection did not answer.
    const headers = { ...upstream.headers, connection: 'close' };
    answer(upstream.status, headers, weather === 'cut' ? null : upstream.body);
  }

  #ask({ method, url, headers }: IncomingMessage, body: Buffer) {
    return new Promise<{ status: number; headers: IncomingMessage['headers']; body: Buffer }>(
      (resolve, reject) => {
        const asked = forward(`${this.#service}${url}`, { method, headers }, async (response) => {
          const chunks: Buffer[] = [];
          for await (const chunk of response) chunks.push(chunk as Buffer);
          const { statusCode: status = 0 } = response;
          resolve({ status, headers: response.headers, body: Buffer.concat(chunks) });
        });
        asked.once('error', reject);
        asked.end(body);
      },
    );
  }
}

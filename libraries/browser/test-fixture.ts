// The fixture of CardSetup's tests: a merchant's page under a strict policy, the API on another
// origin, a page in place of the card form, and a bank. Each returns what a test sets.

import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sharedBrowser } from '@svc/tools/browser';
import { isNote } from '@svc/tools/firefox';
import { scaled } from '@svc/tools/machine';
import { passTime } from '@svc/tools/pass-time';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest';
import { buildLibrary } from './build.ts';
import { bankPage, framePage, shopPage } from './test-pages.ts';
import { decodedId, nonce, StubService, savedCardAnswer, sessionId } from './test-service.ts';

export * from './test-service.ts';

/**
 * The headers with which the vault serves its form: pages that isolate themselves may embed the
 * form.
 */
const isolated = {
  'cross-origin-embedder-policy': 'require-corp',
  'cross-origin-resource-policy': 'cross-origin',
};

type RequestHandler = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

export class Fixture extends StubService {
  page!: Page;
  context!: BrowserContext;
  policy: Record<string, string> = {};
  /** Additional headers of the merchant's page. */
  headers: Record<string, string> = {};
  violations: string[] = [];
  #servers: Server[] = [];
  #browser!: Browser;
  #folder = '';

  async start(): Promise<void> {
    this.#folder = mkdtempSync(join(tmpdir(), 'svc-card-setup-'));
    [this.#browser] = await Promise.all([
      sharedBrowser(),
      buildLibrary(join(this.#folder, 'dist')),
    ]);
    this.shop = await this.#listen('localhost', (q, s) => this.#serveShop(q, s));
    this.api = await this.#listen('127.0.0.1', (q, s) => this.#serveApi(q, s));
    this.forms = await this.#listen('127.0.0.1', (_, s) => this.#html(s, framePage, isolated));
    this.bank = await this.#listen('127.0.0.1', (_, s) => this.#html(s, bankPage(this.returnUrl)));
  }

  async stop(): Promise<void> {
    for (const server of this.#servers) {
      server.closeAllConnections();
      server.close();
    }
    rmSync(this.#folder, { recursive: true });
  }

  /** Closes the page, and breaks off what it has asked for. */
  async close(): Promise<void> {
    await this.context.close();
    for (const server of this.#servers) server.closeAllConnections();
  }

  reset(): void {
    this.received = [];
    this.session = {};
    this.setups = [savedCardAnswer];
    this.standings = [{ status: 'open' }];
    this.sessions = [];
    this.form = '';
    this.policy = {};
    this.headers = {};
    this.violations = [];
  }

  /** Folder of the built library. */
  get built(): string {
    return join(this.#folder, 'dist');
  }

  /** Opens the merchant's page; `code` is what its script does with the library. */
  async visit(look: Parameters<Browser['newContext']>[0] = {}): Promise<Page> {
    this.context = await this.#browser.newContext({
      locale: 'en-US',
      viewport: { width: 900, height: 800 },
      reducedMotion: 'reduce',
      ...look,
    });
    this.page = await this.context.newPage();
    this.page.on('console', (message) => {
      const text = message.text();
      // The page to which the bank returns refuses to be framed here: that is the service's policy.
      const isOurs = /Content Security Policy|Trusted/i.test(text) && !/frame-ancestors/.test(text);
      if (isOurs) this.violations.push(text);
    });
    this.page.on('pageerror', ({ message }) => {
      if (!isNote(message)) this.violations.push(message);
    });
    await this.page.goto(this.shop);
    await this.page.waitForFunction('globalThis.svc !== undefined');
    return this.page;
  }

  /** Mounts a CardSetup in #card and records every callback in `heard`. */
  async mount(options: object = {}): Promise<void> {
    const identity = { baseUrl: `${this.api}/`, sessionId, nonce };
    await this.page.evaluate((given) => Reflect.get(globalThis, 'mount')(given), {
      ...identity,
      ...options,
    });
  }
  async ready(options: object = {}): Promise<void> {
    await this.mount(options);
    await expect.poll(() => this.heard(), { timeout: 5_000 }).toContainEqual(['ready']);
  }
  /** Begins a submit; `result` contains its end. */
  async submit(): Promise<void> {
    await this.page.locator('#save').click();
  }
  async fillAndSubmit(): Promise<void> {
    await this.number().fill('4242424242424242');
    await this.submit();
  }

  /** Opens the page, fills the form in and submits it. */
  async visitAndSubmit(): Promise<void> {
    await this.visit();
    await this.ready();
    await this.fillAndSubmit();
  }
  result(): Promise<Record<string, unknown>> {
    return this.page.evaluate('globalThis.result');
  }
  heard(): Promise<unknown[][]> {
    return this.page.evaluate('globalThis.heard');
  }
  async heardOf(name: string): Promise<unknown[][]> {
    return (await this.heard()).filter(([one]) => one === name);
  }
  /**
   * Waits until all calls that the page and its frames have begun have their response: several
   * later calls of the page were answered, and as many frames were drawn.
   */
  async settled(): Promise<void> {
    await this.page.evaluate(async (url) => {
      for (let n = 0; n < 4; n++) {
        await fetch(url, { mode: 'no-cors', cache: 'no-store' });
        await new Promise((resolve) => requestAnimationFrame(resolve));
      }
    }, `${this.api}/c/settled`);
  }
  number() {
    return this.page.frameLocator('#card iframe, svc-card-setup iframe').getByLabel('Card number');
  }
  dialog() {
    return this.page.getByRole('dialog');
  }
  question() {
    return this.page.frameLocator('dialog[aria-labelledby=title] iframe');
  }

  async #listen(host: string, serve: RequestHandler): Promise<string> {
    const server = createServer((request, response) => void serve(request, response));
    await new Promise<void>((resolve) => server.listen(0, host, resolve));
    this.#servers.push(server);
    return `http://${host}:${(server.address() as AddressInfo).port}`;
  }

  async #html(response: ServerResponse, text: string, headers: object = {}): Promise<void> {
    response.writeHead(200, { 'content-type': 'text/html', ...headers }).end(text);
  }

  async #serveShop(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname } = new URL(request.url ?? '/', this.shop);
    const policy = {
      'default-src': "'none'",
      'script-src': "'self'",
      'style-src': "'self'",
      'connect-src': this.api,
      'frame-src': `${this.forms} ${this.bank} ${this.api}`,
      'base-uri': "'none'",
      'require-trusted-types-for': "'script'",
      ...this.policy,
    };
    const text = Object.entries(policy).map(([name, value]) => `${name} ${value}`);
    const isLibrary = pathname.startsWith('/svc/') && !this.extra[pathname];
    const file = isLibrary ? join('dist', pathname.slice(5)) : '';
    const made: Record<string, [string, string]> = {
      '/': ['text/html', shopPage.html],
      '/page.js': ['text/javascript', shopPage.script],
      '/page.css': ['text/css', shopPage.style],
      ...this.extra,
    };
    const [type, body] = file
      ? ['text/javascript', readFileSync(join(this.#folder, file), 'utf8')]
      : (made[pathname] ?? ['text/plain', '']);
    const headers = {
      'content-type': type,
      'content-security-policy': text.join('; '),
      ...this.headers,
    };
    response.writeHead(200, headers).end(body);
  }
  /** More files of the shop, by path: type and text. */
  extra: Record<string, [string, string]> = {};

  async #serveApi(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = 'GET', url = '/' } = request;
    const { received } = this;
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const cors = {
      'access-control-allow-origin': this.shop,
      'access-control-allow-headers': 'content-type, x-checkout-session-token, x-user-id',
      'access-control-expose-headers': 'retry-after',
    };
    if (url.startsWith('/c/')) {
      const wall = { 'content-security-policy': "frame-ancestors 'self'" };
      response.writeHead(200, { 'content-type': 'text/html', ...wall }).end('<p>home</p>');
      return;
    }
    if (method === 'OPTIONS') {
      response.writeHead(204, cors).end();
      return;
    }
    const userId = decodedId(request.headers['x-user-id']?.toString());
    const asked = { method, url, text: Buffer.concat(chunks).toString(), userId };
    received.push(asked);
    // Holds the request as the service does, but responds soon enough for a test.
    if (url.includes('/status?wait')) await passTime(150, 'a held request of the service');
    // The last requests of a page that was closed, as after an abort, change nothing of the next test.
    if (received !== this.received) {
      request.socket.destroy();
      return;
    }
    const isKnown = request.headers['x-checkout-session-token'] === nonce;
    const answer = await this.answer(asked, isKnown);
    const type = { 'content-type': 'application/json', ...cors };
    if (answer === 'break off') {
      // After the head: a browser silently repeats a request whose kept connection was just closed.
      response.writeHead(200, { ...type, 'content-length': 100 });
      response.write('{', () => request.socket.destroy());
      return;
    }
    response.writeHead(answer.status, { ...type, ...answer.headers });
    response.end(JSON.stringify(answer.body));
  }
}

/** Sets up one Fixture for a test file. */
export function cardSetupFixture(): Fixture {
  const fixture = new Fixture();
  beforeAll(() => fixture.start(), scaled(120_000));
  afterAll(() => fixture.stop());
  beforeEach(() => fixture.reset());
  afterEach(async () => {
    await fixture.close();
    expect(fixture.violations).toEqual([]);
  });
  return fixture;
}

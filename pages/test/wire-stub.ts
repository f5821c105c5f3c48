// Serves the stub of the service to a browser, with the built page under its policy, and a frame page on an
// origin of its own that exchanges the card form's messages.

import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { scriptHashes } from '../../service/src/http/doors/pages.ts';
import { pageLink } from './customer-stub.ts';
import { framePage } from './frame-stub.ts';
import { clientId, nonce, sessionId } from './stub-answers.ts';
import { StubService } from './stub-service.ts';

const dist = join(import.meta.dirname, '../dist');

export class WireStub extends StubService {
  frameSource = '';
  /** An additional report-only policy of the page. */
  reportOnly = '';
  /** The source of the merchant's logo in the page's policy. */
  logoSource = '';
  /** Awaited before the page's own script is served. */
  beforeScript: () => Promise<void> = async () => {};
  /** Whether the markup has the address of the card form, whose document browsers may then keep. */
  opensForm = false;
  /** How often the document of the card form was asked for. */
  formReads = 0;
  readonly #servers: Server[] = [];

  async start(): Promise<this> {
    this.pageOrigin = await this.#listen('localhost', (q, s) => this.#servePage(q, s));
    this.formOrigin = await this.#listen('127.0.0.1', (q, s) => this.#serveForm(q, s));
    this.bankOrigin = await this.#listen('127.0.0.1', (q, s) => this.#serveBank(q, s));
    return this;
  }

  /** The address to which a shop sends its buyer. */
  get url(): string {
    return `${this.pageOrigin}/c/${sessionId}#${nonce}`;
  }

  /** The address to which a merchant sends its customer. */
  get customerUrl(): string {
    return `${this.pageOrigin}/m/${clientId}#${pageLink}`;
  }

  stop(): void {
    for (const server of this.#servers) {
      server.closeAllConnections();
      server.close();
    }
  }

  async #listen(
    host: string,
    serve: (request: IncomingMessage, response: ServerResponse) => Promise<void>,
  ): Promise<string> {
    const server = createServer((request, response) => void serve(request, response));
    await new Promise<void>((resolve) => server.listen(0, host, resolve));
    this.#servers.push(server);
    return `http://${host}:${(server.address() as AddressInfo).port}`;
  }

  async #servePage(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = request.url ?? '/';
    const page = /^\/c\//.test(url) ? 'checkout' : /^\/m([/?]|$)/.test(url) ? 'customer' : null;
    if (page) {
      const markup = readFileSync(join(dist, page, 'index.html')).toString();
      const headers = this.#policy(page, scriptHashes(markup));
      const form = this.opensForm ? ` data-form="${this.formOrigin}/form/1?${this.form}"` : '';
      response.writeHead(200, { 'content-type': 'text/html', ...headers });
      response.end(markup.replace('<html', `<html${form}`));
      return;
    }
    if (url.startsWith('/assets/')) {
      if (/^\/assets\/checkout-.*\.js$/.test(url)) await this.beforeScript();
      const type = url.endsWith('.js') ? 'text/javascript' : 'text/css';
      response.writeHead(200, { 'content-type': type }).end(readFileSync(join(dist, url)));
      return;
    }
    const body = await bodyOf(request);
    const { method = 'GET', headers } = request;
    const answer = await this.answer({ method, url, headers, body });
    if (answer === 'break off') {
      // After the headers, because a browser silently repeats a request whose kept connection was just
      // closed.
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': 100 });
      response.write('{', () => request.socket.destroy());
      return;
    }
    const type = { 'content-type': 'application/json' };
    response.writeHead(answer.status, { ...type, ...answer.headers });
    response.end(answer.status === 204 ? undefined : JSON.stringify(answer.body));
  }

  #policy(page: 'checkout' | 'customer', scripts: string): Record<string, string> {
    const policy = {
      'default-src': "'none'",
      'script-src': `'self' ${scripts}`.trim(),
      'style-src': "'self'",
      'img-src': `'self' data: ${this.logoSource}`.trim(),
      'font-src': "'self'",
      'connect-src': "'self'",
      'frame-src': this.frameSource || `'self' ${this.formOrigin} ${this.bankOrigin}`,
      'form-action': "'none'",
      'base-uri': "'none'",
      'frame-ancestors': page === 'checkout' ? "'self'" : "'none'",
      'require-trusted-types-for': "'script'",
    };
    const text = Object.entries(policy).map(([name, value]) => `${name} ${value}`);
    const reporting = this.reportOnly
      ? { 'content-security-policy-report-only': this.reportOnly }
      : {};
    const fixed = { 'content-security-policy': text.join('; '), 'cache-control': 'no-store' };
    return { ...fixed, ...reporting };
  }

  async #serveForm(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname } = new URL(request.url ?? '/', this.formOrigin);
    const pages: Record<string, string> = {
      '/form/1': framePage,
      '/thanks': '<title>Thanks</title><h1>The shop</h1>',
      '/cart': '<title>Cart</title>',
    };
    const text = pages[pathname];
    if (pathname === '/form/1') this.formReads += 1;
    const caching = this.opensForm ? { 'cache-control': 'public, max-age=300' } : {};
    response.writeHead(text ? 200 : 404, { 'content-type': 'text/html', ...caching }).end(text);
  }

  /** Shows the bank's page, and sends the buyer back as the provider does. */
  async #serveBank(_request: IncomingMessage, response: ServerResponse): Promise<void> {
    const back = `${this.pageOrigin}/c/${sessionId}?payment_intent=pi_1&redirect_status=succeeded`;
    response.writeHead(200, { 'content-type': 'text/html' }).end(bankPage(back));
  }
}

const bankPage = (back: string) => `<!doctype html><html lang="en"><head><title>Bank</title></head>
<body><main><h1>Your bank</h1><a href="${back}">Approve</a></main></body></html>`;

async function bodyOf(request: IncomingMessage): Promise<Record<string, unknown> | null> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return chunks.length ? JSON.parse(Buffer.concat(chunks).toString()) : null;
}

// A merchant's own page with the browser library, on another origin and under a strict policy.

import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import { buildLibrary } from '../../libraries/browser/build.ts';
import { bundleReactPage } from '../../libraries/browser/bundle-react-page.ts';
import { shopPage } from '../../libraries/browser/test-pages.ts';
import type { Journey } from './fixture.ts';

/** Serves the page for a test file; `visit` opens the page. */
export function merchantPageOn(journey: Journey): {
  url(): string;
  visit(): Promise<void>;
} {
  let shop: Server;
  let folder: string;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'svc-shop-'));
    await buildLibrary(join(folder, 'dist'));
    const { apiUrl, cardFormUrl, sandboxUrl } = journey.block;
    const policy = [
      "default-src 'none'",
      "script-src 'self'",
      "style-src 'self'",
      `connect-src ${apiUrl}`,
      `frame-src ${cardFormUrl} http://127.0.0.1:${new URL(sandboxUrl).port} ${apiUrl}`,
      "require-trusted-types-for 'script'",
    ].join('; ');
    const made: Record<string, [string, string]> = {
      '/': ['text/html', shopPage.html],
      '/page.js': ['text/javascript', shopPage.script],
      '/page.css': ['text/css', shopPage.style],
      ...(await bundleReactPage()),
    };
    shop = createServer(({ url = '/' }, response) => {
      const file = url.startsWith('/svc/') ? join(folder, 'dist', url.slice(5)) : null;
      const [type, text] = file
        ? ['text/javascript', readFileSync(file, 'utf8')]
        : (made[url] ?? ['text/plain', '']);
      const headers = { 'content-type': type, 'content-security-policy': policy };
      response.writeHead(200, headers).end(text);
    });
    await new Promise<void>((resolve) => shop.listen(0, '127.0.0.1', resolve));
  });
  afterAll(() => {
    shop?.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const url = () => `http://127.0.0.1:${(shop.address() as AddressInfo).port}/`;
  return {
    url,
    visit: async () => {
      await journey.page.goto(url());
      await journey.page.waitForFunction('globalThis.svc !== undefined');
    },
  };
}

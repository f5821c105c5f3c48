// The account's pages and the dashboard as they are served; server.test.ts covers the checkout and
// customer pages.

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fastify from 'fastify';
import { afterAll, describe, expect, it } from 'vitest';
import { portsFor } from '../../../test/harness.ts';
import type { Database } from '../../storage/database/database.ts';
import { servePages } from './pages.ts';

const pagesDir = mkdtempSync(join(tmpdir(), 'svc-pages-'));
const { settings, vault } = portsFor({} as Database);
const app = fastify();
servePages(app, {
  pagesDir,
  vaultOrigin: 'http://127.0.0.1:4001',
  providerUrl: 'http://127.0.0.1:4002',
  // The account's pages show no merchant's logo.
  ports: {
    settings,
    vault,
    get database(): never {
      throw new Error('asked');
    },
  },
});

afterAll(async () => {
  await app.close();
  rmSync(pagesDir, { recursive: true });
});

describe('the account’s pages', () => {
  it('503 with a text that says what to do, while they are not built', async () => {
    for (const path of ['/account', '/dashboard']) {
      const response = await app.inject(path);
      expect(response.statusCode).toBe(503);
      expect(response.body).toContain('node pages/build.ts');
    }
  });

  it('one page at every address, framing nothing, framed by nobody, held by no other window', async () => {
    for (const page of ['account', 'dashboard']) {
      mkdirSync(join(pagesDir, page));
      writeFileSync(join(pagesDir, page, 'index.html'), `<!doctype html><p>${page}`);
    }
    for (const path of [
      '/account',
      '/account/',
      '/account/sign-in?next=%2Faccount',
      '/account/a/b/c',
      '/dashboard',
      '/dashboard/c1/payments?status=failed',
    ]) {
      const { statusCode, body, headers } = await app.inject(path);
      const page = /^\/(\w+)/.exec(path)?.[1];
      expect([statusCode, body]).toEqual([200, `<!doctype html><p>${page}`]);
      const policy = String(headers['content-security-policy']).split('; ');
      expect(policy).toEqual([
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' data:",
        "font-src 'self'",
        "connect-src 'self'",
        "frame-src 'none'",
        "form-action 'none'",
        "base-uri 'none'",
        "object-src 'none'",
        "frame-ancestors 'none'",
        "require-trusted-types-for 'script'",
        'report-to csp',
      ]);
      expect(headers['cross-origin-opener-policy']).toBe('same-origin');
    }
    for (const path of ['/accounts', '/dashboards']) {
      expect((await app.inject(path)).statusCode).toBe(404);
    }
  });

  it('in test mode the document says so, for the page to tell the buyer', async () => {
    const inTestMode = fastify();
    const testMode = { ...settings, mode: 'test' as const };
    const ports = { settings: testMode, vault, database: {} as Database };
    const addresses = { vaultOrigin: 'http://127.0.0.1:4001', providerUrl: 'https://p.example' };
    servePages(inTestMode, { pagesDir, ports, ...addresses });
    mkdirSync(join(pagesDir, 'account'), { recursive: true });
    writeFileSync(join(pagesDir, 'account/index.html'), '<!doctype html><html lang="en"><p>a');
    const { body, headers } = await inTestMode.inject('/account');
    expect(body).toBe('<!doctype html><html data-mode="test" lang="en"><p>a');
    expect(headers['content-type']).toBe('text/html; charset=utf-8');
    await inTestMode.close();
  });
});

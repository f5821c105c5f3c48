// A real browser that is stopped by the policy of a page, and what the log says of it. Reliability §5.4.

import { join } from 'node:path';
import { sharedBrowser } from '@svc/tools/browser';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { freshDatabase, portsFor, type TestDatabase } from '../service/test/harness.ts';
import { aServer, type TestServer } from '../service/test/server.ts';
import { buildPages } from './build.ts';

let db: TestDatabase;
let server: TestServer;
let chromium: Browser;
let baseUrl: string;
beforeAll(async () => {
  await buildPages();
  [db, chromium] = await Promise.all([freshDatabase(), sharedBrowser()]);
  server = await aServer(portsFor(db.database), { pagesDir: join(import.meta.dirname, 'dist') });
  baseUrl = `http://127.0.0.1:${await server.listen('127.0.0.1', 0)}`;
}, 120_000);
afterAll(async () => {
  await server?.close();
  await db?.close();
});
beforeEach(() => {
  server.logged.length = 0;
});

const planted = '<script>window.isPlanted = true</script>';

/** Opens the page as it is served, with an inline script of a stranger added. */
async function openPlanted(path: string, policyOf = (policy: string) => policy): Promise<Page> {
  const page = await chromium.newPage();
  await page.route(`${baseUrl}${path}`, async (route) => {
    const response = await route.fetch();
    const headers = response.headers();
    headers['content-security-policy'] = policyOf(headers['content-security-policy'] ?? '');
    const body = (await response.text()).replace('</body>', `${planted}</body>`);
    expect(body).toContain(planted);
    await route.fulfill({ response, headers, body });
  });
  // When signed out, the dashboard would leave for the sign-in page before it could report.
  await page.route('**/v1/account', (route) => route.abort());
  await page.goto(`${baseUrl}${path}#nonce=n0nce`);
  return page;
}
const listReports = () =>
  server.logged
    .filter(({ msg }) => msg === 'a page broke its security policy')
    .map(({ route, directive, blocked }) => ({ route, directive, blocked }));

describe.each([
  ['/c/cs_1?of=ada', '/c/*'],
  ['/m?of=ada', '/m'],
  ['/account/sign-in?of=ada', '/account/*'],
  ['/dashboard/c1/payments?of=ada', '/dashboard/*'],
])('a script that was planted in %s', (path, route) => {
  const line = { route, directive: 'script-src-elem', blocked: 'inline' };

  it('does not run, and the browser’s report becomes one line without the address', async () => {
    const page = await openPlanted(path);
    // This browser creates the report but sends none over plain http, so the test sends it.
    const made = await page.evaluate<string>(`new Promise((resolve) => {
      new ReportingObserver((found) => resolve(JSON.stringify(found)), {
        types: ['csp-violation'], buffered: true }).observe(); })`);
    expect(await page.evaluate('window.isPlanted')).toBe(undefined);
    const headers = { 'content-type': 'application/reports+json' };
    const sent = await fetch(`${baseUrl}/csp-reports`, { method: 'POST', headers, body: made });
    expect(sent.status).toBe(204);
    expect(listReports()).toEqual([line]);
    expect(JSON.stringify(server.logged)).not.toMatch(/ada|n0nce|cs_1/);
    await page.close();
  });

  it('is reported by the browser itself where it knows the older form alone', async () => {
    const olderPolicy = (policy: string) =>
      policy.replace('report-to csp', 'report-uri /csp-reports');
    const page = await openPlanted(path, olderPolicy);
    await expect.poll(listReports).toEqual([line]);
    expect(JSON.stringify(server.logged)).not.toMatch(/ada|n0nce|cs_1/);
    await page.close();
  });
});

// A picture of each page of the dashboard at two widths and in both themes, compared with the one that is kept.
// SVC_LOOKS=write keeps what the pages look like now; look at the pictures before you commit them.

import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sharedBrowser } from '@svc/tools/browser';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestPerson } from '../../pages/test/account-fixture.ts';
import { dashboardTest } from '../../pages/test/dashboard-fixture.ts';
import { waitForTransitions } from '../../pages/test/looks.ts';
import { mostShift, type Shift, shiftsOn, watchShifts } from '../../pages/test/shifts.ts';
import { findPayment } from '../../service/src/storage/payments/payments.ts';
import { aClub } from '../../service/test/customers/subscriptions.ts';
import { deliverDisputeEvents, dispute } from '../../service/test/payments/disputes.ts';
import { cards } from '../../service/test/world.ts';
import { compareSheets, drawSheet, longest, looks, measureFonts } from './sheets.ts';

const folder = join(import.meta.dirname, 'pictures');
const fontsFile = join(folder, 'fonts.txt');
const isWriting = process.env.SVC_LOOKS === 'write';

const test = dashboardTest();
let owner: TestPerson;
let tool: Page;
const details: Record<string, string> = {};

beforeAll(async () => {
  tool = await (await sharedBrowser()).newPage();
  const { world } = test;
  owner = await test.colleague('Olga Owner', 'owner');
  const club = await aClub(world);
  const held = await test.payment({ captureMethod: 'manual' });
  const failed = await test.payment({ card: cards.poor });
  await test.payment({ currency: 'JPY' });
  const refunded = await test.payment({ quantity: 2 });
  expect(await test.refundAs(owner, refunded, { amount: 5, reason: 'duplicate' })).toBe(201);
  const disputed = await test.payment();
  const stored = await findPayment(world.database, world.client.id, disputed.id);
  await deliverDisputeEvents(world, await dispute(world, stored?.providerIntentId ?? ''));
  const found = await test.ask<{ data: { id: string }[] }>('/v1/disputes?limit=1');
  details.held = `/payments/${held.id}`;
  details.failed = `/payments/${failed.id}`;
  details.refunded = `/payments/${refunded.id}`;
  details.disputed = `/payments/${disputed.id}`;
  details.dispute = `/disputes/${found.data[0]?.id}`;
  details.customer = `/customers/${club.userId}`;
  details.session = `/sessions/${disputed.sessionId}`;
  details.subscription = `/subscriptions/${club.id}`;
}, 120_000);
afterAll(() => tool?.close());

const pages = [
  ...['home', 'payments', 'holds', 'disputes', 'customers', 'cards', 'subscriptions'],
  ...['sessions', 'products', 'coupons', 'reports', 'exports', 'developers/tokens'],
  ...[
    'developers/applications',
    'developers/webhooks',
    'developers/events',
    'developers/tester',
    'settings/members',
  ],
  ...[
    'settings/business',
    'settings/provider',
    'settings/go-live',
    'settings/refund-rule',
    'settings/mails',
    'settings/notifications',
  ],
  ...['settings/audit', 'settings/sandbox', 'products/mug'],
  ...['held', 'failed', 'refunded', 'disputed', 'dispute', 'customer', 'session', 'subscription'],
];
const pathOf = (name: string) => details[name] ?? (name === 'home' ? '' : `/${name}`);
const fileOf = (name: string) => join(folder, `${name.replace('/', '-')}.png`);

/** Times, ids and ports differ from run to run, in some fonts also in width. */
const unsteady =
  'code { display: inline-block; width: 12ch; height: 1lh; overflow: hidden; } time, code, .plot-axes text, .list-news { visibility: hidden !important; }';

async function open(page: Page, name: string): Promise<void> {
  await page.goto(test.at(pathOf(name)));
  await page.getByRole('heading', { level: 1 }).waitFor();
  await page.waitForLoadState('networkidle');
  await page.waitForFunction(() => document.querySelector('[aria-busy="true"]') === null);
}

/** Draws the page in each look; `planted` is a style that changes how it looks. */
async function draw(page: Page, name: string, planted = ''): Promise<Buffer> {
  const shots: Buffer[] = [];
  for (const { width, colorScheme } of looks) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    await page.setViewportSize({ width, height: 900 });
    await open(page, name);
    await page.evaluate((css) => {
      const sheet = new CSSStyleSheet();
      sheet.replaceSync(css);
      document.adoptedStyleSheets = [sheet];
    }, unsteady + planted);
    await waitForTransitions(page);
    const height = await page.evaluate(() => document.documentElement.scrollHeight);
    const clip = { x: 0, y: 0, width, height: Math.min(height, longest) };
    shots.push(await page.screenshot({ fullPage: true, clip }));
  }
  return drawSheet(tool, shots);
}

describe('the looks of the dashboard', () => {
  it('are those of the kept pictures', { timeout: 900_000 }, async ({ skip }) => {
    const fonts = JSON.stringify(await measureFonts(tool));
    if (isWriting) mkdirSync(folder, { recursive: true });
    else if (!existsSync(fontsFile) || readFileSync(fontsFile, 'utf8').trim() !== fonts) {
      skip('the pictures were made with other fonts: keep your own with SVC_LOOKS=write');
    }
    const page = await test.openAs(owner);
    const changed: Record<string, string[]> = {};
    for (const name of pages) {
      const sheet = await draw(page, name);
      if (isWriting) {
        writeFileSync(fileOf(name), sheet);
        continue;
      }
      const kept = existsSync(fileOf(name)) ? readFileSync(fileOf(name)) : null;
      const found = kept ? await compareSheets(tool, kept, sheet) : ['no picture is kept'];
      if (found.length > 0) changed[name] = found;
    }
    if (isWriting) writeFileSync(fontsFile, `${fonts}\n`);
    expect(changed).toEqual({});
  });

  it('stay where they are while a page loads', { timeout: 600_000 }, async () => {
    const page = await test.openAs(owner);
    await watchShifts(page);
    const devtools = await page.context().newCDPSession(page);
    await devtools.send('Network.setCacheDisabled', { cacheDisabled: true });
    const moved: Record<string, readonly Shift[]> = {};
    for (const name of pages) {
      for (const width of [1280, 390]) {
        await page.setViewportSize({ width, height: 900 });
        await open(page, name);
        const shifts = await shiftsOn(page);
        const sum = shifts.reduce((all, { value }) => all + value, 0);
        if (sum >= mostShift) moved[`${name} at ${width} px`] = shifts;
      }
    }
    expect(moved).toEqual({});
  });

  it.each([
    ['another colour of what is pressed', ':root { --accent: #0a7a3a; }', 'refunded'],
    ['cards with more room', '.content .block { padding: 32px 36px; }', 'refunded'],
    ['views on a line of their own', '.list-bar .tabs { flex: 1 1 100%; }', 'payments'],
    [
      'a dark theme that is light',
      '@media (prefers-color-scheme: dark) { :root { --panel: #fff; } }',
      'home',
    ],
  ])('differ where a change is planted: %s', { timeout: 120_000 }, async (_, planted, name) => {
    const page = await test.openAs(owner);
    const before = await draw(page, name);
    expect(await compareSheets(tool, before, await draw(page, name))).toEqual([]);
    expect(await compareSheets(tool, before, await draw(page, name, planted))).not.toEqual([]);
  });
});

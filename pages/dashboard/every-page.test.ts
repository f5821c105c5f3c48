// Every page of the dashboard on a phone and on a wide screen, in a contrast theme, dark, and at twice the
// size; what each page asks of others and writes to the console.

import { byLevel } from '@svc/tools/levels/level';
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { findPayment } from '../../service/src/storage/payments/payments.ts';
import { aClub } from '../../service/test/customers/subscriptions.ts';
import { deliverDisputeEvents, dispute } from '../../service/test/payments/disputes.ts';
import { cards } from '../../service/test/world.ts';
import type { TestPerson } from '../test/account-fixture.ts';
import { axeFindings } from '../test/axe-findings.ts';
import { dashboardTest } from '../test/dashboard-fixture.ts';
import { waitForTransitions } from '../test/looks.ts';

const test = dashboardTest();
let owner: TestPerson;
const details = { payment: '', dispute: '', customer: '', session: '', subscription: '' };

beforeAll(async () => {
  const { world } = test;
  owner = await test.colleague('Olga Owner', 'owner');
  const club = await aClub(world);
  await test.payment({ captureMethod: 'manual' });
  await test.payment({ card: cards.poor });
  const disputed = await test.payment();
  const stored = await findPayment(world.database, world.client.id, disputed.id);
  await deliverDisputeEvents(world, await dispute(world, stored?.providerIntentId ?? ''));
  const found = await test.ask<{ data: { id: string }[] }>('/v1/disputes?limit=1');
  details.payment = `/payments/${disputed.id}`;
  details.dispute = `/disputes/${found.data[0]?.id}`;
  details.customer = `/customers/${club.userId}`;
  details.session = `/sessions/${disputed.sessionId}`;
  details.subscription = `/subscriptions/${club.id}`;
});

const ofNav = [
  '',
  '/payments',
  '/holds',
  '/disputes',
  '/customers',
  '/subscriptions',
  '/products',
  '/reports',
  '/exports',
  '/developers/tokens',
  '/developers/applications',
  '/developers/webhooks',
  '/developers/events',
  '/developers/tester',
  '/settings/members',
  '/settings/business',
  '/settings/provider',
  '/settings/go-live',
  '/settings/refund-rule',
  '/settings/mails',
  '/settings/notifications',
  '/settings/audit',
  '/settings/sandbox',
];
const beside = [
  '/cards',
  '/sessions',
  '/coupons',
  '/products/mug',
  ...(Object.keys(details) as (keyof typeof details)[]),
];
const isGrouped = (name: string) => /^\/(developers|settings)\//.test(name);
/** Each group shares one opened browser. */
const groups = {
  money: ofNav.filter((name) => !isGrouped(name)),
  developers: ofNav.filter((name) => name.startsWith('/developers/')),
  settings: ofNav.filter((name) => name.startsWith('/settings/')),
  'pages beside the menu': beside,
};
const pathOf = (name: string) => details[name as keyof typeof details] ?? name;

async function waitUntilSettled(page: Page): Promise<void> {
  await page.getByRole('heading', { level: 1 }).waitFor();
  await page.waitForFunction(() => document.querySelector('[aria-busy="true"]') === null);
  await waitForTransitions(page);
}

const isWide = (page: Page) =>
  page.evaluate(() => document.documentElement.scrollWidth > innerWidth);

/** Findings of axe, each with its elements. `rules` adds rules that axe does not run by itself. */
async function findViolations(page: Page, only?: string[]): Promise<string[]> {
  const options = only ? { runOnly: { type: 'rule', values: only } as const } : {};
  const all = await axeFindings(page, { rules: { 'target-size': { enabled: true } }, ...options });
  return all.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`));
}

/** What is wrong with the open page, by the way in which it is looked at. */
async function faultsOf(page: Page): Promise<Record<string, unknown>> {
  const faults: Record<string, unknown> = {};
  const noteFaults = (name: string, value: readonly string[]) => {
    if (value.length > 0) faults[name] = value;
  };
  const findSidewaysScroll = async () => ((await isWide(page)) ? ['scrolls sideways'] : []);
  noteFaults('on a phone', [...(await findViolations(page)), ...(await findSidewaysScroll())]);
  await page.emulateMedia({ colorScheme: 'dark' });
  await waitForTransitions(page);
  noteFaults('dark', await findViolations(page, ['color-contrast', 'link-in-text-block']));
  await page.emulateMedia({ colorScheme: 'light', forcedColors: 'active' });
  await waitForTransitions(page);
  noteFaults(
    'in a contrast theme',
    await findViolations(page, ['color-contrast', 'link-in-text-block']),
  );
  await page.emulateMedia({ forcedColors: 'none' });
  await page.setViewportSize({ width: 720, height: 1280 });
  await page.evaluate(() => document.body.style.setProperty('zoom', '2'));
  await waitForTransitions(page);
  noteFaults('at twice the size', await findSidewaysScroll());
  await page.evaluate(() => document.body.style.removeProperty('zoom'));
  await page.setViewportSize({ width: 1000, height: 800 });
  await waitForTransitions(page);
  noteFaults('on a wide screen', [
    ...(await findViolations(page)),
    ...(await findSidewaysScroll()),
  ]);
  return faults;
}

describe('dashboard, every page', () => {
  it('that the menu leads to is tested here', async () => {
    const page = await test.visit(owner);
    const nav = page.getByRole('navigation', { name: 'Merchant' });
    const paths = new Set<string>();
    for (const part of ['Developers', 'Settings']) {
      await nav.getByRole('link', { name: part, exact: true }).click();
      await waitUntilSettled(page);
      for (const link of await nav.getByRole('link').all()) {
        const address = (await link.getAttribute('href')) ?? '';
        paths.add(address.slice(test.at().length));
      }
    }
    // The group's own address leads to its first part.
    for (const group of ['/developers', '/settings']) paths.delete(group);
    expect([...paths].sort()).toEqual([...ofNav].sort());
  });

  it.each(Object.entries(groups))(
    'of the %s is whole on each screen and in each theme, and asks nobody else',
    async (_, names) => {
      const page = await test.openAs(owner, { width: 360 });
      await page.emulateMedia({ reducedMotion: 'reduce' });
      const faults: Record<string, unknown> = {};
      let wrong: string[] = [];
      page.on('console', (message) => {
        if (message.type() === 'error') wrong.push(message.text());
      });
      page.on('request', (request) => {
        const { protocol, origin, pathname } = new URL(request.url());
        const isOwn = !/^https?:$/.test(protocol) || origin === test.baseUrl;
        if (!isOwn || pathname === '/csp-reports') wrong.push(request.url());
      });
      for (const name of names) {
        await page.emulateMedia({ colorScheme: 'light' });
        await page.setViewportSize({ width: 360, height: 640 });
        await page.goto(test.at(pathOf(name)));
        await waitUntilSettled(page);
        await test.shoot(`dashboard-phone${name.replaceAll('/', '-')}`);
        const found = await faultsOf(page);
        if (Object.keys(found).length > 0 || wrong.length > 0) faults[name] = { ...found, wrong };
        wrong = [];
      }
      expect(faults).toEqual({});
    },
  );

  // The owner's pages are looked at above. The first role stands for the others in the gate.
  const others = ['viewer', 'support', 'finance', 'member', 'admin'] as const;
  it.each(others.slice(0, byLevel({ gate: 1, proof: others.length })))(
    'has no finding of axe for the role %s',
    async (role) => {
      const person = await test.colleague(`Robin ${role}`, role);
      const page = await test.openAs(person, { width: 1000 });
      await page.emulateMedia({ reducedMotion: 'reduce' });
      const faults: Record<string, unknown> = {};
      for (const name of [...ofNav, ...beside]) {
        await page.goto(test.at(pathOf(name)));
        await waitUntilSettled(page);
        const found = await findViolations(page);
        if (found.length > 0) faults[name] = found;
      }
      expect(faults).toEqual({});
    },
    120_000,
  );
});

// The menu of Developers and Settings by role, and the former addresses of their parts, in a browser against
// the real service.

import { expect, it } from 'vitest';
import { homeTest } from '../../test/home-fixture.ts';

const test = homeTest();
const menu = () => test.page.getByRole('navigation', { name: 'Merchant' });
const readParts = () =>
  menu().getByRole('list').getByRole('list').getByRole('link').allTextContents();

const programs = ['API tokens', 'Webhooks', 'Events', 'Tester'];
const everything = {
  developers: ['API tokens', 'Applications', 'Webhooks', 'Events', 'Tester'],
  settings: [
    ...['Members', 'Business', 'Card provider', 'Go live', 'Refund rule', 'Mails to buyers'],
    ...['Notifications', 'Audit log', 'Sandbox'],
  ],
};

const helpers = ['Your membership', 'Card provider', 'Refund rule', 'Notifications'];

it.each([
  ['owner', everything],
  ['admin', everything],
  [
    'member',
    {
      developers: programs,
      settings: ['Your membership', 'Card provider', 'Refund rule', 'Notifications', 'Sandbox'],
    },
  ],
  [
    'finance',
    {
      developers: null,
      settings: ['Your membership', 'Card provider', 'Refund rule', 'Notifications', 'Audit log'],
    },
  ],
  ['support', { developers: null, settings: helpers }],
  ['viewer', { developers: null, settings: helpers }],
] as const)(
  'the menu of %s has the parts that the role opens, and no others',
  async (role, all) => {
    const ada = await test.person({ name: 'Ada' });
    const ben = await test.person({ name: 'Ben' });
    const shop = await test.merchantOf('Menus', [
      [ada, 'owner'],
      [ben, role],
    ]);
    const page = await test.openAs(ben);
    await page.goto(`/dashboard/${shop.id}/settings`);
    await page.waitForURL(`**/settings/members`);
    await test.heading('Settings').waitFor();
    expect(await readParts()).toEqual(all.settings);
    // By the name of the role: Member is a role too, so "a member for support" would name two.
    const name = `${role.charAt(0).toUpperCase()}${role.slice(1)}`;
    await page.getByText(`Your role: ${name} ·`).waitFor();
    const developers = menu().getByRole('link', { name: 'Developers' });
    expect(await developers.count()).toBe(all.developers ? 1 : 0);
    if (!all.developers) return;
    await developers.click();
    await page.waitForURL('**/developers/tokens');
    await test.heading('Developers').waitFor();
    expect(await readParts()).toEqual(all.developers);
    expect(await menu().locator('[aria-current=page]').allTextContents()).toEqual(['API tokens']);
  },
);

it('the days of the audit log’s filter are the merchant’s, whoever reads it where', async () => {
  const ada = await test.person({ name: 'Ada' });
  const shop = await test.merchantOf('Zones', [[ada, 'owner']]);
  const page = await test.openAs(ada, { zone: 'Pacific/Auckland' });
  await page.goto(`/dashboard/${shop.id}/settings/business`);
  await page.getByLabel('Time zone').fill('Europe/Berlin');
  await test.button('Save').click();
  await test.news().getByText('Saved.').waitFor();
  const asked = page.waitForRequest(/audit-entries/);
  await page.goto(`/dashboard/${shop.id}/settings/audit?createdAt=2026-11-20..2026-11-20`);
  const given = new URL((await asked).url()).searchParams;
  expect(given.get('createdAt[gte]')).toBe('2026-11-19T23:00:00.000Z');
  expect(given.get('createdAt[lt]')).toBe('2026-11-20T23:00:00.000Z');
  await page.getByText('All times Europe/Berlin').waitFor();
});

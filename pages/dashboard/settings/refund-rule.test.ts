// The refund rule, set by owners and admins in a browser against the real service, read by the others.

import type { Locator } from 'playwright-core';
import { expect, it } from 'vitest';
import type { Role } from '../../../service/src/engine/ports.ts';
import { homeTest } from '../../test/home-fixture.ts';

const test = homeTest();

async function aShop(role: Role) {
  const ada = await test.person({ name: 'Ada' });
  const ben = await test.person({ name: 'Ben' });
  const shop = await test.merchantOf('Bean Ltd', [
    [ada, 'owner'],
    [ben, role],
  ]);
  const page = await test.openAs(ben);
  await page.goto(`/dashboard/${shop.id}/settings/members`);
  await page.getByRole('link', { name: 'Refund rule' }).click();
  return { ada, page, shop };
}

it('an admin limits euros, asks approval for all else, and lets finance approve', async () => {
  const { page } = await aShop('admin');
  await page.getByText('these are the defaults').waitFor();
  const euros = page.getByRole('group', { name: 'Another currency' });
  await test.button('Add a currency').click();
  await euros.getByRole('textbox', { name: 'Currency' }).fill('eur');
  await euros.getByLabel('Up to, per refund').fill('49,90');
  await euros.getByLabel('Up to, within 24 hours').fill('many');
  await page.getByRole('radio', { name: 'Every refund needs approval' }).check();
  await page.getByLabel('Who approves').selectOption('Owners, admins and finance');
  await test.button('Save').click();
  await euros.getByText('Type an amount, such as 200 or 49.90.').waitFor();
  await euros.getByLabel('Up to, within 24 hours').and(page.locator(':focus')).waitFor();
  expect(await test.alert().count()).toBe(0);
  await euros.getByLabel('Up to, within 24 hours').fill('150');
  await test.button('Save').click();
  await test.news().getByText('Saved. The rule applies from the next refund on.').waitFor();
  await page.reload();
  const saved = page.getByRole('group', { name: 'EUR' });
  await expect.poll(() => saved.getByLabel('Up to, per refund').inputValue()).toBe('49.9');
  expect(await saved.getByLabel('Up to, within 24 hours').inputValue()).toBe('150');
  await expect(page.getByRole('radio', { name: 'Every refund' }).isChecked()).resolves.toBe(true);
  expect(await page.getByLabel('Who approves').inputValue()).toBe('yes');
  await page.getByRole('radio', { name: 'The same numbers' }).check();
  const others = page.getByRole('group', { name: 'Each of the other currencies' });
  expect(await others.getByLabel('Up to, per refund').inputValue()).toBe('200');
  await test.look('refund-rule');
  for (const width of [1280, 360]) {
    await page.setViewportSize({ width, height: 800 });
    const topOf = (fields: Locator, name: string) =>
      fields.getByLabel(name).evaluate((field) => field.getBoundingClientRect().top);
    const heading = await saved
      .locator('legend')
      .evaluate((own) => own.getBoundingClientRect().bottom);
    const label = await saved
      .getByText('Currency', { exact: true })
      .evaluate((own) => own.getBoundingClientRect().top);
    expect(label - heading).toBeGreaterThanOrEqual(8);
    // The two fields are side by side at the same height, or one clearly below the other.
    const tops = [
      await topOf(others, 'Up to, per refund'),
      await topOf(others, 'Up to, within 24 hours'),
    ];
    const apart = (tops[1] ?? 0) - (tops[0] ?? 0);
    expect(apart === 0 || apart > 60, `${apart} at ${width}`).toBe(true);
  }
});

it.each(['viewer', 'support', 'finance', 'member'] as const)(
  '%s reads it, and is told who may change it',
  async (role) => {
    const { page } = await aShop(role);
    await page.getByText('Only owners and admins may change it. Ask Ada.').waitFor();
    await page.getByText('In every currency: 200 per refund, 1000 within 24 hours').waitFor();
    expect(await test.button('Save').count()).toBe(0);
  },
);

it.each([
  'settings/business',
  'settings/audit',
  'developers/tokens',
  'developers/applications',
  'developers/webhooks',
  'developers',
])(
  'support that types the address of %s is told who may see it, and whom to ask',
  async (section) => {
    const { page, shop } = await aShop('support');
    await page.goto(`/dashboard/${shop.id}/${section}`);
    await page.getByText(/^Only owners.* see this$/).waitFor();
    await page.getByText('Roles are assigned by: Ada.').waitFor();
    expect(await page.getByRole('link', { name: /tokens|Webhooks|Business|Audit/ }).count()).toBe(
      0,
    );
  },
);

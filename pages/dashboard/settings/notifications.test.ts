// What a person is mailed about, chosen in a browser against the real service.

import { expect, it } from 'vitest';
import type { Role } from '../../../service/src/engine/ports.ts';
import { homeTest } from '../../test/home-fixture.ts';

const test = homeTest();

async function aShop(role: Role, look: Parameters<typeof test.openAs>[1] = {}) {
  const [ada, ben] = [await test.person({ name: 'Ada' }), await test.person({ name: 'Ben' })];
  const shop = await test.merchantOf('Bean Ltd', [
    [ada, 'owner'],
    [ben, role],
  ]);
  const page = await test.openAs(ben, look);
  await page.goto(`/dashboard/${shop.id}/settings/members`);
  return { page, shop };
}

const choice = (name: string) => test.page.getByRole('radio', { name, exact: true });
const opened = 'A dispute is opened';

it('finance finds the settings by the menu, chooses with the keyboard, and each choice is saved', async () => {
  const { page } = await aShop('finance');
  await page.getByRole('link', { name: 'Notifications' }).click();
  await test.block('Notifications').getByRole('table').waitFor();
  expect(await choice(`${opened} Mail`).isChecked()).toBe(true);
  expect(await choice('A refund failed Off').isChecked()).toBe(true);
  await choice(`${opened} Mail`).focus();
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('ArrowRight');
  await test.news().getByText(`Saved. ${opened}: Off.`).waitFor();
  await expect(choice(`${opened} Off`).isChecked()).resolves.toBe(true);
  expect(await choice(`${opened} Off`).evaluate((node) => node === document.activeElement)).toBe(
    true,
  );
  await choice('A refund failed Daily').check();
  await test.news().getByText('Saved. A refund failed: Daily.').waitFor();
  await page.reload();
  await expect.poll(() => choice(`${opened} Off`).isChecked()).toBe(true);
  expect(await choice('A refund failed Daily').isChecked()).toBe(true);
  // The figures have no mail of their own.
  expect(await page.getByRole('radio', { name: /^The figures .* Mail$/ }).count()).toBe(0);
  await test.look('notifications');
});

it('a viewer is not offered what the role may not read, and has nothing until it chooses', async () => {
  const { page } = await aShop('viewer');
  await page.getByRole('link', { name: 'Notifications' }).click();
  await test.block('Notifications').getByRole('table').waitFor();
  expect(await page.getByRole('rowheader').count()).toBe(12);
  expect(await page.getByRole('rowheader', { name: /endpoint|approval/ }).count()).toBe(0);
  expect(await page.getByRole('radio', { name: / Off$/, checked: true }).count()).toBe(12);
});

it('what could not be saved is told, and the choice goes back', async () => {
  const { page } = await aShop('support');
  await page.getByRole('link', { name: 'Notifications' }).click();
  await choice(`${opened} Off`).waitFor();
  await page.route('**/v1/account/notifications*', (route) => route.abort());
  await choice(`${opened} Mail`).click();
  await test.alert().waitFor();
  await expect.poll(() => choice(`${opened} Off`).isChecked()).toBe(true);
});

// Mails to buyers, switched on by an admin in a browser against the real service.

import { expect, it } from 'vitest';
import type { Role } from '../../../service/src/engine/ports.ts';
import { homeTest } from '../../test/home-fixture.ts';

const test = homeTest();

async function aShop(role: Role, minutesAgo = 0) {
  const [ada, ben] = [await test.person({ name: 'Ada' }), await test.person({ name: 'Ben' })];
  const shop = await test.merchantOf('Bean Ltd', [
    [ada, 'owner'],
    [ben, role],
  ]);
  const page = await test.openAs(ben, { minutesAgo });
  await page.goto(`/dashboard/${shop.id}/settings/mails`);
  return page;
}

const cancelSwitch = 'Customers cancel subscriptions themselves';
const mail = (name: string) => test.page.getByRole('switch', { name, exact: true });

it('each is off; one that is switched on by keyboard stays on, and the others stay off', async () => {
  const page = await aShop('admin');
  await mail('Receipt after a payment').waitFor();
  expect(await page.getByRole('switch', { checked: false }).count()).toBe(6);
  await mail('A refund is on its way').focus();
  await page.keyboard.press('Space');
  await test.news().getByText('Saved. A refund is on its way: on.').waitFor();
  expect(await mail('A refund is on its way').isChecked()).toBe(true);
  await page.reload();
  await mail('A refund is on its way').waitFor();
  expect(await page.getByRole('switch', { checked: true }).count()).toBe(3);
  await test.look('buyer-mails');
  await mail('A refund is on its way').click();
  await test.news().getByText('Saved. A refund is on its way: off.').waitFor();
  expect(await page.getByRole('switch', { checked: true }).count()).toBe(2);
});

it('customers cancel subscriptions themselves until that is switched off', async () => {
  const page = await aShop('admin');
  await mail(cancelSwitch).click();
  await test.news().getByText(`Saved. ${cancelSwitch}: off.`).waitFor();
  await page.reload();
  await mail(cancelSwitch).waitFor();
  expect(await mail(cancelSwitch).isChecked()).toBe(false);
});

it('the language of buyers whose own is not known is chosen, and stays', async () => {
  const page = await aShop('admin');
  const language = page.getByRole('combobox', { name: 'Language for other buyers' });
  expect(await language.inputValue()).toBe('en');
  expect(await language.getByRole('option').count()).toBe(10);
  await language.selectOption('Deutsch');
  await test.button('Save the language').click();
  await test.news().getByText('Saved. Other buyers get Deutsch.').waitFor();
  await test.look('buyer-language');
  await page.reload();
  await mail('Receipt after a payment').waitFor();
  expect(await language.inputValue()).toBe('de');
  expect(await page.getByRole('switch', { checked: true }).count()).toBe(2);
});

it('what could not be saved is told beside it, and the switch stays as it is', async () => {
  const page = await aShop('owner');
  await mail('Receipt after a payment').waitFor();
  await page.route('**/v1/client', (route) =>
    route.request().method() === 'PATCH' ? route.abort() : route.continue(),
  );
  await mail('Receipt after a payment').click();
  await test.alert().waitFor();
  expect(await mail('Receipt after a payment').isChecked()).toBe(false);
});

it('a member is told who sees it', async () => {
  const page = await aShop('member');
  await page.getByText('Only owners and admins see this').waitFor();
  expect(await page.getByRole('switch').count()).toBe(0);
});

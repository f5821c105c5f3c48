// How buyers know a merchant, set by its owner in a browser against the real service.

import { describe, expect, it } from 'vitest';
import { homeTest } from '../../test/home-fixture.ts';

const test = homeTest();
const field = (label: string) => test.page.getByRole('textbox', { name: label });

async function aShop() {
  const ada = await test.person({ name: 'Ada' });
  const ben = await test.person({ name: 'Ben' });
  const shop = await test.merchantOf('Bean Ltd', [
    [ada, 'owner'],
    [ben, 'member'],
  ]);
  return { ada, ben, at: `/dashboard/${shop.id}/settings/business` };
}

describe('business', () => {
  it('every field is saved as it is stored, and emptied again', async () => {
    const { ada, at } = await aShop();
    const page = await test.openAs(ada);
    await page.goto(at);
    await page.getByText('Empty: buyers see “Bean Ltd”.').waitFor();
    const typed = [
      ['Business name', ` ${'🫘'.repeat(98)} `, '🫘'.repeat(98)],
      ['Address', ' Bean Ltd\n1 Bean Street ', 'Bean Ltd\n1 Bean Street'],
      ['Tax number', 'DE123456789', 'DE123456789'],
      ['Logo', 'https://CDN.bean.example/logo.svg', 'https://cdn.bean.example/logo.svg'],
      ['Email for questions', 'help@bean.example', 'help@bean.example'],
      ['Terms', 'https://bean.example/terms', 'https://bean.example/terms'],
      ['Colour', '#0A7D4F', '#0a7d4f'],
    ] as const;
    for (const [label, text] of typed) await field(label).fill(text);
    await test.button('Save').click();
    await test.news().getByText('Saved.').waitFor();
    await page.reload();
    for (const [label, , stored] of typed) {
      await expect.poll(() => field(label).inputValue()).toBe(stored);
    }
    await field('Logo').fill('');
    await field('Business name').fill('🫘'.repeat(101));
    await test.button('Save').click();
    await field('Business name').and(page.locator(':invalid:focus')).waitFor();
    await field('Business name').fill('Bean Shop');
    await test.button('Save').click();
    await test.news().getByText('Saved.').waitFor();
    await page.reload();
    await expect.poll(() => field('Business name').inputValue()).toBe('Bean Shop');
    expect(await field('Logo').inputValue()).toBe('');
  });

  it('400 invalid_request: the form says why, and keeps what was typed', async () => {
    const { ada, at } = await aShop();
    const page = await test.openAs(ada);
    await page.goto(at);
    await field('Business name').fill('Bean Shop');
    await field('Logo').fill('http://bean.example/logo.svg');
    await test.button('Save').click();
    await page.getByText('Type a whole https address').waitFor();
    await field('Logo').and(page.locator(':focus')).waitFor();
    expect(await test.alert().count()).toBe(0);
    await field('Logo').fill('');
    await field('Tax number').fill('none');
    await test.button('Save').click();
    await page.getByText('Type it as your tax office writes it').waitFor();
    await field('Tax number').and(page.locator(':focus')).waitFor();
    await field('Tax number').fill('');
    await field('Time zone').fill('Berlin');
    await test.button('Save').click();
    await page.getByText('There is no such time zone.').waitFor();
    await field('Time zone').and(page.locator(':focus')).waitFor();
    expect(await field('Business name').inputValue()).toBe('Bean Shop');
    await page.reload();
    await expect.poll(() => field('Business name').inputValue()).toBe('');
  });

  it('a member of the plain role is shown no form', async () => {
    const { ben, at } = await aShop();
    const page = await test.openAs(ben);
    await page.goto(at);
    await page.getByText('Only owners and admins see this').waitFor();
    expect(await page.getByRole('link', { name: 'Business' }).count()).toBe(0);
  });
});

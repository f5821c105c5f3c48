// Products and coupons in the dashboard: listed, made, changed, switched off, and who may.

import type { Product } from '@svc/contract/catalog';
import type { Coupon } from '@svc/contract/coupons';
import type { Locator, Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import type { TestPerson } from '../../account-fixture.ts';
import { dashboardTest } from '../../dashboard-fixture.ts';

const test = dashboardTest();
let owner: TestPerson;
let support: TestPerson;
beforeAll(async () => {
  owner = await test.colleague('Olga Owner', 'owner');
  support = await test.colleague('Sara Support', 'support');
  const { status } = await test.callAs(owner, {
    method: 'PATCH',
    path: '/v1/client',
    body: { timeZone: 'Europe/Berlin' },
    clientId: test.world.client.id,
  });
  expect(status).toBe(200);
});

const table = (name: string) => test.page.getByRole('table', { name });
const field = (name: string) => test.page.getByLabel(name, { exact: true });
const news = (text: string) => test.page.getByRole('status').filter({ hasText: text });
const standing = () => test.page.getByRole('main').getByRole('status').first();
const hasFocus = (place: Locator) => place.evaluate((own) => own === document.activeElement);

async function changeByColleague(path: string, body: object): Promise<void> {
  const clientId = test.world.client.id;
  const { status } = await test.callAs(owner, { method: 'PATCH', path, body, clientId });
  expect(status).toBe(200);
}

/** Returns to the window after longer than a page stays fresh: it is read again. */
async function comeBack(page: Page): Promise<void> {
  await page.clock.setSystemTime((await page.evaluate(() => Date.now())) + 60_000);
  await page.evaluate(() => dispatchEvent(new Event('focus')));
}

const product = (code: string) => test.ask<Product>(`/v1/products/${encodeURIComponent(code)}`);
const coupon = (code: string) => test.ask<Coupon>(`/v1/coupons/${code}`);

describe('dashboard, products', () => {
  it('stand in the menu with their prices in each currency', async () => {
    const page = await test.visit(owner);
    await page.getByRole('navigation', { name: 'Merchant' }).getByText('Products').click();
    await test.heading('Products').waitFor();
    const mug = table('Products').getByRole('row').filter({ hasText: '¥2,500' });
    await mug.getByText('€19.90, ¥2,500').waitFor();
    await mug.getByText('On sale', { exact: true }).waitFor();
    const club = table('Products').getByRole('row').filter({ hasText: 'club' });
    await club.getByText('Every month').waitFor();
    await test.look('dashboard-products');
    await table('Products').getByRole('link', { name: /^mug/ }).click();
    await test.heading('Mug').waitFor();
    await test.look('dashboard-product');
  });

  it('one is made with two prices, and can be sold at once', async () => {
    const page = await test.visit(owner, '/products');
    await test.button('New product').click();
    await test.look('dashboard-product-new');
    await field('Code').fill('tea pot/2');
    await field('Name').fill('A teapot');
    await field('Currency').fill('eur');
    await field('Amount').fill('24,50');
    await test.button('Add a currency').click();
    await field('Currency').nth(1).fill('JPY');
    await field('Amount').nth(1).fill('3900');
    await test.button('Add the product').click();
    await test.heading('A teapot').waitFor();
    expect(page.url()).toContain('/products/tea%20pot%2F2');
    expect(await product('tea pot/2')).toMatchObject({
      kind: 'item',
      interval: null,
      active: true,
      prices: [
        { currency: 'EUR', amount: 24.5 },
        { currency: 'JPY', amount: 3900 },
      ],
    });
    await page.reload();
    await test.heading('A teapot').waitFor();
  });

  it('a subscription is made by how often it is charged', async () => {
    await test.visit(owner, '/products');
    await test.button('New product').click();
    await field('Code').fill('box');
    await field('Name').fill('A box of tea');
    await field('Is charged').selectOption('week');
    await field('Currency').fill('EUR');
    await field('Amount').fill('9.00');
    await test.button('Add the product').click();
    await test.heading('A box of tea').waitFor();
    expect(await product('box')).toMatchObject({ kind: 'subscription', interval: 'week' });
  });

  it('says what is wrong, keeps what was typed, and makes nothing', async () => {
    await test.visit(owner, '/products');
    await test.button('New product').click();
    await field('Code').fill('mug');
    await field('Name').fill('Another mug');
    await field('Currency').fill('EUR');
    await field('Amount').fill('ten');
    await test.button('Add the product').click();
    await test.alert().getByText('Type the price in EUR, such as 19.90.').waitFor();
    await field('Amount').fill('10.005');
    await test.button('Add the product').click();
    await test.alert().getByText('The amount has more decimals than the currency.').waitFor();
    await field('Amount').fill('10');
    await test.button('Add the product').click();
    await test.alert().getByText('A product with this code already exists.').waitFor();
    expect(await field('Name').inputValue()).toBe('Another mug');
    expect((await product('mug')).name).toBe('Mug');
  });

  it('name and prices are changed; switched off, it is told so and cannot be sold', async () => {
    const page = await test.visit(owner, '/products/box');
    await test.heading('A box of tea').waitFor();
    await field('Name').fill('A box of green tea');
    await field('Amount').fill('10,50');
    await field('On sale').selectOption('no');
    await test.button('Save').click();
    await news('Saved.').waitFor();
    await test.heading('A box of green tea').waitFor();
    expect(await standing().textContent()).toBe('Switched off');
    expect(await product('box')).toMatchObject({
      name: 'A box of green tea',
      active: false,
      prices: [{ currency: 'EUR', amount: 10.5 }],
    });
    await page.goto(test.at('/products?active=false'));
    await table('Products').getByRole('link', { name: 'box' }).waitFor();
    expect(await table('Products').getByRole('link').count()).toBe(1);
  });

  it('a change on top of a colleague’s is refused, overwrites nothing, and can then be made', async () => {
    await test.visit(owner, '/products/mug');
    await test.heading('Mug').waitFor();
    await changeByColleague('/v1/products/mug', { name: 'A blue mug' });
    await field('Name').fill('A red mug');
    await test.button('Save').click();
    await test
      .alert()
      .getByText(/^A colleague changed it meanwhile\./)
      .waitFor();
    expect(await field('Name').inputValue()).toBe('A red mug');
    expect((await product('mug')).name).toBe('A blue mug');
    await test.look('dashboard-product-changed');
    await test.button('Load the present state').click();
    await news('The form shows the present state.').waitFor();
    expect(await hasFocus(news('The form shows the present state.'))).toBe(true);
    expect(await field('Name').inputValue()).toBe('A blue mug');
    await field('Name').fill('A red mug');
    await test.button('Save').click();
    await news('Saved.').waitFor();
    expect((await product('mug')).name).toBe('A red mug');
  });

  it('what is typed stays when a colleague’s change is read meanwhile, and the page says so', async () => {
    const page = await test.visit(owner, '/products/mug');
    await field('Name').fill('A green mug');
    await changeByColleague('/v1/products/mug', { name: 'A black mug' });
    await comeBack(page);
    await test.heading('A black mug').waitFor();
    await page.getByText('A colleague changed this product').waitFor();
    expect(await field('Name').inputValue()).toBe('A green mug');
    await page.reload();
    await test.heading('A black mug').waitFor();
    // A form in which nobody has begun follows what is read.
    await changeByColleague('/v1/products/mug', { name: 'Mug' });
    await comeBack(page);
    await test.heading('Mug').waitFor();
    await expect.poll(() => field('Name').inputValue()).toBe('Mug');
    expect(await page.getByText('A colleague changed this product').count()).toBe(0);
  });

  it('support reads them and is told who may change them', async () => {
    const page = await test.visit(support, '/products');
    await table('Products').waitFor();
    await page.getByText(/^Only owners and admins may add or change products\. Ask/).waitFor();
    expect(await test.button('New product').count()).toBe(0);
    await page.goto(test.at('/products/mug'));
    await page.getByText(/^Only owners and admins may add or change products\. Ask/).waitFor();
    expect(await test.button('Save').count()).toBe(0);
    await page.goto(test.at('/products/nothing'));
    await test.alert().getByText('No such product').waitFor();
  });
});

describe('dashboard, coupons', () => {
  it('one is made with its days in the merchant’s zone, and lists how often it was redeemed', async () => {
    const page = await test.visit(owner, '/products');
    await page.getByRole('link', { name: 'Coupons' }).click();
    await page.getByRole('heading', { name: 'No coupon yet' }).waitFor();
    await test.button('New coupon').click();
    await test.look('dashboard-coupon-new');
    await field('Code').fill('spring');
    await field('Percent off').fill('12,5');
    await page.getByLabel('For these products').fill('mug');
    await page.getByLabel('Last day').fill('2030-05-31');
    await page.getByLabel('At most, payments').fill('500');
    await test.button('Add the coupon').click();
    await test.heading('SPRING').waitFor();
    expect(await coupon('SPRING')).toMatchObject({
      percentOff: 12.5,
      productCodes: ['mug'],
      startsAt: null,
      endsAt: '2030-05-31T22:00:00.000Z',
      maxRedemptions: 500,
      active: true,
    });
    await page.goto(test.at('/coupons'));
    const row = table('Coupons').getByRole('row').filter({ hasText: 'SPRING' });
    await row.getByText('12.5 % off').first().waitFor();
    await row.getByText('0 of 500').waitFor();
    await row.getByText('Can be used').waitFor();
    await test.look('dashboard-coupons');
  });

  it('of an amount; its conditions change, code and discount do not', async () => {
    const page = await test.visit(owner, '/coupons');
    await test.button('New coupon').click();
    await field('Code').fill('FIVE');
    await page.getByText('An amount', { exact: true }).click();
    await field('Currency').fill('EUR');
    await field('Amount').fill('5.00');
    await test.button('Add the coupon').click();
    await test.heading('FIVE').waitFor();
    expect(await coupon('FIVE')).toMatchObject({ amountOff: 5, currency: 'EUR', percentOff: null });
    await page.goto(test.at('/coupons/SPRING'));
    await test.heading('SPRING').waitFor();
    expect(await field('Code').count()).toBe(0);
    expect(await page.getByLabel('Last day').inputValue()).toBe('2030-05-31');
    await page.getByLabel('At most, payments').fill('');
    await field('Can be used').selectOption('no');
    await test.button('Save').click();
    await news('Saved.').waitFor();
    expect(await standing().textContent()).toBe('Switched off');
    // The last day was left as it was, and so is its instant.
    expect(await coupon('SPRING')).toMatchObject({
      active: false,
      maxRedemptions: null,
      endsAt: '2030-05-31T22:00:00.000Z',
      productCodes: ['mug'],
    });
    await test.look('dashboard-coupon');
  });

  it('of a product that is not there is refused in words', async () => {
    const page = await test.visit(owner, '/coupons');
    await test.button('New coupon').click();
    await field('Code').fill('NOWHERE');
    await field('Percent off').fill('10');
    await page.getByLabel('For these products').fill('no-such-thing');
    await test.button('Add the coupon').click();
    await test.alert().getByText('does not match the catalog').waitFor();
    expect(await field('Code').inputValue()).toBe('NOWHERE');
  });
});

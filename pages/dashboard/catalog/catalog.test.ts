// Products and coupons in the dashboard: listed, made, changed, switched off, and who may.

import type { Product } from '@svc/contract/catalog/catalog';
import type { Coupon } from '@svc/contract/catalog/coupons';
import type { Locator, Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import type { TestPerson } from '../../test/account-fixture.ts';
import { dashboardTest } from '../../test/dashboard-fixture.ts';

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
/** The field with that sentence beside it, which has the focus. */
const wrongField = async (name: string, text: string) => {
  await test.page.getByText(text, { exact: true }).waitFor();
  const place = field(name).and(test.page.locator(':focus'));
  await place.waitFor();
  expect(await place.getAttribute('aria-invalid')).toBe('true');
  const ids = (await place.getAttribute('aria-describedby'))?.split(' ') ?? [];
  const said = await Promise.all(ids.map((id) => test.page.locator(`[id="${id}"]`).textContent()));
  expect(said).toContain(text);
  expect(await test.alert().count()).toBe(0);
};
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
    await table('Products').getByRole('link', { name: /^mug/ }).click();
    await test.heading('Mug').waitFor();
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

  it('says beside each field what is wrong, keeps what was typed, and makes nothing', async () => {
    await test.visit(owner, '/products');
    await test.button('New product').click();
    const add = () => test.button('Add the product').click();
    await field('Code').fill('tasse à thé');
    await field('Name').fill('Another mug');
    await field('Currency').fill('EUR');
    await field('Amount').fill('ten');
    await add();
    await wrongField('Amount', 'Type the price in EUR, such as 19.90.');
    await field('Amount').fill('1.500');
    await add();
    await wrongField(
      'Amount',
      '1.500 has more decimals than EUR, or a mark between thousands: write 1500 or 1.50.',
    );
    await field('Amount').fill('10');
    await add();
    await wrongField(
      'Code',
      'Use up to 100 letters without accents, digits and signs, such as coffee-beans.',
    );
    await field('Code').fill('mug');
    await field('Currency').fill('EUX');
    await add();
    await wrongField('Currency', 'There is no such currency. Type its three letters, such as EUR.');
    await test.look('dashboard-product-wrong');
    await field('Currency').fill('EUR');
    await add();
    await wrongField('Code', 'Another product has this code. Choose a different one.');
    expect(await field('Name').inputValue()).toBe('Another mug');
    expect((await product('mug')).name).toBe('Mug');
  });

  it('the focus goes on: into the form, to an added price, and back when either is left', async () => {
    const page = await test.visit(owner, '/products');
    await test.button('New product').click();
    expect(await hasFocus(field('Code'))).toBe(true);
    await test.button('Add a currency').click();
    expect(await hasFocus(field('Currency').nth(1))).toBe(true);
    await page.getByRole('group', { name: 'Another price' }).waitFor();
    await field('Currency').nth(1).fill('jpy');
    await test.button('Remove the price in JPY').click();
    expect(await field('Currency').count()).toBe(1);
    expect(await hasFocus(test.button('Add a currency'))).toBe(true);
    await test.button('Cancel').click();
    expect(await hasFocus(test.button('New product'))).toBe(true);
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

  it('a change on top of a colleague’s is refused and overwrites nothing; what was typed goes on top', async () => {
    const page = await test.visit(owner, '/products/mug');
    await test.heading('Mug').waitFor();
    const prices = [
      { currency: 'EUR', amount: 20.5 },
      { currency: 'JPY', amount: 2500 },
    ];
    await changeByColleague('/v1/products/mug', { name: 'A blue mug', prices });
    await field('Name').fill('A red mug');
    await test.button('Save').click();
    const notice = page.getByRole('status').filter({ hasText: 'Nothing was saved.' });
    await notice.getByText('A colleague changed this product').waitFor();
    expect(await hasFocus(notice.locator('[tabindex]'))).toBe(true);
    expect(await field('Name').inputValue()).toBe('A red mug');
    expect((await product('mug')).name).toBe('A blue mug');
    await test.look('dashboard-product-changed');
    await test.button('Keep my changes').click();
    const told = news('The form shows the current product with your changes.');
    await told.waitFor();
    expect(await hasFocus(told)).toBe(true);
    expect(await notice.count()).toBe(0);
    // Only what was typed: the colleague's price stays.
    expect(await field('Name').inputValue()).toBe('A red mug');
    expect(await field('Amount').first().inputValue()).toBe('20.50');
    await test.button('Save').click();
    await news('Saved.').waitFor();
    expect(await told.count()).toBe(0);
    expect(await product('mug')).toMatchObject({ name: 'A red mug', prices });
  });

  it('what was typed is dropped only when somebody says so', async () => {
    await test.visit(owner, '/products/mug');
    await field('Name').waitFor();
    await changeByColleague('/v1/products/mug', { name: 'A grey mug' });
    await field('Name').fill('A red mug');
    await test.button('Save').click();
    await test.button('Drop my changes').click();
    await news('The form shows the current product.').waitFor();
    expect(await field('Name').inputValue()).toBe('A grey mug');
    await field('Name').fill('A white mug');
    await test.button('Save').click();
    await news('Saved.').waitFor();
    expect((await product('mug')).name).toBe('A white mug');
    await changeByColleague('/v1/products/mug', {
      name: 'Mug',
      prices: [
        { currency: 'EUR', amount: 19.9 },
        { currency: 'JPY', amount: 2500 },
      ],
    });
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
    await test.heading('There is no such product').waitFor();
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
    await row.getByText('through 31 May 2030').waitFor();
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
  });

  it('says beside each field what is wrong with it', async () => {
    const page = await test.visit(owner, '/coupons');
    await test.button('New coupon').click();
    const add = () => test.button('Add the coupon').click();
    await field('Code').fill('NOWHERE');
    await field('Percent off').fill('120');
    await add();
    await wrongField('Percent off', 'Type a percentage above 0, and 100 at most.');
    await field('Percent off').fill('12.125');
    await add();
    await wrongField(
      'Percent off',
      '12.125 has more decimals than a percentage, or a mark between thousands: write 12125 or 12.12.',
    );
    await field('Percent off').fill('10');
    await page.getByLabel('For these products').fill('mug, no-such-thing');
    await add();
    const products = page.getByLabel('For these products').and(page.locator(':focus'));
    await page.getByText('There is no product “no-such-thing”.').waitFor();
    await products.waitFor();
    await products.fill('mug');
    await page.getByLabel('First day').fill('2030-06-01');
    await page.getByLabel('Last day').fill('2030-05-31');
    await page.getByLabel('At most, payments').fill('many');
    await add();
    await page.getByText('Type a whole number of payments, such as 500').waitFor();
    await page.getByLabel('At most, payments').fill('');
    await add();
    await page.getByText('The last day is before the first one.').waitFor();
    await page.getByLabel('First day').fill('');
    await field('Code').fill('É');
    await add();
    await page.getByText('Use up to 100 letters without accents, digits, - and _').waitFor();
    expect(await test.alert().count()).toBe(0);
    expect(await page.getByLabel('Last day').inputValue()).toBe('2030-05-31');
  });
});

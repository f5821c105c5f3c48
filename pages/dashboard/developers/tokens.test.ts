// API tokens of a person at a merchant, in a browser against the real service.

import { describe, expect, it } from 'vitest';
import { aToken } from '../../../service/test/harness.ts';
import { homeTest, type Merchant } from '../../test/home-fixture.ts';

const test = homeTest();
const visitTokens = (merchant: Merchant) =>
  test.page.goto(`/dashboard/${merchant.id}/developers/tokens`);
const secretBox = () => test.page.locator('.once');
const value = async () => (await secretBox().locator('.secret code').textContent()) ?? '';

async function adasShop() {
  const ada = await test.person();
  return { ada, shop: await test.merchantOf('Tokens', [[ada, 'owner']]) };
}

async function create(name: string): Promise<void> {
  await test.button('Create a token').click();
  await test.page.getByLabel('Name', { exact: true }).fill(name);
}

const useToken = (shop: Merchant, token: string, path = '/v1/payments') =>
  fetch(test.baseUrl + path, {
    headers: { authorization: `Basic ${btoa(`${shop.id}:${token}`)}` },
  }).then(({ status }) => status);

describe('API tokens', () => {
  it('one is made, shown once with a line that works, used, and revoked', async () => {
    const { ada, shop } = await adasShop();
    const page = await test.openAs(ada);
    await visitTokens(shop);
    await page.getByText('No token yet').waitFor();
    expect(await page.title()).toBe('[Sandbox] API tokens · Developers · Tokens');
    await page.getByText(`Client id ${shop.id}`).waitFor();
    await create('Shop backend');
    await page.getByLabel('Description').fill('Orders');
    await page.getByLabel('Ends').selectOption('In 90 days');
    await test.button('Create token').click();
    await secretBox().waitFor();
    const token = await value();
    expect(token).toMatch(/^svc_[0-9A-Za-z]{49}$/);
    expect(await secretBox().locator('.code-line').textContent()).toBe(
      `curl -u ${shop.id}:${token} ${test.baseUrl}/v1/payments`,
    );
    expect(await useToken(shop, token)).toBe(200);
    await test.button('I have stored it').click();
    expect(await page.content()).not.toContain(token);
    await page.reload();
    await test.row('Your API tokens', 'Shop backend').getByText('Orders').waitFor();
    expect(await page.content()).not.toContain(token);
    await test.button('Revoke: Shop backend').click();
    await test.answer('Revoke');
    await test.news().getByText('The token “Shop backend” is revoked.').waitFor();
    expect(await useToken(shop, token)).toBe(401);
    await page.getByText('No token yet').waitFor();
  });

  it('limited to scopes: may do these and nothing else', async () => {
    const { ada, shop } = await adasShop();
    const page = await test.openAs(ada);
    await visitTokens(shop);
    await create('Reports');
    await page.getByLabel('Only what you choose').check();
    await page.getByLabel('payments:read').check();
    await test.button('Create token').click();
    await secretBox().waitFor();
    const token = await value();
    expect(await useToken(shop, token)).toBe(200);
    expect(await useToken(shop, token, '/v1/customers')).toBe(403);
    await test.row('Your API tokens', 'Limited').getByText('See payments and refunds').waitFor();
  });

  it('a member chooses among what a member may do', async () => {
    const ben = await test.person();
    const shop = await test.merchantOf('Tokens', [[ben, 'member']]);
    const page = await test.openAs(ben);
    await visitTokens(shop);
    await create('Till');
    await page.getByLabel('Only what you choose').check();
    await page.getByLabel('payments:read').waitFor();
    expect(await page.getByLabel('refunds:write').count()).toBe(0);
    await test.button('Create token').click();
    await test.alert().getByText('Choose at least one of the scopes.').waitFor();
    expect(await secretBox().count()).toBe(0);
  });

  it('a new value: the old one stops as was chosen', async () => {
    const { ada, shop } = await adasShop();
    const page = await test.openAs(ada);
    await visitTokens(shop);
    await create('Till');
    await test.button('Create token').click();
    await secretBox().waitFor();
    const first = await value();
    await test.button('New value: Till').click();
    await page.getByLabel('The old value').selectOption('Works for an hour more');
    await test.button('Create a new value').click();
    await expect.poll(value).not.toBe(first);
    const second = await value();
    await secretBox().getByText('The old value works until').waitFor();
    expect([await useToken(shop, first), await useToken(shop, second)]).toEqual([200, 200]);
    await test.button('New value: Till').click();
    await page.getByLabel('The old value').selectOption('Stops at once');
    await test.button('Create a new value').click();
    await expect.poll(value).not.toBe(second);
    expect(await secretBox().getByText('The old value works until').count()).toBe(0);
    const calls = [useToken(shop, first), useToken(shop, second), useToken(shop, await value())];
    expect(await Promise.all(calls)).toEqual([401, 401, 200]);
  });

  it('409 api_token_limit_reached: the eleventh is refused, what was typed stays', async () => {
    const { ada, shop } = await adasShop();
    for (let made = 0; made < 10; made++) await aToken(test.db.database, shop, { user: ada });
    await test.openAs(ada);
    await visitTokens(shop);
    await create('One too many');
    await test.button('Create token').click();
    await test.alert().getByText('You already have ten active tokens').waitFor();
    expect(await test.page.getByLabel('Name', { exact: true }).inputValue()).toBe('One too many');
    expect(await test.block('Your API tokens').locator('.row').count()).toBe(10);
  });
});

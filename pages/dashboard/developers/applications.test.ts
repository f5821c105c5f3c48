// OAuth applications of a merchant, and what people allowed, in a browser against the real service.

import { describe, expect, it } from 'vitest';
import { sql } from '../../../service/src/storage/database/sql.ts';
import { aGrant } from '../../../service/test/people/grants.ts';
import { homeTest, type Merchant } from '../../test/home-fixture.ts';

const test = homeTest();
const visitApplications = (merchant: Merchant) =>
  test.page.goto(`/dashboard/${merchant.id}/developers/applications`);
const secretBox = () => test.page.locator('.once');
const value = async () => (await secretBox().locator('.secret code').textContent()) ?? '';

/** Marks the consent as used, as if the application had fetched its token. */
const fetchToken = sql(
  'test_fetch_token',
  'update oauth_grants set last_used_at = svc_clock() where id = $1',
);

async function adasShop() {
  const ada = await test.person();
  return { ada, shop: await test.merchantOf('Applications', [[ada, 'owner']]) };
}

async function createApplication(name: string): Promise<void> {
  const { page } = test;
  await test.button('Make an application').click();
  await page.getByLabel('Name', { exact: true }).fill(name);
  await page.getByLabel('Redirect addresses').fill('https://ledger.example/callback');
  await page.getByLabel('payments:read').check();
  await test.button('Make application').click();
}

describe('applications', () => {
  it('one is made with its secret once, changed, given a new secret and removed', async () => {
    const { ada, shop } = await adasShop();
    const page = await test.openAs(ada);
    await visitApplications(shop);
    await page.getByText('No application yet').waitFor();
    await createApplication('Ledger');
    await secretBox().waitFor();
    const secret = await value();
    expect(secret.length).toBeGreaterThan(30);
    await test.button('I have stored it').click();
    expect(await page.content()).not.toContain(secret);
    const row = test.row('OAuth applications', 'Ledger');
    await row.getByText('https://ledger.example/callback').waitFor();
    await test.button('Change: Ledger').click();
    await page.getByLabel('Name', { exact: true }).fill('Ledger two');
    await page.getByLabel('refunds:write').check();
    await test.button('Save application').click();
    await test.news().getByText('The application “Ledger two” is saved.').waitFor();
    await row.getByText('Give money back').waitFor();
    await test.button('New secret: Ledger two').click();
    await test.answer('Make a new secret');
    await secretBox().waitFor();
    expect(await value()).not.toBe(secret);
    await test.button('Remove: Ledger two').click();
    await test.answer('Remove');
    await test.news().getByText('The application “Ledger two” is removed.').waitFor();
    expect(await secretBox().count()).toBe(0);
  });

  it('one on people’s devices has no secret', async () => {
    const { ada, shop } = await adasShop();
    const page = await test.openAs(ada);
    await visitApplications(shop);
    await test.button('Make an application').click();
    await page.getByLabel('Name', { exact: true }).fill('App');
    await page.getByLabel('Where it runs').selectOption({ index: 1 });
    await page.getByLabel('Redirect addresses').fill('http://127.0.0.1/callback');
    await page.getByLabel('payments:read').check();
    await test.button('Make application').click();
    await test.news().getByText('The application “App” is created.').waitFor();
    expect(await secretBox().count()).toBe(0);
    expect(await test.button('New secret: App').count()).toBe(0);
  });

  it('400 invalid_request: says what is wrong, what was typed stays', async () => {
    const { ada, shop } = await adasShop();
    const page = await test.openAs(ada);
    await visitApplications(shop);
    await test.button('Make an application').click();
    await page.getByLabel('Name', { exact: true }).fill('Plain');
    await page.getByLabel('Redirect addresses').fill('http://shop.example/callback');
    await page.getByLabel('payments:read').check();
    await test.button('Make application').click();
    await test.alert().getByText('A redirect address is an https address').waitFor();
    expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('Plain');
  });

  it('for owners and admins: a member sees why not', async () => {
    const ben = await test.person();
    const shop = await test.merchantOf('Applications', [[ben, 'member']]);
    await test.openAs(ben);
    await visitApplications(shop);
    await test.page.getByText('Only owners and admins see this').waitFor();
  });
});

describe('consents', () => {
  it('what an application may do is listed; revoked, its token is dead', async () => {
    const { ada, shop } = await adasShop();
    const { authorization, grantId } = await aGrant(test.ports, {
      user: ada,
      client: shop,
      scopes: ['payments:read'],
    });
    await test.db.database.write(fetchToken, [grantId]);
    const call = () => fetch(`${test.baseUrl}/v1/payments`, { headers: { authorization } });
    expect((await call()).status).toBe(200);
    await test.openAs(ada);
    await test.page.goto('/account');
    const row = test.block('Applications with access').locator('.row');
    await row.getByText('See payments and refunds').waitFor();
    await row.getByRole('button').click();
    await test.answer('Revoke access');
    await test.news().getByText('no longer has access.').waitFor();
    await test.page.getByText('No application has access').waitFor();
    expect((await call()).status).toBe(401);
  });

  it('revoking one that could make API tokens says that they stay, and leads to them', async () => {
    const { ada, shop } = await adasShop();
    const scopes = ['payments:read', 'mcp'];
    const { grantId } = await aGrant(test.ports, { user: ada, client: shop, scopes });
    await test.db.database.write(fetchToken, [grantId]);
    await test.openAs(ada);
    await test.page.goto('/account');
    await test.block('Applications with access').locator('.row').getByRole('button').click();
    const dialog = test.page.getByRole('dialog');
    await dialog.getByText('API tokens that it made in your name stay').waitFor();
    await dialog.getByRole('link').click();
    await test.page.waitForURL(`**/dashboard/${shop.id}/developers/tokens`);
  });
});

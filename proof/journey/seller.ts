// The seller's name, logo and links on the pages that `npm start` serves, under their real policy.

import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { expectErrors, journey } from './fixture.ts';

expectErrors(/Unrecognized feature/);

const logoUrl = 'https://cdn.bean.example/logo.svg';
const profile = {
  businessName: 'Bean & Söhne',
  logoUrl,
  supportEmail: 'help@bean.example',
  termsUrl: 'https://bean.example/terms',
  brandColor: '#ffd400',
};
const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="240" height="60">
  <rect width="240" height="60" fill="#7a3b00"/></svg>`;

async function change(body: object): Promise<void> {
  const { clientId, apiToken } = journey.block;
  const authorization = `Basic ${Buffer.from(`${clientId}:${apiToken}`).toString('base64')}`;
  const call = { method: 'PATCH', headers: { authorization }, body };
  expect((await journey.call('/v1/client', call)).status).toBe(200);
}

async function checkoutUrl(): Promise<string> {
  const { clientId, demoShopUrl } = journey.block;
  const accountData = { userId: randomUUID(), email: 'ada@example.com' };
  const products = [{ code: 'mug', quantity: 1 }];
  const cart = { clientId, currency: 'EUR', products, accountData, cancelUrl: demoShopUrl };
  const made = await journey.call('/v1/checkouts/sessions', { method: 'POST', body: cart });
  return (JSON.parse(made.text) as { url: string }).url;
}

it('the client’s name where nothing is set; then name, logo, support, terms and colour as they are set', async () => {
  const { page } = journey;
  await page.goto(await checkoutUrl());
  await page.getByRole('link', { name: 'Back to Demo coffee shop' }).waitFor();
  await page.locator('.seller').getByText('Demo coffee shop', { exact: true }).waitFor();
  expect(await page.title()).toBe('Checkout · Demo coffee shop');
  expect(await page.locator('main').textContent()).not.toMatch(/127\.0\.0\.1|localhost/);

  await change(profile);
  await page.route('https://cdn.bean.example/**', (route) =>
    route.fulfill({ contentType: 'image/svg+xml', body: svg }),
  );
  try {
    await page.goto(await checkoutUrl());
    await page.locator('.logo.shown img').waitFor();
    await page.getByRole('link', { name: 'Back to Bean & Söhne' }).waitFor();
    await page.getByRole('link', { name: 'help@bean.example' }).waitFor();
    await page.getByRole('link', { name: 'Terms of Bean & Söhne' }).waitFor();
    const color = `getComputedStyle(document.querySelector('button.pay')).color`;
    expect(await page.evaluate(color)).toBe('rgb(0, 0, 0)');
  } finally {
    const none = Object.keys(profile).map((name) => [name, null]);
    await change(Object.fromEntries(none));
  }
});

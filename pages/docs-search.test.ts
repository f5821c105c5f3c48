// The reference at /docs in a browser: its search, and what `docUrl` of an error opens.

import { expect, it } from 'vitest';
import { homeTest } from './test/home-fixture.ts';

const test = homeTest();
const readFocused = () => test.page.evaluate(() => document.activeElement?.textContent ?? '');

it('is searched by the keyboard alone, without a request, and leads to what was found', async () => {
  const page = await test.openAs(await test.person());
  await page.goto('/docs');
  const field = page.getByRole('searchbox');
  await field.waitFor();
  const asked: string[] = [];
  page.on('request', (request) => asked.push(request.url()));
  await page.keyboard.press('/');
  await page.keyboard.type('capture payment hold');
  const found = page.getByRole('search').getByRole('link');
  await found.first().waitFor();
  await page.getByRole('search').getByRole('status').getByText('entries').waitFor();
  await page.keyboard.press('ArrowDown');
  expect(await readFocused()).toBe(await found.first().textContent());
  await page.keyboard.press('Escape');
  expect([await found.count(), await field.inputValue()]).toEqual([0, '']);
  await page.keyboard.type('gateway_outcome_unknown');
  expect(await found.first().textContent()).toContain('gateway_outcome_unknown');
  await page.keyboard.press('Enter');
  expect(new URL(page.url()).hash).toBe('#error-gateway_outcome_unknown');
  await field.fill('zzzz no such thing');
  expect(await found.count()).toBe(0);
  await page.getByText('0 entries').waitFor();
  expect(asked).toEqual([]);
});

it('docUrl of an error opens cause, remedy and guide; the guide is there', async () => {
  const page = await test.openAs(await test.person());
  const refused = await fetch(`${test.baseUrl}/v1/payments`);
  const { docUrl, code } = (await refused.json()) as { docUrl: string; code: string };
  await page.goto(new URL(docUrl).pathname + new URL(docUrl).hash);
  const entry = page.locator(':target');
  await entry.getByText(code).waitFor();
  await entry.getByText('Cause:').waitFor();
  await entry.getByText('Remedy:').waitFor();
  await entry.getByRole('link').click();
  await page.getByRole('heading', { level: 1, name: 'API tokens' }).waitFor();
  expect((await fetch(`${test.baseUrl}/guides/no-such`)).status).toBe(404);
  expect((await fetch(`${test.baseUrl}/guides/..%2f..%2fpackage.json`)).status).toBe(404);
});

it('the guides are read and searched as pages', async () => {
  const page = await test.openAs(await test.person());
  await page.goto('/guides');
  await page.getByRole('heading', { level: 1, name: 'Svc' }).waitFor();
  expect(await page.locator('main img').first().evaluate(isLoaded)).toBe(true);
  await page.keyboard.press('/');
  await page.keyboard.type('pg_dump restore');
  const first = page.getByRole('search').getByRole('link').first();
  await first.waitFor();
  await page.keyboard.press('Enter');
  await page.waitForURL(/\/guides\/operating\/.*#/);
  await page.locator(':target').waitFor();
  expect(await page.locator('nav [aria-current="page"]').count()).toBe(1);
});

const isLoaded = (image: Element): boolean => (image as HTMLImageElement).naturalWidth > 0;

// The list of the merchant's events, in a browser.

import { expect, it } from 'vitest';
import { dashboardTest } from '../../test/dashboard-fixture.ts';

const test = dashboardTest();

it('shows an event in one line, takes a type from the address, and leads to the page of each', async () => {
  const owner = await test.colleague('Olga Owner', 'owner');
  await test.payment();
  const page = await test.visit(owner, '/developers/events');
  await page.setViewportSize({ width: 1280, height: 900 });
  const rows = page.getByRole('table', { name: 'Events' }).locator('tbody tr');
  await rows.first().waitFor();
  expect((await rows.first().boundingBox())?.y).toBeLessThanOrEqual(300);
  expect((await rows.first().boundingBox())?.height).toBeLessThan(48);
  await page.goto(test.at('/developers/events?type=item.purchased'));
  await page.getByText('1 event', { exact: true }).waitFor();
  await rows.first().getByRole('link').click();
  const event = page.getByRole('region', { name: 'Event', exact: true });
  await event.getByText('item.purchased', { exact: true }).waitFor();
  await page.getByRole('link', { name: 'All events' }).click();
  await page.getByText(/^[2-9] events$/).waitFor();
});

// The list of the merchant's events, in a browser.

import { expect, it } from 'vitest';
import { anEvent } from '../../../service/test/webhooks/webhooks.ts';
import { homeTest } from '../../test/home-fixture.ts';

const test = homeTest();

it('shows the events in one line each, takes a type from the address, and leads to the page of each', async () => {
  const ada = await test.person();
  const shop = await test.merchantOf('Hooks', [[ada, 'owner']]);
  const { database } = test.db;
  const { wireId } = await anEvent(database, shop, { type: 'item.purchased' });
  await anEvent(database, shop, { type: 'payment.authorized' });
  const page = await test.openAs(ada, { width: 1280 });
  const address = `/dashboard/${shop.id}/developers/events`;
  await page.goto(address);
  const rows = page.getByRole('table', { name: 'Events' }).locator('tbody tr');
  await expect.poll(() => rows.count()).toBe(2);
  expect((await rows.first().boundingBox())?.y).toBeLessThanOrEqual(300);
  await page.goto(`${address}?type=item.purchased`);
  await page.getByText('1 event', { exact: true }).waitFor();
  await rows.first().getByRole('link').click();
  await test.block('Event').getByText(wireId).first().waitFor();
  await page.getByRole('link', { name: 'All events' }).click();
  await expect.poll(() => rows.count()).toBe(2);
});

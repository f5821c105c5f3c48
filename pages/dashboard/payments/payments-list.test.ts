// The list of payments on a usual screen: every column in sight, also beside the longest brand and a long address.

import { expect, it } from 'vitest';
import { dashboardTest } from '../../test/dashboard-fixture.ts';

const test = dashboardTest();

it('cuts no column at 1280 pixels, with a card of American Express', async () => {
  const owner = await test.colleague('Olga Owner', 'owner');
  const email = 'alexandra.sommerfeldweber@mail.example.test';
  const sold = await test.payment({ card: '378282246310005', quantity: 60, email });
  await test.payment({ email });
  expect(await test.refundAs(owner, sold, { amount: 5, reason: 'duplicate' })).toBe(201);
  const page = await test.visit(owner, '/payments');
  await page.setViewportSize({ width: 1280, height: 800 });
  const table = page.getByRole('table', { name: 'Payments' });
  await table.getByRole('cell', { name: 'American Express •••• 0005' }).first().waitFor();
  const hidden = await table.evaluate(({ parentElement: box }) =>
    box ? box.scrollWidth - box.clientWidth : null,
  );
  expect(hidden).toBe(0);
});

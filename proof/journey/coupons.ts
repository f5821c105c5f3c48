// A discount code, from the field of the checkout page to what the provider charges.

import { describe, expect, it } from 'vitest';
import { journey } from './fixture.ts';

const summary = () => journey.page.locator('.summary');

const payment = async () => {
  const { text } = await journey.call(`/v1/payments/${await journey.shownPayment()}`);
  return JSON.parse(text) as { status: string; amount: number; gatewayChargeId: string };
};

describe('a buyer with a discount code', () => {
  it('sees discount and new total, and is charged exactly that', async () => {
    const coupon = { code: 'SPRING', percentOff: 10 };
    const made = await journey.call('/v1/coupons', { method: 'POST', body: coupon });
    expect(made.status).toBe(201);
    await journey.goToCheckout();
    await journey.page.getByRole('button', { name: 'Add a discount code' }).click();
    await journey.typeCard('4242424242424242');
    await journey.page.getByLabel('Discount code').fill('spring');
    await journey.page.getByRole('button', { name: 'Apply' }).click();
    await summary().getByText('The code was applied. New total: €17.91').waitFor();
    await summary().getByText('-€1.99').waitFor();
    await journey.shoot('coupon-applied');
    await journey.payButton().getByText('€17.91').waitFor();
    await journey.payButton().click();
    await journey.arriveAtShop();
    const paid = await payment();
    expect(paid).toMatchObject({ status: 'succeeded', amount: 17.91 });
    const moved = (await journey.ledger()).filter(({ charge }) => charge === paid.gatewayChargeId);
    expect(moved.map(({ amount }) => amount)).toEqual(moved.map(() => 1791));
  });
});

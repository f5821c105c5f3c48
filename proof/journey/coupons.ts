// A discount code, from the field of the checkout page to what the provider charges.

import { describe, expect, it } from 'vitest';
import { expectErrors, journey } from './fixture.ts';

// A refused code is a 422.
expectErrors(/status of (402|409|422)|Unrecognized feature/);

async function aCoupon(given: object): Promise<void> {
  const answer = await journey.call('/v1/coupons', { method: 'POST', body: given });
  expect(answer.status).toBe(201);
}

const field = () => journey.page.getByLabel('Discount code');
const summary = () => journey.page.locator('.summary');

async function type(code: string): Promise<void> {
  await field().fill(code);
  await journey.page.getByRole('button', { name: 'Apply' }).click();
}

async function openField(): Promise<void> {
  await journey.goToCheckout();
  await journey.page.getByRole('button', { name: 'Add a discount code' }).click();
}

const payment = async () => {
  const { text } = await journey.call(`/v1/payments/${await journey.shownPayment()}`);
  return JSON.parse(text) as { status: string; amount: number; gatewayChargeId: string };
};

describe('a buyer with a discount code', () => {
  it('finds no field while the merchant has no active coupon', async () => {
    const { text } = await journey.call('/v1/coupons?limit=100&active[eq]=true');
    const codes = (JSON.parse(text) as { data: { code: string }[] }).data.map(({ code }) => code);
    const switchAll = async (active: boolean) => {
      for (const code of codes) {
        const body = { active };
        const answer = await journey.call(`/v1/coupons/${code}`, { method: 'PATCH', body });
        expect(answer.status).toBe(200);
      }
    };
    await switchAll(false);
    await journey.goToCheckout();
    await summary().getByText('Total').waitFor();
    expect(await journey.page.getByRole('button', { name: /discount code/ }).count()).toBe(0);
    await switchAll(true);
  });

  it('sees discount and new total, and is charged exactly that', async () => {
    await aCoupon({ code: 'SPRING', percentOff: 10 });
    await openField();
    await journey.typeCard('4242424242424242');
    await type('spring');
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

  it('whose code was used up by another since then takes it off, and pays', async () => {
    await aCoupon({ code: 'LAST', percentOff: 50, maxRedemptions: 1 });
    await openField();
    await type('LAST');
    await summary().getByText('New total: €9.95').waitFor();
    const mine = journey.page;
    const other = await journey.context.newPage();
    journey.page = other;
    await openField();
    await type('LAST');
    await journey.typeCard('5555555555554444');
    await journey.payButton().getByText('€9.95').waitFor();
    await journey.payButton().click();
    await journey.arriveAtShop();
    journey.page = mine;
    await journey.typeCard('4242424242424242');
    await journey.payButton().click();
    await mine.getByRole('alert').getByText('has been used up. Nothing was charged').waitFor();
    await mine.getByRole('button', { name: 'Remove code LAST' }).click();
    await journey.payButton().getByText('€19.90').waitFor();
    await journey.payButton().click();
    await journey.arriveAtShop();
    expect(await payment()).toMatchObject({ amount: 19.9 });
  });
});

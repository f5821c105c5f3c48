// The ends of a wallet's sheet on the hosted page: left, declined, asked by the bank, a total that changes, a card that
// is kept. Contract §4. docs/decisions/card-form.md.

import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import {
  approve,
  countCaptures,
  declineNext,
  goToButtons,
  hosted,
  lastPayment,
  openSheet,
  pressHosted,
  sheetSays,
} from './express-sheet.ts';
import { expectErrors, journey, startJourneyOn } from './fixture.ts';

startJourneyOn(14_720, ['--driver', 'provider-fields']);
expectErrors(/status of (402|404|409|422)|Unrecognized feature|frame-ancestors/);

/** Makes a coupon of its own, and returns its code. */
async function aCoupon(percentOff: number): Promise<string> {
  const code = `EXPRESS${percentOff}-${randomUUID().slice(0, 8).toUpperCase()}`;
  const { status } = await journey.call('/v1/coupons', {
    method: 'POST',
    body: { code, percentOff },
  });
  expect(status).toBe(201);
  return code;
}

async function applyCode(code: string): Promise<void> {
  await journey.page.getByLabel('Discount code').fill(code);
  await journey.page.getByRole('button', { name: 'Apply' }).click();
  await journey.page.getByText(/The code was applied/).waitFor();
}

const places = () => journey.page.locator('.express[data-shown]').count();

describe('express buttons on the hosted page', () => {
  it('left, declined, left at the bank: told, and nothing is charged; approved there: held', async () => {
    const before = await countCaptures();
    await goToButtons('manual');
    await openSheet();
    await pressHosted('Cancel');
    await hosted().getByRole('button', { name: 'Google Pay' }).waitFor();
    await declineNext();
    await approve();
    const alert = journey.page.getByRole('alert');
    await alert.getByText(/declined/i).waitFor();
    await journey.shoot('express-declined');
    for (const answer of [/cancel/i, /approve/i]) {
      await openSheet();
      await hosted().getByLabel('The bank asks').check();
      await pressHosted('Approve with Google Pay');
      await journey.bank().getByRole('button', { name: answer }).click();
      if (answer.test('cancel')) await alert.getByText(/could not confirm/).waitFor();
    }
    await journey.arriveAtShop();
    expect(await countCaptures()).toBe(before);
    expect(await lastPayment()).toMatchObject({ status: 'authorized' });
  });

  it('a free order has no buttons; a total that changes while the sheet is open is not charged', async () => {
    const [tenth, whole, before] = [await aCoupon(10), await aCoupon(100), await countCaptures()];
    await goToButtons();
    await journey.page.getByRole('button', { name: 'Add a discount code' }).click();
    await applyCode(whole);
    await expect.poll(places).toBe(0);
    expect(await hosted().getByRole('button', { name: 'Google Pay' }).isVisible()).toBe(false);
    await journey.shoot('express-free');
    await journey.page.getByRole('button', { name: `Remove code ${whole}` }).click();
    await expect.poll(places).toBe(1);
    await openSheet();
    await applyCode(tenth);
    await pressHosted('Approve with Google Pay');
    await journey.page.getByRole('alert').getByText(/total/i).waitFor();
    expect(await countCaptures()).toBe(before);
    await openSheet();
    await sheetSays(/^Pay €17\.91 with Google Pay$/);
    await pressHosted('Approve with Google Pay');
    await journey.arriveAtShop();
    expect(await lastPayment()).toMatchObject({ amount: 17.91 });
  });

  it('takes the colours of the page when these change, once no sheet is open', async () => {
    const form = journey.page.frameLocator('iframe[title="Google Pay, Link"]');
    const shade = () => hosted().locator('body').getAttribute('class');
    await goToButtons();
    expect(await shade()).toBe('black');
    await openSheet();
    await journey.page.emulateMedia({ colorScheme: 'dark' });
    await form.locator('html[data-theme="dark"]').waitFor({ state: 'attached' });
    await sheetSays(/^Pay €19\.90 with Google Pay$/);
    expect(await shade()).toBe('black');
    // The frame with the button is gone before the key is let go.
    await pressHosted('Cancel', { timeout: 2000 }).catch(() => undefined);
    await expect.poll(shade).toBe('white');
    await journey.shoot('express-dark');
  });

  it('saves a card for a setup, and for a customer on its own page', async () => {
    const userId = randomUUID();
    const email = `${userId.slice(0, 8)}@example.com`;
    await journey.call('/v1/customers', { method: 'POST', body: { id: userId, email } });
    const successUrl = `${journey.block.demoShopUrl}/thanks`;
    const session = await journey.call('/v1/checkouts/sessions/setup', {
      method: 'POST',
      body: { userId, successUrl },
    });
    const before = await journey.ledger();
    await journey.page.goto(JSON.parse(session.text).url);
    await openSheet();
    await sheetSays(/^Keep a card with Google Pay$/);
    await pressHosted('Approve with Google Pay');
    await journey.arriveAtShop();
    const saved = async () => {
      const { text } = await journey.call(`/v1/payment-methods?userUuid=${userId}`);
      return (JSON.parse(text) as { data: { status: string }[] }).data.length;
    };
    expect(await saved()).toBe(1);

    const body = { returnUrl: `${journey.block.demoShopUrl}/` };
    const path = `/v1/customers/${userId}/page-links`;
    const link = await journey.call(path, { method: 'POST', body });
    await journey.page.goto(JSON.parse(link.text).url);
    await journey.page.getByRole('button', { name: 'Add a card' }).click();
    await approve('Link');
    await journey.page.getByRole('status').getByText('The card was added').waitFor();
    expect(await saved()).toBe(2);
    expect(await journey.ledger()).toEqual(before);
  });
});

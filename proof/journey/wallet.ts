// A buyer pays with a wallet: from the checkout page to the wallet's own page and back, cancelled and
// approved.

import { expect, it } from 'vitest';
import { journey } from './fixture.ts';

const atWallet = (name: 'Approve' | 'Cancel') => journey.page.getByRole('button', { name });

/** Goes to the wallet's page in the same tab. */
async function goToWallet(): Promise<void> {
  await journey.page.getByRole('button', { name: 'Pay with your wallet' }).click();
  await journey.page.waitForURL(/\/checkoutnow\?token=/);
  await journey.page.getByRole('heading', { name: 'Confirm your payment of €19.90' }).waitFor();
}

it('on a phone, in the dark: cancelled, then approved: paid once, and fulfilled by one item.purchased', async () => {
  await journey.close();
  await journey.open({
    viewport: { width: 360, height: 740 },
    colorScheme: 'dark',
    locale: 'en-GB',
    hasTouch: true,
  });
  await journey.goToCheckout();
  await journey.shoot('wallet-offered-phone-dark');
  expect(await journey.page.evaluate('document.documentElement.scrollWidth')).toBeLessThan(361);
  await goToWallet();
  await journey.shoot('wallet-page-phone-dark');
  await atWallet('Cancel').click();
  await journey.page.getByRole('alert').getByText('The confirmation was cancelled.').waitFor();
  await journey.shoot('wallet-cancelled-phone-dark');
  expect(journey.page.url()).toMatch(/\/c\/[0-9a-f-]{36}$/);

  await goToWallet();
  await journey.page.getByLabel('It completes', { exact: true }).check();
  await atWallet('Approve').click();
  await journey.arriveAtShop();
  const id = await journey.shownPayment();
  const { gatewayChargeId, ...paid } = JSON.parse((await journey.call(`/v1/payments/${id}`)).text);
  expect(paid).toMatchObject({ provider: 'wallet', status: 'succeeded' });
  const moved = (await journey.ledger()).filter(({ charge }) => charge === gatewayChargeId);
  expect(moved).toMatchObject([{ kind: 'capture', amount: 1990 }]);
  const readReceived = async () => {
    const answer = await fetch(`${journey.block.demoShopUrl}/webhooks.json`);
    const { data } = (await answer.json()) as {
      data: { type: string; paymentId: string; verified: boolean }[];
    };
    return data.filter(({ paymentId, type }) => paymentId === id && type === 'item.purchased');
  };
  await expect.poll(readReceived).toMatchObject([{ verified: true }]);
});

// A buyer pays with a wallet: from the checkout page to the wallet's own page and back, with each
// way to leave that page.

import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { journey } from './fixture.ts';

const walletButton = () => journey.page.getByRole('button', { name: 'Pay with your wallet' });
const atWallet = (name: 'Approve' | 'Cancel') => journey.page.getByRole('button', { name });
const waitForAlert = (text: string) => journey.page.getByRole('alert').getByText(text).waitFor();
const heading = (name: string) => journey.page.getByRole('heading', { name }).waitFor();

/** Goes to the wallet's page in the same tab. */
async function goToWallet(): Promise<void> {
  await journey.goToCheckout();
  await journey.shoot('wallet-offered');
  await walletButton().click();
  await journey.page.waitForURL(/\/checkoutnow\?token=/);
  await heading('Confirm your payment of €19.90');
}

/** Approves in the wallet, and waits until the capture has completed. */
async function approve(): Promise<void> {
  await journey.page.getByLabel('It completes', { exact: true }).check();
  await atWallet('Approve').click();
}

type Payment = { id: string; provider: string; status: string; gatewayChargeId: string };

async function payments(): Promise<Payment[]> {
  const { text } = await journey.call('/v1/payments?limit=100');
  return (JSON.parse(text) as { data: Payment[] }).data;
}
const payment = async (): Promise<Payment> =>
  JSON.parse((await journey.call(`/v1/payments/${await journey.shownPayment()}`)).text) as Payment;

const movements = async ({ gatewayChargeId }: Payment) =>
  (await journey.ledger()).filter(({ charge }) => charge === gatewayChargeId);

async function payByCard(): Promise<void> {
  await journey.cardForm().getByLabel('Card number').waitFor();
  await journey.typeCard('4242424242424242');
  await journey.payButton().click();
  await journey.arriveAtShop();
  expect(await payment()).toMatchObject({ provider: 'cardprovider', status: 'succeeded' });
}

describe('a buyer pays with a wallet', () => {
  it('approved: paid once, and fulfilled by one item.purchased', async () => {
    await goToWallet();
    await journey.shoot('wallet-page');
    await approve();
    await journey.arriveAtShop();
    const paid = await payment();
    expect(paid).toMatchObject({ provider: 'wallet', status: 'succeeded' });
    expect(await movements(paid)).toMatchObject([{ kind: 'capture', amount: 1990 }]);
    const readReceived = async () => {
      const answer = await fetch(`${journey.block.demoShopUrl}/webhooks.json`);
      const { data } = (await answer.json()) as {
        data: { type: string; paymentId: string; verified: boolean }[];
      };
      return data.filter((one) => one.paymentId === paid.id && one.type === 'item.purchased');
    };
    await expect.poll(readReceived).toMatchObject([{ verified: true }]);
  });

  it('cancelled there: the checkout is open again, and a card pays', async () => {
    await goToWallet();
    await atWallet('Cancel').click();
    await waitForAlert('The confirmation was cancelled.');
    await journey.shoot('wallet-cancelled');
    expect(journey.page.url()).toMatch(/\/c\/[0-9a-f-]{36}$/);
    await payByCard();
  });

  it('approved, and never came back: captured all the same, as the wallet’s notice tells', async () => {
    await goToWallet();
    const before = new Set((await payments()).map(({ id }) => id));
    const waiting = (await payments()).find(({ status }) => status === 'pending');
    const answer = await fetch(journey.page.url(), {
      method: 'POST',
      redirect: 'manual',
      body: new URLSearchParams({ outcome: 'approve', behaviour: 'completes' }),
    });
    expect(answer.status).toBe(303);
    const readStatus = async () =>
      (await payments()).find(({ id }) => id === waiting?.id)?.status ?? 'unknown to us';
    await expect.poll(readStatus, { timeout: 10_000 }).toBe('succeeded');
    expect((await payments()).every(({ id }) => before.has(id))).toBe(true);
    await journey.page.goBack();
    await heading('Payment complete');
  });

  it('on a phone, in the dark: there and back', async () => {
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
    await walletButton().click();
    await heading('Confirm your payment of €19.90');
    await journey.shoot('wallet-page-phone-dark');
    await atWallet('Cancel').click();
    await waitForAlert('The confirmation was cancelled.');
    await journey.shoot('wallet-cancelled-phone-dark');
    await walletButton().click();
    await heading('Confirm your payment of €19.90');
    await approve();
    await journey.arriveAtShop();
  });
});

describe('a page of the merchant’s own has the order approved', () => {
  it('gateways.wallet names it from the start; its id is the token that pays', async () => {
    const userId = randomUUID();
    const accountData = { userId, email: 'buyer@example.com' };
    const products = [{ code: 'mug', quantity: 1 }];
    const { clientId } = journey.block;
    const created = await journey.call('/v1/checkouts/sessions', {
      method: 'POST',
      body: { clientId, currency: 'EUR', products, accountData },
    });
    const { id, nonce, gateways } = JSON.parse(created.text) as {
      id: string;
      nonce: string;
      gateways: { wallet: { clientId: string; orderId: string } };
    };
    const token = gateways.wallet.orderId;
    await journey.page.goto(`${journey.block.sandboxUrl}/checkoutnow?token=${token}`);
    await approve();
    await journey.page.waitForURL(`${journey.block.apiUrl}/c/${id}**`);
    const headers = { 'x-checkout-session-token': nonce, 'x-user-id': userId };
    const tokenizedData = { provider: 'wallet', type: 'wallet', token };
    const paid = await journey.call(`/v1/checkouts/sessions/${id}/process`, {
      method: 'POST',
      headers,
      body: { sessionId: id, tokenizedData, accountData },
    });
    expect(JSON.parse(paid.text)).toMatchObject({ type: 'success', status: 'succeeded' });
    const captured = (await journey.ledger()) as unknown as { kind: string; intent: string }[];
    expect(captured.filter(({ intent }) => intent === token)).toMatchObject([{ kind: 'capture' }]);
  });
});

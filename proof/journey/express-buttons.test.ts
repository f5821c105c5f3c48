// Express buttons on the provider's fields, in a merchant's own page: paid, left, declined, and where the
// session takes no payment any more. Contract §4.

import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { expecting, journey, startJourneyOn } from './ground.ts';
import { merchantPageOn } from './merchant-page.ts';

startJourneyOn(14820, ['--driver', 'provider-fields']);
expecting(/status of (402|409)|Unrecognized feature|frame-ancestors/);
const shop = merchantPageOn(journey);

const captured = async () =>
  (await journey.ledger()).filter(({ kind }) => kind === 'capture').length;

/** The provider's frame inside the frame of the card origin. */
const buttonsOn = (title: string) =>
  journey.page.frameLocator(`iframe[title="${title}"]`).frameLocator('#express iframe');
const pageButtons = () => buttonsOn('Express checkout');
const press = (name: string | RegExp) => pageButtons().getByRole('button', { name }).click();

/** Returns the merchant's newest payment, as the API shows it. */
async function lastPayment(): Promise<Record<string, unknown>> {
  const { text } = await journey.call('/v1/payments?limit=1');
  const { data } = JSON.parse(text) as { data: Record<string, unknown>[] };
  return data[0] ?? {};
}

async function declineNext(): Promise<void> {
  const response = await fetch(`${journey.block.sandboxUrl}/_control/faults`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ match: { path: '/v1/payment_intents' }, action: 'decline', count: 1 }),
  });
  expect(response.status).toBe(200);
}

describe('mountExpressCheckout in a merchant’s own page', () => {
  const heard = () => journey.page.evaluate('heard') as Promise<[string, unknown[]][]>;
  const names = async () => (await heard()).map(([name]) => name);

  async function open(): Promise<{ id: string; nonce: string }> {
    const userId = randomUUID();
    const { status, text } = await journey.call('/v1/checkouts/sessions', {
      method: 'POST',
      body: {
        clientId: journey.block.clientId,
        currency: 'EUR',
        captureMethod: 'automatic',
        products: [{ code: 'mug', quantity: 1 }],
        accountData: { userId, email: `${userId.slice(0, 8)}@example.com` },
      },
    });
    expect(status).toBe(201);
    return JSON.parse(text) as { id: string; nonce: string };
  }

  it('pays, and tells of the methods first and of the payment once', async () => {
    const before = await captured();
    const { id, nonce } = await open();
    await shop.visit();
    const given = { baseUrl: journey.block.apiUrl, sessionId: id, nonce };
    await journey.page.evaluate(`showExpress(${JSON.stringify(given)})`);
    await expect.poll(heard).toEqual([['onReady', [['google_pay', 'link']]]]);
    await press('Google Pay');
    await press('Approve with Google Pay');
    await expect.poll(names).toEqual(['onReady', 'onSuccess']);
    expect((await heard())[1]?.[1]).toMatchObject([{ type: 'success', status: 'succeeded' }]);
    expect(await captured()).toBe(before + 1);
  });

  it('left: nothing is charged; declined: told; and the same buttons pay then', async () => {
    const before = await captured();
    const { id, nonce } = await open();
    await shop.visit();
    const given = { baseUrl: journey.block.apiUrl, sessionId: id, nonce };
    await journey.page.evaluate(`showExpress(${JSON.stringify(given)})`);
    await press('Google Pay');
    await press('Cancel');
    await declineNext();
    await press('Link');
    await press('Approve with Link');
    await expect.poll(names).toEqual(['onReady', 'onDecline']);
    expect(await captured()).toBe(before);
    await press('Google Pay');
    await pageButtons()
      .getByText(/^Pay €\d+\.\d\d with Google Pay$/)
      .waitFor();
    await journey.shoot('express-sheet');
    await press('Approve with Google Pay');
    await expect.poll(names).toEqual(['onReady', 'onDecline', 'onSuccess']);
    expect(await captured()).toBe(before + 1);
    expect(JSON.stringify(await lastPayment())).toContain('google_pay');
  });

  it('shows nothing for a session that is over, and says so', async () => {
    const { id, nonce } = await open();
    const decline = { method: 'POST', headers: { 'x-checkout-session-token': nonce } };
    const path = `/v1/checkouts/sessions/${id}/decline`;
    await journey.call(path, { ...decline, body: { reason: 'buyer_canceled' } });
    await shop.visit();
    const given = { baseUrl: journey.block.apiUrl, sessionId: id, nonce };
    await journey.page.evaluate(`showExpress(${JSON.stringify(given)})`);
    await expect.poll(heard).toEqual([['onReady', [[]]]]);
    expect(await journey.page.locator('#card iframe').count()).toBe(0);
  });
});

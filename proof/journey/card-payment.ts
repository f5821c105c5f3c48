// A merchant's page in React pays with CardPayment. The product is started by `npm start`; the page
// has another origin and a strict policy; the card form and the sandbox's bank are real.

import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { expectErrors, journey } from './fixture.ts';
import { merchantPageOn } from './merchant-page.ts';

// The bank's frame ends at a page of the service that no merchant may embed.
expectErrors(/status of (402|409)|Unrecognized feature|frame-ancestors/);
const shop = merchantPageOn(journey);

const form = () => journey.page.frameLocator('#react-card iframe');
const bank = () => journey.page.frameLocator('dialog iframe');
const readEvents = () => journey.page.evaluate('heard') as Promise<[string, ...unknown[]][]>;
const readEventsNamed = async (name: string) =>
  (await readEvents()).filter(([one]) => one === name);
const countCaptures = async () =>
  (await journey.ledger()).filter(({ kind }) => kind === 'capture').length;

/** Opens a session on the merchant's server; the page renders the component in StrictMode. */
async function render(): Promise<string> {
  const userId = randomUUID();
  const accountData = { userId, email: `${userId.slice(0, 8)}@example.com` };
  const { clientId, apiUrl, demoShopUrl } = journey.block;
  const products = [{ code: 'mug', quantity: 1 }];
  const successUrl = `${demoShopUrl}/thanks`;
  const body = { clientId, currency: 'EUR', products, accountData, successUrl };
  const created = await journey.call('/v1/checkouts/sessions', { method: 'POST', body });
  expect(created.status).toBe(201);
  const { id: sessionId, nonce } = JSON.parse(created.text) as { id: string; nonce: string };
  await shop.visit();
  const first = JSON.stringify({ baseUrl: apiUrl, sessionId, nonce });
  await journey.page.evaluate(`import('/page-react.js').then(({ renderPayment }) => {
    globalThis.leave = renderPayment(${first}, globalThis);
  })`);
  await expect.poll(() => readEventsNamed('ready')).toHaveLength(1);
  return sessionId;
}

async function fillAndSubmit(number: string): Promise<void> {
  const field = form().getByLabel('Card number');
  await field.fill('');
  await field.pressSequentially(number);
  await form().getByLabel('Expiry date').fill('12/34');
  await form().getByLabel('Security code').fill('123');
  await journey.page.evaluate('globalThis.result = card.current.submit(), undefined');
}

describe('CardPayment in a merchant’s page', () => {
  it('declined, then paid by another card, charged once', async () => {
    const sessionId = await render();
    const before = await countCaptures();
    await fillAndSubmit('4000000000009995');
    await expect.poll(() => readEventsNamed('decline')).toHaveLength(1);
    const [[, decline] = []] = await readEventsNamed('decline');
    expect(decline).toMatchObject({ code: 'insufficient_funds' });
    await fillAndSubmit('4242424242424242');
    const body = { status: 'succeeded', sessionId };
    expect(await journey.page.evaluate('result')).toMatchObject({ type: 'success', body });
    expect(await countCaptures()).toBe(before + 1);
  });

  it('the bank asks in a dialog of the page, and the payment goes on from there', async () => {
    const sessionId = await render();
    const before = await countCaptures();
    await fillAndSubmit('4000002760003184');
    await bank()
      .getByRole('button', { name: /approve/i })
      .click();
    await expect.poll(() => readEventsNamed('success')).toHaveLength(1);
    const body = { status: 'succeeded', sessionId };
    expect(await journey.page.evaluate('result')).toMatchObject({ type: 'success', body });
    expect(await countCaptures()).toBe(before + 1);
    await journey.page.evaluate('leave()');
    await expect.poll(() => journey.page.locator('#card iframe').count()).toBe(0);
  });
});

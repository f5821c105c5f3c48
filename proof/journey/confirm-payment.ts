// A merchant's own page pays with the browser library. The product is started by `npm start`; the
// page has another origin and a strict policy; the card form and the sandbox's bank are real.
// Experience: 3DS.

import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { expectErrors, journey } from './fixture.ts';
import { merchantPageOn } from './merchant-page.ts';

// The bank's frame ends at a page of the service that no merchant may embed.
expectErrors(/status of (402|409)|Unrecognized feature|frame-ancestors/);
const shop = merchantPageOn(journey);

const challenged = '4000002760003184';
const form = () => journey.page.frameLocator('#card iframe');
const bank = () => journey.page.frameLocator('dialog iframe');
const answer = (name: RegExp) => bank().getByRole('button', { name }).click();
const result = () => journey.page.evaluate('globalThis.result') as Promise<{ type: string }>;

const thanksUrl = () => `${journey.block.demoShopUrl}/thanks`;

type OpenedSession = { readonly id: string; readonly nonce: string; readonly vault: object };
type Page = { readonly sessionId: string; pay(number: string): Promise<void> };

/** Opens a session on the merchant's server; the page shows the form. */
async function openPage(): Promise<Page> {
  const userId = randomUUID();
  const accountData = { userId, email: `${userId.slice(0, 8)}@example.com` };
  const { clientId, apiUrl } = journey.block;
  const products = [{ code: 'mug', quantity: 1 }];
  const cart = { clientId, currency: 'EUR', products, accountData };
  const body = { ...cart, successUrl: thanksUrl() };
  const created = await journey.call('/v1/checkouts/sessions', { method: 'POST', body });
  expect(created.status).toBe(201);
  const { id: sessionId, nonce, vault } = JSON.parse(created.text) as OpenedSession;
  await shop.visit();
  await journey.page.evaluate(`show(${JSON.stringify(vault)})`);
  return {
    sessionId,
    pay: async (number) => {
      await typeCard(number);
      const identity = { baseUrl: apiUrl, sessionId, nonce };
      const given = [identity, accountData, {}].map((one) => JSON.stringify(one));
      await journey.page.evaluate(`payCard(${given.join()})`);
    },
  };
}

async function typeCard(number: string): Promise<void> {
  const field = form().getByLabel('Card number');
  await field.fill('');
  await field.pressSequentially(number);
  await form().getByLabel('Expiry date').fill('12/34');
  await form().getByLabel('Security code').fill('123');
}

async function openChallenge(): Promise<Page> {
  const page = await openPage();
  await page.pay(challenged);
  await bank()
    .getByRole('button', { name: /approve/i })
    .waitFor();
  return page;
}

const listCaptureAmounts = async () =>
  (await journey.ledger()).filter(({ kind }) => kind === 'capture').map(({ amount }) => amount);
const countCaptures = async () => (await listCaptureAmounts()).length;

/** Pays once with another card, whatever happened to the first one. */
async function payAnotherWay(page: Page, before: number): Promise<void> {
  expect(await countCaptures()).toBe(before);
  expect(await journey.page.locator('dialog').count()).toBe(0);
  await page.pay('4242424242424242');
  expect(await result()).toMatchObject({ type: 'succeeded' });
  expect(await countCaptures()).toBe(before + 1);
}

/**
 * Follows docs/guides/two-phase-checkout.md in the page: an unclaimed session, its form, and the
 * claim of a cart.
 */
async function claimInPage(quantity: number): Promise<string> {
  const { clientId, apiUrl } = journey.block;
  const accountData = { userId: randomUUID(), email: 'ada@example.com' };
  const products = [{ code: 'mug', quantity }];
  const given = [apiUrl, { clientId, currency: 'EUR', country: 'DE' }, { products, accountData }];
  return (await journey.page.evaluate(`(async (apiUrl, draft, cart) => {
    globalThis.shop ??= new svc.PaymentAPI(apiUrl);
    const { shell, sessionId, nonce } = await shop.openShell(draft);
    if (globalThis.form) form.setMountToken(shell.vault.mountToken);
    else show(shell.vault);
    await shop.claimCheckoutSession(sessionId, nonce, { currency: draft.currency, ...cart });
    globalThis.payClaimed = () =>
      payCard({ baseUrl: apiUrl, sessionId, nonce }, cart.accountData, {});
    return sessionId;
  })(${given.map((one) => JSON.stringify(one)).join()})`)) as string;
}

describe('a cart that changes after its claim, in a merchant’s page', () => {
  it('a new shell takes over the form: what was typed stays, and the new cart alone is paid', async () => {
    const before = await listCaptureAmounts();
    await shop.visit();
    const first = await claimInPage(1);
    await typeCard('4000000000000002');
    await journey.page.evaluate('payClaimed()');
    expect(await result()).toMatchObject({ type: 'declined' });
    await typeCard('4242424242424242');
    const second = await claimInPage(2);
    expect(second).not.toBe(first);
    await expect.poll(() => form().getByLabel('Card number').inputValue()).toContain('4242 4242');
    await journey.page.evaluate('payClaimed()');
    const body = { status: 'succeeded', sessionId: second };
    expect(await result()).toMatchObject({ type: 'succeeded', body });
    expect(await listCaptureAmounts()).toEqual([...before, 3980]);
  });
});

describe('confirmPayment in a merchant’s page', () => {
  it('no question asked: paid, with where the buyer goes next', async () => {
    const { sessionId, pay } = await openPage();
    await pay('4242424242424242');
    const body = { status: 'succeeded', sessionId, redirectUrl: thanksUrl() };
    expect(await result()).toMatchObject({ type: 'succeeded', body });
  });

  it('succeeded: approved at the bank, charged once', async () => {
    const before = await countCaptures();
    const { sessionId } = await openChallenge();
    await answer(/approve/i);
    const body = { status: 'succeeded', sessionId, redirectUrl: thanksUrl() };
    expect(await result()).toMatchObject({ type: 'succeeded', body });
    expect(await countCaptures()).toBe(before + 1);
  });

  it('cancelled by the buyer: that attempt ends at the provider; another card pays', async () => {
    const before = await countCaptures();
    const page = await openChallenge();
    await journey.page.getByRole('button', { name: 'Cancel', exact: true }).click();
    await journey.page.getByRole('button', { name: 'Stop', exact: true }).click();
    expect(await result()).toEqual({ type: 'cancelled' });
    await payAnotherWay(page, before);
  });
});

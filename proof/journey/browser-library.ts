// A merchant's own page with the browser library: CardSetup, confirmPayment in two phases, and the React
// component. The page has another origin and a strict policy; the card form and the sandbox's bank are real.
// Spec: Browser component CardSetup; Saved payment method.

import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { expectErrors, journey } from './fixture.ts';
import { merchantPageOn } from './merchant-page.ts';

// The bank's frame ends at a page of the service that no merchant may embed.
expectErrors(/status of (402|409)|Unrecognized feature|frame-ancestors/);
const shop = merchantPageOn(journey);

const challenged = '4000002760003184';
const form = () => journey.page.frameLocator('#card iframe, #react-card iframe');
const approve = () => journey.bank().getByRole('button', { name: /approve/i });
const result = () => journey.page.evaluate('globalThis.result');

async function typeCard(number: string): Promise<void> {
  const field = form().getByLabel('Card number');
  await field.fill('');
  await field.pressSequentially(number);
  await form().getByLabel('Expiry date').fill('12/34');
  await form().getByLabel('Security code').fill('123');
}

/** The buyer leaves the bank's question by the buttons of the library's dialog. */
async function giveUp(): Promise<void> {
  await approve().waitFor();
  await journey.page.getByRole('button', { name: 'Cancel', exact: true }).click();
  await journey.page.getByRole('button', { name: 'Stop', exact: true }).click();
}

const listCaptureAmounts = async () =>
  (await journey.ledger()).filter(({ kind }) => kind === 'capture').map(({ amount }) => amount);

async function create<T>(path: string, body: object): Promise<T> {
  const { status, text } = await journey.call(path, { method: 'POST', body });
  expect(status).toBe(201);
  return JSON.parse(text) as T;
}

type Session = { readonly id: string; readonly nonce: string };

it('CardSetup: declined, given up at the bank, then approved: saved once, and nothing charged', async () => {
  const before = await journey.ledger();
  const userId = randomUUID();
  await create('/v1/customers', { id: userId, email: `${userId.slice(0, 8)}@example.com` });
  const { id, nonce } = await create<Session>('/v1/checkouts/sessions/setup', { userId });
  const listActive = async () => {
    const { text } = await journey.call(`/v1/payment-methods?userUuid=${userId}`);
    const { data } = JSON.parse(text) as { data: { status: string }[] };
    return data.filter(({ status }) => status === 'active');
  };
  await shop.visit();
  const given = { baseUrl: journey.block.apiUrl, sessionId: id, nonce };
  await journey.page.evaluate(`mount(${JSON.stringify(given)})`);
  const save = async (number: string) => {
    await typeCard(number);
    await journey.page.locator('#save').click();
  };

  await save('4000000000009995');
  const declined = { type: 'decline', code: 'insufficient_funds', challenge: null };
  expect(await result()).toMatchObject(declined);
  await save(challenged);
  await giveUp();
  expect(await result()).toMatchObject({ type: 'cancel', reason: 'cancelled' });
  expect(await listActive()).toEqual([]);
  await save(challenged);
  await approve().click();
  const end = (await result()) as { paymentMethodId: string };
  expect(end).toMatchObject({ type: 'success', challenge: 'succeeded' });
  expect(await listActive()).toMatchObject([{ id: end.paymentMethodId, lastFour: '3184' }]);
  expect(await journey.ledger()).toEqual(before);
});

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

it('confirmPayment: declined, given up at the bank; a new cart takes over the form and alone is paid', async () => {
  const before = await listCaptureAmounts();
  await shop.visit();
  const first = await claimInPage(1);
  await typeCard('4000000000000002');
  await journey.page.evaluate('payClaimed()');
  expect(await result()).toMatchObject({ type: 'declined' });
  await typeCard(challenged);
  await journey.page.evaluate('payClaimed()');
  await giveUp();
  expect(await result()).toEqual({ type: 'cancelled' });
  expect(await journey.page.locator('dialog').count()).toBe(0);
  await typeCard('4242424242424242');
  const second = await claimInPage(2);
  expect(second).not.toBe(first);
  await expect.poll(() => form().getByLabel('Card number').inputValue()).toContain('4242 4242');
  await journey.page.evaluate('payClaimed()');
  const body = { status: 'succeeded', sessionId: second };
  expect(await result()).toMatchObject({ type: 'succeeded', body });
  expect(await listCaptureAmounts()).toEqual([...before, 3980]);
});

it('CardPayment in React: declined, then asked by the bank in a dialog of the page, charged once', async () => {
  const userId = randomUUID();
  const { clientId, apiUrl } = journey.block;
  const { id: sessionId, nonce } = await create<Session>('/v1/checkouts/sessions', {
    clientId,
    currency: 'EUR',
    products: [{ code: 'mug', quantity: 1 }],
    accountData: { userId, email: `${userId.slice(0, 8)}@example.com` },
  });
  const readEvents = async (name: string) =>
    ((await journey.page.evaluate('heard')) as [string, ...unknown[]][]).filter(
      ([one]) => one === name,
    );
  const submit = () =>
    journey.page.evaluate('globalThis.result = card.current.submit(), undefined');
  await shop.visit();
  const first = JSON.stringify({ baseUrl: apiUrl, sessionId, nonce });
  await journey.page.evaluate(`import('/page-react.js').then(({ renderPayment }) => {
    globalThis.leave = renderPayment(${first}, globalThis);
  })`);
  await expect.poll(() => readEvents('ready')).toHaveLength(1);

  const before = await listCaptureAmounts();
  await typeCard('4000000000009995');
  await submit();
  const declined = ['decline', { code: 'insufficient_funds' }];
  await expect.poll(() => readEvents('decline')).toMatchObject([declined]);
  await typeCard(challenged);
  await submit();
  await approve().click();
  await expect.poll(() => readEvents('success')).toHaveLength(1);
  const body = { status: 'succeeded', sessionId };
  expect(await result()).toMatchObject({ type: 'success', body });
  expect(await listCaptureAmounts()).toEqual([...before, 1990]);
  await journey.page.evaluate('leave()');
  await expect.poll(() => journey.page.locator('#card iframe').count()).toBe(0);
});

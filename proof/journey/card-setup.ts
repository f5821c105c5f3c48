// A merchant's own page saves a card with the browser library. The product is started by `npm
// start`; the page has another origin and a strict policy; the card form and the sandbox's bank are
// real. Spec: Browser component CardSetup; Saved payment method.

import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { expectErrors, journey } from './fixture.ts';
import { merchantPageOn } from './merchant-page.ts';

// The bank's frame ends at a page of the service that no merchant may embed.
expectErrors(/status of (402|409)|Unrecognized feature|frame-ancestors/);

const shop = merchantPageOn(journey);

type Method = { id: string; status: string; lastFour: string; brand: string };
type Setup = { userId: string; sessionId: string };

const form = () => journey.page.frameLocator('#card iframe, svc-card-setup iframe');
const bank = () => journey.page.frameLocator('dialog iframe');
const result = () => journey.page.evaluate('globalThis.result') as Promise<Record<string, unknown>>;

async function methodsOf(userId: string): Promise<Method[]> {
  const { text } = await journey.call(`/v1/payment-methods?userUuid=${userId}`);
  return (JSON.parse(text) as { data: Method[] }).data;
}
const activeMethodsOf = async (userId: string) =>
  (await methodsOf(userId)).filter(({ status }) => status === 'active');

/** Opens a setup session on the merchant's server; the page gets only its id and nonce. */
async function openSession(): Promise<Setup & { nonce: string }> {
  const userId = randomUUID();
  const body = { id: userId, email: `${userId.slice(0, 8)}@example.com` };
  expect((await journey.call('/v1/customers', { method: 'POST', body })).status).toBe(201);
  const { status, text } = await journey.call('/v1/checkouts/sessions/setup', {
    method: 'POST',
    body: { userId },
  });
  expect(status).toBe(201);
  const { id: sessionId, nonce } = JSON.parse(text) as { id: string; nonce: string };
  await shop.visit();
  return { userId, sessionId, nonce };
}

async function openSetup(): Promise<Setup> {
  const { userId, sessionId, nonce } = await openSession();
  const given = { baseUrl: journey.block.apiUrl, sessionId, nonce };
  await journey.page.evaluate(`mount(${JSON.stringify(given)})`);
  await form().getByLabel('Card number').waitFor();
  return { userId, sessionId };
}

async function typeCard(number: string): Promise<void> {
  const field = form().getByLabel('Card number');
  await field.fill('');
  await field.pressSequentially(number);
  await form().getByLabel('Expiry date').fill('12/34');
  await form().getByLabel('Security code').fill('123');
}

async function submitCard(number: string): Promise<void> {
  await typeCard(number);
  await journey.page.locator('#save').click();
}

const answer = (name: RegExp) => bank().getByRole('button', { name }).click();
const challenged = '4000002760003184';
const bankIsThere = () =>
  bank()
    .getByRole('button', { name: /approve/i })
    .waitFor();

async function expectSaved(userId: string, lastFour: string): Promise<void> {
  const end = await result();
  expect(end).toMatchObject({ type: 'success' });
  expect(await activeMethodsOf(userId)).toMatchObject([{ id: end.paymentMethodId, lastFour }]);
}

describe('CardSetup in a merchant’s page', () => {
  it('saves 4242… without the bank, charges nothing, and answers the id that the list shows', async () => {
    const before = await journey.ledger();
    const { userId } = await openSetup();
    expect(await activeMethodsOf(userId)).toEqual([]);
    await typeCard('4242424242424242');
    await journey.shoot('card-setup');
    await journey.page.locator('#save').click();
    await expectSaved(userId, '4242');
    expect(await journey.ledger()).toEqual(before);
    const { text } = await journey.call('/v1/payments?limit=100');
    const payments = (JSON.parse(text) as { data: { userId: string }[] }).data;
    expect(payments.filter((payment) => payment.userId === userId)).toEqual([]);
  });

  it('a declined card leaves no active method, and another one is saved by the same form', async () => {
    const { userId } = await openSetup();
    await submitCard('4000000000009995');
    expect(await result()).toMatchObject({
      type: 'decline',
      code: 'insufficient_funds',
      challenge: null,
    });
    expect(await activeMethodsOf(userId)).toEqual([]);
    await submitCard('5555555555554444');
    await expectSaved(userId, '4444');
  });

  it('left alone: the pending card is never usable', async () => {
    const { userId } = await openSetup();
    await typeCard('4242424242424242');
    await journey.page.goto('about:blank');
    expect((await methodsOf(userId)).map(({ status }) => status)).toEqual(['pending']);
  });

  it('as an element: the same, by event', async () => {
    const { userId, sessionId, nonce } = await openSession();
    await journey.page.evaluate(`(() => {
      svc.defineCardSetup();
      const element = document.createElement('svc-card-setup');
      element.setAttribute('base-url', '${journey.block.apiUrl}');
      element.setAttribute('session-id', '${sessionId}');
      element.setAttribute('nonce', '${nonce}');
      globalThis.setup = element;
      globalThis.told = new Promise((resolve) =>
        element.addEventListener('success', (event) => resolve(event.detail)));
      document.querySelector('#other').append(element);
    })()`);
    await submitCard('4242424242424242');
    expect(await journey.page.evaluate('told')).toMatchObject({ challenge: null });
    await expectSaved(userId, '4242');
  });

  it('the page cannot read the form, and stores nothing', async () => {
    await openSetup();
    await typeCard('4242424242424242');
    expect(await journey.page.evaluate('document.querySelector("iframe").contentDocument')).toBe(
      null,
    );
    expect(await journey.context.cookies()).toEqual([]);
    expect(await journey.page.evaluate('localStorage.length + sessionStorage.length')).toBe(0);
  });
});

describe('3-D Secure in a merchant’s page', () => {
  it('succeeded: approved at the bank, verified, saved', async () => {
    const { userId } = await openSetup();
    await submitCard(challenged);
    await bankIsThere();
    await journey.shoot('card-setup-bank');
    expect(await activeMethodsOf(userId)).toEqual([]);
    await answer(/approve/i);
    await expectSaved(userId, '3184');
    expect(await result()).toMatchObject({ challenge: 'succeeded' });
  });

  it('cancelled by the buyer: nothing saved, and another card is', async () => {
    const { userId } = await openSetup();
    await submitCard(challenged);
    await bankIsThere();
    await journey.page.getByRole('button', { name: 'Cancel', exact: true }).click();
    await journey.page.getByRole('button', { name: 'Stop', exact: true }).click();
    expect(await result()).toMatchObject({ type: 'cancel', reason: 'cancelled' });
    expect(await activeMethodsOf(userId)).toEqual([]);
    await submitCard('4242424242424242');
    await expectSaved(userId, '4242');
  });

  it('reloaded while the bank asks: the newer card ends the older question', async () => {
    const { userId, sessionId, nonce } = await openSession();
    const given = JSON.stringify({ baseUrl: journey.block.apiUrl, sessionId, nonce });
    await journey.page.evaluate(`mount(${given})`);
    await submitCard(challenged);
    await bankIsThere();
    await journey.page.reload();
    await journey.page.waitForFunction('globalThis.svc !== undefined');
    await journey.page.evaluate(`mount(${given})`);
    await submitCard('4242424242424242');
    await expectSaved(userId, '4242');
  });
});

describe('a setup session that was left alone for two hours', () => {
  it('saves nothing any more, and says so', async () => {
    const { userId } = await openSetup();
    await typeCard('4242424242424242');
    await journey.advance(2 * 3_600);
    await journey.page.locator('#save').click();
    const end = (await result()) as { type: string; error: { code: string } };
    expect(end.type).toBe('error');
    expect(end.error.code).toMatch(/session_expired$/);
    expect(await activeMethodsOf(userId)).toEqual([]);
  });
});

// A buyer with WebKitGTK: what `npm start` starts, the hosted page, and CardSetup in a merchant's page of
// another origin under a strict policy. Run by `npm run proof -- --only browsers`.

import { randomUUID } from 'node:crypto';
import { scaled } from '@svc/tools/machine';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { journey } from '../journey/fixture.ts';
import { merchantPageOn } from '../journey/merchant-page.ts';
import { WebKit } from './webkit.ts';

const threeDs = '4000002760003184';
const webkit = new WebKit();

const cardForm = `document.querySelector('.card-host iframe, #card iframe')`;
const queryInRoots = (selector: string) => `(() => {
  const roots = [document, ...[...document.querySelectorAll('*')].flatMap((one) => one.shadowRoot ?? [])];
  return roots.map((root) => root.querySelector('${selector}')).find(Boolean) ?? null;
})()`;
const bank = queryInRoots('dialog iframe');
const button = (name: string, place = 'document') =>
  `[...${place}.querySelectorAll('button')].find((one) => one.textContent.trim() === '${name}') ?? null`;

async function typeCard(number: string): Promise<void> {
  await webkit.within(cardForm, async () => {
    await webkit.type(`document.querySelector('#form:not([hidden]) #number')`, number);
    await webkit.type(`document.querySelector('#expiry')`, '12/34');
    await webkit.type(`document.querySelector('#cvc')`, '123');
  });
}
const answer = (name: string) => webkit.within(bank, () => webkit.click(button(name)));
const expectText = (text: string | RegExp) =>
  expect.poll(() => webkit.evaluate('document.body.innerText')).toMatch(text);

type CreatedObject = { readonly id: string; readonly url: string; readonly nonce: string };
async function create(path: string, body: object): Promise<CreatedObject> {
  const { status, text } = await journey.call(path, { method: 'POST', body });
  expect(status).toBe(201);
  return JSON.parse(text) as CreatedObject;
}
async function aBuyer(): Promise<string> {
  return (await create('/v1/customers', { email: `buyer-${randomUUID()}@example.com` })).id;
}
const activeMethodsOf = async (userId: string): Promise<{ lastFour: string }[]> => {
  const query = `userUuid=${userId}&status[eq]=active`;
  return JSON.parse((await journey.call(`/v1/payment-methods?${query}`)).text).data;
};

/** A session of the hosted page. */
async function checkout(userId: string): Promise<CreatedObject> {
  const shop = `${journey.block.demoShopUrl}/`;
  return create('/v1/checkouts/sessions', {
    clientId: journey.block.clientId,
    currency: 'EUR',
    products: [{ code: 'mug', quantity: 1 }],
    accountData: { userId, email: `${userId.slice(0, 8)}@example.com` },
    successUrl: `${shop}?paid=yes`,
    cancelUrl: shop,
  });
}
const pay = () => webkit.click(`document.querySelector('button.pay:not([disabled])')`);
/** The session's success address, which the page goes to once it is paid. */
const isPaid = async () => (await webkit.url()).includes('?paid=yes');
const expectPaid = () => expect.poll(isPaid).toBe(true);

describe('WebKitGTK', () => {
  beforeAll(async () => {
    await journey.start(14_760);
    await webkit.start();
  }, scaled(120_000));
  const shop = merchantPageOn(journey);
  beforeEach(() => webkit.open());
  afterAll(async () => {
    await webkit.close().catch(() => {});
    webkit.stop();
    await journey.stop();
  }, scaled(60_000));

  it('hosted page: a declined card is told, and another one pays', async () => {
    const { url } = await checkout(randomUUID());
    await webkit.goto(url);
    await typeCard('4000000000000002');
    await pay();
    await expectText(/declined/i);
    await typeCard('4242424242424242');
    await pay();
    await expectPaid();
  });

  it('hosted page: 3DS failed pays nothing, approved pays', async () => {
    const { url } = await checkout(randomUUID());
    await webkit.goto(url);
    await typeCard(threeDs);
    await pay();
    await answer('Fail');
    await webkit.element(`document.querySelector('[role=alert]')`);
    expect(await isPaid()).toBe(false);
    await pay();
    await answer('Approve');
    await expectPaid();
  });

  it('hosted page: a setup session saves a card', async () => {
    const userId = await aBuyer();
    const { url } = await create('/v1/checkouts/sessions/setup', { userId });
    await webkit.goto(url);
    await typeCard('4242424242424242');
    await pay();
    await expect.poll(() => activeMethodsOf(userId)).toMatchObject([{ lastFour: '4242' }]);
  });

  it('CardSetup: a declined card is told; 3DS approved saves another one', async () => {
    const userId = await aBuyer();
    const { id: sessionId, nonce } = await create('/v1/checkouts/sessions/setup', { userId });
    await webkit.goto(shop.url());
    await webkit.element(`globalThis.svc && document.querySelector('#save') || null`);
    const given = { baseUrl: journey.block.apiUrl, sessionId, nonce };
    await webkit.evaluate(`void mount(${JSON.stringify(given)})`);
    await typeCard('4000000000009995');
    await webkit.click(`document.querySelector('#save')`);
    expect(await webkit.evaluate('globalThis.result')).toMatchObject({ type: 'decline' });
    await typeCard(threeDs);
    await webkit.click(`document.querySelector('#save')`);
    await answer('Approve');
    expect(await webkit.evaluate('globalThis.result')).toMatchObject({ type: 'success' });
    expect(await activeMethodsOf(userId)).toMatchObject([{ lastFour: '3184' }]);
  });
});

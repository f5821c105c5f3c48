// Express buttons on the provider's fields, in a merchant's own page and on the hosted page: paid, held,
// saved, left, declined, asked by the bank, and where nothing is due. Contract §4. docs/decisions/card-form.md.

import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { journey } from './fixture.ts';
import { merchantPageOn } from './merchant-page.ts';

const shop = merchantPageOn(journey);

const countCaptures = async () =>
  (await journey.ledger()).filter(({ kind }) => kind === 'capture').length;

/** The provider's frame inside the frame of the card origin. */
const buttonsOn = (title: string) =>
  journey.page.frameLocator(`iframe[title="${title}"]`).frameLocator('#express iframe');
const pageButtons = () => buttonsOn('Express checkout');
const hosted = () => buttonsOn('Google Pay, Link');
// Pressed by keyboard: for a moment after a frame has come or moved, Chromium sends a click at its place to
// the frame that was there before.
const pressButton = (name: string) =>
  pageButtons().getByRole('button', { name, exact: true }).press('Enter');
const pressHosted = (name: string, options: { timeout?: number } = {}) =>
  hosted().getByRole('button', { name, exact: true }).press('Enter', options);

/** Opens the wallet's sheet. While the total is settled the buttons take no press, so a buyer presses again. */
async function openSheet(name: 'Google Pay' | 'Link' = 'Google Pay'): Promise<void> {
  const approve = hosted().getByRole('button', { name: `Approve with ${name}` });
  const open = async () => {
    await pressHosted(name, { timeout: 1000 }).catch(() => undefined);
    return approve.isVisible();
  };
  await expect.poll(open, { interval: 300, timeout: 20_000 }).toBe(true);
}

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
  const readEvents = () => journey.page.evaluate('heard') as Promise<[string, unknown[]][]>;
  const names = async () => (await readEvents()).map(([name]) => name);

  async function openSession(): Promise<{ id: string; nonce: string }> {
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

  it('tells of the methods first; left: nothing is charged; declined: told; then the same buttons pay', async () => {
    const before = await countCaptures();
    const { id, nonce } = await openSession();
    await shop.visit();
    const given = { baseUrl: journey.block.apiUrl, sessionId: id, nonce };
    await journey.page.evaluate(`showExpress(${JSON.stringify(given)})`);
    await expect.poll(readEvents).toEqual([['onReady', [['google_pay', 'link']]]]);
    await pressButton('Google Pay');
    await pressButton('Cancel');
    await declineNext();
    await pressButton('Link');
    await pressButton('Approve with Link');
    await expect.poll(names).toEqual(['onReady', 'onDecline']);
    expect(await countCaptures()).toBe(before);
    await pressButton('Google Pay');
    await pageButtons()
      .getByText(/^Pay €\d+\.\d\d with Google Pay$/)
      .waitFor();
    await journey.shoot('express-sheet');
    await pressButton('Approve with Google Pay');
    await expect.poll(names).toEqual(['onReady', 'onDecline', 'onSuccess']);
    expect((await readEvents())[2]?.[1]).toMatchObject([{ type: 'success', status: 'succeeded' }]);
    expect(await countCaptures()).toBe(before + 1);
    expect(JSON.stringify(await lastPayment())).toContain('google_pay');
  });
});

/** The buttons of the hosted page, in their place above the form. */
async function goToButtons(captureMethod: 'automatic' | 'manual' = 'automatic'): Promise<void> {
  await journey.goToCheckout(captureMethod);
  await journey.page.locator('.express[data-shown]').waitFor();
  await hosted().getByRole('button', { name: 'Google Pay' }).waitFor();
}

async function approve(name: 'Google Pay' | 'Link' = 'Google Pay'): Promise<void> {
  await openSheet(name);
  await pressHosted(`Approve with ${name}`);
}

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

const sheetSays = (text: RegExp) => hosted().getByText(text).waitFor();
const places = () => journey.page.locator('.express[data-shown]').count();

describe('the hosted page', () => {
  it('pays with one press by a script of its own, for the amount of the session', async () => {
    const asked: string[] = [];
    journey.page.on('request', (request) => asked.push(new URL(request.url()).pathname));
    const before = await countCaptures();
    await goToButtons();
    await journey.shoot('express-hosted');
    const [file = ''] = asked.filter((path) => /express-[\w-]{8}\.js$/.test(path));
    expect(file).toMatch(/^\/assets\/express-/);
    const link = journey.page.locator(`link[rel=modulepreload][href="${file}"]`);
    expect(await link.getAttribute('integrity')).toMatch(/^sha384-/);
    const frames = journey.page.frames().filter((frame) => /stand-in\/express/.test(frame.url()));
    expect(frames).toHaveLength(1);
    for (let frame = frames[0] ?? null; frame; frame = frame.parentFrame()) {
      expect(
        // Firefox has no such list to ask.
        await frame.evaluate("document.featurePolicy?.allowsFeature('payment') ?? true"),
      ).toBe(true);
    }
    await openSheet();
    await sheetSays(/^Pay €19\.90 with Google Pay$/);
    await pressHosted('Approve with Google Pay');
    await journey.arriveAtShop();
    expect(await countCaptures()).toBe(before + 1);
    const paid = await lastPayment();
    expect(paid).toMatchObject({ amount: 19.9, currency: 'EUR', status: 'succeeded' });
    expect(JSON.stringify(paid)).toContain('google_pay');
  });

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

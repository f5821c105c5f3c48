// The whole product on the provider's own fields, as `npm start -- --driver provider-fields` starts it: the
// hosted page, a merchant's own page, the bank, a saved card, and no number anywhere. Contract §4.

import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import pg from 'pg';
import type { FrameLocator } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { expectErrors, journey, startJourneyOn } from './fixture.ts';
import { merchantPageOn } from './merchant-page.ts';

startJourneyOn(14740, ['--driver', 'provider-fields']);
// The bank's frame ends at a page of the service that no merchant may embed.
expectErrors(/status of (402|404|409|422)|Unrecognized feature|frame-ancestors/);
const shop = merchantPageOn(journey);
describe('express buttons', async () => void (await import('./express-buttons.ts')));

const challenged = '4000002760003184';
const challengedWithoutFunds = '4000008260003178';
const field = (form: FrameLocator, name: 'number' | 'expiry' | 'cvc') =>
  form.frameLocator(`#${name} iframe`).locator('input');

async function typeCard(form: FrameLocator, number: string): Promise<void> {
  await field(form, 'number').fill('');
  await field(form, 'number').pressSequentially(number);
  await field(form, 'expiry').fill('1234');
  await field(form, 'cvc').fill('123');
}

const countCaptures = async () =>
  (await journey.ledger()).filter(({ kind }) => kind === 'capture').length;

async function payOnPage(number: string): Promise<void> {
  await typeCard(journey.cardForm(), number);
  await journey.payButton().click();
}

type OpenedSession = {
  readonly id: string;
  readonly nonce: string;
  readonly url: string;
  readonly vault: object;
};
type Buyer = { readonly userId: string; readonly email: string };

async function aCustomer(): Promise<Buyer> {
  const userId = randomUUID();
  const email = `${userId.slice(0, 8)}@example.com`;
  const made = await journey.call('/v1/customers', { method: 'POST', body: { id: userId, email } });
  expect(made.status).toBe(201);
  return { userId, email };
}

async function openSession(path: string, body: object): Promise<OpenedSession> {
  const { status, text } = await journey.call(path, { method: 'POST', body });
  expect(status).toBe(201);
  return JSON.parse(text) as OpenedSession;
}

const cart = (accountData: object) => ({
  clientId: journey.block.clientId,
  currency: 'EUR',
  captureMethod: 'automatic',
  products: [{ code: 'mug', quantity: 1 }],
  accountData,
});

async function savedCardsOf({ userId }: Buyer): Promise<object[]> {
  const { text } = await journey.call(`/v1/payment-methods?userUuid=${userId}`);
  return (JSON.parse(text) as { data: object[] }).data;
}

const answerBank = (name: string) =>
  journey.bank().getByRole('button', { name, exact: true }).click();
/** The buyer leaves the bank's question by the buttons of our dialog. */
async function giveUp(): Promise<void> {
  await journey.bank().getByRole('button', { name: 'Approve', exact: true }).waitFor();
  await journey.page.getByRole('button', { name: 'Cancel', exact: true }).click();
  await journey.page.getByRole('button', { name: 'Stop', exact: true }).click();
}
const paymentIsComplete = () =>
  journey.page.getByRole('heading', { name: 'Payment complete', level: 2 }).waitFor();

describe('the hosted page', () => {
  it('paid by a form of two origins that the page cannot read; the number is in no page, table or log', async () => {
    const before = await countCaptures();
    await journey.goToCheckout('automatic');
    await journey.shoot('provider-fields');
    const frames = journey.page.frames().map((frame) => URL.parse(frame.url())?.origin);
    expect(frames).toContain(journey.block.cardFormUrl);
    expect(frames).toContain(`http://127.0.0.1:${new URL(journey.block.sandboxUrl).port}`);
    await payOnPage('5200828282828210');
    const markup = await journey.page.evaluate('document.documentElement.outerHTML');
    await journey.arriveAtShop();
    expect(await countCaptures()).toBe(before + 1);
    const logs = join(journey.folder, 'logs');
    const kept = [
      markup,
      await readEveryRow(),
      ...readdirSync(logs).map((name) => readFileSync(join(logs, name), 'latin1')),
    ].join('\n');
    expect(kept).toContain('8210');
    expect(kept).not.toMatch(/5200 ?8282 ?8282 ?8210/);
  });

  it('a wrong number, a decline and no confirmation by the bank are told, and the same form pays once', async () => {
    const before = await countCaptures();
    await journey.goToCheckout('automatic');
    await payOnPage('4242424242424241');
    const errors = journey.cardForm().locator('#errors');
    await expect.poll(() => errors.textContent()).toContain('Check the card number');
    await payOnPage('4000000000000002');
    await expect.poll(() => journey.page.locator('main').textContent()).toMatch(/declined/i);
    await payOnPage(challenged);
    await answerBank('Fail');
    // The provider reports every end without an approval in the same way. docs/decisions/card-provider.md.
    const alert = journey.page.getByRole('alert');
    await alert.getByText('Your bank could not confirm that it is you.').waitFor();
    expect(await countCaptures()).toBe(before);
    await payOnPage(challenged);
    await answerBank('Approve');
    await journey.arriveAtShop();
    expect(await countCaptures()).toBe(before + 1);
  });

  it('the provider’s script is blocked: said, with a way to try again; then held, and captured later', async () => {
    const before = await countCaptures();
    await journey.page.route('**/v3/', (route) => route.abort());
    const usual = journey.expected;
    journey.expected = /net::ERR_FAILED|Unrecognized feature/;
    await journey.page.goto(`${journey.block.demoShopUrl}/?qty-mug=1`);
    await journey.page.locator('input[name=captureMethod][value=manual]').check();
    await journey.page.getByRole('button', { name: 'Go to checkout' }).click();
    await journey.page.getByText('The card form did not load').waitFor();
    await journey.page.unroute('**/v3/');
    await journey.page.getByRole('button', { name: 'Try again' }).click();
    await payOnPage('4242424242424242');
    await journey.arriveAtShop();
    journey.expected = usual;
    expect(await countCaptures()).toBe(before);
    const path = `/v1/payments/${await journey.shownPayment()}`;
    expect(JSON.parse((await journey.call(path)).text)).toMatchObject({ status: 'authorized' });
    const headers = { 'idempotency-key': randomUUID() };
    const captured = await journey.call(`${path}/capture`, { method: 'PUT', headers, body: {} });
    expect(JSON.parse(captured.text)).toMatchObject({ status: 'succeeded' });
    expect(await countCaptures()).toBe(before + 1);
  });

  it('saves the card of a payment, and that card pays the next time without the fields', async () => {
    const buyer = await aCustomer();
    const before = await countCaptures();
    await journey.page.goto((await openSession('/v1/checkouts/sessions', cart(buyer))).url);
    await journey.page.getByRole('checkbox', { name: 'Save this card' }).check();
    await payOnPage('4242424242424242');
    await paymentIsComplete();
    await journey.page.goto((await openSession('/v1/checkouts/sessions', cart(buyer))).url);
    expect(await journey.page.getByRole('radio', { name: 'Visa ending in 4242' }).isChecked()).toBe(
      true,
    );
    await journey.payButton().click();
    await paymentIsComplete();
    expect(await countCaptures()).toBe(before + 2);
  });
});

const form = () => journey.page.frameLocator('#card iframe').first();
const result = () => journey.page.evaluate('globalThis.result') as Promise<Record<string, unknown>>;

describe('a merchant’s own page', () => {
  it('CardSetup: declined, another card saved after the bank was asked, which pays later without the form', async () => {
    const buyer = await aCustomer();
    const ledger = await journey.ledger();
    const session = await openSession('/v1/checkouts/sessions/setup', { userId: buyer.userId });
    await shop.visit();
    const given = { baseUrl: journey.block.apiUrl, sessionId: session.id, nonce: session.nonce };
    await journey.page.evaluate(`mount(${JSON.stringify(given)})`);
    await typeCard(form(), '4000000000009995');
    await journey.page.locator('#save').click();
    expect(await result()).toMatchObject({ type: 'decline', code: 'insufficient_funds' });
    await typeCard(form(), '4000002500003155');
    await journey.page.locator('#save').click();
    await answerBank('Approve');
    const saved = await result();
    expect(saved).toMatchObject({ type: 'success' });
    expect(await savedCardsOf(buyer)).toMatchObject([{ lastFour: '3155', status: 'active' }]);
    expect(await journey.ledger()).toEqual(ledger);

    const before = await countCaptures();
    const { id, nonce } = await openSession('/v1/checkouts/sessions', cart(buyer));
    const paid = await journey.call(`/v1/checkouts/sessions/${id}/process`, {
      method: 'POST',
      headers: { 'x-checkout-session-token': nonce, 'x-user-id': buyer.userId },
      body: {
        sessionId: id,
        tokenizedData: {
          provider: 'cardprovider',
          type: 'card',
          paymentMethodId: saved.paymentMethodId,
        },
        accountData: buyer,
      },
    });
    expect([paid.status, JSON.parse(paid.text)]).toMatchObject([200, { type: 'success' }]);
    expect(await countCaptures()).toBe(before + 1);
  });

  it('mountCardFrame and confirmPayment: each end that it keeps apart, by one form', async () => {
    const buyer = await aCustomer();
    const before = await countCaptures();
    await shop.visit();
    for (const [type, number, answer, options] of [
      ['failed', challenged, () => answerBank('Fail')],
      ['declined', challengedWithoutFunds, () => answerBank('Approve')],
      ['cancelled', challenged, () => giveUp()],
      ['timed_out', challenged, async () => undefined, { challengeTimeoutMs: 1000 }],
      ['succeeded', challenged, () => answerBank('Approve')],
    ] as const) {
      expect(await countCaptures()).toBe(before);
      // One session takes six attempts a minute.
      const { id, nonce, vault } = await openSession('/v1/checkouts/sessions', cart(buyer));
      await journey.page.evaluate(`(({ vault }) => {
        if (globalThis.form) form.setMountToken(vault.mountToken);
        else show(vault);
      })(${JSON.stringify({ vault })})`);
      await typeCard(form(), number);
      const identity = { baseUrl: journey.block.apiUrl, sessionId: id, nonce };
      const given = [identity, buyer, options ?? {}].map((one) => JSON.stringify(one));
      await journey.page.evaluate(`payCard(${given.join()})`);
      await answer();
      expect(await result()).toMatchObject({ type });
    }
    expect(await countCaptures()).toBe(before + 1);
  });
});

/** Returns every row that the service stores, as text. */
async function readEveryRow(): Promise<string> {
  const env = parseEnv(readFileSync(join(journey.folder, 'service.env'), 'utf8'));
  const client = new pg.Client({ connectionString: env.DATABASE_OWNER_URL });
  await client.connect();
  try {
    const { rows } = await client.query<{ name: string }>(
      `select format('%I.%I', schemaname, tablename) as name from pg_tables where schemaname = 'public'`,
    );
    const texts: string[] = [];
    for (const { name } of rows) {
      texts.push(JSON.stringify((await client.query(`select t::text from ${name} t`)).rows));
    }
    return texts.join('\n');
  } finally {
    await client.end();
  }
}

describe('a subscription', () => {
  it('its first period is paid in the fields, and the next ones without the buyer', async () => {
    const buyer = await aCustomer();
    const code = `club-${randomUUID().slice(0, 8)}`;
    const prices = [{ currency: 'EUR', amount: 24 }];
    const product = { code, name: 'Club', kind: 'subscription', interval: 'month', prices };
    await journey.call('/v1/products', { method: 'POST', body: product });
    const body = { ...cart(buyer), products: [{ code, quantity: 1 }] };
    await journey.page.goto((await openSession('/v1/checkouts/sessions', body)).url);
    // A card of which the bank asks once, when it is kept.
    await payOnPage('4000002500003155');
    await answerBank('Approve');
    await paymentIsComplete();

    const read = async (path: string) =>
      (JSON.parse((await journey.call(path)).text) as { data: object[] }).data;
    const subscriptions = () => read(`/v1/subscriptions?userId[eq]=${buyer.userId}`);
    const [card] = (await savedCardsOf(buyer)) as { id: string }[];
    const started = { status: 'active', productCode: code, paymentMethodId: card?.id };
    expect(await subscriptions()).toMatchObject([started]);
    const before = await countCaptures();
    await journey.advance(31 * 86_400);
    const paid = async () =>
      (await read(`/v1/payments?email=${encodeURIComponent(buyer.email)}&limit=10`)).length;
    await expect.poll(paid, { timeout: 30_000 }).toBe(2);
    await expect.poll(countCaptures, { timeout: 30_000 }).toBe(before + 1);
    expect(await subscriptions()).toMatchObject([{ ...started }]);
  });
});

describe('svc trigger', () => {
  it('makes its payments as the provider’s fields do', async () => {
    const { apiUrl, clientId, apiToken, sandboxUrl } = journey.block;
    const svc = join(import.meta.dirname, '../../service/src/svc.ts');
    const env = { ...process.env, SVC_API_URL: apiUrl, SVC_SANDBOX_URL: sandboxUrl };
    const credentials = { SVC_CLIENT_ID: clientId, SVC_API_TOKEN: apiToken };
    const ran = spawn(process.execPath, [svc, 'trigger', 'payment.succeeded'], {
      env: { ...env, ...credentials },
      stdio: 'ignore',
    });
    expect(await new Promise((resolve) => ran.once('exit', resolve))).toBe(0);
  });
});

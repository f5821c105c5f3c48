// In which language a buyer is written to. Additions §2, Mails to buyers.

import { refundMailText } from '@svc/contract/payments/refund-mail';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { aCustomer, callAs, newId } from '../../../../test/harness.ts';
import { copyEveryPayment } from '../../../../test/payments/listed-payments.ts';
import { mailsTo } from '../../../../test/people/accounts.ts';
import { aServer, type TestServer } from '../../../../test/server.ts';
import {
  aCardToken,
  aSession,
  buyerEmail,
  cards,
  startWorld,
  type World,
} from '../../../../test/world.ts';
import { findUserLocale } from '../../../storage/payments/buyer-locales.ts';
import { mailBuyers } from './mail-buyers.ts';

let world: World;
let server: TestServer;
beforeAll(async () => {
  world = await startWorld();
  server = await aServer(world.ports);
});
afterAll(async () => {
  await server?.close();
  await world?.close();
});

const call = (row: Parameters<typeof callAs>[2], body?: object, headers = {}) =>
  callAs(server.app, world.token, row, { headers, ...(body && { body }) });

/** Pays as a browser that asks for these languages. */
async function payIn(
  languages: string | undefined,
  userId = newId(),
  { isVouched = false } = {},
): Promise<string> {
  const ofMerchant = isVouched ? { metadata: {} } : {};
  const session = await aSession(world, { captureMethod: 'automatic', userId, ...ofMerchant });
  const { sessionId, nonce } = session;
  const token = await aCardToken(world, session, cards.approved);
  const answer = await callAs(
    server.app,
    { nonce },
    `POST /v1/checkouts/sessions/${sessionId}/process`,
    {
      headers: { 'x-user-id': userId, ...(languages && { 'accept-language': languages }) },
      body: {
        sessionId,
        tokenizedData: { provider: 'cardprovider', type: 'card', token },
        accountData: { userId, email: buyerEmail },
      },
    },
  );
  expect(answer.statusCode, answer.body).toBe(200);
  return answer.json().paymentId;
}

const detailsOf = async (id: string) => (await call(`GET /v1/payments/${id}/details`)).json();
async function newestMail() {
  await mailBuyers(world.ports, {
    onError(_, error) {
      throw error;
    },
  });
  return (await mailsTo(world.ports, buyerEmail)).at(-1);
}
async function receiptOf(id: string) {
  expect((await call(`POST /v1/payments/${id}/receipt/send`, {})).statusCode).toBe(200);
  return newestMail();
}

describe('the language of a buyer', () => {
  it('is that of the browser that paid, with the region', async () => {
    const id = await payIn('sv, de-AT;q=0.9, en;q=0.5');
    expect((await detailsOf(id)).buyerLocale).toBe('de-AT');
    const mail = await receiptOf(id);
    expect(mail?.subject).toMatch(/^\[Sandbox\] Beleg R-/);
    expect(mail?.text).toContain('Bezahlt: 19,90 EUR');
  });

  it('holds for a refund of the payment: the mail is the one that the dashboard shows', async () => {
    const id = await payIn('pl-PL');
    const wish = { amount: 5, reason: 'duplicate', notifyBuyer: true };
    const headers = { 'idempotency-key': newId() };
    const made = await call(`POST /v1/payments/${id}/refunds`, wish, headers);
    expect(made.statusCode).toBe(201);
    const { reference, buyerLocale } = await detailsOf(id);
    expect((await detailsOf(made.json().id)).buyerLocale).toBe(buyerLocale);
    const shown = refundMailText({ sum: '5,00 EUR', reason: 'duplicate', reference }, buyerLocale);
    expect((await newestMail())?.text.trim()).toBe(shown);
    expect(shown).toContain('Zwrot 5,00 EUR');
  });

  it('else that of the browser that the customer last paid with', async () => {
    const userId = newId();
    await payIn('it', userId);
    await payIn('es-MX', userId);
    const silent = await payIn(undefined, userId);
    await copyEveryPayment(world);
    expect((await detailsOf(silent)).buyerLocale).toBe('es-MX');
    expect(await findUserLocale(world.database, world.client.id, userId)).toBe('es-MX');
  });

  it('else the one that the merchant has chosen, and English before', async () => {
    const id = await payIn('*');
    expect((await detailsOf(id)).buyerLocale).toBe('en');
    expect((await receiptOf(id))?.text).toContain('Paid: 19.90 EUR');
    const changed = await call('PATCH /v1/client', { buyerLanguage: 'fr' });
    expect([changed.statusCode, changed.json().buyerLanguage]).toEqual([200, 'fr']);
    expect((await detailsOf(id)).buyerLocale).toBe('fr');
    expect((await receiptOf(id))?.text).toContain('Payé : 19,90 EUR');
    expect(await findUserLocale(world.database, world.client.id, newId())).toBe('fr');
  });

  it('is the one that was chosen for the customer, before every browser', async () => {
    const userId = newId();
    const id = await payIn('de-AT', userId, { isVouched: true });
    await copyEveryPayment(world);
    const choose = (language: string | null) => call(`PATCH /v1/customers/${userId}`, { language });
    const locales = async () => [
      (await detailsOf(id)).buyerLocale,
      await findUserLocale(world.database, world.client.id, userId),
    ];
    expect((await choose('ja')).json().language).toBe('ja');
    expect(await locales()).toEqual(['ja', 'ja']);
    expect((await receiptOf(id))?.text).toContain('領収書');
    // The region of the browser stays, where it speaks the language.
    await choose('de');
    expect(await locales()).toEqual(['de-AT', 'de-AT']);
    expect((await choose(null)).json().language).toBeNull();
    expect((await choose('sv')).statusCode).toBe(400);
  });

  it('of a customer is no stranger’s who names the id', async () => {
    const { id: userId } = await aCustomer(world.database, world.client);
    await call(`PATCH /v1/customers/${userId}`, { language: 'ja' });
    const strangers = await payIn('it', userId);
    expect((await detailsOf(strangers)).buyerLocale).toBe('it');
  });

  it('400 invalid_request: a language without words', async () => {
    const refused = await call('PATCH /v1/client', { buyerLanguage: 'sv' });
    expect([refused.statusCode, refused.json().param]).toEqual([400, 'buyerLanguage']);
  });

  it('the page of a receipt is in the language of its reader', async () => {
    const id = await payIn('de');
    const { url } = (await call(`GET /v1/payments/${id}/receipt`)).json();
    const read = (language: string) =>
      server.app.inject({
        method: 'GET',
        url: new URL(url).pathname,
        headers: { host: 'localhost', 'accept-language': language },
      });
    expect((await read('ar')).body).toMatch(/<html lang="ar" dir="rtl">[\s\S]*المدفوع/);
    expect((await read('ja-JP')).body).toMatch(/<html lang="ja" dir="ltr">[\s\S]*領収書/);
    expect((await read('sv')).body).toMatch(/<html lang="en" dir="ltr">[\s\S]*Paid on/);
  });
});

// The mails to buyers in each language.

import type { Receipt } from '@svc/contract/payments/receipts';
import { refundMailText } from '@svc/contract/payments/refund-mail';
import { buyerLanguages, languageNames } from '@svc/contract/settings/languages';
import { describe, expect, it } from 'vitest';
import type { Payment } from '../../../domain/payments/payment.ts';
import { referenceOf } from '../../../domain/payments/payment-reference.ts';
import type { Subscription } from '../../../domain/payments/subscription.ts';
import { cleanWords, type MailWords } from '../../../domain/people/mail.ts';
import type { Client } from '../../../storage/clients/clients.ts';
import { receiptWords } from '../receipts/mail-words.ts';
import { dateWords, dayWords, monthWords, sumWords } from '../receipts/receipt-words.ts';
import { refundMail } from '../receipts/tell-refund.ts';
import {
  addressChangedWords,
  cardExpiresWords,
  confirmAddressWords,
  pageLinksWords,
  refundFailedWords,
  renewalFailedWords,
  subscriptionEndsWords,
} from './buyer-words.ts';
import { en } from './words/en.ts';
import { wordsFor } from './words/index.ts';

const shop = 'Bean & Söhne';
const link = 'https://pay.example/m/01#secret';
const support = 'help@bean.example';
const timeZone = 'Europe/Berlin';
const client = { ...{ name: shop, businessName: null, supportEmail: support }, timeZone } as Client;
const inBerlin = (locale: string) => ({ locale, timeZone });
const id = '01990000-0000-7000-8000-000000000001';
const refund = {
  id,
  parentPaymentId: null,
  amountMinor: 123_450,
  currency: 'EUR',
  refundReason: 'duplicate',
} as unknown as Payment;
const subscription = { productName: 'Klub', amountMinor: 990, currency: 'EUR' } as Subscription;
const card = {
  ...{
    gatewayId: 'gateway',
    providerMethodId: 'pm_1',
    methodId: id,
    userId: id,
    email: 'ada@example.test',
  },
  ...{ brand: 'visa', lastFour: '4242', month: 3, year: 2031 },
};
const receipt = {
  number: 'R-000042',
  type: 'purchase',
  reference: '7F3K-2Q9M',
  seller: {
    ...{ name: shop, address: '1 Bean Street', taxNumber: 'DE123456789' },
    ...{ supportEmail: null, termsUrl: null },
  },
  items: [{ code: 'mug', name: 'Becher', quantity: 2, totalAmount: 1300, currency: 'EUR' }],
  couponCodes: [],
  discount: 65.5,
  amount: 1234.5,
  currency: 'EUR',
  paymentMethod: { type: 'card', brand: 'visa', lastFour: '4242' },
  // One day later in Berlin than in UTC.
  paidAt: '2026-11-30T23:30:31.000Z',
  timeZone,
  url: 'https://pay.example/r/token',
} as unknown as Receipt;

const pageUrl = 'https://pay.example/m/shop';
const ending = {
  ...{ productName: 'Klub', status: 'active', endReason: 'customer_requested' },
  currentPeriodEnd: new Date('2031-03-05T23:30:00.000Z'),
} as Subscription;

function mailsIn(locale: string): Record<string, MailWords> {
  const letter = { client, mode: 'sandbox', locale } as const;
  const mails = {
    receipt: receiptWords({ ...receipt, pageUrl }, 'sandbox', locale),
    refund: refundMail(refund, { seller: shop, mode: 'sandbox', locale }),
    refundFailed: refundFailedWords(refund, letter),
    renewalFailed: renewalFailedWords(subscription, letter, link),
    cardExpires: cardExpiresWords(card, letter, link),
    endPlanned: subscriptionEndsWords(ending, letter, link),
    resumed: subscriptionEndsWords({ ...ending, endReason: null }, letter, link),
    ended: subscriptionEndsWords({ ...ending, status: 'canceled' }, letter, link),
    pageLinks: pageLinksWords(letter, [
      { url: link, productNames: ['Klub', 'Tee'] },
      { url: `${link}2`, productNames: [] },
    ]),
    confirmAddress: confirmAddressWords(letter, link),
    addressChanged: addressChangedWords(letter, 'a•••@new.example'),
  };
  return Object.fromEntries(
    Object.entries(mails).map(([kind, words]) => [kind, cleanWords(words)]),
  );
}

/** What has to stand in each mail, as the language writes it. */
const expectedIn = (locale: string): Readonly<Record<string, readonly string[]>> => {
  const sum = (amount: number) => sumWords(amount, 'EUR', locale);
  return {
    receipt: [
      ...['R-000042', shop, 'Becher', 'Visa', '4242', '7F3K-2Q9M', receipt.url, pageUrl],
      ...['1 Bean Street', 'DE123456789'],
      ...[sum(1300), sum(65.5), sum(1234.5), dayWords(receipt.paidAt, inBerlin(locale))],
      wordsFor(locale).sandbox,
    ],
    refund: [sum(1234.5), referenceOf(id)],
    refundFailed: [sum(1234.5), shop, support, referenceOf(id)],
    renewalFailed: [sum(9.9), 'Klub', link, support],
    pageLinks: [`Klub, Tee\n${link}\n\n${link}2\n`, wordsFor(locale).linkWorks, support],
    endPlanned: [
      'Klub',
      link,
      support,
      dateWords(ending.currentPeriodEnd.toISOString(), inBerlin(locale)),
    ],
    resumed: ['Klub', link, dateWords(ending.currentPeriodEnd.toISOString(), inBerlin(locale))],
    ended: ['Klub', link],
    confirmAddress: [shop, `\n\n${link}\n`, wordsFor(locale).confirmWorks, support],
    addressChanged: ['a•••@new.example', wordsFor(locale).addressNotYou(shop), support],
    cardExpires: ['Visa', '4242', shop, link, support, monthWords(2031, 3, locale)],
  };
};

describe.each(buyerLanguages)('mails to buyers in %s', (language) => {
  const mails = mailsIn(language);

  it.each(Object.keys(mails))('%s: says all it has to say, and leaves no placeholder', (kind) => {
    const { subject = '', text = '' } = mails[kind] ?? {};
    expect(subject).toMatch(/^\[Sandbox\] /);
    expect(subject).toContain(shop);
    for (const part of expectedIn(language)[kind] ?? []) expect(text).toContain(part);
    expect(subject + text).not.toMatch(/undefined|null|NaN|\[object|=>|\$\{|\}\}|%s/);
  });

  it('has words of its own for every text', () => {
    if (language === 'en') return expect(wordsFor(language)).toBe(en);
    const words = wordsFor(language);
    const said = (of: typeof en, name: keyof typeof en) => {
      const one: unknown = of[name];
      return typeof one === 'function' ? String(one('1', '2', '3')) : String(one);
    };
    const names = (Object.keys(en) as (keyof typeof en)[]).filter((name) => name !== 'fact');
    const same = names.filter((name) => said(words, name) === said(en, name));
    // The same word in both languages.
    const shared: Readonly<Record<string, readonly string[]>> = { fr: ['questionsName'] };
    expect(same).toEqual(shared[language] ?? []);
    expect(refundMailText({ sum: '1', reason: null, reference: '2' }, language)).not.toBe(
      refundMailText({ sum: '1', reason: null, reference: '2' }, 'en'),
    );
  });
});

describe('sums and days', () => {
  it.each([
    ['en', '1,234.50 EUR', '2,500 JPY', '26 Nov 2026, 12:42 UTC'],
    ['de', '1.234,50 EUR', '2.500 JPY', '26. Nov. 2026, 12:42 UTC'],
    ['en-US', '1,234.50 EUR', '2,500 JPY', 'Nov 26, 2026, 12:42 PM UTC'],
    ['fr', '1\u202f234,50 EUR', '2\u202f500 JPY', '26 nov. 2026, 12:42 UTC'],
    ['nl', '1.234,50 EUR', '2.500 JPY', '26 nov 2026, 12:42 UTC'],
    ['ja', '1,234.50 EUR', '2,500 JPY', '2026年11月26日 12:42 UTC'],
    ['pl', '1234,50 EUR', '2500 JPY', '26 lis 2026, 12:42 UTC'],
  ])('%s: %s, %s, %s', (locale, euros, yen, day) => {
    expect(sumWords(1234.5, 'EUR', locale)).toBe(euros);
    expect(sumWords(2500, 'JPY', locale)).toBe(yen);
    expect(dayWords('2026-11-26T12:42:31.000Z', { locale, timeZone: 'UTC' })).toBe(day);
  });

  it.each([
    ['en', 'Europe/Berlin', '1 Dec 2026, 00:30 CET', '1 December 2026'],
    ['de', 'Europe/Berlin', '1. Dez. 2026, 00:30 MEZ', '1. Dezember 2026'],
    ['en', 'America/New_York', '30 Nov 2026, 18:30 GMT-5', '30 November 2026'],
    ['ja', 'Asia/Tokyo', '2026年12月1日 08:30 JST', '2026年12月1日'],
  ])('%s in %s: a day of the merchant, %s', (locale, zone, moment, day) => {
    const place = { locale, timeZone: zone };
    expect(dayWords('2026-11-30T23:30:00.000Z', place)).toBe(moment);
    expect(dateWords('2026-11-30T23:30:00.000Z', place)).toBe(day);
  });

  it('every language has a name', () => {
    expect(new Set(Object.values(languageNames)).size).toBe(buyerLanguages.length);
  });
});

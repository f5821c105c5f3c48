// Serves the receipt page to anyone with its URL, without scripts, cookies or caching.

import type { Receipt } from '@svc/contract/payments/receipts';
import type { Mode } from '@svc/contract/servers/modes';
import { languageOf } from '@svc/contract/settings/languages';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { localeFrom } from '../../domain/protocol/accept-language.ts';
import type { Ports } from '../../engine/ports.ts';
import { wordsFor } from '../../engine/steps/buyer-mails/words/index.ts';
import { type ReadReceipt, readReceiptByToken } from '../../engine/steps/receipts/read-receipt.ts';
import {
  dayWords,
  modeWords,
  paymentMethodText,
  sumWords,
} from '../../engine/steps/receipts/receipt-words.ts';
import { type Html, html } from '../wire/html.ts';
import { receiptStyle } from './receipt-style.ts';

const headers = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy':
    "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'cache-control': 'no-store',
  vary: 'accept-language',
  'referrer-policy': 'no-referrer',
  'x-robots-tag': 'noindex, nofollow, noarchive',
};

/** A page in the language of its reader's browser; English where it has no texts in that. */
type Reader = { readonly locale: string };

const page = ({ locale }: Reader, title: string, body: Html): string =>
  html`<!doctype html>
<html lang="${languageOf(locale)}" dir="${languageOf(locale) === 'ar' ? 'rtl' : 'ltr'}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex"><meta name="color-scheme" content="light dark">
<title>${title}</title><link rel="stylesheet" href="/r/style.css"></head>
<body>${body}</body></html>`.text;

const factRow = (name: string, value: string | Html) =>
  html`<div><dt>${name}</dt><dd>${value}</dd></div>`;

function linesOf({ items, discount, couponCodes, currency }: Receipt, { locale }: Reader) {
  if (items.length === 0) return null;
  const words = wordsFor(locale);
  const coupons = couponCodes.length > 0 ? ` (${couponCodes.join(', ')})` : '';
  return html`<table><caption>${words.whatWasBought}</caption>
<thead><tr><th scope="col">${words.item}</th><th scope="col">${words.quantity}</th><th scope="col">${words.sum}</th></tr></thead><tbody>
${items.map(
  (item) =>
    html`<tr><th scope="row">${item.name}</th><td>${item.quantity}</td><td>${sumWords(item.totalAmount, item.currency, locale)}</td></tr>`,
)}${discount > 0 ? html`<tr><th scope="row">${words.discount}${coupons}</th><td></td><td>−${sumWords(discount, currency, locale)}</td></tr>` : null}
</tbody></table>`;
}

function receiptPage({ receipt, pageUrl }: ReadReceipt, mode: Mode, reader: Reader): string {
  const { number, type, seller, amount, currency, paymentMethod: means } = receipt;
  const day = (at: string) => dayWords(at, { locale: reader.locale, timeZone: receipt.timeZone });
  const { locale } = reader;
  const words = wordsFor(locale);
  const isRefund = type === 'refund';
  const { tag, sentence } = modeWords(mode, locale);
  const title = isRefund ? words.refundReceipt(number) : words.receipt(number);
  const body = html`${sentence === null ? null : html`<header class="mode">${sentence}</header>`}
<main><p class="seller">${seller.name}</p>${seller.address === null ? null : html`<p class="address">${seller.address}</p>`}<h1>${title}</h1>
${linesOf(receipt, reader)}
<p class="total"><span>${isRefund ? words.refunded : words.paid}</span> <strong>${sumWords(amount, currency, locale)}</strong></p>
<dl>${factRow(isRefund ? words.refundedOn : words.paidOn, day(receipt.paidAt))}
${receipt.amountRefunded > 0 ? factRow(words.refundedSince, sumWords(receipt.amountRefunded, currency, locale)) : null}
${means && factRow(words.paidWith, paymentMethodText(means, locale))}${factRow(words.referenceName, receipt.reference)}${factRow(words.issuedOn, day(receipt.issuedAt))}
${seller.taxNumber === null ? null : factRow(words.taxNumberName, seller.taxNumber)}
${seller.supportEmail === null ? null : factRow(words.questionsName, seller.supportEmail)}</dl>
${pageUrl === null ? null : html`<p class="more">${words.manage} <a href="${pageUrl}">${pageUrl}</a></p>`}</main>`;
  return page(reader, `${tag}${title}`, body);
}

function missingPage(reader: Reader): string {
  const { noReceipt, noReceiptTitle, noReceiptText } = wordsFor(reader.locale);
  const body = html`<main><h1>${noReceiptTitle}</h1><p>${noReceiptText}</p></main>`;
  return page(reader, noReceipt, body);
}

export function serveReceipts(app: FastifyInstance, ports: Ports): void {
  const { mode } = ports.settings;
  app.get('/r/style.css', async (_request, reply: FastifyReply) =>
    reply
      .headers({
        'content-type': 'text/css; charset=utf-8',
        'cache-control': 'public, max-age=3600',
      })
      .send(receiptStyle),
  );
  app.get<{ Params: { token: string } }>('/r/:token', async (request, reply) => {
    const read = await readReceiptByToken(request.params.token, ports);
    const reader = { locale: localeFrom(request.headers['accept-language'] ?? '') ?? 'en' };
    reply.headers(headers);
    return read
      ? reply.send(receiptPage(read, mode, reader))
      : reply.code(404).send(missingPage(reader));
  });
}

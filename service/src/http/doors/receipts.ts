// Serves the page of a receipt to anybody who has its URL: no script, no cookie, no caching.

import type { Mode } from '@svc/contract/modes';
import type { Receipt } from '@svc/contract/receipts';
import type { FastifyInstance, FastifyReply } from 'fastify';
import type { Ports } from '../../engine/ports.ts';
import { readReceiptByToken } from '../../engine/steps/receipts/read-receipt.ts';
import {
  dayWords,
  meansWords,
  modeWords,
  sumWords,
} from '../../engine/steps/receipts/receipt-words.ts';
import { type Html, html } from '../wire/html.ts';
import { receiptStyle } from './receipt-style.ts';

const headers = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy':
    "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
  'x-robots-tag': 'noindex, nofollow, noarchive',
};

const page = (title: string, body: Html): string =>
  html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex"><meta name="color-scheme" content="light dark">
<title>${title}</title><link rel="stylesheet" href="/r/style.css"></head>
<body>${body}</body></html>`.text;

const fact = (name: string, value: string | Html) =>
  html`<div><dt>${name}</dt><dd>${value}</dd></div>`;

const cardOf = ({ paymentMethod }: Receipt): Html | null =>
  paymentMethod && fact('Paid with', meansWords(paymentMethod));

function linesOf({ items, discount, couponCodes, currency }: Receipt): Html | null {
  if (items.length === 0) return null;
  const coupons = couponCodes.length > 0 ? ` (${couponCodes.join(', ')})` : '';
  return html`<table><caption>What was bought</caption>
<thead><tr><th scope="col">Item</th><th scope="col">Quantity</th><th scope="col">Sum</th></tr></thead><tbody>
${items.map(
  (item) =>
    html`<tr><th scope="row">${item.name}</th><td>${item.quantity}</td><td>${sumWords(item.totalAmount, item.currency)}</td></tr>`,
)}${discount > 0 ? html`<tr><th scope="row">Discount${coupons}</th><td></td><td>−${sumWords(discount, currency)}</td></tr>` : null}
</tbody></table>`;
}

function receiptPage(receipt: Receipt, mode: Mode): string {
  const { number, type, seller, amount, currency } = receipt;
  const isRefund = type === 'refund';
  const { tag, sentence } = modeWords(mode);
  const body = html`${sentence === null ? null : html`<header class="mode">${sentence}</header>`}
<main><p class="seller">${seller.name}</p><h1>${isRefund ? 'Refund receipt' : 'Receipt'} ${number}</h1>
${linesOf(receipt)}
<p class="total"><span>${isRefund ? 'Refunded' : 'Paid'}</span> <strong>${sumWords(amount, currency)}</strong></p>
<dl>${fact(isRefund ? 'Refunded on' : 'Paid on', dayWords(receipt.paidAt))}
${receipt.amountRefunded > 0 ? fact('Refunded since', sumWords(receipt.amountRefunded, currency)) : null}
${cardOf(receipt)}${fact('Reference', receipt.reference)}${fact('Issued on', dayWords(receipt.issuedAt))}
${seller.supportEmail === null ? null : fact('Questions', seller.supportEmail)}</dl></main>`;
  return page(`${tag}${isRefund ? 'Refund receipt' : 'Receipt'} ${number}`, body);
}

const missingPage = page(
  'No receipt',
  html`<main><h1>There is no receipt at this address</h1><p>Look whether the whole address was copied, or ask the shop for it again.</p></main>`,
);

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
    const receipt = await readReceiptByToken(request.params.token, ports);
    reply.headers(headers);
    return receipt ? reply.send(receiptPage(receipt, mode)) : reply.code(404).send(missingPage);
  });
}

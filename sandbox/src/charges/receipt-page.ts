// The page behind a charge's `receipt_url`.

import type { FastifyInstance } from 'fastify';
import type { Core } from '../core/core.ts';
import { document, escapeHtml, notePage, showPage } from '../pages/page.ts';
import { priceText } from '../pages/provider-digits.ts';

type Receipt = { Params: { charge: string } };

export const registerReceipts = (app: FastifyInstance, core: Core): void => {
  app.get<Receipt>('/receipts/:account/:charge/:receipt', (request, reply) => {
    const kept = core.resources.find('charge', request.params.charge);
    if (!kept?.object.receipt_url?.endsWith(request.url)) {
      return showPage(reply, 404, notePage('No receipt', 'There is no such receipt.'));
    }
    const { amount, amount_captured: paid, amount_refunded: back, currency } = kept.object;
    const row = (what: string, sum: number) =>
      `<tr><td>${what}</td><td>${escapeHtml(priceText(sum, currency, 'en'))}</td></tr>`;
    const title = `Receipt of ${priceText(kept.object.captured ? paid : amount, currency, 'en')}`;
    return showPage(
      reply,
      200,
      document(
        title,
        `<h1>${escapeHtml(title)}</h1><table><tbody>${
          kept.object.captured ? row('Paid', paid) : row('On hold', amount)
        }${back > 0 ? row('Refunded', back) : ''}</tbody></table>`,
      ),
    );
  });
};

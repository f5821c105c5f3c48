// The page on which a Checkout Session is paid, with a choice of test cards in place of a card form, and
// the control that pays it without a browser. Plain forms, no script.

import type { FastifyInstance, FastifyReply } from 'fastify';
import { testCards } from '../cards/test-cards.ts';
import type { Core } from '../core/core.ts';
import { document, escapeHtml, notePage, showPage } from '../pages/page.ts';
import { priceText } from '../pages/provider-digits.ts';
import { BadControl, optional, readBody, readText } from '../requests/control-body.ts';
import { missingResource } from '../requests/errors.ts';
import { parseForm } from '../requests/form.ts';
import type { StoredObject } from '../state/resources.ts';
import { pageActor, paySession } from './checkout-session-moves.ts';

type Session = StoredObject<'checkout.session'>;
type IdParams = { Params: { id: string } };

const shownPrice = (amount: number, currency: string): string => priceText(amount, currency, 'en');

const cardChoices = (): string =>
  testCards
    .map(({ number, effect, ids }) => {
      const words = `${number}: ${effect}`;
      return `<option value="pm_card_${ids[0] ?? ''}">${escapeHtml(words)}</option>`;
    })
    .join('\n');

const lineRows = ({ notes }: Session): string =>
  notes.lines
    .map(
      ({ description, quantity, amount_total: amount, currency }) =>
        `<tr><td>${escapeHtml(description ?? '')}</td><td>${quantity ?? 1}</td>` +
        `<td>${escapeHtml(shownPrice(amount, currency))}</td></tr>`,
    )
    .join('\n');

const payPage = (session: Session, problem: string | undefined): string => {
  const { object } = session;
  const total = shownPrice(object.amount_total ?? 0, object.currency ?? 'usd');
  const email = object.customer_email ?? object.customer_details?.email ?? '';
  const back = object.cancel_url
    ? `<p><a href="${escapeHtml(withId(object.cancel_url, object.id))}">Back to the shop</a></p>`
    : '';
  return document(
    `Pay ${total}`,
    `<h1>Pay ${escapeHtml(total)}</h1>
<p>This page stands for the provider's checkout. Nothing real happens here.</p>
${problem ? `<p role="alert"><strong>${escapeHtml(problem)}</strong></p>` : ''}
<div class="wide"><table><thead><tr><th>What</th><th>How many</th><th>Amount</th></tr></thead>
<tbody>${lineRows(session)}</tbody></table></div>
<form method="post" action="/c/pay/${escapeHtml(object.id)}">
<label>Email <input name="email" type="email" autocomplete="email" value="${escapeHtml(email)}"></label>
<label>Test card <select name="payment_method">${cardChoices()}</select></label>
<button class="main">Pay ${escapeHtml(total)}</button>
</form>${back}`,
  );
};

const withId = (url: string, id: string): string => url.replaceAll('{CHECKOUT_SESSION_ID}', id);

const intentOf = (core: Core, { object }: Session) =>
  typeof object.payment_intent === 'string'
    ? core.resources.find('payment_intent', object.payment_intent)?.object
    : undefined;

/** Returns where the browser goes next: to the shop, to the bank, or undefined for neither. */
const nextPlace = (core: Core, session: Session): string | undefined => {
  const { object } = session;
  if (object.status === 'complete' && object.success_url) {
    return withId(object.success_url, object.id);
  }
  const intent = intentOf(core, session);
  if (object.status !== 'open' || intent?.status !== 'requires_action') return undefined;
  return intent.next_action?.redirect_to_url?.url ?? undefined;
};

const answerPage = (core: Core, session: Session | undefined, reply: FastifyReply) => {
  if (!session) return showPage(reply, 404, notePage('Nothing here', 'There is no such session.'));
  const next = nextPlace(core, session);
  if (next) return reply.redirect(next, 303);
  if (session.object.status !== 'open') {
    return showPage(reply, 410, notePage('This checkout is over', 'Ask the shop for a new one.'));
  }
  const problem = intentOf(core, session)?.last_payment_error?.message;
  return showPage(reply, 200, payPage(session, problem));
};

/** `GET` shows the session, or redirects when it has ended. `POST` pays. */
export const registerCheckoutPage = (app: FastifyInstance, core: Core): void => {
  const find = (id: string) => core.resources.find('checkout.session', id);
  app.get<IdParams>('/c/pay/:id', ({ params }, reply) => {
    core.schedule.runDue(core.clock.nowMs());
    return answerPage(core, find(params.id), reply);
  });
  app.post<IdParams>('/c/pay/:id', ({ params, body }, reply) => {
    core.schedule.runDue(core.clock.nowMs());
    const form = parseForm(typeof body === 'string' ? body : '');
    const method = form.payment_method;
    const email = typeof form.email === 'string' && form.email !== '' ? form.email : undefined;
    if (typeof method !== 'string' || !method.startsWith('pm_card_')) {
      return showPage(reply, 400, notePage('Not understood', 'Choose one of the test cards.'));
    }
    core.store.transaction(() => {
      const session = find(params.id);
      if (session?.object.status !== 'open') return;
      paySession(pageActor(core, session), session, { method, email });
    });
    return answerPage(core, find(params.id), reply);
  });
};

/** `POST /checkout_sessions/:id/pay`: pays like a person at the page, with any of the test cards. */
export const registerCheckoutControls = (app: FastifyInstance, core: Core): void => {
  app.post<IdParams>('/checkout_sessions/:id/pay', ({ params: { id }, body }) => {
    core.schedule.runDue(core.clock.nowMs());
    const given = readBody(body, ['payment_method', 'email']);
    const method = readText(given.payment_method ?? 'pm_card_visa', 'payment_method');
    const email = optional(given.email, (value) => readText(value, 'email'));
    core.store.transaction(() => {
      const session = core.resources.find('checkout.session', id);
      if (!session) throw missingResource('checkout.session', id, 'id');
      const { status } = session.object;
      if (status !== 'open') throw new BadControl(`${id} is ${String(status)}`);
      paySession(pageActor(core, session), session, { method, email });
    });
    return core.resources.find('checkout.session', id)?.object;
  });
};

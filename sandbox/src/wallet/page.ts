// The wallet's page: the payer approves or goes back, and chooses the result of the payment. Plain forms,
// no script.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Core } from '../core/core.ts';
import { type BankLanguage, languageOf } from '../pages/bank-words.ts';
import { answeredPage, document, escapeHtml, notePage, showPage } from '../pages/page.ts';
import { parseForm } from '../requests/form.ts';
import { accountId } from './identifiers.ts';
import { type Amount, writeMoney } from './money.ts';
import { type Behaviour, behaviours, type StoredWalletObject } from './objects.ts';
import { approveOrder, hasRunOut } from './order-moves.ts';
import { walletWords } from './page-words.ts';
import { automaticActor, type Wallet, type WalletActor } from './wallet.ts';

const choiceStyle = 'display:flex;gap:0.6rem;align-items:baseline;padding:0.5rem 0';

const choice = (behaviour: Behaviour, effect: string): string =>
  `<label style="${choiceStyle}"><input type="radio" name="behaviour" value="${behaviour}"` +
  `${behaviour === 'completes' ? ' checked' : ''}><span>${escapeHtml(effect)}</span></label>`;

/** Asks the payer to approve this amount or, without an amount, to save the wallet. */
const approvalPage = (
  asked: { amount: string | undefined; action: string },
  { code, words }: BankLanguage,
): string => {
  const { save, about, legend, effects } = walletWords[code];
  const title = asked.amount ? words.payment(asked.amount) : save;
  return document(
    title,
    `<h1>${escapeHtml(title)}</h1>
<p>${about}</p>
<form method="post" action="${escapeHtml(asked.action)}">
<fieldset style="flex-basis:100%;border:1px solid var(--line);border-radius:6px">
<legend>${legend}</legend>
${behaviours.map((behaviour) => choice(behaviour, effects[behaviour])).join('\n')}
</fieldset>
<button class="main" name="outcome" value="approve">${words.approve}</button>
<button name="outcome" value="cancel">${words.cancel}</button>
</form>`,
    code,
  );
};

const languageOfRequest = ({ headers }: FastifyRequest): BankLanguage =>
  languageOf(headers['accept-language']);

const priceOf = (amount: Amount, locale: string): string => {
  const { value, currency_code: currency } = writeMoney(amount);
  const digits = value.split('.')[1]?.length ?? 0;
  const places = { minimumFractionDigits: digits, maximumFractionDigits: digits };
  return new Intl.NumberFormat(locale, { style: 'currency', currency, ...places }).format(
    Number(value),
  );
};

const showNothing = (reply: FastifyReply) =>
  showPage(reply, 404, notePage('Nothing here', 'There is no such payment.'));
const showAnswered = (reply: FastifyReply) =>
  showPage(reply, 409, answeredPage(languageOfRequest(reply.request)));

/** Returns the one payer of a sandbox account, the same for the same account. */
export const payerOf = (core: Core, account: string): string =>
  accountId(core.ids, 'wallet payer', account);

const returnUrlWith = (url: string | null, facts: Record<string, string>): string | undefined => {
  if (url === null) return undefined;
  const to = new URL(url);
  for (const [name, value] of Object.entries(facts)) to.searchParams.set(name, value);
  return to.href;
};

type BuyerAnswer = { outcome: 'approve' | 'cancel'; behaviour: Behaviour };

const readAnswer = (body: unknown): BuyerAnswer | undefined => {
  const { outcome, behaviour = 'completes' } = parseForm(typeof body === 'string' ? body : '');
  const known = behaviours.find((name) => name === behaviour);
  if (!known || (outcome !== 'approve' && outcome !== 'cancel')) return undefined;
  return { outcome, behaviour: known };
};

const leavePage = (reply: FastifyReply, url: string | undefined) =>
  url
    ? reply.redirect(url, 303)
    : showPage(reply, 200, notePage('Thank you', 'You can close this page.'));

const isWaiting = (actor: WalletActor, order: StoredWalletObject<'order'>): boolean =>
  !hasRunOut(actor, order.object) &&
  (order.object.status === 'CREATED' || order.object.status === 'PAYER_ACTION_REQUIRED');

type TokenQuery = { Querystring: { token?: string } };

const registerOrderPage = (app: FastifyInstance, core: Core, wallet: Wallet): void => {
  const find = (id: string | undefined) => {
    const order = wallet.objects.find('order', id ?? '');
    return order && { order, actor: automaticActor(core, wallet, order.account) };
  };
  app.get<TokenQuery>('/checkoutnow', ({ query }, reply) => {
    const found = find(query.token);
    if (!found) return showNothing(reply);
    if (!isWaiting(found.actor, found.order)) return showAnswered(reply);
    const { id, amount: due } = found.order.object;
    const language = languageOfRequest(reply.request);
    const amount = priceOf(due, language.locale);
    const action = `/checkoutnow?token=${id}`;
    return showPage(reply, 200, approvalPage({ amount, action }, language));
  });
  app.post<TokenQuery>('/checkoutnow', ({ query, body }, reply) => {
    const answer = readAnswer(body);
    if (!answer) return showPage(reply, 400, notePage('Not understood', 'Approve or cancel.'));
    const found = find(query.token);
    if (!found) return showNothing(reply);
    const { order, actor } = found;
    if (!isWaiting(actor, order)) return showAnswered(reply);
    const token = order.object.id;
    if (answer.outcome === 'cancel')
      return leavePage(reply, returnUrlWith(order.object.cancelUrl, { token }));
    const payer = { id: payerOf(core, order.account), behaviour: answer.behaviour };
    core.store.transaction(() => approveOrder(actor, order, payer));
    return leavePage(reply, returnUrlWith(order.object.returnUrl, { token, PayerID: payer.id }));
  });
};

type SessionQuery = { Querystring: { approval_session_id?: string } };

const registerSetupPage = (app: FastifyInstance, core: Core, wallet: Wallet): void => {
  const find = (id: string | undefined) => wallet.objects.find('setup_token', id ?? '');
  app.get<SessionQuery>('/agreements/approve', ({ query }, reply) => {
    const token = find(query.approval_session_id);
    if (!token) return showNothing(reply);
    if (token.object.status !== 'PAYER_ACTION_REQUIRED') return showAnswered(reply);
    const action = `/agreements/approve?approval_session_id=${token.object.id}`;
    const asked = { amount: undefined, action };
    return showPage(reply, 200, approvalPage(asked, languageOfRequest(reply.request)));
  });
  app.post<SessionQuery>('/agreements/approve', ({ query, body }, reply) => {
    const answer = readAnswer(body);
    if (!answer) return showPage(reply, 400, notePage('Not understood', 'Approve or cancel.'));
    const token = find(query.approval_session_id);
    if (!token) return showNothing(reply);
    if (token.object.status !== 'PAYER_ACTION_REQUIRED') return showAnswered(reply);
    const facts = { approval_token_id: token.object.id, approval_session_id: token.object.id };
    if (answer.outcome === 'cancel')
      return leavePage(reply, returnUrlWith(token.object.cancelUrl, facts));
    token.object.status = 'APPROVED';
    token.object.payerId = payerOf(core, token.account);
    token.object.behaviour = answer.behaviour;
    core.store.transaction(() => wallet.objects.save(token));
    return leavePage(reply, returnUrlWith(token.object.returnUrl, facts));
  });
};

/**
 * `GET` shows the page, `POST` submits the answer. For an object that waits for nothing a page states that.
 */
export const registerApprovals = (app: FastifyInstance, core: Core, wallet: Wallet): void => {
  registerOrderPage(app, core, wallet);
  registerSetupPage(app, core, wallet);
};

// The 3DS page: the customer approves, fails, cancels or lets the time run out. The intent is updated, and
// the browser returns to the merchant as the real provider redirects it.
import type { FastifyInstance } from 'fastify';
import { settleSession } from './checkout-sessions/checkout-session-moves.ts';
import { type Actor, automaticActor, type Core } from './core/core.ts';
import { confirmIntent, failAuthentication } from './intents/intent-moves.ts';
import { confirmSetup, failSetupAuthentication } from './intents/setup-moves.ts';
import { languageOf } from './pages/bank-words.ts';
import { answeredPage, challengePage, notePage, showPage } from './pages/page.ts';
import { priceText } from './pages/provider-digits.ts';
import { ApiError } from './requests/errors.ts';
import { parseForm } from './requests/form.ts';
import type { StoredObject } from './state/resources.ts';

/** The reasons that a setup intent's record shows. A payment intent has no such field. */
const reasons = { fail: 'rejected', cancel: 'canceled', time_out: 'abandoned' } as const;

type Outcome = 'approve' | keyof typeof reasons;
type FoundIntent =
  | { kind: 'payment_intent'; kept: StoredObject<'payment_intent'> }
  | { kind: 'setup_intent'; kept: StoredObject<'setup_intent'> };

const findIntent = (core: Core, id: string): FoundIntent | undefined => {
  if (id.startsWith('seti_')) {
    const setup = core.resources.find('setup_intent', id);
    return setup && { kind: 'setup_intent', kept: setup };
  }
  const intent = core.resources.find('payment_intent', id);
  return intent && { kind: 'payment_intent', kept: intent };
};

const priceOf = (found: FoundIntent, locale: string): string | undefined => {
  if (found.kind === 'setup_intent') return undefined;
  const { amount, currency } = found.kept.object;
  return priceText(amount, currency, locale);
};

/** The buyer has authenticated, and the merchant's server confirms once more. */
const awaitServer = (actor: Actor, intent: StoredObject<'payment_intent'>): void => {
  intent.notes.isAuthenticated = true;
  intent.object.status = 'requires_confirmation';
  intent.object.next_action = null;
  actor.core.resources.save(intent);
};

const approve = (actor: Actor, found: FoundIntent): void => {
  const confirmation = { isAuthenticated: true, refusesAction: false };
  try {
    if (found.kind === 'setup_intent') confirmSetup(actor, found.kept, confirmation);
    else if (found.kept.object.confirmation_method === 'manual') awaitServer(actor, found.kept);
    else confirmIntent(actor, found.kept, confirmation);
  } catch (error) {
    // A decline after the challenge is the intent's new state, not a failure of this page.
    if (!(error instanceof ApiError && error.keepsWrites)) throw error;
  }
};

const answer = (actor: Actor, found: FoundIntent, outcome: Outcome): void => {
  if (outcome === 'approve') approve(actor, found);
  else if (found.kind === 'setup_intent') {
    failSetupAuthentication(actor, found.kept, reasons[outcome]);
  } else failAuthentication(actor, found.kept);
};

const returnTo = (found: FoundIntent): string | undefined => {
  const { returnUrl } = found.kept.notes;
  if (returnUrl === null) return undefined;
  const { id, client_secret: secret, status } = found.kept.object;
  const url = new URL(returnUrl);
  url.searchParams.set(found.kind, id);
  url.searchParams.set(`${found.kind}_client_secret`, secret ?? '');
  const isGood = status === 'succeeded' || status === 'requires_capture';
  url.searchParams.set('redirect_status', isGood ? 'succeeded' : 'failed');
  return url.href;
};

const isOutcome = (value: unknown): value is Outcome =>
  value === 'approve' || (typeof value === 'string' && Object.hasOwn(reasons, value));

/**
 * `GET` shows the challenge, `POST` submits its result. For an intent that waits for nothing a page states
 * that.
 */
export const registerThreeDs = (app: FastifyInstance, core: Core): void => {
  app.get<{ Params: { id: string } }>('/3ds/:id', (request, reply) => {
    const found = findIntent(core, request.params.id);
    if (!found) return showPage(reply, 404, notePage('Nothing here', 'There is no such payment.'));
    const language = languageOf(request.headers['accept-language']);
    const { id, status } = found.kept.object;
    if (status !== 'requires_action') return showPage(reply, 409, answeredPage(language));
    const amount = priceOf(found, language.locale);
    return showPage(reply, 200, challengePage({ id, amount }, language));
  });

  app.post<{ Params: { id: string } }>('/3ds/:id', (request, reply) => {
    const { outcome } = parseForm(typeof request.body === 'string' ? request.body : '');
    if (!isOutcome(outcome)) {
      return showPage(reply, 400, notePage('Not understood', 'Approve, fail, cancel or time out.'));
    }
    const found = core.store.transaction(() => {
      const waiting = findIntent(core, request.params.id);
      if (waiting?.kept.object.status !== 'requires_action') return undefined;
      const actor: Actor = { ...automaticActor(core, waiting.kept.account), origin: 'api' };
      answer(actor, waiting, outcome);
      settleSession(actor, waiting.kept.object.id);
      return waiting;
    });
    if (!found) {
      const language = languageOf(request.headers['accept-language']);
      return showPage(reply, 409, answeredPage(language));
    }
    const back = returnTo(found);
    if (back) return reply.redirect(back, 303);
    return showPage(reply, 200, notePage('Thank you', 'You can close this page.'));
  });
};

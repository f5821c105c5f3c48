// The ways to settle a session. Each is one call, which is repeated unchanged with the result of a
// challenge. Contract §3, Process; §4, vault charge and card setup.

import type { ProcessBody, UnifiedCheckoutSession } from '@svc/browser';
import type { SessionAPI } from '@svc/browser/session-api';
import { failureOf } from './failures.ts';
import { challengeCanceled, isTokenRefused } from './refusals.ts';
import type { SavedCards } from './saved-cards.ts';
import type { SessionCalls } from './session-calls.ts';
import { type Answer, isFree, isShell, orderOf } from './view.ts';

/** `chv` is the result of the challenge that the first call led to. */
export type PayCall = (chv?: string) => Promise<Answer>;

type PayContext = {
  readonly api: SessionAPI;
  readonly calls: SessionCalls;
  /** Returns the current session: a shell has no buyer until its cart has come. */
  readonly session: () => UnifiedCheckoutSession | null;
  /** The totals on the button when it was pressed; the session may have been read since. */
  readonly shown?: UnifiedCheckoutSession['totals'] | undefined;
  /** Reads the session and shows it. */
  readonly show: () => Promise<unknown>;
};

/** The process call, for the session's buyer. */
const processing =
  (
    tokenizedData: ProcessBody['tokenizedData'] | undefined,
    { api, session, shown }: PayContext,
  ): PayCall =>
  async (chv) => {
    const { id = '', accountData, totals } = session() ?? {};
    if (!accountData) throw new Error('the session has a buyer');
    const due = shown ?? totals;
    const named = due ? { expectedTotal: due.total } : {};
    const paying = tokenizedData ? { tokenizedData } : {};
    const body = { sessionId: id, accountData, ...paying, ...named, ...(chv ? { chv } : {}) };
    return api.processPayment(accountData.externalId ?? accountData.userId, body);
  };

/** Pays with a token of the form: a setup saves its card, and a shell is charged once its cart is there. */
function withToken(token: string, isKept: boolean, given: PayContext): PayCall {
  const { calls, session } = given;
  if (session()?.checkoutMode === 'setup') return (chv) => calls.saveCard(token, chv);
  const card = { provider: 'cardprovider', type: 'card', token } as const;
  const process = processing(isKept ? { ...card, saveForLater: true } : card, given);
  if (!isShell(session())) return process;
  const cart = { shown: () => session()?.totals?.total, show: given.show };
  return (chv) => (chv ? process(chv) : calls.chargeCard(token, cart));
}

/** Pays with a token of the form or a saved card, or with nothing when the order costs nothing. */
export function chooseCall(
  token: string | null,
  { saved, cards }: { saved: { readonly id: string } | null; cards: SavedCards },
  given: PayContext,
): PayCall {
  if (isFree(given.session())) return processing(undefined, given);
  return token === null
    ? withSaved(saved?.id ?? '', given)
    : withToken(token, cards.isKept.value, given);
}

/** Pays with a saved card of the buyer. */
const withSaved = (paymentMethodId: string, given: PayContext): PayCall =>
  processing({ provider: 'cardprovider', type: 'card', paymentMethodId }, given);

/**
 * Pays with the wallet: with the order that waits for the buyer, if there is one. When that order was
 * cancelled elsewhere meanwhile, the session shows the new one.
 */
export function withWallet(given: PayContext): PayCall {
  const order = orderOf(given.session());
  const pay = processing({ provider: 'wallet', type: 'wallet', ...order }, given);
  return () =>
    pay().catch(async (cause) => {
      const error = failureOf(cause);
      if (isTokenRefused(error)) {
        await given.show().catch(() => undefined);
        Object.assign(error, { code: challengeCanceled });
      }
      throw error;
    });
}

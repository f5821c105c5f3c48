// The payment that shows something in its page, beside the calls, which need no document: a page that
// does without carries nothing of it. Experience: 3DS.

import type { ConfirmOptions, PaymentResult } from './confirm-payment-types.ts';
import { inWords, loadPart } from './load-part.ts';
import type { PaymentAPI } from './payment-api.ts';
import { check, checkUserId, errorOf, isObject } from './svc-error.ts';
import type { Language } from './texts/index.ts';
import type { ProcessBody } from './wire.ts';

/**
 * Pays by card as processPayment does, and sees it through: the bank's question, where it has one, in a
 * modal dialog of the page, the call again with what it gave back, the status until the provider has
 * spoken. An answer that is lost is asked for again; giving the question up ends it at the provider.
 * With `answer` it goes on from there. Resolves with how it ended, and with `processing` where that is
 * not known yet; throws only where nothing was charged, beside `network_error` and `aborted`, after which
 * the status tells. Experience: 3DS.
 */
export async function confirmPayment(
  api: PaymentAPI,
  userId: string,
  body: ProcessBody,
  options: ConfirmOptions = {},
): Promise<PaymentResult> {
  check(isObject(api), 'api');
  checkUserId(userId);
  check(isObject(body), 'body');
  const wishes = Object(options) as ConfirmOptions;
  const language = speak(wishes.locale);
  try {
    const code = await loadPart(() => import('./confirm-payment.ts'), 'confirmPayment');
    return await code.confirmPayment(api, [userId, body, language], wishes);
  } catch (cause) {
    throw inWords(errorOf(cause), (await language).texts?.reload);
  }
}

/** The buyer's language; English, without its words, where no language can be had. */
const speak = (locale: string | undefined): Promise<Language> =>
  loadPart(() => import('./texts/index.ts'), 'loadLanguage').then(
    ({ loadLanguage }) => loadLanguage(locale),
    () => ({ code: 'en', isRightToLeft: false, texts: null }),
  );

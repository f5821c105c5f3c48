// The payment that shows a dialog in its page. It is apart from the calls, which need no document, so that
// a page which uses only the calls does not load it.

import { loadPart, translateReload } from '../api/load-part.ts';
import type { PaymentAPI } from '../api/payment-api.ts';
import { check, checkUserId, errorOf, isObject } from '../api/svc-error.ts';
import type { ProcessBody } from '../api/wire.ts';
import type { Language } from '../texts/texts.ts';
import type { ConfirmOptions, PaymentResult } from './confirm-payment-types.ts';

/**
 * Pays by card as processPayment does and follows the payment to its end. It shows the bank's challenge in
 * a modal dialog of the page, repeats the call with the challenge's result, and reads the status until the
 * provider has responded. A call whose response was lost is repeated; when the buyer cancels the challenge,
 * it is ended at the provider. With `answer` it continues from that response. Resolves with how the payment
 * ended, and with `processing` when that is not known yet. It throws only when nothing was charged, except
 * for `network_error` and `aborted`, after which only the status shows what happened.
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
  const language = loadLanguageOf(wishes.locale);
  try {
    const code = await loadPart(() => import('./confirm-payment.ts'), 'confirmPayment');
    return await code.confirmPayment(api, [userId, body, language], wishes);
  } catch (cause) {
    throw translateReload(errorOf(cause), (await language).texts?.reload);
  }
}

/** The buyer's language; English without texts when no language can be loaded. */
const loadLanguageOf = (locale: string | undefined): Promise<Language> =>
  loadPart(() => import('../texts/texts.ts'), 'loadLanguage').then(
    ({ loadLanguage }) => loadLanguage(locale),
    () => ({ code: 'en', isRightToLeft: false, texts: null }),
  );

// The payment that shows something in its page, beside the calls, which need no document: a page that
// does without carries nothing of it. Experience: 3DS.

import type { ConfirmOptions, PaymentResult } from './confirm-payment-types.ts';
import type { PaymentAPI } from './payment-api.ts';
import { check, isObject, SvcError } from './svc-error.ts';
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
  check(isObject(body), 'body');
  const code = await import('./confirm-payment.ts').catch((cause) => {
    throw new SvcError('api_error', 'network_error', { cause, retryable: true });
  });
  return code.confirmPayment(api, [userId, body], Object(options) as ConfirmOptions);
}

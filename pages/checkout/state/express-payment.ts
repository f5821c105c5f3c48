// What the express buttons report of a payment: the token of an approved one, or why there is none.

import { SvcError } from '@svc/browser';
import type { FromExpress } from '@svc/contract/vault/form-messages';
import type { Checkout } from './checkout.ts';
import type { TokenSource } from './form-token.ts';
import { mayPay, problem } from './view.ts';

export type ExpressResult = Exclude<FromExpress, { type: 'express' }>;

const totalChanged = 'checkout_session_total_changed';

/** Pays with the token of the wallet in place of the form's, or tells why nothing was sent. */
export function takeExpressResult(
  checkout: Checkout,
  result: ExpressResult,
  setMountToken: TokenSource['setMountToken'],
): Promise<void> | void {
  // A coupon call that is running may change the total that the buyer approved.
  const isStale = result.type === 'expressToken' && checkout.coupons.isBusy.value;
  if (isStale || (result.type === 'expressError' && result.code === totalChanged)) {
    const { view } = checkout;
    if (mayPay(view.value)) view.value = { name: 'form', notice: problem(totalChanged) };
    return;
  }
  const submit = async () => {
    if (result.type === 'expressToken') return { token: result.token, brand: '', lastFour: '' };
    const { code, message } = result;
    throw new SvcError('validation_error', code, { message, retryable: true });
  };
  return checkout.pay({ submit, setMountToken });
}

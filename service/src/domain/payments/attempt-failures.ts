// What the failure code of an attempt tells: its session, its buyer and who reads the answer. Pure. Contract
// §2 and §3.

import type { AttemptResult } from '@svc/contract/checkout-sessions/checkout-sessions';
import { keyRefused } from '../protocol/key-refused.ts';
import { confirmedOtherwise } from './operation.ts';
import { walletNotKept } from './wallet-order.ts';

/** Codes whose reason is the card or the buyer, not the service or the provider. */
const declineReasons = new Set(['declined', 'authentication_failed']);
/** Codes of attempts that the buyer, or the buyer's page, ended. */
const cancelReasons = new Set([
  'canceled',
  'authentication_canceled',
  'authentication_abandoned',
  confirmedOtherwise,
]);

/** How a session reports an attempt that ended with the code. */
export const resultOf = (code: string): AttemptResult =>
  declineReasons.has(code) ? 'DECLINED' : cancelReasons.has(code) ? 'CANCELED' : 'ERROR';

/**
 * The code that a session shows for a failed attempt: the bank's code, or a code that tells that
 * repeating does not help.
 */
export const shownCode = (no: { code: string; declineCode: string | null }): string | null => {
  if (no.declineCode !== null) return no.declineCode;
  if (no.code === keyRefused) return 'gateway_refused';
  return isTokenCode(no.code) || isNeverTaken(no.code) ? no.code : null;
};

const isTokenCode = (code: string): boolean =>
  code.startsWith('card_token_') || code === methodNotUsable;
/** The account has no such card at the provider, or it belongs to a customer by now. */
export const methodNotUsable = 'provider_method_not_usable';
/** Whether the provider never accepts the amount, or anything in its currency. */
export const isNeverTaken = (code: string): boolean =>
  /^(amount|currency)_not_supported$/.test(code);

type AttemptRefusal =
  | 'card_declined'
  | 'invalid_request'
  | 'provider_method_not_usable'
  | 'gateway_refused'
  | 'gateway_unavailable'
  | 'capture_method_not_supported'
  | 'amount_not_supported';

/** The refusal with which a failed attempt is answered. */
export function attemptRefusal(failureCode: string | null): AttemptRefusal {
  if (failureCode === null || resultOf(failureCode) !== 'ERROR') return 'card_declined';
  if (failureCode === walletNotKept) return 'capture_method_not_supported';
  if (isNeverTaken(failureCode)) return 'amount_not_supported';
  if (failureCode === methodNotUsable) return methodNotUsable;
  if (failureCode === keyRefused) return 'gateway_refused';
  return isTokenCode(failureCode) ? 'invalid_request' : 'gateway_unavailable';
}

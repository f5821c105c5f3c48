// Translates the provider's codes into those of the card form.

import type { StripeError } from '@stripe/stripe-js';
import type { FormErrorCode } from '@svc/contract/vault/form-messages';

const fieldCodes: Readonly<Record<string, FormErrorCode>> = {
  incomplete_number: 'number_incomplete',
  invalid_number: 'number_invalid',
  incorrect_number: 'number_invalid',
  incomplete_expiry: 'expiry_incomplete',
  invalid_expiry_month: 'expiry_past',
  invalid_expiry_month_past: 'expiry_past',
  invalid_expiry_year_past: 'expiry_past',
  expired_card: 'expiry_past',
  invalid_expiry_year: 'expiry_incomplete',
  incomplete_cvc: 'cvc_incomplete',
  invalid_cvc: 'cvc_incomplete',
};

const general = {
  number: 'number_invalid',
  expiry: 'expiry_incomplete',
  cvc: 'cvc_incomplete',
} as const satisfies Record<string, FormErrorCode>;

/** The code for an event of a field. An unknown provider code counts as that field's general mistake. */
export const codeOfEvent = (field: keyof typeof general, code: string): FormErrorCode =>
  Object.hasOwn(fieldCodes, code) ? (fieldCodes[code] as FormErrorCode) : general[field];

const word = /^[a-z][a-z0-9_]{0,60}$/;

/**
 * Returns why no payment method was made: a field's code, a decline's own code, or `unavailable`.
 * `unavailable` is retryable unless the provider refuses the key or the request itself.
 */
export function codeOfRefusal({ type, code, decline_code: declineCode }: StripeError): {
  readonly code: string;
  readonly retryable: boolean;
} {
  if (code !== undefined && Object.hasOwn(fieldCodes, code)) {
    return { code: fieldCodes[code] as FormErrorCode, retryable: false };
  }
  if (type === 'card_error') {
    const said = declineCode ?? code ?? 'card_declined';
    return { code: word.test(said) ? said : 'card_declined', retryable: false };
  }
  const isOurs = type === 'authentication_error' || type === 'invalid_request_error';
  return { code: 'unavailable', retryable: !isOurs };
}

// The ends of a submit, as the callbacks and the promise tell them.

import type { SetupResult } from './card-setup-types.ts';
import { SvcError } from './svc-error.ts';

export const verified = (paymentMethodId: string, isAsked: boolean): SetupResult => ({
  type: 'success',
  paymentMethodId,
  challenge: isAsked ? 'succeeded' : null,
});

export const failed = (error: SvcError): SetupResult => ({ type: 'error', error, challenge: null });

/** A part of this library could not be fetched. */
export const lost = (cause: unknown): SetupResult =>
  failed(new SvcError('api_error', 'network_error', { message: String(cause), retryable: true }));

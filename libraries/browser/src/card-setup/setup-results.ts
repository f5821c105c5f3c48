// The results of a submit, as the callbacks and the promise give them.

import type { SvcError } from '../api/svc-error.ts';
import type { SetupResult } from './card-setup-types.ts';

export const verified = (paymentMethodId: string, isAsked: boolean): SetupResult => ({
  type: 'success',
  paymentMethodId,
  challenge: isAsked ? 'succeeded' : null,
});

export const failedSetup = (error: SvcError): SetupResult => ({
  type: 'error',
  error,
  challenge: null,
});

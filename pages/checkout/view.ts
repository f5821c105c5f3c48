// What the page can show, as data. Every state of a session and every failure ends in one of these.

import type { CheckoutSessionStatus } from '@svc/browser';

export type Standing = CheckoutSessionStatus['data'];

/** Said above the form: nothing was charged, the buyer may go on. */
export type Notice =
  | { readonly kind: 'declined'; readonly code: string | null; readonly advice: string | null }
  | { readonly kind: 'problem'; readonly code: string; readonly requestId: string | null };

export type View =
  | { readonly name: 'loading' }
  | { readonly name: 'form'; readonly notice: Notice | null }
  | { readonly name: 'paying' }
  | { readonly name: 'redirecting' }
  | { readonly name: 'challenge'; readonly url: string | null }
  | { readonly name: 'checking'; readonly isOffline: boolean }
  | {
      readonly name: 'succeeded' | 'authorized';
      readonly paymentId: string | null;
      readonly authorizationExpiresAt: string | null;
      /** Just paid, so the page leads on by itself; not when looked at again. */
      readonly isFresh: boolean;
    }
  | { readonly name: 'expired' | 'canceled' | 'notFound' | 'unusable' | 'unreachable' };

/** The form stays in the document in these, so that what is typed is still there afterwards. */
export const keepsForm = ({ name }: View): boolean =>
  name === 'form' || name === 'paying' || name === 'redirecting' || name === 'checking';

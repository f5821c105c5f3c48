// What a merchant passes to mountExpressCheckout and what it returns. Types only.

import type { ExpressMethod } from '../api/wire.ts';
import type { CardPaymentCallbacks, CardPaymentOptions } from './card-payment-types.ts';

export type ExpressCheckoutOptions = Pick<
  CardPaymentOptions,
  | 'appearance'
  | 'baseUrl'
  | 'challengeTimeoutMs'
  | 'expectedTotal'
  | 'locale'
  | 'nonce'
  | 'saveForLater'
  | 'sessionId'
  | 'styleNonce'
  | 'title'
> &
  Pick<
    CardPaymentCallbacks,
    'onCancel' | 'onDecline' | 'onError' | 'onLoadError' | 'onProcessing' | 'onSuccess'
  > & {
    /** The methods that the buyer's browser offers; empty when no button is shown. */
    readonly onReady?: (methods: readonly ExpressMethod[]) => void;
  };

/** What may change while the buttons are shown. */
export type ExpressChanges = Partial<
  Omit<ExpressCheckoutOptions, 'baseUrl' | 'nonce' | 'sessionId'>
>;

export type ExpressCheckout = {
  /**
   * Applies the given options and reads the session again, for example after a coupon. For another session mount
   * the buttons again.
   */
  update(changes?: ExpressChanges): void;
  /** Removes the buttons. Repeatable; no callback is called afterwards. */
  destroy(): void;
};

// What a merchant gives to mountExpressCheckout and gets back from it. Types only.

import type { CardPaymentCallbacks, CardPaymentOptions } from './card-payment-types.ts';
import type { ExpressMethod } from './wire.ts';

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
    /** What the buyer's browser offers; empty where nothing is shown. */
    readonly onReady?: (methods: readonly ExpressMethod[]) => void;
  };

/** What may change while the buttons are shown. */
export type ExpressChanges = Partial<
  Omit<ExpressCheckoutOptions, 'baseUrl' | 'nonce' | 'sessionId'>
>;

export type ExpressCheckout = {
  /** Reads the session again, for another total; what is not given stays. Another session is another mount. */
  update(changes?: ExpressChanges): void;
  /** Takes the buttons away; safe to repeat. No callback is called any more. */
  destroy(): void;
};

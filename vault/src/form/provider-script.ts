// The provider's browser library, loaded from the provider itself: its address stands in this document's
// head. The provider forbids copies and integrity hashes of it.
import type { StripeConstructor } from '@stripe/stripe-js';

type Heard = {
  readonly onLoad: (stripe: StripeConstructor) => void;
  /** It is blocked, out of reach, or no such library. */
  readonly onError: () => void;
};

export function loadProviderScript({ onLoad, onError }: Heard): void {
  const script = document.createElement('script');
  script.addEventListener('error', onError);
  script.addEventListener('load', () => {
    const construct: unknown = Reflect.get(window, 'Stripe');
    if (typeof construct === 'function') onLoad(construct as StripeConstructor);
    else onError();
  });
  script.src = document.querySelector<HTMLLinkElement>('#provider-script')?.href ?? '';
  // Not before: the frame's `load`, at which the page shakes hands, would wait for the provider.
  const insert = () => document.head.append(script);
  if (document.readyState === 'complete') insert();
  else window.addEventListener('load', insert, { once: true });
}

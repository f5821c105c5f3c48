// Loads the provider's browser library from the provider itself: its address is in this document's head.
// The provider forbids copies and integrity hashes of it.
import type { StripeConstructor } from '@stripe/stripe-js';

type ScriptListener = {
  readonly onLoad: (stripe: StripeConstructor) => void;
  /** The script was blocked, is unreachable, or is not the library. */
  readonly onError: () => void;
};

export function loadProviderScript({ onLoad, onError }: ScriptListener): void {
  const script = document.createElement('script');
  script.addEventListener('error', onError);
  script.addEventListener('load', () => {
    const construct: unknown = Reflect.get(window, 'Stripe');
    if (typeof construct === 'function') onLoad(construct as StripeConstructor);
    else onError();
  });
  script.src = document.querySelector<HTMLLinkElement>('#provider-script')?.href ?? '';
  // Inserted only after `load`: the page sends its handshake at the frame's `load`, which would otherwise
  // wait for the provider.
  const insert = () => document.head.append(script);
  if (document.readyState === 'complete') insert();
  else window.addEventListener('load', insert, { once: true });
}

// The entry of the express buttons, and all that a page loads of them until it shows the buttons.

import { loadPart } from '../api/load-part.ts';
import { check, checkBaseUrl, errorOf, isObject } from '../api/svc-error.ts';
import type { ExpressButtons } from './express-checkout.ts';
import type { ExpressCheckout, ExpressCheckoutOptions } from './express-checkout-types.ts';

/**
 * Shows Apple Pay, Google Pay and Link for a session, as far as the buyer's browser offers them, and pays
 * with what the buyer approves there. Contract §4.
 */
export function mountExpressCheckout(
  container: Element,
  options: ExpressCheckoutOptions,
): ExpressCheckout {
  check(isObject(container), 'container');
  check(isObject(options), 'options');
  checkBaseUrl(options.baseUrl);
  let given = options;
  let buttons: ExpressButtons | null = null;
  let isOver = false;
  loadPart(() => import('./express-checkout.ts'), 'ExpressButtons').then(
    (part) => {
      if (!isOver) buttons = new part.ExpressButtons(container, given);
    },
    (cause) => {
      const { code } = errorOf(cause);
      const reason = code === 'reload_required' ? code : 'blocked_by_extension_or_network';
      if (!isOver) given.onLoadError?.(reason);
    },
  );
  return {
    update: (changes = {}) => {
      given = { ...given, ...changes };
      buttons?.update(given);
    },
    destroy: () => {
      isOver = true;
      buttons?.destroy();
    },
  };
}

// A shell: the card may be typed before the shop's cart is there. Contract §3, Claim.

import type { SessionAPI } from '@svc/browser/session-api';
import { failureOf, sleep } from './failures.ts';

const longestWaitSeconds = 25;
/** Between two questions, however fast the service answers. */
const askEveryMs = 1_500;

export class CartWait {
  #isOn = false;

  /** True once the session is no longer a shell, or is gone; false where that is waited for already. */
  async ends(api: SessionAPI, id: string): Promise<boolean> {
    if (this.#isOn) return false;
    this.#isOn = true;
    await waitForCart(api, id);
    this.#isOn = false;
    return true;
  }
}

async function waitForCart(api: SessionAPI, id: string): Promise<void> {
  for (;;) {
    const began = Date.now();
    try {
      const { data } = await api.getCheckoutSessionStatus(id, { wait: longestWaitSeconds });
      if (data.status !== 'unclaimed') return;
    } catch (cause) {
      if (failureOf(cause).status === 404) return;
    }
    await sleep(Math.max(0, askEveryMs - (Date.now() - began)));
  }
}

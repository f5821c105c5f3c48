// A shell: the card may be typed before the shop's cart is there. Contract §3, Claim.

import type { SessionAPI } from '@svc/browser/session-api';
import { failureOf, sleep } from './failures.ts';

const longestWaitSeconds = 25;
/** Between two questions, however fast the service answers. */
const askEveryMs = 1_500;

/** Resolves when the session is no longer a shell, or is gone. */
export async function waitForCart(api: SessionAPI, id: string): Promise<void> {
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

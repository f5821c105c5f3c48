// A shell: the card may be typed before the shop's cart is there. Contract §3, Claim.

import type { SessionAPI } from '@svc/browser/session-api';
import { againAfterMs, failureOf, sleep } from './failures.ts';

const longestWaitSeconds = 25;
/** Between two questions, however fast the service answers. */
const askEveryMs = 1_500;

type Page = {
  readonly isTyped: () => boolean;
  readonly read: () => Promise<unknown>;
  /** Reads for a form that is being typed; false where that failed. */
  readonly renew: () => Promise<boolean>;
};

export class CartWait {
  readonly #api: SessionAPI;
  readonly #id: string;
  readonly #page: Page;
  #isOn = false;

  constructor(api: SessionAPI, id: string, page: Page) {
    this.#api = api;
    this.#id = id;
    this.#page = page;
  }

  /** Shows what the shop attaches, as soon as it is there; one wait at a time. */
  async show(): Promise<void> {
    if (this.#isOn) return;
    this.#isOn = true;
    await waitForCart(this.#api, this.#id);
    this.#isOn = false;
    const { isTyped, read, renew } = this.#page;
    if (!isTyped()) await read().catch(() => undefined);
    // Out of reach for a moment is no reason to take away what is being typed.
    while (isTyped() && !(await renew())) await sleep(againAfterMs);
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

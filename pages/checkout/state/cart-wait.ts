// A shell: the buyer can type the card before the shop has attached the cart. Contract §3, Claim.

import type { SessionAPI } from '@svc/browser/session-api';
import { againAfterMs, failureOf, sleep } from './failures.ts';

const longestWaitSeconds = 25;
/** The least time between two reads, however fast the service responds. */
const askEveryMs = 1_500;

type Page = {
  readonly isTyped: () => boolean;
  readonly read: () => Promise<unknown>;
  /** Reads the session for a form that is being typed into. Returns false when that failed. */
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

  /** Shows what the shop attaches as soon as it is there. Only one wait runs at a time. */
  async show(): Promise<void> {
    if (this.#isOn) return;
    this.#isOn = true;
    await waitForCart(this.#api, this.#id);
    this.#isOn = false;
    const { isTyped, read, renew } = this.#page;
    if (!isTyped()) await read().catch(() => undefined);
    // A short connection failure must not remove what is being typed.
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

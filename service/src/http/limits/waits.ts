// Responses that wait for an event: each ends when its caller hangs up, all of them when the
// service stops, and their number is limited. Contract §3, Status.

import type { ServerResponse } from 'node:http';
import { OpenCounts } from './limits.ts';

/** Each waiting response queries the database four times a second. */
const mostOfAll = 200;
const mostOfAddress = 50;
const mostOfSession = 5;

/** `session`: the checkout session that is waited for, or the merchant and the person who waits. */
type Waiter = { readonly session: string; readonly address: string };

export class Waits {
  readonly #open = new Set<AbortController>();
  readonly #byAddress = new OpenCounts(mostOfAddress);
  readonly #bySession = new OpenCounts(mostOfSession);
  #isStopped = false;

  /**
   * Returns the signal that ends a wait, released with the response. It is aborted from the start
   * when too many wait already, so that the caller gets the present state at once.
   */
  enter({ session, address }: Waiter, response: ServerResponse): AbortSignal {
    if (this.#isStopped || this.#open.size >= mostOfAll) return AbortSignal.abort();
    if (!this.#byAddress.open(address)) return AbortSignal.abort();
    if (!this.#bySession.open(session)) {
      this.#byAddress.close(address);
      return AbortSignal.abort();
    }
    const wait = new AbortController();
    this.#open.add(wait);
    response.once('close', () => {
      this.#open.delete(wait);
      this.#byAddress.close(address);
      this.#bySession.close(session);
      wait.abort();
    });
    return wait.signal;
  }

  /** Ends all waits; later calls do not wait. */
  stop(): void {
    this.#isStopped = true;
    for (const wait of this.#open) wait.abort();
  }
}

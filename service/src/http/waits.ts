// Answers that wait for something to happen: each ends when its caller hangs up, all of them when the
// service stops, and only so many wait at once. Contract §3, Status.

import type { ServerResponse } from 'node:http';
import { OpenCounts } from './limits.ts';

/** Each asks the database four times a second while it waits. */
const mostOfAll = 200;
const mostOfOne = 5;

export class Waits {
  readonly #open = new Set<AbortController>();
  readonly #byKey = new OpenCounts(mostOfOne);
  #isStopped = false;

  /**
   * The signal that ends a wait, over with the answer. Aborted from the start where too many wait
   * already, so that the caller is answered at once with what there is.
   */
  enter(key: string, response: ServerResponse): AbortSignal {
    const isFull = this.#isStopped || this.#open.size >= mostOfAll || !this.#byKey.open(key);
    if (isFull) return AbortSignal.abort();
    const wait = new AbortController();
    this.#open.add(wait);
    response.once('close', () => {
      this.#open.delete(wait);
      this.#byKey.close(key);
      wait.abort();
    });
    return wait.signal;
  }

  /** Ends all waits; from here on nobody waits. */
  stop(): void {
    this.#isStopped = true;
    for (const wait of this.#open) wait.abort();
  }
}

// Fetches documents that strangers name, before anything is known of them: limited per minute and
// address, and few at once, because otherwise the service would flood others on their behalf and
// run out of sockets.

import { Refusal } from '../domain/protocol/refusal.ts';
import type { Budget } from './budgets.ts';
import type { OauthSettings } from './settings.ts';

const mostAtOnce = 16;

export type Documents = {
  /** Throws rate_limited. `address` is the caller's; null when the request was already counted. */
  fetch(url: string, address: string | null): ReturnType<OauthSettings['fetchDocument']>;
};

export function openDocuments(
  fetchDocument: OauthSettings['fetchDocument'],
  budget: Budget,
): Documents {
  let running = 0;
  return {
    async fetch(url, address) {
      if (address !== null) {
        budget.check(address);
        budget.take(address);
      }
      if (running >= mostAtOnce) {
        const message = 'Too many applications are being looked up. Try again in 5 seconds.';
        throw new Refusal('rate_limited', { retryAfter: 5, message });
      }
      running += 1;
      try {
        return await fetchDocument(url);
      } finally {
        running -= 1;
      }
    },
  };
}

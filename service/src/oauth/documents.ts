// Documents that strangers have us fetch, before anything is known of them: so many a minute of each
// address, and few at once, or we would flood others in their stead and run out of sockets.

import { Refusal } from '../domain/protocol/refusal.ts';
import type { Budget } from './budgets.ts';
import type { OauthSettings } from './settings.ts';

const mostAtOnce = 16;

export type Documents = {
  /** Refuses rate_limited. `address`: who asks; null on the way of a request that was counted. */
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

// How often an address or a person may begin a flow or guess: begun flows are rows that a stranger
// makes us keep. Contract §10; decision 0034.

import { Refusal } from '../domain/protocol/refusal.ts';

const minuteMs = 60_000;
/** Beyond so many addresses within a minute the count begins anew. */
const mostKeys = 50_000;

export type Budget = {
  /** Refuses rate_limited while nothing is left. */
  check(key: string): void;
  /** Takes one; before what it is taken for, or many at once would pass. */
  take(key: string): void;
  /** It was no guess after all. */
  giveBack(key: string): void;
};

/** So many a minute of each key. */
function openBudget(most: number, what: string): Budget {
  let startedAt = performance.now();
  let counts = new Map<string, number>();
  const countOf = (key: string, now: number): number => {
    if (now - startedAt >= minuteMs || counts.size >= mostKeys) {
      startedAt = now;
      counts = new Map();
    }
    return counts.get(key) ?? 0;
  };
  return {
    check(key) {
      const now = performance.now();
      if (countOf(key, now) < most) return;
      const seconds = Math.max(1, Math.ceil((startedAt + minuteMs - now) / 1000));
      throw new Refusal('rate_limited', {
        retryAfter: seconds,
        message: `Too many ${what}. Try again in ${seconds} seconds.`,
        headers: {
          'ratelimit-limit': String(most),
          'ratelimit-remaining': '0',
          'ratelimit-reset': String(seconds),
        },
      });
    },
    take(key) {
      counts.set(key, countOf(key, performance.now()) + 1);
    },
    giveBack(key) {
      const count = countOf(key, performance.now());
      if (count > 0) counts.set(key, count - 1);
    },
  };
}

const nothing = () => undefined;
const unlimited: Budget = { check: nothing, take: nothing, giveBack: nothing };

export const openBudgets = (isLimited: boolean) => ({
  /** Authorization requests and device codes begun by an address. */
  flows: isLimited ? openBudget(60, 'requests of applications from your address') : unlimited,
  /** Calls of applications that fail to say who they are, by address. */
  failures: isLimited ? openBudget(20, 'wrong credentials from your address') : unlimited,
  /** Codes and refresh tokens that are none, by address: applications without a secret show no other. */
  wrongGrants: isLimited ? openBudget(120, 'wrong codes and tokens from your address') : unlimited,
  /** Applications that are looked up at the address that is their id. */
  documents: isLimited ? openBudget(20, 'applications to look up for your address') : unlimited,
  /** Device codes that a person types in. */
  userCodes: isLimited ? openBudget(10, 'codes') : unlimited,
});

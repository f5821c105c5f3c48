// How often an address or a person may begin a flow or guess: each begun flow is a row that a
// stranger makes the service store. Contract §10; docs/decisions/attempts.md.

import { Refusal } from '../domain/protocol/refusal.ts';

const minuteMs = 60_000;
/** With more addresses than this within a minute, the counts start again. */
const mostKeys = 50_000;

export type Budget = {
  /** Throws rate_limited when nothing is left. */
  check(key: string): void;
  /** Takes one. Call it before the work that it counts; otherwise many concurrent calls would pass. */
  take(key: string): void;
  /** Gives one back, because it was not a guess. */
  giveBack(key: string): void;
};

/** Allows this many per minute for each key. */
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

const doNothing = () => undefined;
const unlimited: Budget = { check: doNothing, take: doNothing, giveBack: doNothing };

export const openBudgets = (isLimited: boolean) => ({
  /** Authorization requests and device codes that an address begins. */
  flows: isLimited ? openBudget(60, 'requests of applications from your address') : unlimited,
  /** Calls of applications with wrong credentials, by address. */
  failures: isLimited ? openBudget(20, 'wrong credentials from your address') : unlimited,
  /** Unknown codes and refresh tokens, by address: applications without a secret present nothing else. */
  wrongGrants: isLimited ? openBudget(120, 'wrong codes and tokens from your address') : unlimited,
  /** Applications whose metadata document is fetched from the URL that is their id. */
  documents: isLimited ? openBudget(20, 'applications to look up for your address') : unlimited,
  /** Device codes that a person types in. */
  userCodes: isLimited ? openBudget(10, 'codes') : unlimited,
});

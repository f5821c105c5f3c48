import { Refusal } from '../domain/refusal.ts';
import type { Take } from './limits.ts';

/** As people say it. */
const spoken = (seconds: number): string => {
  const isShort = seconds < 120;
  const count = isShort ? seconds : Math.ceil(seconds / 60);
  const unit = isShort ? 'second' : 'minute';
  return `${count} ${unit}${count === 1 ? '' : 's'}`;
};

/** 429 with `Retry-After` and `RateLimit-*`; `what` names the limit that was met. Contract §10. */
export const rateLimited = ({ limit, remaining, retryAfterSeconds }: Take, what: string): Refusal =>
  new Refusal('rate_limited', {
    message: `Too many ${what}. Try again in ${spoken(retryAfterSeconds)}.`,
    retryAfter: retryAfterSeconds,
    headers: {
      'ratelimit-limit': String(limit),
      'ratelimit-remaining': String(remaining),
      'ratelimit-reset': String(retryAfterSeconds),
    },
  });

/** Takes one, or refuses rate_limited: too many of what `of` names. */
export function spend(
  taker: { take(key: string): Take },
  { key, of }: { readonly key: string; readonly of: string },
): void {
  const take = taker.take(key);
  if (!take.isAllowed) throw rateLimited(take, of);
}

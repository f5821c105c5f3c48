import { Refusal } from '../domain/refusal.ts';
import type { Take } from './limits.ts';

/** 429 with `Retry-After` and `RateLimit-*`. Contract §10. */
export const rateLimited = ({ limit, remaining, retryAfterSeconds }: Take): Refusal =>
  new Refusal('rate_limited', {
    retryAfter: retryAfterSeconds,
    headers: {
      'ratelimit-limit': String(limit),
      'ratelimit-remaining': String(remaining),
      'ratelimit-reset': String(retryAfterSeconds),
    },
  });

/** Takes one, or refuses rate_limited. */
export function spend(taker: { take(key: string): Take }, key: string): void {
  const take = taker.take(key);
  if (!take.isAllowed) throw rateLimited(take);
}

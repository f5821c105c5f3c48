// The provider's limits on what an account sends, by its published numbers
// (https://docs.stripe.com/rate-limits): of the account in all, of each operation of the API whatever
// the id in its path, and of the updates of one payment intent. Counted in the real time, because
// callers wait in it. A test account's numbers hold, for a sandbox is one.

import { ApiError } from '../requests/errors.ts';

export type RateLimits = {
  perSecond: number;
  endpointPerSecond: number;
  updatesPerHour: number;
};

export const publishedLimits: RateLimits = {
  perSecond: 25,
  endpointPerSecond: 25,
  updatesPerHour: 1000,
};

type LimitedCall = {
  account: string;
  method: string;
  /** The operation's path, with `:id`. */
  endpoint: string;
  /** The id in the path; empty when there is none. */
  id: string;
};

export type RateLimiter = {
  /** Returns the provider's word for the limit that refuses the call, and counts one that it takes. */
  take: (call: LimitedCall) => RateLimitReason | undefined;
  /** Sets the limits of one account, or of every account without limits of its own; null: none. */
  set: (limits: RateLimits | null, account?: string) => void;
  limitsOf: (account?: string) => RateLimits | null;
};

export type RateLimitReason = 'global-rate' | 'endpoint-rate' | 'resource-specific';

type Bucket = { left: number; at: number };
const mostBuckets = 10_000;
const hourMs = 3_600_000;

/** `nowMs` is monotonic. */
export const createRateLimiter = (
  initial: RateLimits | null,
  nowMs: () => number = () => performance.now(),
): RateLimiter => {
  let common = initial;
  const own = new Map<string, RateLimits | null>();
  const buckets = new Map<string, Bucket>();

  const limitsOf = (account?: string): RateLimits | null =>
    account !== undefined && own.has(account) ? (own.get(account) ?? null) : common;

  /** A bucket fills with `most` in `ms`, and holds as many. */
  const fill = (key: string, most: number, ms: number): Bucket => {
    const now = nowMs();
    const { left, at } = buckets.get(key) ?? { left: most, at: now };
    const bucket = { left: Math.min(most, left + ((now - at) * most) / ms), at: now };
    buckets.delete(key);
    if (buckets.size >= mostBuckets) buckets.delete(buckets.keys().next().value ?? '');
    buckets.set(key, bucket);
    return bucket;
  };

  return {
    take: ({ account, method, endpoint, id }) => {
      const limits = limitsOf(account);
      if (!limits) return undefined;
      const isUpdate = method === 'POST' && endpoint.startsWith('/payment_intents/:id');
      const wanted = [
        ['global-rate', fill(account, limits.perSecond, 1000)],
        ['endpoint-rate', fill(`${account} ${method} ${endpoint}`, limits.endpointPerSecond, 1000)],
        ...(isUpdate
          ? [
              [
                'resource-specific',
                fill(`${account} ${id}`, limits.updatesPerHour, hourMs),
              ] as const,
            ]
          : []),
      ] as const;
      const refusing = wanted.find(([, { left }]) => left < 1);
      if (refusing) return refusing[0];
      for (const [, bucket] of wanted) bucket.left -= 1;
      return undefined;
    },
    set: (limits, account) => {
      if (account === undefined) {
        common = limits;
        own.clear();
      } else own.set(account, limits);
      buckets.clear();
    },
    limitsOf,
  };
};

export const rateLimited = (): ApiError =>
  new ApiError(429, {
    type: 'invalid_request_error',
    code: 'rate_limit',
    message: 'Too many requests hit the API too quickly. We recommend an exponential backoff.',
  });

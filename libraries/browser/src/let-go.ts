// Ends what waits for the bank, so that it is not left open at the provider. Contract §3, Decline.

import { persist } from './send.ts';
import type { Standing } from './standing.ts';

export type Abandonment = {
  readonly reason: 'buyer_canceled' | 'authentication_abandoned';
  readonly attemptId?: string;
};

/** Without an attempt's id only that which waits is ended. */
export type LetGo = (body: Abandonment, signal: AbortSignal) => Promise<Standing>;

export const letGoWithinMs = 8_000;

export const abandonment = (
  reason: Abandonment['reason'],
  standing: Standing | undefined,
): Abandonment => {
  const attemptId = standing?.latestTransactionAttempt?.id;
  return attemptId ? { reason, attemptId } : { reason: 'authentication_abandoned' };
};

export const letGo = (
  { letGo: call }: { readonly letGo: LetGo },
  body: Abandonment,
  signal: AbortSignal,
): Promise<Standing> => persist(() => call(body, signal), { signal, withinMs: letGoWithinMs });

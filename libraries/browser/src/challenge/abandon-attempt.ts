// Ends an attempt that waits for the bank, so that it does not stay open at the provider. Contract §3,
// Decline.

import { repeatWhileLost } from '../api/send.ts';
import type { SessionState } from '../api/session-state.ts';

export type Abandonment = {
  readonly reason: 'buyer_canceled' | 'authentication_abandoned';
  readonly attemptId?: string;
};

/** Ends an attempt. Without an attempt id the service ends only an attempt that waits for the buyer. */
export type AbandonCall = (body: Abandonment, signal: AbortSignal) => Promise<SessionState>;

export const letGoWithinMs = 8_000;

export const abandonment = (
  reason: Abandonment['reason'],
  standing: SessionState | undefined,
): Abandonment => {
  const attemptId = standing?.latestTransactionAttempt?.id;
  return attemptId ? { reason, attemptId } : { reason: 'authentication_abandoned' };
};

export const letGo = (
  { letGo: call }: { readonly letGo: AbandonCall },
  body: Abandonment,
  signal: AbortSignal,
): Promise<SessionState> =>
  repeatWhileLost(() => call(body, signal), { signal, withinMs: letGoWithinMs });

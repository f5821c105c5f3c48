import type { RowShape } from '@svc/contract/rows/row';
import { Refusal } from '../../domain/protocol/refusal.ts';
import type { Caller } from '../../engine/ports.ts';
import type { LimitResult, Limits } from './limits.ts';

/** Writes a time in words. */
const describeSeconds = (seconds: number): string => {
  const isShort = seconds < 120;
  const count = isShort ? seconds : Math.ceil(seconds / 60);
  const unit = isShort ? 'second' : 'minute';
  return `${count} ${unit}${count === 1 ? '' : 's'}`;
};

/**
 * Returns a 429 with `Retry-After` and `RateLimit-*`; `what` names the limit that was exceeded.
 * Contract §10.
 */
export const rateLimited = (
  { limit, remaining, retryAfterSeconds }: LimitResult,
  what: string,
): Refusal =>
  new Refusal('rate_limited', {
    message: `Too many ${what}. Try again in ${describeSeconds(retryAfterSeconds)}.`,
    retryAfter: retryAfterSeconds,
    headers: {
      'ratelimit-limit': String(limit),
      'ratelimit-remaining': String(remaining),
      'ratelimit-reset': String(retryAfterSeconds),
    },
  });

/** Consumes one token or throws rate_limited; `of` is the noun in the message. */
export function spendLimit(
  taker: { take(key: string): LimitResult },
  { key, of }: { readonly key: string; readonly of: string },
): void {
  const take = taker.take(key);
  if (!take.isAllowed) throw rateLimited(take, of);
}

/**
 * Counts the attempts of one address over all sessions, against a card that is tried through many
 * sessions: reliability §5.10. An attempt counts once per call, where it begins: a call that is
 * refused before, or a repeat, costs the visitor nothing.
 */
export function withAttemptCount(
  { limit }: RowShape,
  caller: Caller,
  { address: key, limits }: { address: string; limits: Limits },
): Caller {
  if (limit !== 'process' || caller.kind !== 'session') return caller;
  let isCounted = false;
  const countAttempt = () => {
    if (isCounted) return;
    spendLimit(limits.processAddress, { key, of: 'payment attempts from your address' });
    limits.attempts.keep(sessionKey(caller), key);
    isCounted = true;
  };
  return { ...caller, countAttempt };
}

const sessionKey = ({ nonceSha256 }: { readonly nonceSha256: Buffer }): string =>
  nonceSha256.toString('base64');

/**
 * Gives the attempt back after a success, so that an honest buyer does not use up the budget of
 * others behind the same address. Contract §10.
 */
export function giveBackOnSuccess(answer: unknown, caller: Caller, limits: Limits): void {
  if (caller.kind !== 'session' || !isSuccess(answer)) return;
  const address = limits.attempts.take(sessionKey(caller));
  if (address !== undefined) limits.processAddress.giveBack(address);
}

/**
 * Returns true for a successful response of process, or the status of a session that a notice
 * completed meanwhile.
 */
function isSuccess(answer: unknown): boolean {
  const { body } = answer as { body?: { type?: string; data?: { status?: string } } };
  const status = body?.data?.status;
  return body?.type === 'success' || status === 'completed' || status === 'authorized';
}

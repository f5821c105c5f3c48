import type { RowShape } from '@svc/contract/row';
import { Refusal } from '../../domain/protocol/refusal.ts';
import type { Caller } from '../../engine/ports.ts';
import type { Limits, Take } from './limits.ts';

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

/**
 * A card tried through many sessions is one visitor's: reliability §5.10. Counted where a new attempt
 * begins, once a call: what is refused before, and a repeat, takes nothing from the visitor.
 */
export function withCount(
  { limit }: RowShape,
  caller: Caller,
  { address: key, limits }: { address: string; limits: Limits },
): Caller {
  if (limit !== 'process' || caller.kind !== 'session') return caller;
  let isCounted = false;
  const countAttempt = () => {
    if (isCounted) return;
    spend(limits.processAddress, { key, of: 'payment attempts from your address' });
    limits.attempts.keep(sessionKey(caller), key);
    isCounted = true;
  };
  return { ...caller, countAttempt };
}

const sessionKey = ({ nonceSha256 }: { readonly nonceSha256: Buffer }): string =>
  nonceSha256.toString('base64');

/** An honest buyer takes nothing from the others behind the same address. Contract §10. */
export function giveBackOnSuccess(answer: unknown, caller: Caller, limits: Limits): void {
  if (caller.kind !== 'session' || !tellsOfSuccess(answer)) return;
  const address = limits.attempts.take(sessionKey(caller));
  if (address !== undefined) limits.processAddress.giveBack(address);
}

/** The answer of process, or the status of a session that a notice has completed meanwhile. */
function tellsOfSuccess(answer: unknown): boolean {
  const { body } = answer as { body?: { type?: string; data?: { status?: string } } };
  const status = body?.data?.status;
  return body?.type === 'success' || status === 'completed' || status === 'authorized';
}

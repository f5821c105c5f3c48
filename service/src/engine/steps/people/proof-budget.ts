// The brake on guessing proofs, counted in the database for all processes. Of a password it counts
// the account as tried from one network, so that nobody can lock the owner out from elsewhere, and, far
// higher, the account as tried from all networks together, for whoever rents a thousand of them; a mailed
// link is the way back. Of an authenticator's code it counts the account itself, for only who has the
// password gets to try one.

import { hash } from 'node:crypto';
import { normalizeEmail } from '../../../domain/people/member.ts';
import {
  type AuthAttemptLimit,
  forgetAuthAttempts,
  giveBackAuthAttempt,
  takeAuthAttempt,
} from '../../../storage/accounts/auth-attempt-limits.ts';
import type { Tx } from '../../../storage/database/database.ts';
import { refuse } from '../../implement.ts';
import type { Caller, Ports } from '../../ports.ts';

const budget: AuthAttemptLimit = { most: 10, windowMs: 15 * 60 * 1000 };

/** Of an account over all networks. */
const ceiling: AuthAttemptLimit = { most: 100, windowMs: 60 * 60 * 1000 };

export type TakenProof = {
  /** The proof was right, or nobody looked at it: it does not count. */
  giveBack(): Promise<void>;
};

const uncounted: TakenProof = { giveBack: async () => undefined };

async function take(
  key: readonly string[],
  { most, windowMs, hint = '' }: AuthAttemptLimit & { readonly hint?: string },
  ports: Ports,
): Promise<TakenProof> {
  // The switch that takes every limit away, for benchmarks and soaks.
  if (ports.settings.attemptLimits === null) return uncounted;
  const sha256 = digestOf(key);
  const seconds = await takeAuthAttempt(ports.database, sha256, { most, windowMs });
  if (seconds !== null) {
    const minutes = Math.ceil(seconds / 60);
    refuse('rate_limited', {
      message: `Too many wrong passwords or codes. Try again in ${minutes} minute${minutes === 1 ? '' : 's'}${hint}.`,
      retryAfter: seconds,
    });
  }
  // One try too few is better than a sign-in that is open and not answered.
  return { giveBack: () => giveBackAuthAttempt(ports.database, sha256).catch(() => undefined) };
}

const digestOf = (key: readonly string[]): Buffer => hash('sha256', key.join('\n'), 'buffer');

const accountKey = (email: string): string[] => ['password', normalizeEmail(email)];
const wayBack = ', or set a new password by a mailed link, which ends the wait';

/**
 * A try at the password of an address: from the caller's network, and of all networks together. Refuses
 * rate_limited. An address that has no account is counted as any other.
 */
export async function takePasswordTry(
  email: string,
  caller: Caller,
  ports: Ports,
): Promise<TakenProof> {
  const place = [...accountKey(email), caller.address ?? 'unknown'];
  const here = await take(place, budget, ports);
  const all = await take(accountKey(email), { ...ceiling, hint: wayBack }, ports).catch(
    async (error: unknown) => {
      await here.giveBack();
      throw error;
    },
  );
  return {
    async giveBack() {
      await Promise.all([here.giveBack(), all.giveBack()]);
    },
  };
}

/** Forgets the wrong passwords of an account: somebody has just read its mail and chosen a new one. */
export const forgetPasswordTries = (tx: Tx, email: string): Promise<void> =>
  forgetAuthAttempts(tx, digestOf(accountKey(email)));

/** Judges what was tried. Where that fails, as for want of room, nothing was learnt, and it is no try. */
export async function judge<T>(tried: TakenProof, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    await tried.giveBack();
    throw error;
  }
}

/** A try at the authenticator's code of the person. Refuses rate_limited. */
export const takeCodeTry = (userId: string, ports: Ports): Promise<TakenProof> =>
  take(['totp', userId], budget, ports);

// The limit on guessing passwords and codes, counted in the database for all processes. Wrong
// passwords are counted per account and network, so that nobody can lock the owner out from
// elsewhere. They are also counted, with a far higher limit, per account over all networks, against
// attackers with many networks; the owner gets in again by a mailed link. Wrong authenticator codes
// are counted per account, because only a person who has the password can try one.

import { hash } from 'node:crypto';
import { emailKey } from '../../../domain/people/email.ts';
import type { Tx } from '../../../storage/database/database.ts';
import {
  type AuthAttemptLimit,
  forgetAuthAttempts,
  giveBackAuthAttempt,
  takeAuthAttempt,
} from '../../../storage/people/auth-attempt-limits.ts';
import { refuse } from '../../implement.ts';
import type { Caller, Ports } from '../../ports.ts';

const budget: AuthAttemptLimit = { most: 10, windowMs: 15 * 60 * 1000 };

/** The limit of an account over all networks. */
const ceiling: AuthAttemptLimit = { most: 100, windowMs: 60 * 60 * 1000 };

export type TakenTry = {
  /** Takes the try back because the proof was right, or was not looked at. */
  giveBack(): Promise<void>;
};

const uncounted: TakenTry = { giveBack: async () => undefined };

async function takeAttempt(
  key: readonly string[],
  { most, windowMs, hint = '' }: AuthAttemptLimit & { readonly hint?: string },
  ports: Ports,
): Promise<TakenTry> {
  // Null switches every limit off, for benchmarks and soaks.
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
  // A failure here is ignored: one try too few is better than a sign-in that was opened but not answered.
  return { giveBack: () => giveBackAuthAttempt(ports.database, sha256).catch(() => undefined) };
}

const digestOf = (key: readonly string[]): Buffer => hash('sha256', key.join('\n'), 'buffer');

const accountKey = (email: string): string[] => ['password', emailKey(email.trim())];
const wayBack = ', or set a new password by a mailed link, which ends the wait';

/**
 * Counts a try at the password of an address: from the caller's network, and over all networks.
 * Refuses rate_limited. An address without an account is counted alike.
 */
export async function takePasswordTry(
  email: string,
  caller: Caller,
  ports: Ports,
): Promise<TakenTry> {
  const place = [...accountKey(email), caller.address ?? 'unknown'];
  const here = await takeAttempt(place, budget, ports);
  const all = await takeAttempt(accountKey(email), { ...ceiling, hint: wayBack }, ports).catch(
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

/** Forgets the wrong passwords of an account whose owner has just read its mail and chosen a new password. */
export const forgetPasswordTries = (tx: Tx, email: string): Promise<void> =>
  forgetAuthAttempts(tx, digestOf(accountKey(email)));

/**
 * Runs the check of a try. When the check itself fails, for example because too many are waiting,
 * nothing was learnt from it, so the try is given back.
 */
export async function judge<T>(tried: TakenTry, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    await tried.giveBack();
    throw error;
  }
}

/** Counts a try at the person's authenticator code. Refuses rate_limited. */
export const takeCodeTry = (userId: string, ports: Ports): Promise<TakenTry> =>
  takeAttempt(['totp', userId], budget, ports);

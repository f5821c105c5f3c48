// The brake on guessing proofs, counted in the database for all processes. Of a password it counts
// the account as tried from one network, so that nobody can lock the owner out from elsewhere; of an
// authenticator's code the account itself, for only who has the password gets to try one.

import { hash } from 'node:crypto';
import { normalizeEmail } from '../../domain/member.ts';
import { giveBackProof, type ProofBudget, takeProof } from '../../storage/proof-budgets.ts';
import { refuse } from '../implement.ts';
import type { Caller, Ports } from '../ports.ts';

const budget: ProofBudget = { most: 10, windowMs: 15 * 60 * 1000 };

export type TakenProof = {
  /** The proof was right, or nobody looked at it: it does not count. */
  giveBack(): Promise<void>;
};

const uncounted: TakenProof = { giveBack: async () => undefined };

async function take(key: readonly string[], ports: Ports): Promise<TakenProof> {
  // The switch that takes every limit away, for benchmarks and soaks.
  if (ports.settings.attemptLimits === null) return uncounted;
  const sha256 = hash('sha256', key.join('\n'), 'buffer');
  const seconds = await takeProof(ports.database, sha256, budget);
  if (seconds !== null) {
    const minutes = Math.ceil(seconds / 60);
    refuse('rate_limited', {
      message: `Too many wrong proofs. Try again in ${minutes} minute${minutes === 1 ? '' : 's'}.`,
      retryAfter: seconds,
    });
  }
  // One try too few is better than a sign-in that is open and not answered.
  return { giveBack: () => giveBackProof(ports.database, sha256).catch(() => undefined) };
}

/** A try at the password of an address from the caller's network. Refuses rate_limited. */
export const takePasswordTry = (email: string, caller: Caller, ports: Ports): Promise<TakenProof> =>
  take(['password', normalizeEmail(email), caller.address ?? 'unknown'], ports);

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
  take(['totp', userId], ports);

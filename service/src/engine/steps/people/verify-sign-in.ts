import { timingSafeEqual } from 'node:crypto';
import { findSignIn, touchSignIn } from '../../../storage/accounts/sign-ins.ts';
import type { Ports } from '../../ports.ts';

export type SignIn = {
  readonly signInId: string;
  readonly userId: string;
  /** When the person last proved to be there, not only the browser. */
  readonly provenAt: Date;
  readonly now: Date;
  /** The second factor is still asked for: it gives no right before. */
  readonly needsSecondFactor: boolean;
};

/**
 * The sign-in whose cookie has this digest; undefined when it is unknown, ended or over, or its
 * owner may not sign in any more: all alike. Never cached, so that ending one takes effect at once.
 * Its use is written at most every five minutes, and a failure to do so changes nothing.
 */
export async function verifySignIn(
  tokenSha256: Buffer,
  ports: Pick<Ports, 'database'>,
): Promise<SignIn | undefined> {
  const found = await findSignIn(ports.database, tokenSha256);
  if (!found || !timingSafeEqual(found.tokenSha256, tokenSha256)) return undefined;
  const { signInId, userId, provenAt, now, needsSecondFactor, isUseDue } = found;
  if (isUseDue) await touchSignIn(ports.database, signInId).catch(() => undefined);
  return { signInId, userId, provenAt, now, needsSecondFactor };
}

import { timingSafeEqual } from 'node:crypto';
import { findSignIn, touchSignIn } from '../../../storage/people/sign-ins.ts';
import type { Ports } from '../../ports.ts';

export type SignIn = {
  readonly signInId: string;
  readonly userId: string;
  /** When the person, and not only the browser, last proved to be present. */
  readonly provenAt: Date;
  readonly now: Date;
  /** The second factor is still required; until then the sign-in gives no rights. */
  readonly needsSecondFactor: boolean;
};

/**
 * Returns the sign-in whose cookie has this digest. Returns undefined alike when it is unknown,
 * ended or expired, or when its owner may not sign in any more. Never cached, so that ending one
 * takes effect at once. Its use is written at most every five minutes; a failure of that is
 * ignored.
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

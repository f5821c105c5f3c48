import { hash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { verifySignIn } from '../engine/steps/people/verify-sign-in.ts';
import type { OauthAccess, OauthSettings } from './settings.ts';

/** Returns who is signed in with this browser; null for nobody, and while a second factor is missing. */
export async function findSignedIn(
  request: IncomingMessage,
  { signInCookie }: Pick<OauthAccess, 'signInCookie'>,
  { ports }: Pick<OauthSettings, 'ports'>,
): Promise<{ readonly userId: string } | null> {
  const cookie = signInCookie(request);
  if (cookie === undefined) return null;
  const found = await verifySignIn(hash('sha256', cookie, 'buffer'), ports);
  return found && !found.needsSecondFactor ? { userId: found.userId } : null;
}

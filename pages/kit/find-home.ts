// The one origin at which people sign in.

import { isLoopbackHost } from '@svc/contract/servers/loopback';

/**
 * Returns the origin to which these pages belong. The browser stores a sign-in and passkeys per host name,
 * and localhost and 127.0.0.1 are two names: a visitor of the other one must be redirected.
 */
export async function findHome(): Promise<string> {
  if (!isLoopbackHost(location.hostname)) return location.origin;
  try {
    const answer = await fetch('/.well-known/oauth-protected-resource', { redirect: 'error' });
    const { resource } = (await answer.json()) as { resource: string };
    const home = new URL(resource);
    return isLoopbackHost(home.hostname) ? home.origin : location.origin;
  } catch {
    return location.origin;
  }
}

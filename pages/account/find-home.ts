// The one origin at which people sign in.

/**
 * The origin where these pages are at home. The browser keeps a sign-in and passkeys for one name, and
 * takes localhost and 127.0.0.1 for two: whoever came by the other one is to be sent on.
 */
export async function findHome(): Promise<string> {
  if (!isLoopback(location.hostname)) return location.origin;
  try {
    const answer = await fetch('/.well-known/oauth-protected-resource', { redirect: 'error' });
    const { resource } = (await answer.json()) as { resource: string };
    const home = new URL(resource);
    return isLoopback(home.hostname) ? home.origin : location.origin;
  } catch {
    return location.origin;
  }
}

const isLoopback = (name: string) => /^(localhost|127(\.\d+){3}|\[::1\])$/.test(name);

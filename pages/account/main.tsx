// The pages of people who work for a merchant, served by our server under /account; the API is on the
// same origin and knows them by a cookie that no script can read.

import { render } from 'preact';
import { App } from './app.tsx';
import { startRouter } from './router.ts';

// A page that comes back from the back button's cache shows a state that may be long gone.
addEventListener('pageshow', (event) => {
  if (event.persisted) location.reload();
});

// A second link of a mail, opened in the same tab, changes the fragment alone.
addEventListener('hashchange', () => {
  if (/^\/account\/(reset|invitation)$/.test(location.pathname) && location.hash) location.reload();
});

/**
 * Where these pages are at home. The browser keeps a sign-in and passkeys for one name, and takes
 * localhost and 127.0.0.1 for two: whoever came by the other one is sent on.
 */
async function findHome(): Promise<string> {
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

const home = await findHome();
const root = document.getElementById('account');
if (home !== location.origin) {
  location.replace(home + location.pathname + location.search + location.hash);
} else if (root) {
  startRouter();
  root.replaceChildren();
  render(<App />, root);
}

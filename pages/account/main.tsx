// The pages of people who work for a merchant, served by our server under /account; the API is on the
// same origin and knows them by a cookie that no script can read.

import { render } from 'preact';
import { App } from './app.tsx';
import { findHome } from './find-home.ts';
import { startRouter } from './router.ts';

// A page that comes back from the back button's cache shows a state that may be long gone.
addEventListener('pageshow', (event) => {
  if (event.persisted) location.reload();
});

// A second link of a mail, opened in the same tab, changes the fragment alone.
addEventListener('hashchange', () => {
  if (/^\/account\/(reset|invitation)$/.test(location.pathname) && location.hash) location.reload();
});

const home = await findHome();
const root = document.getElementById('account');
if (home !== location.origin) {
  location.replace(home + location.pathname + location.search + location.hash);
} else if (root) {
  startRouter();
  root.replaceChildren();
  render(<App />, root);
}

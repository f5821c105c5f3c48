// The pages for people who work for a merchant, served by our server under /account. The API is on the same
// origin and recognises people by a cookie that no script can read.

import { render } from 'preact';
import { findHome } from '../kit/find-home.ts';
import { startRouter } from '../kit/router.ts';
import { App } from './app.tsx';

// A page restored by the back button shows a state that may be outdated.
addEventListener('pageshow', (event) => {
  if (event.persisted) location.reload();
});

// Opening another mailed link in the same tab changes only the fragment.
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

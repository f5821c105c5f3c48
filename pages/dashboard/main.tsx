// The merchant's own pages, served by our server under /dashboard. The API is on the same origin and
// recognises people by a cookie that no script can read.

import { render } from 'preact';
import { setFailureWords, setFetch } from '../kit/calls.ts';
import { fetchEarly } from '../kit/early-reads.ts';
import { findHome } from '../kit/find-home.ts';
import { followRoles } from '../kit/memberships.ts';
import { startRouter } from '../kit/router.ts';
import { App } from './app.tsx';
import { failureWords } from './failure-words.ts';
import { listenToKeys } from './frame/keyboard.ts';

// A page restored by the back button shows a state that may be outdated.
addEventListener('pageshow', (event) => {
  if (event.persisted) location.reload();
});

const home = await findHome();
const root = document.getElementById('dashboard');
if (home !== location.origin) {
  location.replace(home + location.pathname + location.search + location.hash);
} else if (root) {
  setFailureWords(failureWords);
  setFetch(fetchEarly);
  startRouter();
  listenToKeys();
  followRoles();
  root.replaceChildren();
  render(<App />, root);
}

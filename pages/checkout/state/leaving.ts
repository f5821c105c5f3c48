// Redirects to a bank or wallet in this window. The redirect may not complete: an app opens the address,
// the buyer stops it, or the server does not respond. Then this page is still shown.

import { startTimer } from './pause.ts';

/** Long enough for a slow page to replace this one. */
const stillHereAfterMs = 15_000;

export function leavePage(url: string, onStay: () => void): void {
  location.assign(url);
  startTimer(onStay, stillHereAfterMs);
}

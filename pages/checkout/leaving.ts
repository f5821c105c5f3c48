// The way to a bank or wallet in this window, which may not be gone to its end: an app takes the
// address, the buyer stops it, nobody answers there. Then this page is still here.

import { later } from './pause.ts';

/** Long enough for a slow page to take this one's place. */
const stillHereAfterMs = 15_000;

export function leaveFor(url: string, onStay: () => void): void {
  location.assign(url);
  later(onStay, stillHereAfterMs);
}

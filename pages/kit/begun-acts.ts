// Acts that people begin, counted, so that what was told of an earlier one goes.

import { signal } from '@preact/signals';

export const begunActs = signal(0);

/** Called when an act begins, also one that is not sent because of what was typed. */
export function beginAct(): void {
  begunActs.value += 1;
}

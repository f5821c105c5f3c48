// Counts the actions that people begin, so that the news of an earlier one goes.

import { signal } from '@preact/signals';

export const begunActions = signal(0);

/** Called when an action begins, also one that is not sent because of what was typed. */
export function countAction(): void {
  begunActions.value += 1;
}

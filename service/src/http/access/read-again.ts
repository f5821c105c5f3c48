// Reads a credential once more before an answer that comes late: a long poll, a piece of a long file. Whoever
// lost access meanwhile gets none of what happened since. Contract §6.

import type { RowShape } from '@svc/contract/rows/row';
import type { Arrival } from './arrival.ts';
import type { Authenticator } from './authenticate.ts';
import { authorise } from './authorise.ts';

/** An answer is late when the credential was read longer ago. */
const lateMs = 250;

/** Throws what the caller's next request would be refused with, once the credential was read too long ago. */
export type ReadAgain = () => Promise<void>;

export function readAgainWhenLate(
  row: RowShape,
  arrival: Arrival,
  authenticator: Authenticator,
): ReadAgain {
  let readAt = performance.now();
  return async () => {
    if (performance.now() - readAt < lateMs) return;
    const admission = await authenticator.authenticate(row, arrival);
    const { caller } = admission;
    if (caller.kind === 'server') await caller.recalled?.confirm();
    authorise(row, admission);
    readAt = performance.now();
  };
}

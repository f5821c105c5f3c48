// Reads a credential again before a late answer: a long poll, a piece of a long file. A caller that lost access in
// the meantime is refused. Contract §6.

import type { RowShape } from '@svc/contract/rows/row';
import type { Arrival } from './arrival.ts';
import type { Authenticator } from './authenticate.ts';
import { authorise } from './authorise.ts';

/** An answer is late when the credential was read longer ago. */
const lateMs = 250;

/** Reads a credential again that was read over 250 ms ago. Throws the refusal that a new request would get. */
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

import type { Ports } from '../../ports.ts';

/**
 * How long a request waits for another holder of the same payment, session, card or customer before it is
 * refused. ARCHITECTURE.md, Killed at any point.
 */
export const holderWaitMs = 5000;

/** The time, by `performance.now()`, at which a request stops waiting for another holder. */
export const stopWaitingAt = ({ settings }: Ports): number =>
  performance.now() + (settings.holderWaitMs ?? holderWaitMs);

import type { Ports } from '../../ports.ts';

/**
 * How long a request waits, in milliseconds, while another process has the lease on the same payment,
 * session, card or customer; then the request is refused. ARCHITECTURE.md, Killed at any point.
 */
export const leaseWaitMs = 5000;

/** When a request stops waiting for the lease of another process, by `performance.now()`. */
export const stopWaitingAt = ({ settings }: Ports): number =>
  performance.now() + (settings.leaseWaitMs ?? leaseWaitMs);

// Time limits of the chaos layers, scaled to the machine. Reliability R1, R3, R5, R6.

import { scaled } from '@svc/tools/machine';

/** R1: the limit from the kill to the response. */
export const settledWithinMs = scaled(60_000);
/** R5: the service closes its last connections after 20 s, and must end then. */
export const drainedWithinMs = scaled(21_000);
/**
 * R3: a transaction that is idle for longer was never ended; the database ends it after 10 s. A shorter
 * bound would fail on a busy machine, where a process without CPU time was idle in a transaction for 2 s.
 * Calls within a transaction are refused by `guard-ports.ts` and reported by the simulation.
 */
export const idleAtMostMs = 8000;
/** R5: the limit until the service is ready again once the database is. */
export const readyWithinMs = scaled(20_000);
/** R6: longer than a process waits for a connection (2 s) and for a lock (2 s). */
export const refusedWithinMs = scaled(12_000);
/** The limit for one caller in a storm, and for all callers together. */
export const heardWithinMs = scaled(30_000);
/** The limit for reaching a point at which a proof waits. */
export const reachedWithinMs = scaled(20_000);

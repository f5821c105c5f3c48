// How long things may take in the chaos layers, on the machine that runs them. Reliability R1, R3, R5, R6.

import { scaled } from '@svc/tools/machine';

/** R1: from the kill to the answer. */
export const settledWithinMs = scaled(60_000);
/** R5: the service cuts what is left of its connections after 20 s, and has to end then. */
export const drainedWithinMs = scaled(21_000);
/**
 * R3: a transaction that is idle for longer was never ended; the database ends it after 10 s. A shorter
 * bound would fail on a busy machine, where a process without CPU time was idle in a transaction for 2 s.
 * Calls within a transaction are refused by `guard-ports.ts` and reported by the simulation.
 */
export const idleAtMostMs = 8000;
/** R5: ready again after the database. */
export const readyWithinMs = scaled(20_000);
/** R6: longer than a process waits for a connection (2 s) and for a lock (2 s). */
export const refusedWithinMs = scaled(12_000);
/** Of a caller in a storm, and of all callers of one. */
export const heardWithinMs = scaled(30_000);
/** To come to a point that something is waited for at. */
export const reachedWithinMs = scaled(20_000);

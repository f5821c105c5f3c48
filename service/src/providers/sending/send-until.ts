// A process may be stopped, and its machine suspended, between a decision to send and the sending.
// When it resumes, nothing is sent: another process has taken over, and the provider may have
// forgotten the key that made a repeat harmless.

import { AsyncLocalStorage } from 'node:async_hooks';
import { NeverSent } from './never-sent.ts';

const latest = new AsyncLocalStorage<number>();

/** Runs `call` with a deadline (`Date.now()` ms) after which none of the request may be sent. */
export const sendUntil = <T>(untilMs: number, call: () => T): T => latest.run(untilMs, call);

/**
 * Transports call it as the last step before the socket. It uses the wall clock, which also counts
 * time asleep.
 */
export function assertStillToSend(): void {
  const untilMs = latest.getStore();
  if (untilMs !== undefined && Date.now() >= untilMs) throw new NeverSent('too late to be sent');
}

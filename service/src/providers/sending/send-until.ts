// A process may be stopped, and its machine put to sleep, between a decision to send and the sending.
// What then wakes up sends nothing: others have taken over, and the provider may have forgotten the
// key that made a repeat harmless.

import { AsyncLocalStorage } from 'node:async_hooks';
import { NeverSent } from './never-sent.ts';

const latest = new AsyncLocalStorage<number>();

/** Calls with a time, by `Date.now()`, from which on nothing of it may leave this machine. */
export const sendUntil = <T>(untilMs: number, call: () => T): T => latest.run(untilMs, call);

/** For transports, as the last thing before the socket. The wall clock: it also counts sleep. */
export function assertStillToSend(): void {
  const untilMs = latest.getStore();
  if (untilMs !== undefined && Date.now() >= untilMs) throw new NeverSent('too late to be sent');
}

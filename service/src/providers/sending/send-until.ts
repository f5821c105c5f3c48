// A process may be stopped, and its machine suspended, between a decision to send and the sending.
// When it resumes, nothing is sent: another process has taken over, and the provider may have
// forgotten the key that made a repeat harmless. And a request may have to wait for its turn before
// it leaves.

import { AsyncLocalStorage } from 'node:async_hooks';
import { NeverSent } from './never-sent.ts';

export type Sending = {
  /** The time, as of `Date.now()`, from which on none of the request may be sent. */
  untilMs: number;
  /** Waits until the request may leave; throws `NeverSent` when that takes too long. */
  readonly waitForTurn?: (method: string, path: string) => void | Promise<void>;
};

const latest = new AsyncLocalStorage<Sending>();

/** Runs `call`, whose requests are sent as `sending` says. */
export const sendUntil = <T>(sending: Sending, call: () => T): T => latest.run(sending, call);

/** Transports call it first: it waits for the request's turn. */
export async function waitForTurn(method: string, path: string): Promise<void> {
  await latest.getStore()?.waitForTurn?.(method, path);
}

/**
 * Transports call it as the last step before the socket. It uses the wall clock, which also counts
 * time asleep.
 */
export function assertStillToSend(): void {
  const sending = latest.getStore();
  if (sending && Date.now() >= sending.untilMs) throw new NeverSent('too late to be sent');
}

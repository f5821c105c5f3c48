// How the buyer arrives: `/c/{id}#<nonce>` from the shop, `/c/{id}` after a reload,
// `/c/{id}?payment_intent=…` back from the bank. Contract §3.

import { sessionIdOf } from './addresses.ts';
import { findKept, keep } from './keeper.ts';

export type Arrival = {
  readonly sessionId: string;
  readonly nonce: string;
  /** Back from a challenge: the outcome is news to the buyer. */
  readonly isReturn: boolean;
};

/** Reads the address, then strips nonce and provider parameters from it; null without a nonce. */
export function arrive(): Arrival | null {
  const sessionId = sessionIdOf(location.pathname);
  const given = location.hash.slice(1);
  const isReturn = new URLSearchParams(location.search).has('payment_intent');
  if (location.hash || location.search) history.replaceState(null, '', location.pathname);
  if (!sessionId) return null;
  if (given) keep('nonce', sessionId, given);
  const nonce = given || findKept('nonce', sessionId);
  return nonce ? { sessionId, nonce, isReturn } : null;
}

// How the buyer arrives: `/c/{id}#<nonce>` from the shop, `/c/{id}` after a reload,
// `/c/{id}?payment_intent=…` or `?setup_intent=…` from the bank, `/c/{id}?token=…` from the wallet.
// Contract §3.

import { sessionIdOf } from './addresses.ts';
import { findKept, keepValue } from './keeper.ts';

/** Where the buyer returned from. The result is then new to the buyer. */
export type ReturnSource = 'bank' | 'wallet' | 'wallet_canceled';

export type Arrival = {
  readonly sessionId: string;
  readonly nonce: string;
  readonly from: ReturnSource | null;
};

/**
 * Reads the address and then removes nonce and provider parameters from it. Returns a message when no nonce
 * is known, for example when the buyer returns in another tab or browser.
 */
export function arrive(): Arrival | 'notFound' | 'returned' {
  const sessionId = sessionIdOf(location.pathname);
  const given = location.hash.slice(1);
  const from = returnOf(new URLSearchParams(location.search));
  if (location.hash || location.search) history.replaceState(null, '', location.pathname);
  if (!sessionId) return 'notFound';
  if (given) keepValue('nonce', sessionId, given);
  const nonce = given || findKept('nonce', sessionId);
  if (!nonce) return from ? 'returned' : 'notFound';
  return { sessionId, nonce, from };
}

function returnOf(query: URLSearchParams): ReturnSource | null {
  if (query.has('payment_intent') || query.has('setup_intent')) return 'bank';
  if (query.get('wallet') === 'canceled') return 'wallet_canceled';
  return query.has('token') ? 'wallet' : null;
}

const returned = 'svc.challenge.returned';

/**
 * Returns true inside the dialog's frame, to which the bank has returned. Reports the return to the page
 * around it, which does the rest. That page is this one: the policy lets no other page frame this document.
 */
export function notifyParent(): boolean {
  if (parent === window) return false;
  parent.postMessage({ kind: returned, chv: location.search.slice(1, 4097) }, location.origin);
  return true;
}

/**
 * Calls `onReturn` when the bank's frame has returned, with the result of the challenge. Returns a function
 * that stops listening. Contract §3, Process: chv.
 */
export function listenForReturn(
  frame: HTMLIFrameElement,
  onReturn: (chv: string) => void,
): () => void {
  const receiveMessage = ({ origin, source, data }: MessageEvent): void => {
    const isOurs = origin === location.origin && source === frame.contentWindow;
    if (isOurs && data?.kind === returned) onReturn(String(data.chv ?? ''));
  };
  addEventListener('message', receiveMessage);
  return () => removeEventListener('message', receiveMessage);
}

// How the buyer arrives: `/c/{id}#<nonce>` from the shop, `/c/{id}` after a reload,
// `/c/{id}?payment_intent=…` or `?setup_intent=…` back from the bank, `/c/{id}?token=…` back from the
// wallet. Contract §3.

import { sessionIdOf } from './addresses.ts';
import { findKept, keep } from './keeper.ts';

/** Back from elsewhere: the outcome is news to the buyer. */
export type Return = 'bank' | 'wallet' | 'wallet_canceled';

export type Arrival = {
  readonly sessionId: string;
  readonly nonce: string;
  readonly from: Return | null;
};

/**
 * Reads the address, then strips nonce and provider parameters from it; what there is to say where no
 * nonce is known. So it is on the return to another tab or browser than the one that began.
 */
export function arrive(): Arrival | 'notFound' | 'returned' {
  const sessionId = sessionIdOf(location.pathname);
  const given = location.hash.slice(1);
  const from = returnOf(new URLSearchParams(location.search));
  if (location.hash || location.search) history.replaceState(null, '', location.pathname);
  if (!sessionId) return 'notFound';
  if (given) keep('nonce', sessionId, given);
  const nonce = given || findKept('nonce', sessionId);
  if (!nonce) return from ? 'returned' : 'notFound';
  return { sessionId, nonce, from };
}

function returnOf(query: URLSearchParams): Return | null {
  if (query.has('payment_intent') || query.has('setup_intent')) return 'bank';
  if (query.get('wallet') === 'canceled') return 'wallet_canceled';
  return query.has('token') ? 'wallet' : null;
}

const returned = 'svc.challenge.returned';

/**
 * True inside the dialog: the bank has sent its frame back here. The page around it, which is this
 * one or the policy would not have let it frame us, is told and does the rest.
 */
export function tellParent(): boolean {
  if (parent === window) return false;
  parent.postMessage({ kind: returned, chv: location.search.slice(1, 4097) }, location.origin);
  return true;
}

/**
 * Calls `onReturn` when the bank's frame has come back, with what it brought along: the result of
 * the challenge. Answers how to stop listening. Contract §3, Process: chv.
 */
export function listenForReturn(
  frame: HTMLIFrameElement,
  onReturn: (chv: string) => void,
): () => void {
  const hear = ({ origin, source, data }: MessageEvent): void => {
    const isOurs = origin === location.origin && source === frame.contentWindow;
    if (isOurs && data?.kind === returned) onReturn(String(data.chv ?? ''));
  };
  addEventListener('message', hear);
  return () => removeEventListener('message', hear);
}

// What must outlive a reload, or the way to the bank and back, in this tab: the session's nonce, the
// address of a challenge, and the attempt that it is about. Session storage is this origin's and this
// tab's alone, ends with the tab, and the page's policy lets no foreign script run that could read it;
// the address bar and the history, where the nonce came in, are seen by more. A storage that is full
// costs the reload, not the payment. Contract §3; reliability: nonce.

import { inTab } from './tab-storage.ts';

type Kind = 'nonce' | 'challenge' | 'asked';

const key = (kind: Kind, sessionId: string) => `svc:${kind}:${sessionId}`;

export const keep = (kind: Kind, sessionId: string, value: string): void =>
  void inTab((storage) => storage.setItem(key(kind, sessionId), value));

export const findKept = (kind: Kind, sessionId: string): string | null =>
  inTab((storage) => storage.getItem(key(kind, sessionId)));

export const forget = (kind: Kind, sessionId: string): void =>
  void inTab((storage) => storage.removeItem(key(kind, sessionId)));

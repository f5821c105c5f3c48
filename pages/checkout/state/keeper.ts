// What this tab stores over a reload or the way to the bank and back: the session's nonce, the address of a
// challenge, and its attempt. Session storage belongs to this origin and this tab and ends with the tab,
// and the page's policy lets no foreign script run that could read it. The address bar and the history,
// which first held the nonce, are visible to more. When the storage is full, only a reload fails, not the
// payment. Contract §3; reliability: nonce.

import { useTabStorage } from './tab-storage.ts';

type Kind = 'nonce' | 'challenge' | 'asked';

const key = (kind: Kind, sessionId: string) => `svc:${kind}:${sessionId}`;

export const keepValue = (kind: Kind, sessionId: string, value: string): void =>
  void useTabStorage((storage) => storage.setItem(key(kind, sessionId), value));

export const findKept = (kind: Kind, sessionId: string): string | null =>
  useTabStorage((storage) => storage.getItem(key(kind, sessionId)));

export const forgetKept = (kind: Kind, sessionId: string): void =>
  void useTabStorage((storage) => storage.removeItem(key(kind, sessionId)));

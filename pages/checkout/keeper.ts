// What must outlive a reload, or the way to the bank and back, in this tab: the session's nonce,
// the address of a challenge, and the attempt that it is about. Session storage is this origin's and this tab's alone, ends with the
// tab, and the page's policy lets no foreign script run that could read it; the address bar and the
// history, where the nonce came in, are seen by more. Contract §3; reliability: nonce.

function storage(): Storage | null {
  try {
    return sessionStorage;
  } catch {
    return null;
  }
}

type Kind = 'nonce' | 'challenge' | 'asked';

const key = (kind: Kind, sessionId: string) => `svc:${kind}:${sessionId}`;

export const keep = (kind: Kind, sessionId: string, value: string): void => {
  try {
    sessionStorage.setItem(key(kind, sessionId), value);
  } catch {
    // A full storage costs the reload, not the payment.
  }
};

export const findKept = (kind: Kind, sessionId: string): string | null =>
  storage()?.getItem(key(kind, sessionId)) ?? null;

export const forget = (kind: Kind, sessionId: string): void =>
  storage()?.removeItem(key(kind, sessionId));

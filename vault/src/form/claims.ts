// What the form reads of a mount token. The vault has signed none of it for this document: it is for show.
import type { MountClaims } from '@svc/contract/vault';

type ReadClaims = Pick<MountClaims, 'publishableKey' | 'amount' | 'currency'>;

/** An empty key where the token is none. */
export function readClaims(mountToken: string): ReadClaims {
  try {
    const [claims = ''] = mountToken.replace(/^svcm_/, '').split('.');
    const text = atob(claims.replaceAll('-', '+').replaceAll('_', '/'));
    const { publishableKey, amount, currency } = JSON.parse(text) as Record<string, unknown>;
    if (typeof publishableKey !== 'string') return { publishableKey: '' };
    const isDue = typeof amount === 'number' && typeof currency === 'string';
    return { publishableKey, ...(isDue ? { amount, currency } : {}) };
  } catch {
    return { publishableKey: '' };
  }
}

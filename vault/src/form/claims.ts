// What the form reads from a mount token. The form does not check the signature: it uses the values for display
// only.
import type { MountClaims } from '@svc/contract/vault/vault';

type ReadClaims = Pick<MountClaims, 'publishableKey' | 'amount' | 'currency'>;

/** Returns an empty key for a text that is not a mount token. */
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

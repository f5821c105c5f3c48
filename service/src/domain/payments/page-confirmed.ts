import type { Operation } from './operation.ts';

/**
 * The fingerprint of an attempt that the buyer's page itself confirms at the provider: a session
 * has one at a time, whatever the request. No digest has this value.
 */
export const pageConfirmed = Buffer.from('confirmed by the page itself'.padEnd(32));

/** The same for an order that the buyer approves on the wallet's page. */
export const walletApproved = Buffer.from('approved on the page of a wallet'.padEnd(32));

/** The attempt has no card token: it belongs to its session, and each new try is a new attempt. */
export const isPageConfirmed = (operation: Pick<Operation, 'kind' | 'canonSha256'>): boolean =>
  operation.kind === 'authorize' &&
  (operation.canonSha256.equals(pageConfirmed) || operation.canonSha256.equals(walletApproved));

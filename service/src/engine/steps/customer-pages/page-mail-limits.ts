import { hash } from 'node:crypto';
import { networkOfAddress } from '@svc/contract/servers/network';
import type { Caller } from '../../ports.ts';

const windowMs = 3_600_000;
/** Mails to one address, or for one customer, in an hour. */
export const mostToOne = { most: 5, windowMs } as const;
/** Wishes for mails from one network in an hour. */
export const mostFromNetwork = { most: 30, windowMs } as const;

/** What is counted: wishes of one kind by the parts. */
export const wishKey = (kind: 'page-link' | 'page-address', ...parts: readonly string[]): Buffer =>
  hash('sha256', [kind, ...parts].join(' '), 'buffer');

/** Wishes of one kind from the caller's network. */
export const networkKey = (
  kind: 'page-link' | 'page-address',
  { address }: Pick<Caller, 'address'>,
): Buffer => wishKey(kind, 'from', address === undefined ? 'none' : networkOfAddress(address));

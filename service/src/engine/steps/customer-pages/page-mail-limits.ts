import { hash } from 'node:crypto';
import { networkOfAddress } from '@svc/contract/servers/network';
import { emailKey } from '../../../domain/people/email.ts';
import type { Caller } from '../../ports.ts';

const windowMs = 3_600_000;
/** Mails to one address, or for one customer, in an hour. */
export const mostToOne = { most: 5, windowMs } as const;
/** Requests for a mail from one network in an hour. */
export const mostFromNetwork = { most: 30, windowMs } as const;

/** Returns the key under which requests for a mail of one kind are counted, by `parts`. */
export const wishKey = (kind: 'page-link' | 'page-address', ...parts: readonly string[]): Buffer =>
  hash('sha256', [kind, ...parts].join(' '), 'buffer');

/**
 * Returns the key under which requests for a mail to an address are counted, in whichever spelling it was typed: each
 * of them reaches the same reader.
 */
export const addressKey = (
  kind: 'page-link' | 'page-address',
  clientId: string,
  email: string,
): Buffer => wishKey(kind, 'to', clientId, emailKey(email));

/** Returns the key under which requests for a mail of one kind from the caller's network are counted. */
export const networkKey = (
  kind: 'page-link' | 'page-address',
  { address }: Pick<Caller, 'address'>,
): Buffer => wishKey(kind, 'from', address === undefined ? 'none' : networkOfAddress(address));

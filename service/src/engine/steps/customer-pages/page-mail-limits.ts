import { hash } from 'node:crypto';
import { networkOfAddress } from '@svc/contract/servers/network';
import { emailKey } from '../../../domain/people/email.ts';
import type { Database } from '../../../storage/database/database.ts';
import {
  type AuthAttemptLimit,
  takeAuthAttempt,
} from '../../../storage/people/auth-attempt-limits.ts';
import type { Caller } from '../../ports.ts';

const windowMs = 3_600_000;
/** Mails to one address, or for one customer, in an hour. */
export const mostToOne = { most: 5, windowMs } as const;
/** Requests for a mail from one network, or by one person of the merchant, in an hour. */
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

/** Counts a request for a mail under each key. Returns null, or the seconds to wait where one has no more. */
export async function takeMail(
  database: Database,
  limits: readonly (readonly [Buffer, AuthAttemptLimit])[],
): Promise<number | null> {
  for (const [key, limit] of limits) {
    const wait = await takeAuthAttempt(database, key, limit);
    if (wait !== null) return wait;
  }
  return null;
}

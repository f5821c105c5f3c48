import { hash } from 'node:crypto';
import type { SignInMethod } from '../../../domain/people/sign-in.ts';
import type { Tx } from '../../../storage/database/database.ts';
import { endSignInOf, insertSignIn } from '../../../storage/people/sign-ins.ts';
import type { Caller, Ports } from '../../ports.ts';
import { recordChange } from '../audit-log/record-change.ts';

export type OpenedSignIn = { readonly cookieValue: string; readonly signInId: string };

/** Creates a value for the sign-in cookie, with 256 random bits, and the digest that is stored. */
export function newCookie(ports: Pick<Ports, 'randomBytes'>) {
  const cookieValue = ports.randomBytes(32).toString('base64url');
  return { cookieValue, tokenSha256: hash('sha256', cookieValue, 'buffer') };
}

/**
 * Signs the person in from the caller's browser, and ends the sign-in that the browser had before.
 * Called in a transaction of no client. `isHalf`: a second factor is still required.
 */
export async function openSignIn(
  tx: Tx,
  opening: {
    readonly userId: string;
    readonly method: SignInMethod;
    readonly caller: Caller;
    readonly isHalf?: boolean;
  },
  ports: Pick<Ports, 'newId' | 'randomBytes'>,
): Promise<OpenedSignIn> {
  const { userId, method, caller, isHalf = false } = opening;
  await endFormer(tx, caller);
  const signInId = ports.newId();
  const { cookieValue, tokenSha256 } = newCookie(ports);
  await insertSignIn(tx, {
    id: signInId,
    userId,
    tokenSha256,
    state: isHalf ? 'second_factor' : 'open',
    method,
    address: caller.address ?? null,
    userAgent: caller.userAgent ?? null,
  });
  if (!isHalf) await recordOpened(tx, { userId, signInId, method, caller }, ports);
  return { cookieValue, signInId };
}

/** Records the sign-in in the audit log, with the person as its actor. */
export async function recordOpened(
  tx: Tx,
  opened: {
    readonly userId: string;
    readonly signInId: string;
    readonly method: SignInMethod;
    readonly caller: Caller;
  },
  ports: Pick<Ports, 'newId'>,
): Promise<void> {
  const { userId, signInId, method, caller } = opened;
  const { requestId, origin, address, userAgent } = caller;
  const person: Caller = {
    kind: 'person',
    userId,
    signInId,
    requestId,
    origin,
    ...(address === undefined ? {} : { address }),
    ...(userAgent === undefined ? {} : { userAgent }),
  };
  const change = { action: 'sign_in.opened', resourceType: 'sign_in', resourceId: signInId };
  await recordChange(tx, person, { ...change, userId, after: { method } }, ports);
}

/** Ends the browser's earlier sign-in, finished or not: a browser has one sign-in at a time. */
async function endFormer(tx: Tx, caller: Caller): Promise<void> {
  if (caller.kind === 'person') await endSignInOf(tx, caller.signInId, caller.userId);
  if (caller.kind === 'anonymous' && caller.halfOpen) {
    await endSignInOf(tx, caller.halfOpen.signInId, caller.halfOpen.userId);
  }
}

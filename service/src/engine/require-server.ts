import { may, type Permission } from '@svc/contract/rows/roles';
import type { Filter } from '@svc/contract/rows/row';
import type { Scope } from '@svc/contract/rows/scopes';
import { lacksRole } from '../domain/people/lacks-role.ts';
import { refuse } from './implement.ts';
import type { Caller } from './ports.ts';

export type ServerCaller = Extract<Caller, { kind: 'server' }>;

/**
 * The caller as a merchant's server. With a row, its role of this moment must hold the row's permission:
 * what a token may do follows its owner's role. Spec: Authentication. Contract §6.
 */
export function requireServer(
  caller: Caller,
  row?: { readonly permission: Permission | null },
): ServerCaller {
  if (caller.kind !== 'server') return refuse('authentication_required');
  const permission = row?.permission ?? null;
  if (permission !== null && !may(caller.role, permission)) throw lacksRole(permission);
  return caller;
}

/** Refuses recent_sign_in_required for a browser whose person proved who they are too long ago. */
export function requireRecentProof({ via, isProofRecent }: ServerCaller): void {
  if (via === 'person' && !isProofRecent) refuse('recent_sign_in_required');
}

/** Whether the credential has the scope: one without scopes has all that its role allows. */
export const mayRead = ({ scopes }: ServerCaller, scope: Scope): boolean =>
  scopes === null || scopes.includes(scope);

/**
 * Whether the names of customers, which are stored with the customer alone, may be told beside what somebody
 * bought. Additions §2.
 */
export const mayReadNames = (caller: ServerCaller): boolean => mayRead(caller, 'customers:read');

/** Refuses insufficient_scope where a filter would tell whose name a payment has. */
export function refuseNameFilter(filters: readonly Filter[], caller: ServerCaller): void {
  if (mayReadNames(caller) || !filters.some(({ field }) => field === 'name')) return;
  refuse('insufficient_scope', {
    param: 'name',
    message: 'The filter name needs the scope customers:read.',
  });
}

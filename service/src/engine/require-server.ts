import { isLeader } from '../domain/people/member.ts';
import { refuse } from './implement.ts';
import type { Caller } from './ports.ts';

export type ServerCaller = Extract<Caller, { kind: 'server' }>;

/**
 * Returns the caller as a merchant's server. `admin` requires a present owner or admin: the rights
 * of a token follow its owner's present role. Refuses authentication_required and
 * merchant_role_required. Spec: Authentication. Contract §6.
 */
export function requireServer(caller: Caller, role: 'member' | 'admin' = 'member'): ServerCaller {
  if (caller.kind !== 'server') return refuse('authentication_required');
  if (role === 'admin' && !isLeader(caller.role)) return refuse('merchant_role_required');
  return caller;
}

import { isLeader } from '../domain/people/member.ts';
import { refuse } from './implement.ts';
import type { Caller } from './ports.ts';

export type ServerCaller = Extract<Caller, { kind: 'server' }>;

/**
 * The caller as a merchant's server. `admin` asks for a current owner or admin; what a token may
 * do follows its owner's role of this moment. Spec: Authentication. Contract §6.
 */
export function requireServer(caller: Caller, role: 'member' | 'admin' = 'member'): ServerCaller {
  if (caller.kind !== 'server') return refuse('authentication_required');
  if (role === 'admin' && !isLeader(caller.role)) return refuse('merchant_role_required');
  return caller;
}

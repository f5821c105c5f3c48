import { refuse } from '../implement.ts';
import type { Caller } from '../ports.ts';

export type PersonCaller = Extract<Caller, { kind: 'person' }>;

/** The caller as a signed-in person. Refuses sign_in_required. */
export const requirePerson = (caller: Caller): PersonCaller =>
  caller.kind === 'person' ? caller : refuse('sign_in_required');

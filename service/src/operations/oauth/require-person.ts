import { refuse } from '../implement.ts';
import type { Caller } from '../ports.ts';

/** The caller as a person on our own pages. */
export const requirePerson = (caller: Caller): Caller & { kind: 'person' } =>
  caller.kind === 'person' ? caller : refuse('sign_in_required');

// Which scopes are worth choosing for an API token. What no call asks a token for is not offered; nor is
// what the owner's role will refuse whatever the token says. Contract §6.

import type { Scope } from '@svc/contract/scopes';
import type { Role } from './members-words.ts';

/** Asked of applications alone. */
export const idle: readonly Scope[] = ['mcp'];

/** Every call that asks for one of these asks for an owner or admin too. */
export const ofLeaders: readonly Scope[] = [
  'payments:write',
  'refunds:write',
  'catalog:write',
  'members:write',
  'audit:read',
];

export const withoutUse = (role: Role): readonly Scope[] =>
  role === 'member' ? [...idle, ...ofLeaders] : idle;

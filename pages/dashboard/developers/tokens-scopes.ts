// Which scopes are useful for an API token. Scopes that no call requires of a token are not offered, nor
// those that the owner's role forbids anyway. Contract §6.

import { may } from '@svc/contract/rows/roles';
import type { Scope } from '@svc/contract/rows/scopes';
import type { Role } from '../../kit/members-words.ts';

/** Required only of applications. */
export const unusedScopes: readonly Scope[] = ['mcp'];

/** Every call that requires one of these also requires a permission of owners and admins. */
export const scopesOfLeaders: readonly Scope[] = [
  'payments:write',
  'refunds:write',
  'catalog:write',
  'members:write',
  'audit:read',
];

export const scopesWithoutUse = (role: Role): readonly Scope[] =>
  may(role, 'settings.write') ? unusedScopes : [...unusedScopes, ...scopesOfLeaders];

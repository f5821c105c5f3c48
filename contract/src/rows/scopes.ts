/** OAuth scopes. Contract §6. */
export const scopes = [
  'mcp',
  'payments:read',
  'payments:write',
  'refunds:write',
  'payment_methods:read',
  'payment_methods:write',
  'checkout:write',
  'customers:read',
  'customers:write',
  'catalog:read',
  'catalog:write',
  'events:read',
  'webhooks:read',
  'webhooks:write',
  'disputes:read',
  'members:write',
  'audit:read',
  'reports:write',
] as const;
export type Scope = (typeof scopes)[number];

/**
 * True when an API token has the scope only if its scopes name it: changes to members outlast the token.
 * Contract §6.
 */
export const needsExplicitScope = (scope: Scope | null): boolean => scope === 'members:write';

/**
 * The scopes that move money: `checkout:write` beside `payment_methods:read` charges saved cards. A test
 * compares them with the rows.
 */
export const moneyScopes: readonly Scope[] = ['payments:write', 'refunds:write', 'checkout:write'];

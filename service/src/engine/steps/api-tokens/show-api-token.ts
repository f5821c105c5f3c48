import type { ApiToken as WireToken } from '@svc/contract/developers/api-tokens';
import type { ApiToken } from '../../../domain/people/api-token.ts';

/** Shows a token without its value, listing each field. Spec: API token. */
export const showApiToken = (token: ApiToken): WireToken => ({
  id: token.id,
  name: token.name,
  description: token.description,
  createdAt: token.createdAt.toISOString(),
  lastUsedAt: token.lastUsedAt?.toISOString() ?? null,
  expiresAt: token.expiresAt?.toISOString() ?? null,
  scopes: token.scopes && [...token.scopes],
});

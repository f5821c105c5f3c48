// The scopes that an agent without a token should ask the person for: only reading, unless its URL
// names more. Without this list clients ask for every scope. RFC 6750 §3, reliability §5.3.

import { scopes as knownScopes } from '@svc/contract/rows/scopes';
import { Refusal } from '../../domain/protocol/refusal.ts';
import type { ServedTool } from './tools.ts';

/**
 * Returns the scopes of the tools that only read, then those that `/mcp?scope=…` names. Never
 * `mcp`: it makes API tokens, which would outlive the person's consent. Spec: Authentication 5.
 */
function scopesToAskFor(tools: Iterable<ServedTool>, url: string): string[] {
  const asked = new Set<string>();
  const offered = new Set<string>();
  for (const { row, hint } of tools) {
    if (row.scope === null) continue;
    offered.add(row.scope);
    if (hint.kind === 'read') asked.add(row.scope);
  }
  const named = new URL(url, 'http://unused.invalid').searchParams.get('scope') ?? '';
  for (const scope of named.split(/[ ,]+/)) if (offered.has(scope)) asked.add(scope);
  return knownScopes.filter((scope) => asked.has(scope));
}

/**
 * Adds to the refusal of a credential where to get one: for /mcp, whose tokens open nothing else,
 * so that an agent cannot move money outside its tools. RFC 8707, RFC 9728 §5.1.
 */
export function withChallenge(
  error: unknown,
  tools: Iterable<ServedTool>,
  { baseUrl, url }: { baseUrl: string; url: string },
): unknown {
  if (!(error instanceof Refusal) || error.code !== 'authentication_required') return error;
  const metadata = new URL('/.well-known/oauth-protected-resource/mcp', baseUrl).href;
  const scope = scopesToAskFor(tools, url).join(' ');
  const challenge = `Bearer resource_metadata="${metadata}", scope="${scope}"`;
  return new Refusal('authentication_required', { headers: { 'www-authenticate': challenge } });
}

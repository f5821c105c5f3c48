import { type ApiToken, grantableScopes, isBeyond } from '../../../domain/people/api-token.ts';
import { refuse } from '../../implement.ts';
import type { ServerCaller } from '../../require-server.ts';

/**
 * Refuses insufficient_scope where the caller would hold the value of a token that may do more than the
 * caller's own consent. Contract §6.
 */
export function refuseBeyond(scopes: ApiToken['scopes'], maker: ServerCaller): void {
  const toGive = grantableScopes(maker);
  if (!isBeyond(scopes, toGive)) return;
  const most = toGive?.join(', ') || 'none';
  const bound = maker.isForAgents
    ? 'the scopes of its consent that move no money'
    : 'the scopes of its consent';
  refuse('insufficient_scope', {
    message: `An API token made with this access token can have at most ${bound}: ${most}. Name these, or ask the person for a wider consent.`,
    ...challengeFor(scopes, maker),
  });
}

/** Names the scopes to ask for, where asking could help. RFC 6750 §3.1. */
function challengeFor(scopes: ApiToken['scopes'], { isForAgents }: ServerCaller) {
  if (isForAgents || scopes === null) return {};
  const asked = ['mcp', ...scopes].join(' ');
  return { headers: { 'www-authenticate': `Bearer error="insufficient_scope", scope="${asked}"` } };
}

// Decides who may make which call, in one module that refuses whatever it does not know. The
// contract's rows state what a call requires; the table here states what each kind of credential
// opens. Contract §6; reliability §5.12, 14, 23 and 24.

import { may, type Permission } from '@svc/contract/rows/roles';
import type { Auth, RowShape } from '@svc/contract/rows/row';
import { needsExplicitScope } from '@svc/contract/rows/scopes';
import { lacksRole } from '../../domain/people/lacks-role.ts';
import { isRecentProof } from '../../domain/people/sign-in.ts';
import { Refusal } from '../../domain/protocol/refusal.ts';
import type { Caller } from '../../engine/ports.ts';
import { isOpenByLink } from '../../engine/steps/customer-pages/open-by-link.ts';

/**
 * The kind of a caller's credential. `basic`, `bearer`: a program. `agent`: a program whose token
 * is for /mcp alone. `browser`: a person's browser that names a client. `person`: the same browser,
 * for the person's own account. `nonce`: a checkout session. `page`: an opened customer page.
 * `none`: no credential.
 */
export type CredentialKind =
  | 'basic'
  | 'bearer'
  | 'agent'
  | 'browser'
  | 'person'
  | 'nonce'
  | 'page'
  | 'none';

/** The credentials that a row takes. A kind that is not listed is refused. */
const acceptedKinds: Readonly<Record<Auth, readonly CredentialKind[]>> = {
  server: ['basic', 'bearer', 'browser'],
  bearer: ['bearer', 'agent', 'browser'],
  session: ['nonce'],
  'server-or-session': ['basic', 'bearer', 'browser', 'nonce'],
  anyone: ['basic', 'bearer', 'none'],
  'customer-page': ['page'],
  person: ['person'],
  visitor: ['person', 'none'],
};

export const acceptsCredential = (auth: Auth, kind: CredentialKind): boolean =>
  Object.hasOwn(acceptedKinds, auth) && acceptedKinds[auth].includes(kind);

/**
 * A caller, and how many milliseconds ago the person at its browser proved who they are; null for
 * every other caller.
 */
export type Admission = { readonly caller: Caller; readonly sinceProofMs: number | null };

const serverKinds = { token: 'basic', oauth: 'bearer', person: 'browser' } as const;

export function kindOf(caller: Caller): CredentialKind | undefined {
  if (caller.kind === 'server') {
    if (caller.isForAgents) return caller.via === 'oauth' ? 'agent' : undefined;
    return Object.hasOwn(serverKinds, caller.via) ? serverKinds[caller.via] : undefined;
  }
  const kinds = {
    person: 'person',
    session: 'nonce',
    customer: 'page',
    anonymous: 'none',
  } as const;
  return Object.hasOwn(kinds, caller.kind) ? kinds[caller.kind] : undefined;
}

/**
 * Returns when the caller may make the row's call, or throws, in this order:
 * authentication_required, insufficient_scope, merchant_role_required, customer_page_limited,
 * recent_sign_in_required.
 */
export function authorise(row: RowShape, { caller, sinceProofMs }: Admission): void {
  const kind = kindOf(caller);
  if (kind === undefined || !acceptsCredential(row.auth, kind))
    throw new Refusal('authentication_required');
  if (caller.kind === 'server') {
    if (!isInScope(row, caller)) throw scopeLacks(row, kind);
    const lacking = missingPermission(row, caller);
    if (lacking !== undefined) throw lacksRole(lacking);
  }
  if (caller.kind === 'customer' && !isOpenByLink(row, caller.maker))
    throw new Refusal('customer_page_limited');
  const isBrowser = kind === 'browser' || kind === 'person';
  if (row.asksRecentSignIn && isBrowser && !isRecentProof(sinceProofMs)) {
    throw new Refusal('recent_sign_in_required');
  }
}

/**
 * Returns the permission that the caller's present role lacks; undefined when it lacks none. A program also needs
 * its owner's permission to have programs, `tokens.own`.
 */
function missingPermission(
  row: RowShape,
  { via, role }: Caller & { kind: 'server' },
): Permission | undefined {
  const { permission } = row;
  if (permission !== null && !may(role, permission)) return permission;
  return via === 'person' || may(role, 'tokens.own') ? undefined : 'tokens.own';
}

export function mayCall(row: RowShape, admission: Admission): boolean {
  try {
    authorise(row, admission);
    return true;
  } catch (error) {
    if (error instanceof Refusal) return false;
    throw error;
  }
}

/** Returns the scope that the row requires of this kind of token; null when it requires none. */
const scopeFor = ({ scope, tokenScope }: RowShape, kind: CredentialKind | undefined) =>
  kind === 'basic' && tokenScope !== undefined ? tokenScope : scope;

/**
 * An OAuth token always has scopes; one without them opens nothing. An API token without scopes
 * opens what the role may do, except for people and applications, which need a named scope.
 */
function isInScope(row: RowShape, caller: Caller & { kind: 'server' }): boolean {
  const { via, scopes } = caller;
  const scope = scopeFor(row, kindOf(caller));
  if (scopes === null) return via === 'person' || (via === 'token' && !needsExplicitScope(scope));
  return scope === null || scopes.includes(scope);
}

/** Tells a program which scope to ask for. RFC 6750 §3.1. */
function scopeLacks(row: RowShape, kind: CredentialKind): Refusal {
  const scope = scopeFor(row, kind);
  if (scope === null) return new Refusal('insufficient_scope');
  const message = `The token lacks the scope ${scope}, which this call asks for.`;
  if (kind !== 'bearer' && kind !== 'agent') return new Refusal('insufficient_scope', { message });
  const challenge = `Bearer error="insufficient_scope", scope="${scope}"`;
  return new Refusal('insufficient_scope', {
    message,
    headers: { 'www-authenticate': challenge },
  });
}

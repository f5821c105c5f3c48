// The rights that a merchant's credential adds to a session beyond starting it: to set a price that
// differs from the catalog, and to vouch for a buyer, whose saved cards can then be listed and
// charged. Both move money, so both need an owner or admin and, for a credential with scopes, the
// matching scope. Contract §3, §6.

import { may } from '@svc/contract/rows/roles';
import type { Scope } from '@svc/contract/rows/scopes';
import { Refusal } from '../../../domain/protocol/refusal.ts';
import type { Caller } from '../../ports.ts';

export type SessionRights = {
  /** The amounts of lines may differ from the catalog's. */
  readonly mayOverride: boolean;
  /** The buyer counts as verified. */
  readonly mayVouch: boolean;
};

/** The scope that each right needs: `mayOverride` and `mayVouch`. */
const scopes = { override: 'payments:write', vouch: 'payment_methods:read' } as const satisfies {
  readonly [right: string]: Scope;
};

/** The rights that the caller's role and scopes add; none for a browser. */
export const rightsOf = (caller: Caller): SessionRights => ({
  mayOverride: hasScope(caller, scopes.override),
  mayVouch: hasScope(caller, scopes.vouch),
});

function hasScope(caller: Caller, scope: Scope): boolean {
  if (caller.kind !== 'server' || !may(caller.role, 'checkout.vouch')) return false;
  return caller.scopes === null || caller.scopes.includes(scope);
}

/**
 * Runs work that prices a cart for the caller. Refuses insufficient_scope or merchant_role_required
 * in place of invalid_catalog_data where a merchant's credential lacks only the right to set its
 * own price.
 */
export function withOwnPrices<T>(caller: Caller, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw (error instanceof Refusal && missingScopeOf(caller, error)) || error;
  }
}

const ofMerchantAlone: ReadonlySet<string> = new Set(['price_differs', 'name_differs', 'own_line']);

function missingScopeOf(caller: Caller, { code, facts }: Refusal): Refusal | undefined {
  const { errors = [] } = facts;
  const isPriceAlone = errors.length > 0 && errors.every((each) => ofMerchantAlone.has(each.code));
  if (caller.kind !== 'server' || code !== 'invalid_catalog_data' || !isPriceAlone)
    return undefined;
  const found = { errors, ...(errors[0] ? { param: errors[0].path } : {}) };
  if (!may(caller.role, 'checkout.vouch')) {
    const message =
      'The line differs from the catalog in price or name, or is none of its products, which only owners and admins may set. Use the token of an owner or admin.';
    return new Refusal('merchant_role_required', { message, ...found });
  }
  const scope = scopes.override;
  const message = `The line differs from the catalog in price or name, or is none of its products, for which the token lacks the scope ${scope}.`;
  const challenge = `Bearer error="insufficient_scope", scope="${scope}"`;
  const headers = caller.via === 'oauth' ? { 'www-authenticate': challenge } : {};
  return new Refusal('insufficient_scope', { message, headers, ...found });
}

// Who changed what and from where, with the state before and after. Entries are append-only and
// written in the transaction of the change.

import type { Tx } from '../database/database.ts';
import { sql } from '../database/sql.ts';

export type Actor = {
  readonly kind:
    | 'api_token'
    | 'oauth'
    | 'person'
    | 'customer'
    | 'operator'
    | 'system'
    | 'anonymous';
  /** Of a customer's act the maker of the link. */
  readonly userId: string | null;
  /** The id of the API token, sign-in, OAuth grant or link to the customer's page. */
  readonly credentialId: string | null;
  readonly applicationId: string | null;
  /** The customer who acted, on the customer's page. */
  readonly customerId?: string;
};

export type NewAuditEntry = {
  readonly id: string;
  /** Null when the entry concerns a person's own account. */
  readonly clientId: string | null;
  /** The person whose account or membership was changed; null for every other resource. */
  readonly userId: string | null;
  readonly actor: Actor;
  /** Named noun.verb_in_past, for example `member.role_changed`. */
  readonly action: string;
  readonly resourceType: string;
  readonly resourceId: string;
  /** The state before the change, without secrets; null when the resource did not exist. `after` likewise. */
  readonly before: Readonly<Record<string, unknown>> | null;
  readonly after: Readonly<Record<string, unknown>> | null;
  readonly requestId: string | null;
  readonly address: string | null;
  readonly userAgent: string | null;
};

const append = sql(
  'audit_entries.append',
  `insert into audit_entries (id, client_id, user_id, actor_kind, actor_user_id,
     actor_credential_id, actor_application_id, action, resource_type, resource_id, before, after,
     request_id, address, user_agent, actor_customer_id, created_at)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, svc_clock())`,
);

export async function appendAuditEntry(tx: Tx, entry: NewAuditEntry): Promise<void> {
  const { actor } = entry;
  await tx.query(append, [
    entry.id,
    entry.clientId,
    entry.userId,
    actor.kind,
    actor.userId,
    actor.credentialId,
    actor.applicationId,
    entry.action,
    entry.resourceType,
    entry.resourceId,
    entry.before && JSON.stringify(entry.before),
    entry.after && JSON.stringify(entry.after),
    entry.requestId,
    entry.address,
    entry.userAgent?.slice(0, 300) ?? null,
    actor.customerId ?? null,
  ]);
}

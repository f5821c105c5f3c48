// Who did what from where, before and after: append-only, written with the change itself.

import type { Tx } from '../database/database.ts';
import { sql } from '../database/sql.ts';

export type Actor = {
  readonly kind: 'api_token' | 'oauth' | 'person' | 'operator' | 'system' | 'anonymous';
  readonly userId: string | null;
  /** The API token, sign-in or OAuth grant. */
  readonly credentialId: string | null;
  readonly applicationId: string | null;
};

export type NewAuditEntry = {
  readonly id: string;
  /** Null for what concerns a person's own account. */
  readonly clientId: string | null;
  /** The person whose account or membership it is about; null for everything else. */
  readonly userId: string | null;
  readonly actor: Actor;
  /** noun.verb_in_past, as `member.role_changed`. */
  readonly action: string;
  readonly resourceType: string;
  readonly resourceId: string;
  /** What changed, without secrets; null where there was, or is, nothing. */
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
     request_id, address, user_agent, created_at)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, svc_clock())`,
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
  ]);
}

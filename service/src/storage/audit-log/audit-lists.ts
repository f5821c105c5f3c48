// Reads the audit log: of a merchant, together with the captures, cancels and refunds that its
// callers asked for, and of one person's own account.

import type { Database } from '../database/database.ts';
import {
  defineList,
  type List,
  type ListQuery,
  type ListTable,
  type Page,
} from '../database/lists.ts';
import type { Actor } from './audit-entries.ts';

export type AuditRow = {
  readonly id: string;
  readonly client_id: string | null;
  readonly user_id: string | null;
  readonly actor_kind: Actor['kind'];
  readonly actor_user_id: string | null;
  readonly actor_credential_id: string | null;
  readonly actor_application_id: string | null;
  readonly actor_customer_id: string | null;
  readonly action: string;
  readonly resource_type: string;
  readonly resource_id: string;
  readonly before: Record<string, unknown> | null;
  readonly after: Record<string, unknown> | null;
  readonly request_id: string | null;
  readonly address: string | null;
  readonly user_agent: string | null;
  readonly created_at: Date;
  readonly actor_email: string | null;
  readonly token_name: string | null;
  readonly grant_application_id: string | null;
  readonly application_name: string | null;
  readonly sign_in_address: string | null;
  readonly sign_in_user_agent: string | null;
  readonly payment_currency: string | null;
};

const columns = `a.id, a.client_id, a.user_id, a.actor_kind, a.actor_user_id,
  a.actor_credential_id, a.actor_application_id, a.actor_customer_id, a.action, a.resource_type, a.resource_id,
  a.before, a.after, a.request_id, a.address, a.user_agent, a.created_at`;

// Captures, cancels and refunds are listed from their own operation rows, which name who asked: a
// second row would cost storage for every capture.
const moves = `select o.id, o.client_id, null::uuid as user_id,
    case o.asked_via when 'oauth' then 'oauth' when 'person' then 'person' else 'api_token' end
      as actor_kind,
    o.asked_user_id as actor_user_id,
    o.asked_credential_id::text as actor_credential_id, null::text as actor_application_id, null::uuid as actor_customer_id,
    'payment.' || o.kind || '_asked' as action, 'payment' as resource_type,
    o.payment_id::text as resource_id, null::jsonb as before,
    jsonb_build_object('state', o.state, 'amountMinor', o.amount_minor) as after,
    o.request_id, o.asked_network as address, null::text as user_agent, o.created_at
  from payment_operations o
  where o.kind in ('capture', 'cancel', 'refund') and o.idempotency_key is not null`;

const entries = `select id, client_id, user_id, actor_kind, actor_user_id, actor_credential_id,
    actor_application_id, actor_customer_id, action, resource_type, resource_id, before, after, request_id,
    address, user_agent, created_at
  from audit_entries`;

const table: ListTable = {
  name: 'audit.list',
  from: `(${entries} union all ${moves}) a`,
  columns,
  joins: `left join lateral (
      select u.email as actor_email, t.name as token_name,
        g.application_id as grant_application_id, g.application_name,
        s.address as sign_in_address, s.user_agent as sign_in_user_agent, p.currency as payment_currency
      from (select page.actor_credential_id as id) credential
      left join users u on u.id = page.actor_user_id
      left join api_tokens t on page.actor_kind = 'api_token' and t.id::text = credential.id
        and t.client_id = page.client_id
      left join oauth_grants g on page.actor_kind = 'oauth' and g.id::text = credential.id
        and g.client_id = page.client_id
      left join sign_ins s on page.actor_kind = 'person' and s.id::text = credential.id
        and s.user_id = page.actor_user_id
      left join payments p on p.client_id = page.client_id
        and p.id = case page.resource_type when 'payment' then page.resource_id::uuid end) more on true`,
  tenant: 'a.client_id',
  key: { sql: 'a.id', kind: 'uuid' },
  // Ids rise with the clock of the process that made them, which is not the time that is shown.
  sorts: { createdAt: { sql: 'a.created_at', kind: 'instant' } },
  filters: {
    action: { sql: 'a.action', kind: 'text' },
    actorKind: { sql: 'a.actor_kind', kind: 'text' },
    actorUserId: { sql: 'a.actor_user_id', kind: 'uuid' },
    actorCustomerId: { sql: 'a.actor_customer_id', kind: 'uuid' },
    resourceType: { sql: 'a.resource_type', kind: 'text' },
    resourceId: { sql: 'a.resource_id', kind: 'text' },
    createdAt: { sql: 'a.created_at', kind: 'instant' },
  },
};

/** Lists the changes at a merchant and who moved its money. */
export const listAuditRows: List<AuditRow> = defineList(table);

/** Lists the changes to a person's own account; `clientId` is the person's id here. */
export const listAccountAuditRows: List<AuditRow> = defineList({
  ...table,
  name: 'audit.list_account',
  from: `(${entries} where client_id is null) a`,
  tenant: 'a.user_id',
});

const nobody = '00000000-0000-0000-0000-000000000000';
const listOfService: List<AuditRow> = defineList({
  ...table,
  name: 'audit.list_service',
  from: `(${entries} where client_id is null) a`,
  tenant: `'${nobody}'::uuid`,
});

/**
 * Lists the entries that are in no merchant's log: those of the service itself and of every
 * person's account. Only the operator reads them.
 */
export const listServiceAuditRows = (
  database: Database,
  query: ListQuery,
): Promise<Page<AuditRow>> => listOfService(database, nobody, query);

/** Returns the network that the change was made from, or else the network that the person signed in from. */
export const networkOf = ({ address, sign_in_address }: AuditRow): string | null =>
  address ?? sign_in_address;

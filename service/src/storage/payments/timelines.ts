// The history of a payment, its refunds and its chargebacks: a page of it and its length are read in one
// statement and so at one moment.

import { type InitiatorFields, initiatorFields, joinInitiator } from '../audit-log/initiators.ts';
import type { Database } from '../database/database.ts';
import { decodeCursor, readSortText, writeSortText } from '../database/list-cursor.ts';
import {
  checkDepth,
  type ListColumns,
  type ListQuery,
  type Page,
  toPage,
} from '../database/lists.ts';
import { sql } from '../database/sql.ts';

export type TimelineRow = {
  readonly at: Date;
  readonly kind: 'status' | 'operation' | 'attempt' | 'event' | 'delivery' | 'mail';
  readonly payment_id: string | null;
  readonly dispute_id: string | null;
  readonly type: string;
  readonly status: string | null;
  readonly version: number | null;
  readonly operation_id: string | null;
  readonly attempt: number | null;
  readonly event_id: string | null;
  readonly sequence: number | null;
  readonly endpoint_id: string | null;
  readonly http_status: number | null;
  readonly code: string | null;
  readonly ended_at: Date | null;
  /** The type of the payment, refund or chargeback that the entry is about. */
  readonly payment_type: string | null;
  readonly amount_minor: string | null;
  readonly currency: string | null;
  readonly void_reason: string | null;
  readonly refund_reason: string | null;
  /** The recipient of a mail, with most of the address masked. */
  readonly mail_recipient: string | null;
} & InitiatorFields;

// Among entries of one instant the cause comes first: a payment begins, an operation is recorded,
// then sent, a status changes, its event reports it, a delivery carries it.
const place = `concat_ws(':', e.rank, ${['version', 'sequence', 'attempt']
  .map((name) => `lpad((coalesce(e.${name}, -1) + 1)::text, 10, '0')`)
  .join(', ')}, e.operation_id, e.event_id, e.endpoint_id, e.payment_id, e.mail_id) collate "C"`;

const tell = (direction: 'ASC' | 'DESC') =>
  sql<TimelineRow & ListColumns>(
    `timelines.tell.${direction}`,
    `with family as (
     select p.id, p.type, p.amount_minor, p.currency, p.refund_reason from payments p
     where p.client_id = $1 and (p.id = $2 or p.parent_payment_id = $2)),
   quarrel as (select d.id from disputes d where d.client_id = $1 and d.payment_id = $2),
   asked as (
     select o.*, f.id as of_payment, ${initiatorFields}
     from family f join payment_operations o on o.payment_id = f.id ${joinInitiator}
     where o.client_id = $1),
   told as (
     select e.id, e.type, e.sequence, e.created_at, f.id as of_payment, null::uuid as of_dispute
     from family f join events e on e.resource_id = f.id where e.client_id = $1
     union all
     select e.id, e.type, e.sequence, e.created_at, null, q.id
     from quarrel q join events e on e.resource_id = q.id where e.client_id = $1
     union all
     select e.id, e.type, e.sequence, e.created_at, s.payment_id, null
     from fraud_signals s join events e on e.resource_id = s.id
     where s.client_id = $1 and s.payment_id = $2 and e.client_id = $1),
   entries as (
   select h.changed_at as at, case h.version when 0 then 0 else 3 end as rank, 'status' as kind, f.id as payment_id,
     null::uuid as dispute_id, f.type, h.status, h.version, null::uuid as operation_id,
     null::int as attempt, null::uuid as event_id, null::int as sequence,
     null::uuid as endpoint_id, null::int as http_status, null::text as code,
     null::timestamptz as ended_at, h.authorization_void_reason as void_reason,
     null::uuid as mail_id
   from family f join payment_history h on h.payment_id = f.id
   union all
   select a.created_at, 1, 'operation', a.of_payment, null, a.kind, a.state, null, a.id,
     a.attempt, null, null, null, a.response_status, a.last_error_code, a.finished_at, null, null
   from asked a
   union all
   select t.started_at, 2, 'attempt', a.of_payment, null, a.kind, t.outcome, null, a.id,
     t.attempt, null, null, null, t.http_status, t.provider_code, t.ended_at, null, null
   from asked a join operation_attempts t on t.operation_id = a.id
   union all
   select t.created_at, 4, 'event', t.of_payment, t.of_dispute, t.type, null, null, null, null,
     t.id, t.sequence, null, null, null, null, null, null from told t
   union all
   select w.created_at, 5, 'delivery', t.of_payment, t.of_dispute, t.type, w.state, null, null,
     w.attempts, t.id, t.sequence, w.endpoint_id, w.last_status, w.last_error, w.finished_at, null, null
   from told t join webhook_deliveries w on w.event_id = t.id
   where w.client_id = $1
   union all
   select m.created_at, 6, 'mail', m.payment_id, null, m.kind, null, null, null, null, null, null,
     null, null, null, null, null, m.id
   from family f join buyer_mails m on m.payment_id = f.id where m.client_id = $1),
   placed as (select e.*, ${place} as place from entries e),
   page as (
     select * from placed where $5::text is null or
       (at, place) ${direction === 'ASC' ? '>' : '<'} (${readSortText('instant', '$5')}, $6 collate "C")
     order by at ${direction}, place ${direction} limit $3::bigint offset $4::bigint)
   select (select count(*)::int from entries) as list_total, ${writeSortText('instant', 'e.at')} as list_text,
     e.place as list_key_text, e.*, f.type as payment_type, f.amount_minor, f.currency, f.refund_reason,
     coalesce(a.asker_kind, m.actor_kind) as asker_kind,
     coalesce(a.asker_user_id, m.sent_by) as asker_user_id,
     coalesce(a.asker_email, sender.email) as asker_email,
     coalesce(a.asker_name, sender.name) as asker_name, a.asker_token_name,
     a.asker_application_name, a.requester_id, a.requester_email, a.requester_name,
     m.recipient_masked as mail_recipient
   from (values (1)) one left join page e on true left join family f on f.id = e.payment_id
   left join asked a on a.id = e.operation_id and e.kind = 'operation'
   left join buyer_mails m on m.client_id = $1 and m.id = e.mail_id
   left join users sender on sender.id = m.sent_by
   order by e.at ${direction}, e.place ${direction}`,
  );

const statements = { ASC: tell('ASC'), DESC: tell('DESC') };
const columns = {
  sort: { sql: 'at', kind: 'instant' },
  key: { sql: 'place', kind: 'text' },
} as const;

/** Returns a page of the entries by time; its total is 0 when the client has no such payment. */
export async function listTimeline(
  database: Database,
  { clientId, paymentId }: { readonly clientId: string; readonly paymentId: string },
  query: ListQuery,
): Promise<Page<TimelineRow>> {
  checkDepth(query);
  const { page, limit, sortDirection, cursor } = query;
  const question = JSON.stringify(['timeline', clientId, paymentId.toLowerCase(), sortDirection]);
  const after = cursor === undefined ? null : decodeCursor(question, cursor, columns);
  const found = await database.read(statements[sortDirection], [
    ...[clientId, paymentId, limit + 1, (page - 1) * limit],
    ...[after?.value ?? null, after?.key ?? null],
  ]);
  return toPage(found, question, query);
}

// Everything that is known of one payment, in the order of time: the requests and responses of its
// clients, the rows of the database, and the provider's calls and movements.

import type pg from 'pg';
import type { Fixture } from './fixture.ts';
import type { Shop } from './shop.ts';

type Step = { readonly at: number; readonly text: string };
type TraceRow = { readonly at: string } & Readonly<Record<string, unknown>>;

const find = `select id, provider_intent_id as intent, session_id as session from payments
  where id::text = $1 or provider_intent_id = $1 or id = (select payment_id from payment_operations
    where id::text = $1 or idempotency_key = $1 limit 1)
  order by type limit 1`;

const written = `select h.changed_at as at, 'payment ' || h.version || ' ' || h.status as text
    from payment_history h where h.payment_id = $1
  union all select o.created_at, 'operation ' || o.kind || ' ' || o.id || ' begun'
    from payment_operations o where o.payment_id = $1
  union all select a.started_at, 'attempt ' || a.attempt || ' epoch ' || a.epoch || ' of ' || o.kind
      || ' asked, later ' || a.outcome || ' ' || coalesce(a.provider_code, '')
    from operation_attempts a join payment_operations o on o.id = a.operation_id
    where o.payment_id = $1
  order by at`;

/** Returns one line per step; empty for an id that is no payment, intent, operation or key. */
export async function tracePayment(
  subject: string,
  { fixture, shop, client }: { fixture: Fixture; shop: Shop; client: pg.ClientBase },
): Promise<string[]> {
  const { rows } = await client.query<{ id: string; intent: string; session: string }>(find, [
    subject,
  ]);
  const [payment] = rows;
  if (!payment) return [];
  const { id, intent, session } = payment;
  const steps: Step[] = [];
  for (const { move, slot, calledAt, answeredAt, status, code } of shop.calls) {
    if (move.paymentId !== id && move.key !== session) continue;
    const name = `${move.kind} ${move.key.slice(-8)} at ${slot.name}`;
    steps.push({ at: calledAt, text: `client sends ${name}` });
    if (answeredAt) steps.push({ at: answeredAt, text: `client hears ${status} ${code ?? ''}` });
  }
  const noted = await client.query<{ at: Date; text: string }>(written, [id]);
  steps.push(...noted.rows.map(({ at, text }) => ({ at: at.getTime(), text })));
  const { entries } = await fixture.control<{ entries: TraceRow[] }>(
    'GET',
    `/ledger?intent=${intent}`,
  );
  const { requests } = await fixture.control<{ requests: TraceRow[] }>(
    'GET',
    `/requests?intent=${intent}`,
  );
  for (const one of entries) {
    const text = `provider moves ${one.kind} ${one.amount} ${one.idempotencyKey}`;
    steps.push({ at: Date.parse(one.at), text });
  }
  for (const one of requests) {
    const told = one.answered ? `answers ${one.status}` : 'does not answer';
    const text = `provider ${told}: ${one.method} ${one.path} ${one.idempotencyKey ?? ''}`;
    steps.push({ at: Date.parse(one.at), text: `${text} ${one.fault ?? ''}` });
  }
  steps.sort((a, b) => a.at - b.at);
  const from = steps[0]?.at ?? 0;
  return [
    `payment ${id}, intent ${intent}`,
    ...steps.map(({ at, text }) => `${String(at - from).padStart(8)} ms  ${text}`),
  ];
}

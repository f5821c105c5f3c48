// Compares the responses that clients received with the state at that time, and finds what became
// of calls without a response.

import type pg from 'pg';
import type { Movement } from './audit.ts';
import type { SeenRequest, Shop } from './shop.ts';

/** The database has microseconds, a client milliseconds. */
const grainMs = 2;

const refusedWhileHeld = `with calls as (
    select * from jsonb_to_recordset($1::jsonb) as c(
      key text, "paymentId" uuid, called double precision, answered double precision)),
  seen as (
    select c.key, c."paymentId",
      (select h.status from payment_history h where h.payment_id = c."paymentId"
         and h.changed_at <= to_timestamp(c.called / 1000) order by h.version desc limit 1) as before,
      exists (select from payment_history h where h.payment_id = c."paymentId"
        and h.status <> 'authorized' and h.changed_at > to_timestamp(c.called / 1000)
        and h.changed_at <= to_timestamp(c.answered / 1000)) as has_moved
    from calls c)
  select key from seen where before = 'authorized' and not has_moved`;

/**
 * The error "not authorised" is true only if the payment was not authorised at some instant between
 * call and response.
 */
export async function findFalseRefusals(client: pg.ClientBase, shop: Shop): Promise<string[]> {
  const refused = shop.calls.filter(({ code }) => code === 'payment_not_authorized');
  const calls = refused.map(({ move, calledAt, answeredAt }) => ({
    key: move.key,
    paymentId: move.paymentId,
    called: calledAt,
    answered: (answeredAt ?? 0) + grainMs,
  }));
  const { rows } = await client.query<{ key: string }>(refusedWhileHeld, [JSON.stringify(calls)]);
  return rows.map(({ key }) => `3.4 refused as not authorised while it was authorised: ${key}`);
}

const fates = ['took effect', 'took no effect'] as const;
type RequestFate = (typeof fates)[number];

/** A run must meet both fates: otherwise no response was lost, or none was lost before its effect. */
export const silentFates = fates.map((fate) => `a silent call ${fate}`);

const isSilent = ({ status, code }: SeenRequest): boolean =>
  status === null || code === 'gateway_outcome_unknown';

/**
 * Counts the effects of calls that ended without a response, or with the response that the outcome
 * is unknown. Each is checked until the next call with its key, which may cause the effect itself.
 */
export async function countFates(
  client: pg.ClientBase,
  shop: Shop,
  ledger: readonly (Movement & { at: string })[],
): Promise<Record<RequestFate, number>> {
  const byKey = new Map<string, SeenRequest[]>();
  for (const call of shop.calls) {
    if (call.move.kind === 'purchase') continue;
    byKey.set(call.move.key, [...(byKey.get(call.move.key) ?? []), call]);
  }
  const { rows } = await client.query<{ id: string; key: string }>(
    'select id, idempotency_key as key from payment_operations where idempotency_key = any($1)',
    [[...byKey.keys()]],
  );
  const names = new Map(rows.map(({ id, key }) => [id, key]));
  const effects = new Map<string, number>();
  for (const { idempotencyKey, at } of ledger) {
    const [, id = ''] = /^op-(.+)-\d+$/.exec(idempotencyKey ?? '') ?? [];
    const key = names.get(id);
    if (key) effects.set(key, Date.parse(at));
  }
  const counted: Record<RequestFate, number> = { 'took effect': 0, 'took no effect': 0 };
  for (const [key, calls] of byKey) {
    calls.sort((a, b) => a.calledAt - b.calledAt);
    for (const [index, call] of calls.entries()) {
      if (!isSilent(call)) continue;
      const until = calls[index + 1]?.calledAt ?? Number.POSITIVE_INFINITY;
      const at = effects.get(key) ?? Number.NaN;
      counted[at >= call.calledAt && at < until ? 'took effect' : 'took no effect'] += 1;
    }
  }
  return counted;
}

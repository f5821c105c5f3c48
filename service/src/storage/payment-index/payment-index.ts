// The tables `payment_index` and `payment_words`: a copy of the payments for searching, updated
// after the payments' own transactions have committed. docs/decisions/lists.md.

import type { Tx } from '../database/database.ts';
import { sql } from '../database/sql.ts';
import { copyMovementsText } from './kept-sums.ts';
import { copyText } from './payment-copy.ts';

export type WordKind = 'value' | 'product' | 'intent' | 'charge' | 'refund' | 'reference';

const kind = (name: WordKind): string => `'${name}:'`;

type State = {
  readonly watermark: string;
  readonly is_complete: boolean;
  readonly is_foreign: boolean;
};

const nil = '00000000-0000-0000-0000-000000000000';

const patience = sql('payment_index.patience', `set local lock_timeout = '250ms'`);
const lock = sql<{ is_mine: boolean }>(
  'payment_index.lock',
  `select pg_try_advisory_xact_lock(hashtextextended('payment_index', 12)) as is_mine`,
);
// A statement of its own, so that its snapshot contains what the last holder of the lock wrote.
const findState = sql<State>(
  'payment_index.find_state',
  `select watermark::text as watermark, is_complete,
     watermark > pg_snapshot_xmax(pg_current_snapshot())::text::bigint as is_foreign
   from payment_index_state`,
);

/** Locks the copy and returns its state; undefined while another process updates it. */
export async function lockPaymentIndex(tx: Tx): Promise<State | undefined> {
  await tx.query(patience, []);
  const [held] = await tx.query(lock, []);
  if (!held?.is_mine) return undefined;
  const [state] = await tx.query(findState, []);
  return state;
}

const restart = sql(
  'payment_index.restart',
  `update payment_index_state set watermark = pg_snapshot_xmin(pg_current_snapshot())::text::bigint,
     is_complete = false, backfilled_to = '${nil}', backfilled = 0,
     updated_at = svc_clock()`,
);

/**
 * Starts the copy again from the beginning: the watermark counts the transactions of another
 * server.
 */
export const restartPaymentIndex = (tx: Tx): Promise<unknown> => tx.query(restart, []);

// Only whole transactions are copied, up to the oldest one that is still open. The next pass finds
// its changes and those of all later ones.
const findEnd = sql<{ until: string; is_more: boolean; is_any: boolean }>(
  'payment_index.find_end',
  `select least(settled, coalesce(full_at + 1, settled))::text as until,
     coalesce(full_at + 1 < settled, false) as is_more,
     exists (select from payment_history h
       where h.txid >= $1::bigint and h.txid < settled) as is_any
   from (select pg_snapshot_xmin(pg_current_snapshot())::text::bigint as settled,
     (select h.txid from payment_history h where h.txid >= $1::bigint
      order by h.txid offset $2 limit 1) as full_at) found`,
);

const insertWords = (which: string): string => `
  insert into payment_words (client_id, word, created_at, payment_id)
  select p.client_id, w.word, p.created_at, p.id
  from payments p left join checkout_sessions s
      on s.id = p.session_id and s.client_id = p.client_id,
    lateral (
      select ${kind('value')} || m.value as word from jsonb_each_text(p.metadata) m
      union select ${kind('product')} || (l->>'code') from jsonb_array_elements(s.lines) l
      union select ${kind('product')} || b.product_code
        from payment_method_uses u join subscriptions b on b.id = u.subscription_id
        where u.payment_id = coalesce(p.parent_payment_id, p.id)
      union select ${kind('intent')} || p.provider_intent_id
      union select ${kind('charge')} || p.gateway_charge_id
      union select ${kind('refund')} || p.provider_refund_id
      union select ${kind('reference')} || right(p.id::text, 10)) w
  where w.word is not null and ${which}
  on conflict do nothing`;

// With each changed payment, its purchase is copied, whose sums include the payment, and its refunds and
// chargebacks, which store its status. In parts, because one transaction may have changed more payments than
// one statement has time for.
type Part = { readonly ids: string[] };
const findPart = sql<Part>(
  'payment_index.find_part',
  `select coalesce(array_agg(id order by id), '{}') as ids from (
     select distinct x.id from payment_history h join payments p on p.id = h.payment_id,
       lateral (select p.id union all select p.parent_payment_id
         union all select r.id from payments r where r.parent_payment_id = p.id) x(id)
     where h.txid >= $1::bigint and h.txid < $2::bigint and x.id > $3
     order by id limit $4) part`,
);
const copyPart = sql('payment_index.copy_part', copyText('p.id = any($1::uuid[])'));
const movePart = sql(
  'payment_index.move_part',
  copyMovementsText((id) => `${id} = any($1::uuid[])`),
);
const spellPart = sql('payment_index.spell_part', insertWords('p.id = any($1::uuid[])'));
const advance = sql(
  'payment_index.advance',
  `update payment_index_state set watermark = $1::bigint, updated_at = svc_clock()
   where watermark < $1::bigint`,
);

/**
 * Copies about `step` changes since the watermark, and the rest of the last change's transaction.
 * Returns true when more changes are waiting.
 */
export async function copyChanges(tx: Tx, watermark: string, step: number): Promise<boolean> {
  const [end] = await tx.query(findEnd, [watermark, step]);
  if (!end?.is_any) return false;
  for (let after: string | undefined = nil; after !== undefined; ) {
    const found: Part[] = await tx.query(findPart, [watermark, end.until, after, step]);
    const ids = found[0]?.ids ?? [];
    if (ids.length > 0) {
      await tx.query(copyPart, [ids]);
      await tx.query(movePart, [ids]);
      await tx.query(spellPart, [ids]);
    }
    after = ids.length < step ? undefined : ids.at(-1);
  }
  await tx.query(advance, [end.until]);
  return end.is_more;
}

const findNext = sql<{ after: string; until: string | null; many: string }>(
  'payment_index.find_next',
  `select s.backfilled_to as after, (array_agg(p.id order by p.id desc))[1] as until, count(p.id) as many
   from payment_index_state s left join lateral (
     select id from payments where id > s.backfilled_to order by id limit $1) p on true
   group by s.backfilled_to`,
);
const spanOf = (id: string): string => `${id} > $1::uuid and ${id} <= $2::uuid`;
const copySpan = sql('payment_index.copy_span', copyText(spanOf('p.id')));
const moveSpan = sql('payment_index.move_span', copyMovementsText(spanOf));
const spellSpan = sql('payment_index.spell_span', insertWords(spanOf('p.id')));
const backfilled = sql(
  'payment_index.backfilled',
  `update payment_index_state set backfilled_to = coalesce($1::uuid, backfilled_to),
     backfilled = backfilled + $2::bigint, is_complete = $2::bigint < $3::bigint,
     updated_at = svc_clock()`,
);

/**
 * Copies about `step` of the payments from before the copy began. Returns false when those were the
 * last.
 */
export async function copyEarlier(tx: Tx, step: number): Promise<boolean> {
  const [next] = await tx.query(findNext, [step]);
  const many = Number(next?.many ?? 0);
  if (next?.until) {
    await tx.query(copySpan, [next.after, next.until]);
    await tx.query(moveSpan, [next.after, next.until]);
    await tx.query(spellSpan, [next.after, next.until]);
  }
  await tx.query(backfilled, [next?.until ?? null, many, step]);
  return many >= step;
}

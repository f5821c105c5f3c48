// The tables `refund_rules` and `bounded_refunds`. Additions §2, Refund rule.

import { mayApproveRefunds, type Role, roles } from '@svc/contract/rows/roles';
import { defaultRule, type RefundRule } from '../../domain/payments/refund-rule.ts';
import type { Database, Tx } from '../database/database.ts';
import { sql } from '../database/sql.ts';

type Row = {
  limits: RefundRule['limits'];
  other_currencies: RefundRule['otherCurrencies'];
  finance_approves: boolean;
  updated_at: Date;
};

export type StoredRule = RefundRule & { readonly updatedAt: Date | null };

const columns = 'limits, other_currencies, finance_approves, updated_at';

const toRule = (row: Row | undefined): StoredRule =>
  row
    ? {
        limits: row.limits,
        otherCurrencies: row.other_currencies,
        financeApproves: row.finance_approves,
        updatedAt: row.updated_at,
      }
    : { ...defaultRule, updatedAt: null };

const find = sql<Row>(
  'refund_rules.find',
  `select ${columns} from refund_rules where client_id = $1`,
);

/** Returns the merchant's rule; the default rule when none was set. */
export async function findRule(via: Database | Tx, clientId: string): Promise<StoredRule> {
  const rows =
    'query' in via ? await via.query(find, [clientId]) : await via.read(find, [clientId]);
  return toRule(rows[0]);
}

const save = sql<Row>(
  'refund_rules.save',
  `insert into refund_rules (client_id, limits, other_currencies, finance_approves, updated_at)
   values ($1, $2::jsonb, $3::jsonb, $4, svc_clock())
   on conflict (client_id) do update set limits = excluded.limits,
     other_currencies = excluded.other_currencies, finance_approves = excluded.finance_approves,
     updated_at = excluded.updated_at
   returning ${columns}`,
);

export async function saveRule(tx: Tx, clientId: string, rule: RefundRule): Promise<StoredRule> {
  const { limits, otherCurrencies, financeApproves } = rule;
  const other = otherCurrencies && JSON.stringify(otherCurrencies);
  const [row] = await tx.query(save, [clientId, JSON.stringify(limits), other, financeApproves]);
  return toRule(row);
}

// Locked until the commit, so that two refunds by one person are decided one after the other.
const lockBounded = sql<{ role: Role }>(
  'refund_rules.lock_bounded',
  `select m.role from memberships m
   where m.client_id = $1 and m.user_id = $2 for no key update`,
);

/** Returns the person's role, and makes other refunds by this person that the rule bounds wait. */
export async function lockBoundedPerson(
  tx: Tx,
  clientId: string,
  userId: string,
): Promise<Role | undefined> {
  const [row] = await tx.query(lockBounded, [clientId, userId]);
  return row?.role;
}

const sums = sql<{ currency: string; sum: string }>(
  'refund_rules.sums',
  `select b.currency, sum(b.amount_minor)::text as sum
   from bounded_refunds b join payments p on p.id = b.refund_id and p.client_id = b.client_id
   where b.client_id = $1 and b.user_id = $2
     and b.created_at > svc_clock() - interval '24 hours' and p.status <> 'refund_failed'
   group by b.currency order by b.currency`,
);

/**
 * Returns the sums that the person refunded without approval within 24 hours, by currency. Failed
 * refunds do not count.
 */
export async function sumBoundedRefunds(
  via: Database | Tx,
  clientId: string,
  userId: string,
): Promise<{ readonly currency: string; readonly minor: number }[]> {
  const asked = [clientId, userId];
  const rows = 'query' in via ? await via.query(sums, asked) : await via.read(sums, asked);
  return rows.map(({ currency, sum }) => ({ currency, minor: Number(sum) }));
}

const insert = sql(
  'refund_rules.insert_bounded',
  `insert into bounded_refunds (refund_id, client_id, user_id, currency, amount_minor, created_at)
   values ($1, $2, $3, $4, $5, $6)`,
);

type BoundedRefund = {
  readonly refundId: string;
  readonly clientId: string;
  readonly userId: string;
  readonly currency: string;
  readonly amountMinor: number;
  readonly createdAt: Date;
};

export async function insertBoundedRefund(tx: Tx, refund: BoundedRefund): Promise<void> {
  const { refundId, clientId, userId, currency, amountMinor, createdAt } = refund;
  await tx.query(insert, [refundId, clientId, userId, currency, amountMinor, createdAt]);
}

const approvers = sql<{ called: string }>(
  'refund_rules.approvers',
  `select coalesce(nullif(u.name, ''), u.email) as called
   from memberships m join users u on u.id = m.user_id and u.disabled_at is null
   where m.client_id = $1 and m.user_id <> $2 and m.role = any($3::text[])
   order by m.created_at, u.id limit 20`,
);

/**
 * Returns the names of the people who may approve this person's request; the email address of a
 * person without a name.
 */
export async function findApprovers(
  via: Database | Tx,
  { clientId, userId }: { readonly clientId: string; readonly userId: string },
  rule: RefundRule,
): Promise<string[]> {
  const asked = [clientId, userId, approvingRoles(rule)];
  const rows =
    'query' in via ? await via.query(approvers, asked) : await via.read(approvers, asked);
  return rows.map(({ called }) => called);
}

/** Returns the roles that may approve at this merchant. */
export const approvingRoles = (rule: RefundRule): Role[] =>
  roles.filter((role) => mayApproveRefunds(role, rule));

// The end-state audit: applies every rule to the database and the provider's own records.

import type pg from 'pg';
import { rules } from './audit-rules.ts';

/** A movement of money at the provider. */
export type Movement = {
  readonly kind: string;
  readonly intent: string | null;
  readonly amount: number;
  readonly currency: string;
  readonly idempotencyKey: string | null;
  readonly origin: string;
};

/** A request that the provider received. */
export type ReceivedCall = {
  readonly path: string;
  readonly intent: string | null;
  readonly idempotencyKey: string | null;
  readonly answered: boolean;
};

/**
 * A response that a client received. `key` is its idempotency key, or the session of a purchase.
 */
export type ClientAnswer = {
  readonly paymentId: string | null;
  readonly kind: 'capture' | 'cancel' | 'purchase' | 'refund';
  readonly key: string;
  readonly status: number;
  readonly code: string | null;
  readonly body: string;
};

export type Records = {
  readonly ledger: readonly Movement[];
  readonly calls: readonly ReceivedCall[];
  readonly answers: readonly ClientAnswer[];
};

export type Violation = {
  readonly rule: string;
  readonly says: string;
  readonly subject: string;
  readonly found: string;
};

const tables = `ledger as materialized (
    select * from jsonb_to_recordset($1::jsonb) as l(kind text, intent text, amount bigint,
      currency text, "idempotencyKey" text, origin text)),
  calls as materialized (
    select * from jsonb_to_recordset($2::jsonb) as c(path text, intent text, "idempotencyKey" text,
      answered boolean)),
  answers as materialized (
    select * from jsonb_to_recordset($3::jsonb) as a("paymentId" text, kind text, key text,
      status int, code text, body text)),
  stored as materialized (
    select * from jsonb_to_recordset($4::jsonb) as s(key text, kind text, body text))`;

async function storedAnswers(client: pg.ClientBase): Promise<unknown[]> {
  const { rows } = await client.query<{ key: string; kind: string; body: string }>(
    `select idempotency_key as key, kind, response_body as body from payment_operations
     where idempotency_key is not null and response_body is not null`,
  );
  return rows;
}

/**
 * Returns the rows that break a rule, as the client's transaction sees them; empty when there are
 * none.
 */
export async function findViolations(
  client: pg.ClientBase,
  records: Records,
): Promise<Violation[]> {
  const violations: Violation[] = [];
  const stored = await storedAnswers(client);
  const given = [records.ledger, records.calls, records.answers, stored];
  const values = given.map((one) => JSON.stringify(one));
  for (const { id, says, sql } of rules) {
    const statement = sql.trimStart().startsWith('with ')
      ? `with ${tables}, ${sql.trimStart().slice('with '.length)}`
      : `with ${tables} ${sql}`;
    const { rows } = await client.query<{ subject: string; found: string }>(statement, values);
    violations.push(...rows.map((row) => ({ rule: id, says, ...row })));
  }
  return violations;
}

/** Runs the audit in one read-only transaction. */
export async function audit(client: pg.ClientBase, records: Records): Promise<Violation[]> {
  await client.query('begin isolation level repeatable read read only');
  try {
    return await findViolations(client, records);
  } finally {
    await client.query('rollback');
  }
}

export const describeViolation = ({ rule, says, subject, found }: Violation): string =>
  `${rule} ${says}: ${subject} (${found})`;

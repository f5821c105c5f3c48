// Reads everything about one schedule's client from the database and from the provider.

import type { LedgerEntry } from '../kit/provider-account.ts';
import type { Fixture } from './fixture.ts';
import type { Shop } from './shop.ts';

type PaymentFacts = {
  readonly id: string;
  readonly type: string;
  readonly status: string;
  readonly session: string | null;
  readonly intent: string | null;
  readonly amount: number;
  readonly captured: number;
  readonly refunded: number;
  readonly refundPending: number;
  readonly eventSeq: number;
  readonly version: number;
  readonly voidReason: string | null;
  readonly expiresAt: number | null;
  readonly hasManual: boolean;
  readonly history: readonly { version: number; status: string; eventSeq: number }[];
};

type OperationFacts = {
  readonly id: string;
  readonly paymentId: string;
  readonly kind: string;
  readonly state: string;
  readonly key: string | null;
  readonly epoch: number;
};

type AttemptFacts = {
  readonly operationId: string;
  readonly attempt: number;
  readonly epoch: number;
  readonly outcome: string;
  readonly providerCode: string | null;
};

type ClaimFacts = {
  readonly operationId: string;
  readonly kind: string;
  readonly epoch: number;
  readonly owner: string;
  readonly at: number;
  /**
   * The end of the lease. A lease starts at the time that the claim read under the payment's lock.
   */
  readonly leaseUntil: number;
  readonly expiresAt: number | null;
};

/** Who wrote an outcome; the owner is null when nobody held the operation then. */
type EndingFacts = {
  readonly operationId: string;
  readonly epoch: number;
  readonly owner: string | null;
  readonly process: string;
};

export type RunFacts = {
  readonly payments: readonly PaymentFacts[];
  readonly operations: readonly OperationFacts[];
  readonly attempts: readonly AttemptFacts[];
  readonly events: readonly { resourceId: string; sequence: number; type: string }[];
  readonly claims: readonly ClaimFacts[];
  readonly endings: readonly EndingFacts[];
  readonly ledger: readonly LedgerEntry[];
};

const ms = (column: string) => `(extract(epoch from ${column}) * 1000)::float8`;
const list = (rows: string) => `(select coalesce(jsonb_agg(to_jsonb(r)), '[]') from (${rows}) r)`;
const ofClient = 'select id from payment_operations where client_id = $1';

const statement = `select jsonb_build_object(
  'payments', ${list(`select p.id, type, status, session_id as session,
      provider_intent_id as intent, amount_minor as amount, captured_minor as captured,
      refunded_minor as refunded, refund_pending_minor as "refundPending",
      event_seq as "eventSeq", version, authorization_void_reason as "voidReason",
      ${ms('authorization_expires_at')} as "expiresAt",
      exists (select from payment_operations o where o.payment_id = p.id and o.state = 'manual')
        as "hasManual",
      ${list(`select version, status, event_seq as "eventSeq" from payment_history h
        where h.payment_id = p.id order by version`)} as history
    from payments p where client_id = $1 order by p.id`)},
  'operations', ${list(`select id, payment_id as "paymentId", kind, state, idempotency_key as key,
      epoch from payment_operations where client_id = $1 order by id`)},
  'attempts', ${list(`select operation_id as "operationId", attempt, epoch, outcome,
      provider_code as "providerCode" from operation_attempts
    where operation_id in (${ofClient}) order by operation_id, epoch`)},
  'events', ${list(`select resource_id as "resourceId", sequence, type from events
    where client_id = $1 order by resource_id, sequence`)},
  'claims', ${list(`select operation_id as "operationId", kind, epoch, lease_owner as owner,
      ${ms('at')} as at, ${ms('lease_until')} as "leaseUntil",
      ${ms('expires_at')} as "expiresAt" from simulation_claims
    where operation_id in (${ofClient}) order by seq`)},
  'endings', ${list(`select operation_id as "operationId", epoch, owner, process from simulation_endings
    where operation_id in (${ofClient}) order by seq`)}) as facts`;

export async function readFacts(shop: Shop, { monitor }: Fixture): Promise<RunFacts> {
  const { rows } = await monitor.query<{ facts: Omit<RunFacts, 'ledger'> }>({
    name: 'simulation_facts',
    text: statement,
    values: [shop.clientId],
  });
  const facts = rows[0]?.facts;
  if (!facts) throw new Error('the database answered nothing');
  return { ...facts, ledger: await shop.account.ledger() };
}

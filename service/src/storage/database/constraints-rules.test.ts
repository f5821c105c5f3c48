// The database defends itself, continued: what a row of payments, operations and sessions must be, by
// the names of the rules. docs/decisions/database.md.

import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import {
  type AttackOptions,
  type Attacks,
  openAttacks,
  type Role,
  roles,
} from '../../../test/attacks/attacks.ts';
import { newId } from '../../../test/harness.ts';

let fixture: Attacks;
beforeAll(async () => {
  fixture = await openAttacks();
  const { checkout_sessions: row } = soundRows();
  await fixture.put('owner', 'checkout_sessions', {
    ...row,
    id: session,
    nonce_sha256: Buffer.alloc(32, 1),
  });
  await fixture.aRow('owner', { id: purchase });
});
afterEach(() => fixture.rollBack());
afterAll(() => fixture?.close());

const at = '2026-01-01T00:00:00Z';
const parent = { parent_payment_id: newId() };

type Table = 'payments' | 'payment_operations' | 'checkout_sessions';
type Case = readonly [rule: string, table: Table, wrong: AttackOptions];

const cases: readonly Case[] = [
  ['payments_type_check', 'payments', { type: 'gift' }],
  ['payments_status_check', 'payments', { status: 'paid' }],
  ['payments_capture_method_check', 'payments', { capture_method: 'later' }],
  ['payments_currency_check', 'payments', { currency: 'eur' }],
  [
    'payments_authorization_void_reason_check',
    'payments',
    { status: 'voided', authorization_void_reason: 'bored' },
  ],
  ['payments_refund_reason_check', 'payments', { refund_reason: 'bored' }],
  ['void_has_reason', 'payments', { status: 'voided' }],
  ['void_has_reason', 'payments', { authorization_void_reason: 'expired' }],
  ['parent_by_type', 'payments', parent],
  ['parent_by_type', 'payments', { type: 'refund' }],
  ['sign_by_type', 'payments', { amount_minor: 0 }],
  ['sign_by_type', 'payments', { type: 'refund', ...parent, amount_minor: -1 }],
  ['captured_whole', 'payments', { captured_minor: 1 }],
  ['refunds_not_negative', 'payments', { captured_minor: 1990, refunded_minor: -1 }],
  ['refunds_not_negative', 'payments', { captured_minor: 1990, refund_pending_minor: -1 }],
  ['refunds_within_captured', 'payments', { refunded_minor: 1 }],
  [
    'refunds_within_captured',
    'payments',
    { captured_minor: 1990, refunded_minor: 1000, refund_pending_minor: 991 },
  ],
  ['chargeback_is_whole', 'payments', { provider_movement_id: 'txn_1' }],
  ['chargeback_is_whole', 'payments', { type: 'chargeback', ...parent, status: 'succeeded' }],
  [
    'chargeback_is_whole',
    'payments',
    {
      ...{ type: 'chargeback', ...parent, status: 'succeeded', provider_movement_id: 'txn_1' },
      ...{ event_seq: 1, metadata: { providerDisputeId: 'dp_1' } },
    },
  ],
  ['payment_operations_kind_check', 'payment_operations', { kind: 'gift' }],
  ['payment_operations_state_check', 'payment_operations', { state: 'done' }],
  ['payment_operations_idempotency_key_check', 'payment_operations', { idempotency_key: '' }],
  [
    'payment_operations_idempotency_key_check',
    'payment_operations',
    { idempotency_key: 'k'.repeat(256) },
  ],
  ['payment_operations_asked_check', 'payment_operations', { asked_via: 'token' }],
  [
    'payment_operations_asked_check',
    'payment_operations',
    { asked_via: 'post', asked_credential_id: newId(), asked_user_id: newId() },
  ],
  ['checkout_sessions_mode_check', 'checkout_sessions', { mode: 'gift' }],
  ['checkout_sessions_status_check', 'checkout_sessions', { status: 'paid' }],
  ['checkout_sessions_capture_method_check', 'checkout_sessions', { capture_method: 'later' }],
  ['checkout_sessions_nonce_sha256_check', 'checkout_sessions', { nonce_sha256: Buffer.alloc(31) }],
  ['checkout_sessions_claim_sha256_check', 'checkout_sessions', { claim_sha256: Buffer.alloc(31) }],
  ...['currency', 'user_id', 'email', 'total_minor'].map(
    (column): Case => ['claimed_is_complete', 'checkout_sessions', { [column]: null }],
  ),
  ['guest_is_not_verified', 'checkout_sessions', { is_guest: true, is_buyer_verified: true }],
];

const captured = { status: 'succeeded', captured_minor: 1990 };
const refundedWhole = { ...captured, status: 'refunded', refunded_minor: 1990 };
const answered = { state: 'succeeded', response_status: 200, response_body: '{}' };
const [other, session, purchase] = [newId(), newId(), newId()];

const refund = { type: 'refund', status: 'pending', parent_payment_id: purchase };

/** Forbidden changes: the row before, and the fields that are set. */
const changes: readonly (readonly [...Case, change: AttackOptions])[] = [
  ['money_by_status', 'payments', captured, { captured_minor: 0 }],
  ['money_by_status', 'payments', {}, { captured_minor: 1990 }],
  ['money_by_status', 'payments', { status: 'pending' }, { status: 'succeeded', event_seq: 1 }],
  ['money_by_status', 'payments', captured, { status: 'refunded' }],
  ['money_by_status', 'payments', captured, { status: 'refunded', refunded_minor: 1989 }],
  ['money_by_status', 'payments', captured, { status: 'partially_refunded' }],
  ['money_by_status', 'payments', captured, { status: 'partially_refunded', refunded_minor: 1990 }],
  ['money_by_status', 'payments', refundedWhole, { refunded_minor: 1 }],
  [
    'money_by_status',
    'payments',
    { ...captured, status: 'unknown' },
    { status: 'failed', event_seq: 1 },
  ],
  ['links_stay', 'payments', { provider_intent_id: newId() }, { provider_intent_id: newId() }],
  ['links_stay', 'payments', { provider_intent_id: newId() }, { provider_intent_id: null }],
  ['links_stay', 'payments', { session_id: session }, { session_id: newId() }],
  ['links_stay', 'payments', { session_id: session }, { session_id: null }],
  ['links_stay', 'payments', refund, { parent_payment_id: newId() }],
  ...Object.entries({
    id: other,
    client_id: other,
    payment_id: other,
    kind: 'cancel',
    amount_minor: 1,
    idempotency_key: 'another',
    raw_sha256: Buffer.alloc(32, 1),
    canon_sha256: Buffer.alloc(32, 1),
  }).flatMap(([column, value]): (typeof changes)[number][] => [
    ['request_stays', 'payment_operations', {}, { [column]: value }],
    ['request_stays', 'payment_operations', answered, { [column]: value }],
  ]),
  ['request_stays', 'payment_operations', { idempotency_key: 'a' }, { idempotency_key: null }],
  ['counts_rise', 'payment_operations', { attempt: 2 }, { attempt: 1 }],
  ['counts_rise', 'payment_operations', { epoch: 2 }, { epoch: 1 }],
  ...['active', 'in_doubt', 'awaiting_customer', 'failed', 'manual'].map(
    (state): (typeof changes)[number] => [
      'outcome_stays',
      'payment_operations',
      { state: 'succeeded' },
      { state },
    ],
  ),
  ...['in_doubt', 'awaiting_customer', 'succeeded', 'manual'].map(
    (state): (typeof changes)[number] => [
      'outcome_stays',
      'payment_operations',
      { state: 'failed' },
      { state },
    ],
  ),
  [
    'outcome_stays',
    'payment_operations',
    { ...answered, state: 'failed', response_status: 409 },
    { state: 'active' },
  ],
  ['answer_stays', 'payment_operations', answered, { response_body: '{"a":1}' }],
  ['answer_stays', 'payment_operations', answered, { response_body: null }],
  ['answer_stays', 'payment_operations', answered, { response_status: 409 }],
];

/** Changes that the service makes, or a person who follows `docs/operating/recovery.md`. */
const made: readonly (readonly [
  what: string,
  Table,
  from: AttackOptions,
  change: AttackOptions,
])[] = [
  ['a late word', 'payment_operations', { state: 'in_doubt' }, { ...answered, attempt: 1 }],
  ['a next attempt', 'payment_operations', { state: 'failed' }, { state: 'active', attempt: 2 }],
  ['work for a person', 'payment_operations', { state: 'in_doubt' }, { state: 'manual' }],
  ['taken up again', 'payment_operations', { state: 'manual' }, { state: 'in_doubt' }],
  ['the buyer is back', 'payment_operations', { state: 'awaiting_customer' }, { state: 'active' }],
  ['looked at again', 'payment_operations', answered, { next_check_at: at, checks: 3 }],
  ['an intent', 'payments', {}, { provider_intent_id: newId() }],
  ['a take-back', 'payments', captured, { status: 'unknown' }],
  ['in doubt', 'payments', {}, { status: 'unknown' }],
  [
    'held after all',
    'payments',
    { status: 'unknown', authorized_at: at, authorization_expires_at: at },
    { status: 'authorized' },
  ],
];

const soundRows = (): Record<Table, AttackOptions> => ({
  payments: {},
  payment_operations: {
    ...{ id: newId(), client_id: fixture.client.id, payment_id: newId(), kind: 'capture' },
    ...{ state: 'active', amount_minor: 1990, next_check_at: at, first_sent_at: at },
    ...{ canon_sha256: Buffer.alloc(32), created_at: at },
  },
  checkout_sessions: {
    ...{
      id: newId(),
      client_id: fixture.client.id,
      nonce_sha256: Buffer.alloc(32),
      status: 'open',
    },
    ...{ mode: 'payment', capture_method: 'manual', gateway_id: fixture.gateway.id },
    ...{ currency: 'EUR', user_id: newId(), email: 'buyer@example.test', total_minor: 100 },
    ...{ expires_at: at, created_at: at, updated_at: at },
  },
});

/** Inserts a row, and then changes it. */
async function insertAndChange(
  role: Role,
  table: Table,
  { from, change }: { from: AttackOptions; change: AttackOptions },
): Promise<unknown> {
  await fixture.as[role].query('begin');
  const row =
    table === 'payments'
      ? { id: await fixture.aRow(role, from) }
      : { ...soundRows()[table], ...from, payment_id: await fixture.aRow(role) };
  if (table !== 'payments') await fixture.put(role, table, row);
  const set = Object.keys(change).map((column, index) => `${column} = $${index + 2}`);
  const text = `update ${table} set ${set.join(', ')} where id = $1`;
  return fixture.as[role].query(text, [row.id, ...Object.values(change)]);
}

describe.each(roles)('changes of a row, as %s', (role) => {
  it.each(changes)('%s: %s, case %#', async (constraint, table, from, change) => {
    const put = insertAndChange(role, table, { from, change });
    await expect(put).rejects.toMatchObject({ code: '23514', table, constraint });
  });

  it.each(made)('%s is taken', async (_, table, from, change) => {
    expect(await insertAndChange(role, table, { from, change })).toMatchObject({ rowCount: 1 });
  });
});

describe.each(roles)('rules of a row, as %s', (role) => {
  it.each(cases)('%s: %s, case %#', async (constraint, table, wrong) => {
    const put =
      table === 'payments'
        ? fixture.aRow(role, wrong)
        : fixture.put(role, table, { ...soundRows()[table], ...wrong });
    await expect(put).rejects.toMatchObject({ code: '23514', table, constraint });
  });

  it('a sound row of each is taken', async () => {
    const { payment_operations: operation, checkout_sessions: session } = soundRows();
    await fixture.as[role].query('begin');
    const payment = await fixture.aRow(role);
    await fixture.put(role, 'payment_operations', { ...operation, payment_id: payment });
    await fixture.put(role, 'checkout_sessions', session);
  });

  it('a change is held to them as well', async () => {
    const { payment_operations: operation, checkout_sessions: session } = soundRows();
    await fixture.as[role].query('begin');
    const payment = await fixture.aRow(role);
    await fixture.put(role, 'payment_operations', { ...operation, payment_id: payment });
    await fixture.put(role, 'checkout_sessions', { ...session, status: 'unclaimed' });
    const changes = [
      ['payments', payment, "status = 'voided', event_seq = 1", 'void_has_reason'],
      ['payment_operations', operation.id, "state = 'done'", 'payment_operations_state_check'],
      [
        'checkout_sessions',
        session.id,
        "claim_sha256 = ''",
        'checkout_sessions_claim_sha256_check',
      ],
    ] as const;
    for (const [table, id, change, constraint] of changes) {
      await fixture.as[role].query('savepoint before');
      const changed = fixture.as[role].query(`update ${table} set ${change} where id = $1`, [id]);
      await expect(changed).rejects.toMatchObject({ code: '23514', table, constraint });
      await fixture.as[role].query('rollback to before');
    }
  });
});

it('every rule was tried', async () => {
  const { rows } = await fixture.as.owner.query<{ rule: string }>(
    `select distinct (regexp_matches(prosrc, 'then ''(\\w+)''', 'g'))[1] as rule from pg_proc
     where proname in ('check_payment', 'check_operation', 'check_session')`,
  );
  const tried = new Set([...cases, ...changes].map(([rule]) => rule));
  expect(rows.map(({ rule }) => rule).sort()).toEqual([...tried].sort());
  expect(tried.size).toBe(30);
});

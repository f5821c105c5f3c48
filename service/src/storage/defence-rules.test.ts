// The database defends itself, continued: what a row of payments, operations and sessions must be, by
// the names of the rules. Migration 0078; decision 0085.

import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Attacks, type Given, openAttacks, roles } from '../../test/attacks.ts';
import { newId } from '../../test/harness.ts';

let ground: Attacks;
beforeAll(async () => {
  ground = await openAttacks();
});
afterEach(() => ground.rollBack());
afterAll(() => ground?.close());

const at = '2026-01-01T00:00:00Z';
const parent = { parent_payment_id: newId() };

type Table = 'payments' | 'payment_operations' | 'checkout_sessions';
type Case = readonly [rule: string, table: Table, wrong: Given];

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
  ['payment_operations_asked_by_check', 'payment_operations', { asked_by: Buffer.alloc(34) }],
  ['checkout_sessions_mode_check', 'checkout_sessions', { mode: 'gift' }],
  ['checkout_sessions_status_check', 'checkout_sessions', { status: 'paid' }],
  ['checkout_sessions_capture_method_check', 'checkout_sessions', { capture_method: 'later' }],
  ['checkout_sessions_nonce_sha256_check', 'checkout_sessions', { nonce_sha256: Buffer.alloc(31) }],
  ['checkout_sessions_claim_sha256_check', 'checkout_sessions', { claim_sha256: Buffer.alloc(31) }],
  ...['currency', 'user_id', 'email', 'total_minor'].map(
    (column): Case => ['claimed_is_complete', 'checkout_sessions', { [column]: null }],
  ),
];

const sound = (): Record<Table, Given> => ({
  payments: {},
  payment_operations: {
    ...{ id: newId(), client_id: ground.client.id, payment_id: newId(), kind: 'capture' },
    ...{ state: 'active', amount_minor: 1990, next_check_at: at, first_sent_at: at },
    ...{ canon_sha256: Buffer.alloc(32), created_at: at },
  },
  checkout_sessions: {
    ...{ id: newId(), client_id: ground.client.id, nonce_sha256: Buffer.alloc(32), status: 'open' },
    ...{ mode: 'payment', capture_method: 'manual', gateway_id: ground.gateway.id },
    ...{ currency: 'EUR', user_id: newId(), email: 'buyer@example.test', total_minor: 100 },
    ...{ expires_at: at, created_at: at, updated_at: at },
  },
});

describe.each(roles)('rules of a row, as %s', (role) => {
  it.each(cases)('%s: %s, case %#', async (constraint, table, wrong) => {
    const put =
      table === 'payments'
        ? ground.aRow(role, wrong)
        : ground.put(role, table, { ...sound()[table], ...wrong });
    await expect(put).rejects.toMatchObject({ code: '23514', table, constraint });
  });

  it('a sound row of each is taken', async () => {
    const { payment_operations: operation, checkout_sessions: session } = sound();
    await ground.as[role].query('begin');
    const payment = await ground.aRow(role);
    await ground.put(role, 'payment_operations', { ...operation, payment_id: payment });
    await ground.put(role, 'checkout_sessions', session);
  });

  it('a change is held to them as well', async () => {
    const { payment_operations: operation, checkout_sessions: session } = sound();
    await ground.as[role].query('begin');
    const payment = await ground.aRow(role);
    await ground.put(role, 'payment_operations', { ...operation, payment_id: payment });
    await ground.put(role, 'checkout_sessions', { ...session, status: 'unclaimed' });
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
      await ground.as[role].query('savepoint before');
      const changed = ground.as[role].query(`update ${table} set ${change} where id = $1`, [id]);
      await expect(changed).rejects.toMatchObject({ code: '23514', table, constraint });
      await ground.as[role].query('rollback to before');
    }
  });
});

it('every rule was tried', async () => {
  const { rows } = await ground.as.owner.query<{ rule: string }>(
    `select distinct (regexp_matches(prosrc, 'then ''(\\w+)''', 'g'))[1] as rule from pg_proc
     where proname in ('check_payment', 'check_operation', 'check_session')`,
  );
  const tried = new Set(cases.map(([rule]) => rule));
  expect(rows.map(({ rule }) => rule).sort()).toEqual([...tried].sort());
  expect(tried.size).toBe(23);
});

// The database defends itself: every attack here is plain SQL past all of our code, as the service's
// role and as the owner of the tables. Reliability §2.2, layer D. Contract §2, moves.

import { paymentStatuses } from '@svc/contract/payments/payments';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import {
  type AttackOptions,
  type Attacks,
  openAttacks,
  type Role,
  roles,
} from '../../../test/attacks/attacks.ts';
import { aClient, newId } from '../../../test/harness.ts';
import { aStoredSession } from '../../../test/payments/stored-rows.ts';

let fixture: Attacks;
let as: Attacks['as'];
beforeAll(async () => {
  fixture = await openAttacks();
  as = fixture.as;
});
afterEach(() => fixture.rollBack());
afterAll(() => fixture?.close());

const aRow = (role: Role, given: AttackOptions = {}) => fixture.aRow(role, given);
const putRow = (role: Role, table: string, row: AttackOptions) => fixture.put(role, table, row);
const anEvent = (role: Role, id: string, given: AttackOptions = {}) =>
  fixture.anEvent(role, id, given);
const setPayment = (role: Role, id: string, change: string) =>
  as[role].query(`update payments set ${change} where id = $1`, [id]);

const refusedWith = (code: string) => ({ code });
const illegal = refusedWith('23514');
const appendOnly = refusedWith('23000');
const taken = refusedWith('23505');
const forbidden = refusedWith('42501');
const both = describe.each(roles);

// Contract §2, Moves among statuses, written a second time.
const moves: Record<string, Record<string, string>> = {
  purchase: {
    pending: 'authorized processing succeeded failed unknown',
    processing: 'succeeded failed authorized unknown',
    authorized: 'succeeded voided unknown',
    unknown: 'authorized succeeded voided failed',
    succeeded: 'partially_refunded refunded unknown',
    partially_refunded: 'refunded succeeded',
    refunded: 'partially_refunded succeeded',
  },
  refund: {
    pending: 'processing succeeded refund_failed unknown',
    processing: 'succeeded refund_failed',
    unknown: 'succeeded refund_failed',
    succeeded: 'refund_failed',
  },
};

both('moves of a payment, as %s', (role) => {
  const parentOf = async (type: string) =>
    type === 'purchase' ? {} : { parent_payment_id: await aRow(role) };
  const reason = (status: string) => (status === 'voided' ? 'expired' : null);
  const refunded: Record<string, number> = {
    succeeded: 0,
    partially_refunded: 500,
    refunded: 1990,
  };
  const moneyOf = (status: string) => [status in refunded ? 1990 : 0, refunded[status] ?? 0];

  it.each(['purchase', 'refund'])(
    '%s: every pair of statuses, allowed only where the contract allows it',
    async (type) => {
      const allowed: string[] = [];
      for (const from of paymentStatuses) {
        for (const to of paymentStatuses.filter((status) => status !== from)) {
          await as[role].query('begin');
          const given = { type, status: from, authorization_void_reason: reason(from) };
          const id = await aRow(role, { ...given, ...(await parentOf(type)) });
          const moved = await as[role]
            .query(
              `update payments set status = $2, authorization_void_reason = $3,
                 captured_minor = $4, refunded_minor = $5, event_seq = event_seq + 1
               where id = $1`,
              [id, to, reason(to), ...(type === 'purchase' ? moneyOf(to) : [0, 0])],
            )
            .then(
              () => true,
              (error: { code: string }) => error.code !== '23514',
            );
          if (moved) allowed.push(`${from} ${to}`);
          await as[role].query('rollback');
        }
      }
      const expected = Object.entries(moves[type] ?? {}).flatMap(([from, all]) =>
        all.split(' ').map((to) => `${from} ${to}`),
      );
      expect(allowed.sort()).toEqual(expected.sort());
    },
    20_000,
  );

  it('a chargeback never moves', async () => {
    const { rows } = await as[role].query(
      `select f, t from unnest($1::text[]) f cross join unnest($1::text[]) t
       where is_payment_move('chargeback', f, t)`,
      [paymentStatuses],
    );
    expect(rows).toEqual([]);
  });

  it('identity, amount and currency never change', async () => {
    const elsewhere = await aClient(fixture.db.database);
    const id = await aRow(role);
    for (const change of [
      'amount_minor = 1',
      "currency = 'USD'",
      "type = 'refund'",
      "capture_method = 'automatic'",
      `client_id = '${elsewhere.id}'`,
      `id = '${newId()}'`,
      "created_at = created_at + interval '1 day'",
      `gateway_id = '${newId()}'`,
    ]) {
      await expect(setPayment(role, id, change), change).rejects.toMatchObject(illegal);
    }
  });

  it('versions count by one, whatever is asked, and each has its history', async () => {
    const id = await aRow(role);
    for (const wanted of [99, 0, -5]) await setPayment(role, id, `version = ${wanted}`);
    const { rows } = await as[role].query(
      `select p.version, array_agg(h.version order by h.version) as kept
       from payments p join payment_history h on h.payment_id = p.id where p.id = $1 group by 1`,
      [id],
    );
    expect(rows).toEqual([{ version: 3, kept: [0, 1, 2, 3] }]);
  });

  it('a payment is never deleted, nor are all of them', async () => {
    const id = await aRow(role);
    await expect(as[role].query('delete from payments where id = $1', [id])).rejects.toMatchObject(
      appendOnly,
    );
  });
});

both('money of a payment, as %s', (role) => {
  it.each([
    ['void without a reason', "status = 'voided', event_seq = 1"],
    ['a reason without void', "authorization_void_reason = 'expired'"],
    ['a reason of its own', "status = 'voided', authorization_void_reason = 'x', event_seq = 1"],
    ['partial capture', 'captured_minor = 1000'],
    ['capture of more', 'captured_minor = 1991'],
    ['negative capture', 'captured_minor = -1990'],
    ['refunded without a capture', 'refunded_minor = 1'],
    ['a refund under way without a capture', 'refund_pending_minor = 1'],
    ['refunded over the capture', 'captured_minor = 1990, refunded_minor = 1991'],
    [
      'refunded and under way over the capture',
      'captured_minor = 1990, refunded_minor = 1000, refund_pending_minor = 991',
    ],
    ['a negative refund', 'captured_minor = 1990, refunded_minor = -1'],
    ['negative under way', 'captured_minor = 1990, refund_pending_minor = -1'],
    ['no status of ours', "status = 'paid'"],
  ])('%s', async (_, change) => {
    const id = await aRow(role);
    await expect(setPayment(role, id, change)).rejects.toMatchObject(illegal);
  });

  it('purchase and refund are above zero', async () => {
    for (const amount of [0, -1]) {
      await expect(aRow(role, { amount_minor: amount })).rejects.toMatchObject(illegal);
    }
    await as[role].query('begin');
    const refund = { type: 'refund', parent_payment_id: await aRow(role), amount_minor: -1 };
    await expect(aRow(role, refund)).rejects.toMatchObject(illegal);
  });

  it('a purchase has no parent, everything else has one', async () => {
    const parent = await aRow(role);
    await expect(aRow(role, { parent_payment_id: parent })).rejects.toMatchObject(illegal);
    await expect(aRow(role, { type: 'chargeback' })).rejects.toMatchObject(illegal);
  });

  it('what a purchase says of its refunds is what they add up to, at the commit', async () => {
    const id = await aRow(role, { status: 'succeeded', captured_minor: 1990 });
    await expect(setPayment(role, id, 'refunded_minor = 500')).rejects.toMatchObject(illegal);
    const refund = { type: 'refund', parent_payment_id: id, amount_minor: 500, status: 'pending' };
    await expect(aRow(role, refund)).rejects.toMatchObject(illegal);
    await as[role].query('begin');
    await aRow(role, refund);
    await setPayment(role, id, 'refund_pending_minor = 500');
    await as[role].query('commit');
  });

  it('one payment per intent of the provider', async () => {
    const intent = { provider_intent_id: `pi_${newId()}` };
    await aRow(role, intent);
    await expect(aRow(role, intent)).rejects.toMatchObject(taken);
  });

  it('one live payment per session; the next one only after a failed or voided one', async () => {
    const session = await aStoredSession(fixture.db.database, fixture.client, fixture);
    const given = { session_id: session.id };
    const first = await aRow(role, given);
    await expect(aRow(role, given)).rejects.toMatchObject(taken);
    await as[role].query('begin');
    await setPayment(
      role,
      first,
      "status = 'voided', authorization_void_reason = 'expired', event_seq = 1",
    );
    await anEvent(role, first);
    await as[role].query('commit');
    await aRow(role, given);
    await expect(aRow(role, given)).rejects.toMatchObject(taken);
  });
});

both('events, as %s', (role) => {
  it.each([
    ['succeeded', "status = 'succeeded', captured_minor = 1990"],
    ['voided', "status = 'voided', authorization_void_reason = 'expired'"],
  ])('a payment does not become %s without an event', async (_, change) => {
    await expect(setPayment(role, await aRow(role), change)).rejects.toMatchObject(illegal);
  });

  it('nor failed', async () => {
    const id = await aRow(role, { status: 'pending' });
    await expect(setPayment(role, id, "status = 'failed'")).rejects.toMatchObject(illegal);
  });

  it('nor authorized, for the first time', async () => {
    const id = await aRow(role, { status: 'pending' });
    await expect(setPayment(role, id, "status = 'authorized'")).rejects.toMatchObject(illegal);
  });

  it('an event that is counted but not there does not commit', async () => {
    const id = await aRow(role);
    const change = "status = 'succeeded', captured_minor = 1990, event_seq = 1";
    await expect(setPayment(role, id, change)).rejects.toMatchObject(refusedWith('23000'));
    await as[role].query('begin');
    await setPayment(role, id, change);
    await anEvent(role, newId());
    await expect(as[role].query('commit')).rejects.toMatchObject(refusedWith('23000'));
    await expect(aRow(role, { event_seq: 1 })).rejects.toMatchObject(refusedWith('23000'));
  });

  it.each([2, -1])('a sequence does not jump by %i', async (by) => {
    const id = await aRow(role);
    await expect(setPayment(role, id, `event_seq = event_seq + ${by}`)).rejects.toMatchObject(
      illegal,
    );
    const session = await aStoredSession(fixture.db.database, fixture.client, fixture);
    await expect(
      as[role].query('update checkout_sessions set event_seq = event_seq + $2 where id = $1', [
        session.id,
        by,
      ]),
    ).rejects.toMatchObject(illegal);
  });

  it('no second event in a place, none before the first, no second purchase', async () => {
    const id = await aRow(role);
    await anEvent(role, id, { type: 'item.purchased' });
    await expect(anEvent(role, id)).rejects.toMatchObject(taken);
    await expect(anEvent(role, id, { sequence: 0 })).rejects.toMatchObject(illegal);
    const again = anEvent(role, id, { sequence: 2, type: 'item.purchased' });
    await expect(again).rejects.toMatchObject(taken);
  });

  it('what was told and what was is never rewritten', async () => {
    const id = await aRow(role);
    await anEvent(role, id);
    for (const table of ['events', 'payment_history']) {
      const column = table === 'events' ? 'sequence' : 'version';
      const change = as[role].query(`update ${table} set ${column} = ${column} + 10`);
      await expect(change, table).rejects.toMatchObject(appendOnly);
      await expect(as[role].query(`delete from ${table}`), table).rejects.toMatchObject(appendOnly);
    }
  });
});

describe('the clock', () => {
  it.each(roles)('live, it does not move, as %s', async (role) => {
    await as[role].query('begin');
    await as[role].query('update clock_shift set is_live = true');
    await expect(
      as[role].query("update clock_shift set shift = interval '1 second'"),
    ).rejects.toMatchObject(illegal);
  });

  it.each(roles)('live mode does not end, as %s', async (role) => {
    await as[role].query('begin');
    await as[role].query('update clock_shift set is_live = true');
    await expect(as[role].query('update clock_shift set is_live = false')).rejects.toMatchObject(
      illegal,
    );
  });

  it('there is one', async () => {
    await expect(putRow('service', 'clock_shift', { shift: '1 hour' })).rejects.toMatchObject(
      taken,
    );
    const second = putRow('service', 'clock_shift', { is_only: false });
    await expect(second).rejects.toMatchObject(illegal);
  });
});

describe('walls between the roles', () => {
  it.each([
    'select * from vault.card_tokens',
    'create table vault.mine (n int)',
    'truncate payments cascade',
    'truncate events cascade',
    'truncate payment_history',
    'alter table payments disable trigger all',
    'drop trigger guard on payments',
    'drop trigger valid on payments',
    'drop index one_active',
    'create or replace function is_payment_move(kind text, old_status text, new_status text) ' +
      "returns boolean language sql as 'select true'",
    'create table mine (n int)',
    'create temporary table payments (n int)',
    'set session_replication_role = replica',
    'set role svc_owner',
    'set role svc_vault',
    'copy payments to program $$cat$$',
  ])('the service may not: %s', async (statement) => {
    await expect(as.service.query(statement)).rejects.toMatchObject(forbidden);
  });

  it('the owner of the tables may not switch their triggers off for a session', async () => {
    const off = as.owner.query('set session_replication_role = replica');
    await expect(off).rejects.toMatchObject(forbidden);
  });

  it('the vault sees nothing of the service', async () => {
    const vault = new pg.Client({ connectionString: fixture.db.vaultUrl });
    await vault.connect();
    for (const table of ['payments', 'gateways', 'api_tokens', 'client_keys']) {
      const read = vault.query(`select * from public.${table}`);
      await expect(read, table).rejects.toMatchObject(forbidden);
    }
    await vault.end();
  });
});

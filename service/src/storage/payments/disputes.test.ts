// The rules of the database about disputes and chargebacks, tested with raw SQL.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  aPurchase,
  chargebacksOf,
  deliverDisputeEvents,
  dispute,
} from '../../../test/payments/disputes.ts';
import { startWorld, type World } from '../../../test/world.ts';
import { sql } from '../database/sql.ts';

let world: World;
let paymentId: string;
let chargebackId: string;
let disputeId: string;
const findId = sql<{ id: string }>(
  'test_attack_dispute',
  'select id from disputes where payment_id = $1',
);
beforeAll(async () => {
  world = await startWorld();
  const bought = await aPurchase(world);
  paymentId = bought.paymentId;
  await deliverDisputeEvents(world, await dispute(world, bought.intent, { amount: 500 }));
  chargebackId = (await chargebacksOf(world, paymentId))[0]?.id ?? '';
  disputeId = (await world.database.read(findId, [paymentId]))[0]?.id ?? '';
});
afterAll(() => world?.close());

let attacks = 0;
const attackRow = (text: string, id: string) =>
  world.database.write(sql(`test_attack_${++attacks}`, text), [id]);

describe('a chargeback row', () => {
  it.each([
    ["status = 'refunded'"],
    ["status = 'unknown'"],
    ['amount_minor = -500'],
    ["currency = 'USD'"],
    ['financial_effective_at = now()'],
    ["gateway_charge_id = 'ch_other'"],
    ["metadata = '{}'"],
    ["provider_movement_id = 'txn_other'"],
    ['captured_minor = 500'],
    ['refunded_minor = 1'],
    ["parent_payment_id = id, type = 'refund'"],
    ['event_seq = 2'],
    ['updated_at = now()'],
  ])('is never changed: %s', async (change) => {
    const before = await chargebacksOf(world, paymentId);
    await expect(
      attackRow(`update payments set ${change} where id = $1`, chargebackId),
    ).rejects.toThrow('payments is append-only');
    expect(await chargebacksOf(world, paymentId)).toEqual(before);
  });

  it('is never deleted', async () => {
    await expect(attackRow('delete from payments where id = $1', chargebackId)).rejects.toThrow(
      'append-only',
    );
  });

  const copy = (columns: Record<string, string>) => {
    const given: Record<string, string> = {
      id: 'gen_random_uuid()',
      provider_movement_id: "'txn_' || gen_random_uuid()",
      ...columns,
    };
    const taken =
      'client_id type parent_payment_id provider gateway_id amount_minor currency capture_method status financial_effective_at metadata is_live event_seq created_at updated_at';
    const names = [...taken.split(' ').filter((name) => !(name in given)), ...Object.keys(given)];
    const values = names.map((name) => given[name] ?? name);
    return `insert into payments (${names.join(', ')}) select ${values.join(', ')}
      from payments where id = $1`;
  };

  it.each([
    ['of the same movement', { provider_movement_id: 'provider_movement_id' }, 'payments_movement'],
    ['without its movement', { provider_movement_id: 'null' }, 'chargeback_is_whole'],
    ['without its dispute', { metadata: "'{}'" }, 'chargeback_is_whole'],
    ['of nothing', { amount_minor: '0' }, 'chargeback_is_whole'],
    ['that is pending', { status: "'pending'" }, 'chargeback_is_whole'],
    ['without a time', { financial_effective_at: 'null' }, 'chargeback_is_whole'],
    ['without an event', { event_seq: '0' }, 'chargeback_is_whole'],
    ['without a purchase', { parent_payment_id: 'null' }, 'parent_by_type'],
    ['whose event is missing', {}, 'event 1 is missing'],
  ])('is not written %s', async (_, columns, message) => {
    await expect(attackRow(copy(columns), chargebackId)).rejects.toThrow(message);
  });

  it('a purchase has no movement', async () => {
    await expect(
      attackRow("update payments set provider_movement_id = 'txn_x' where id = $1", paymentId),
    ).rejects.toThrow('chargeback_is_whole');
  });
});

describe('a dispute', () => {
  it.each([
    ["status = 'lost', closed_at = now()", 'without an event'],
    ["status = 'lost', closed_at = now(), event_seq = event_seq + 1", 'is missing'],
    ['event_seq = event_seq + 2', 'sequence jumps'],
    ["status = 'lost'", 'without an event'],
    ["status = 'paid'", 'without an event'],
    ['closed_at = now()', 'closed_has_time'],
    ['payment_id = gen_random_uuid()', 'never change'],
    ["provider_dispute_id = 'dp_other'", 'never change'],
    ["currency = 'USD'", 'never change'],
    ['amount_minor = -1', 'disputes_amount_minor_check'],
  ])('refuses %s', async (change, message) => {
    await expect(
      attackRow(`update disputes set ${change} where id = $1`, disputeId),
    ).rejects.toThrow(message);
  });

  it('is known once per gateway, and never deleted', async () => {
    const columns =
      'client_id, payment_id, gateway_id, provider_dispute_id, status, reason, amount_minor, currency, is_live, event_seq, opened_at, created_at, updated_at';
    const twice = `insert into disputes (id, ${columns})
      select gen_random_uuid(), ${columns} from disputes where id = $1`;
    await expect(attackRow(twice, disputeId)).rejects.toThrow('provider_dispute_id_key');
    await expect(attackRow('delete from disputes where id = $1', disputeId)).rejects.toThrow(
      'append-only',
    );
  });

  it('its version rises with each change', async () => {
    const version = sql<{ version: number }>(
      'test_dispute_version',
      'update disputes set version = 41 where id = $1 returning version',
    );
    const [first] = await world.database.write(version, [disputeId]);
    const [second] = await world.database.write(version, [disputeId]);
    expect(second?.version).toBe((first?.version ?? 0) + 1);
    expect(second?.version).toBeLessThan(41);
  });
});

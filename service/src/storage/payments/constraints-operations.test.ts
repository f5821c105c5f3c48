// The rules of the database about operations at the provider. Reliability M8, I1 to I4.

import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import {
  type AttackOptions,
  type Attacks,
  openAttacks,
  type Role,
  roles,
} from '../../../test/attacks/attacks.ts';
import { aClient, newId } from '../../../test/harness.ts';

let fixture: Attacks;
let as: Attacks['as'];
beforeAll(async () => {
  fixture = await openAttacks();
  as = fixture.as;
});
afterEach(() => fixture.rollBack());
afterAll(() => fixture?.close());

const aRow = (role: Role) => fixture.aRow(role);
const anOperationRow = (role: Role, paymentId: string, given: AttackOptions = {}) =>
  fixture.put(role, 'payment_operations', {
    id: newId(),
    client_id: fixture.client.id,
    payment_id: paymentId,
    kind: 'capture',
    state: 'active',
    amount_minor: 1990,
    next_check_at: '2026-01-01T00:00:00Z',
    first_sent_at: '2026-01-01T00:00:00Z',
    canon_sha256: Buffer.alloc(32),
    created_at: '2026-01-01T00:00:00Z',
    ...given,
  });

const refusedWith = (code: string) => ({ code });
const illegal = refusedWith('23514');
const appendOnly = refusedWith('23000');
const taken = refusedWith('23505');
const both = describe.each(roles);

both('operations, as %s', (role) => {
  const open = ['active', 'in_doubt', 'awaiting_customer', 'manual'];

  it.each(open)('one open operation per payment: a second beside one that is %s', async (state) => {
    const payment = await aRow(role);
    await anOperationRow(role, payment, { state });
    for (const other of open) {
      const second = anOperationRow(role, payment, { kind: 'cancel', state: other });
      await expect(second, other).rejects.toMatchObject(taken);
    }
    await anOperationRow(role, payment, { kind: 'cancel', state: 'failed' });
  });

  it('one resolution per payment: never captured and cancelled, never twice', async () => {
    const payment = await aRow(role);
    await anOperationRow(role, payment, { state: 'succeeded' });
    for (const kind of ['capture', 'cancel', 'expire']) {
      const second = anOperationRow(role, payment, { kind, state: 'succeeded' });
      await expect(second, kind).rejects.toMatchObject(taken);
    }
  });

  it('a key names one operation of a kind for its client', async () => {
    const given = { idempotency_key: newId(), state: 'failed' };
    await anOperationRow(role, await aRow(role), given);
    const again = anOperationRow(role, await aRow(role), given);
    await expect(again).rejects.toMatchObject(taken);
    await anOperationRow(role, await aRow(role), { ...given, kind: 'cancel' });
    const stranger = await aClient(fixture.db.database);
    await anOperationRow(role, await aRow(role), { ...given, client_id: stranger.id });
  });

  it.each(['', 'k'.repeat(256), 'é'.repeat(128)])('no key of %s', async (key) => {
    const row = anOperationRow(role, await aRow(role), { idempotency_key: key });
    await expect(row).rejects.toMatchObject(illegal);
  });

  it('an operation is never deleted, nor is the client that it names', async () => {
    const payment = await aRow(role);
    await anOperationRow(role, payment);
    for (const table of ['payment_operations', 'clients']) {
      const gone = as[role].query(`delete from ${table}`);
      await expect(gone, table).rejects.toMatchObject(appendOnly);
    }
  });

  it('no operation without its payment', async () => {
    const row = anOperationRow(role, newId());
    await expect(row).rejects.toMatchObject(refusedWith('23503'));
  });

  it('what was tried is never rewritten', async () => {
    const payment = await aRow(role);
    const operation = newId();
    await anOperationRow(role, payment, { id: operation });
    const at = '2026-01-01T00:00:00Z';
    const attempt = { operation_id: operation, epoch: 1, attempt: 1, outcome: 'in_doubt' };
    await fixture.put(role, 'operation_attempts', { ...attempt, started_at: at, ended_at: at });
    await expect(
      as[role].query("update operation_attempts set outcome = 'confirmed'"),
    ).rejects.toMatchObject(appendOnly);
    await expect(as[role].query('delete from operation_attempts')).rejects.toMatchObject(
      appendOnly,
    );
  });
});

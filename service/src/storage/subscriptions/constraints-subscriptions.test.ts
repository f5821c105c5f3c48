// The database defends subscriptions against plain SQL past all of our code, as the service's role and
// as the owner of the tables. Contract §5. docs/decisions/subscriptions.md.

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
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
});
afterAll(() => fixture?.close());

const at = '2026-01-01T00:00:00Z';
const due = '2026-02-01T00:00:00Z';
const illegal = { code: '23514' };
const taken = { code: '23505' };
const append = { code: '23000' };

describe.each(roles)('subscriptions, as %s', (role: Role) => {
  const run = (text: string, values: unknown[] = []) => fixture.as[role].query(text, values);
  beforeEach(() => run('begin'));
  afterEach(() => run('rollback'));

  async function anActiveMethod(userId: string): Promise<string> {
    const id = newId();
    await fixture.put(role, 'payment_methods', {
      id,
      client_id: fixture.client.id,
      user_id: userId,
      gateway_id: fixture.gateway.id,
      provider: 'cardprovider',
      type: 'card',
      session_id: newId(),
      is_live: false,
      created_at: at,
      status: 'pending',
      updated_at: at,
    });
    await run(
      `update payment_methods set status = 'active', provider_customer_id = 'cus_1',
         provider_payment_method_id = $2, verified_at = $3, event_seq = 1 where id = $1`,
      [id, `pm_${id}`, at],
    );
    await fixture.anEvent(role, id, { type: 'payment_method.activated' });
    return id;
  }

  type OwnedSubscription = { id: string; userId: string; methodId: string };

  /** Inserts a subscription, of a new customer with a method unless another one is given. */
  async function aSubscription(given: AttackOptions = {}): Promise<OwnedSubscription> {
    const customer = newId();
    await fixture.put(role, 'customers', {
      client_id: fixture.client.id,
      id: customer,
      email: 'buyer@example.test',
      created_at: at,
      updated_at: at,
    });
    const methodId = await anActiveMethod(customer);
    const row = {
      id: newId(),
      client_id: fixture.client.id,
      user_id: customer,
      session_id: newId(),
      product_code: 'club',
      product_name: 'Club',
      quantity: 1,
      amount_minor: 2400,
      currency: 'EUR',
      interval_unit: 'month',
      provider: 'cardprovider',
      gateway_id: fixture.gateway.id,
      is_live: false,
      created_at: at,
      anchored_at: at,
      payment_method_id: methodId,
      status: 'active',
      current_period_end: due,
      next_renewal_at: due,
      event_seq: 1,
      updated_at: at,
      ...given,
    };
    await fixture.put(role, 'subscriptions', row);
    await fixture.anEvent(role, row.id, { type: 'subscription.created' });
    return { id: row.id, userId: customer, methodId };
  }

  /** Inserts a subscription with a renewal of this status. */
  async function aRenewal(status: string): Promise<OwnedSubscription & { paymentId: string }> {
    const owned = await aSubscription();
    const isPaid = status === 'succeeded';
    const paymentId = await fixture.aRow(role, {
      capture_method: 'automatic',
      amount_minor: 2400,
      status,
      captured_minor: isPaid ? 2400 : 0,
    });
    await run('update subscriptions set renewal_payment_id = $2 where id = $1', [
      owned.id,
      paymentId,
    ]);
    return { ...owned, paymentId };
  }

  it('the rows that the attacks start from are allowed, events and all', async () => {
    const { id } = await aRenewal('succeeded');
    await run(
      `update subscriptions set periods = 2, renewal_payment_id = null, event_seq = 2 where id = $1`,
      [id],
    );
    await fixture.anEvent(role, id, { type: 'subscription.renewed', sequence: 2 });
    await run('set constraints all immediate');
  });

  it.each<[string, AttackOptions]>([
    ['of less than nothing', { amount_minor: -1 }],
    ['of no quantity', { quantity: 0 }],
    ['in a small currency', { currency: 'eur' }],
    ['with another interval', { interval_unit: 'decade' }],
    ['in an unknown status', { status: 'resting' }],
    ['canceled without a time', { status: 'canceled', next_renewal_at: null }],
    [
      'canceled for another reason',
      { status: 'canceled', canceled_at: at, cancel_reason: 'mood', next_renewal_at: null },
    ],
    [
      'canceled and still renewing',
      { status: 'canceled', canceled_at: at, cancel_reason: 'payment_failed' },
    ],
    ['with a time of cancelling that is not', { canceled_at: at }],
  ])('one %s is refused', async (_what, given) => {
    await expect(aSubscription(given)).rejects.toMatchObject(illegal);
  });

  it('one of a customer that is none is refused', async () => {
    const { methodId } = await aSubscription();
    const stranger = aSubscription({ user_id: newId(), payment_method_id: methodId });
    await expect(stranger).rejects.toMatchObject(illegal);
  });

  it("one that another customer's method pays is refused, from the start and later", async () => {
    const other = await aSubscription();
    await run('savepoint before');
    const begun = aSubscription({ payment_method_id: other.methodId });
    await expect(begun).rejects.toMatchObject(illegal);
    await run('rollback to before');
    const { id } = await aSubscription();
    const moved = run('update subscriptions set payment_method_id = $2 where id = $1', [
      id,
      other.methodId,
    ]);
    await expect(moved).rejects.toMatchObject(illegal);
  });

  it('one that a pending method pays is refused', async () => {
    const { userId } = await aSubscription();
    const pending = newId();
    await fixture.put(role, 'payment_methods', {
      id: pending,
      client_id: fixture.client.id,
      user_id: userId,
      gateway_id: fixture.gateway.id,
      provider: 'cardprovider',
      type: 'card',
      session_id: newId(),
      is_live: false,
      created_at: at,
      status: 'pending',
      updated_at: at,
    });
    const begun = aSubscription({ payment_method_id: pending });
    await expect(begun).rejects.toMatchObject(illegal);
  });

  it('a session starts a product once', async () => {
    const session = newId();
    await aSubscription({ session_id: session });
    await expect(aSubscription({ session_id: session })).rejects.toMatchObject(taken);
  });

  it('a payment renews one subscription', async () => {
    const { paymentId } = await aRenewal('pending');
    const second = await aSubscription();
    const change = run('update subscriptions set renewal_payment_id = $2 where id = $1', [
      second.id,
      paymentId,
    ]);
    await expect(change).rejects.toMatchObject(taken);
  });

  it.each([
    'amount_minor = 1',
    "currency = 'USD'",
    'quantity = 9',
    "product_code = 'other'",
    "interval_unit = 'year'",
    "anchored_at = '2025-01-01T00:00:00Z'",
    "user_id = '0190a000-0000-7000-8000-000000000000'",
    "session_id = '0190a000-0000-7000-8000-000000000000'",
    'is_live = true',
  ])('what was sold never changes: set %s', async (change) => {
    const { id } = await aSubscription();
    const changed = run(`update subscriptions set ${change} where id = $1`, [id]);
    await expect(changed).rejects.toMatchObject(illegal);
  });

  it.each(['pending', 'processing', 'unknown'])(
    'a renewal that is %s is neither forgotten nor followed by another',
    async (status) => {
      const { id } = await aRenewal(status);
      for (const next of [null, newId()]) {
        await run('savepoint before');
        const change = run('update subscriptions set renewal_payment_id = $2 where id = $1', [
          id,
          next,
        ]);
        await expect(change).rejects.toMatchObject(illegal);
        await run('rollback to before');
      }
    },
  );

  it('a renewal that failed is forgotten and starts no period', async () => {
    const { id } = await aRenewal('failed');
    await run('savepoint before');
    const counted = run(
      'update subscriptions set periods = 2, renewal_payment_id = null, event_seq = 2 where id = $1',
      [id],
    );
    await expect(counted).rejects.toMatchObject(illegal);
    await run('rollback to before');
    await run('update subscriptions set renewal_payment_id = null where id = $1', [id]);
  });

  it('a period that was paid is counted, told and never taken back', async () => {
    const { id } = await aRenewal('succeeded');
    for (const change of [
      'renewal_payment_id = null',
      'renewal_payment_id = null, periods = 2',
      'renewal_payment_id = null, periods = 0, event_seq = 2',
      'periods = 2, event_seq = 2',
    ]) {
      await run('savepoint before');
      const changed = run(`update subscriptions set ${change} where id = $1`, [id]);
      await expect(changed, change).rejects.toMatchObject(illegal);
      await run('rollback to before');
    }
  });

  it('no period without a payment', async () => {
    const { id } = await aSubscription();
    const counted = run('update subscriptions set periods = 2, event_seq = 2 where id = $1', [id]);
    await expect(counted).rejects.toMatchObject(illegal);
  });

  it('a status changes with its event only', async () => {
    const { id } = await aSubscription();
    await run('savepoint before');
    const silent = run("update subscriptions set status = 'past_due' where id = $1", [id]);
    await expect(silent).rejects.toMatchObject(illegal);
    await run('rollback to before');
    await run("update subscriptions set status = 'past_due', event_seq = 2 where id = $1", [id]);
    await expect(run('set constraints all immediate')).rejects.toMatchObject(append);
  });

  it('its end is planned and taken back with an event only, and no renewal begins before it', async () => {
    const { id } = await aSubscription();
    await run('savepoint before');
    const planned = "update subscriptions set end_reason = 'customer_requested'";
    const silent = run(`${planned} where id = $1`, [id]);
    await expect(silent).rejects.toMatchObject(illegal);
    await run('rollback to before');
    await run(`${planned}, event_seq = 2 where id = $1`, [id]);
    const renewed = run('update subscriptions set renewal_payment_id = $2 where id = $1', [
      id,
      newId(),
    ]);
    await expect(renewed).rejects.toThrow('is renewed no more');
  });

  it('what has ended stays as it is, and nothing is deleted', async () => {
    const { id } = await aSubscription();
    await run(
      `update subscriptions set status = 'canceled', canceled_at = $2, next_renewal_at = null,
         cancel_reason = 'merchant_requested', event_seq = 2 where id = $1`,
      [id, at],
    );
    await run('savepoint before');
    const woken = run(
      `update subscriptions set status = 'active', canceled_at = null, cancel_reason = null,
         event_seq = 3 where id = $1`,
      [id],
    );
    await expect(woken).rejects.toMatchObject(illegal);
    await run('rollback to before');
    const removed = run('delete from subscriptions where id = $1', [id]);
    await expect(removed).rejects.toMatchObject(append);
  });

  it('a method that pays one is not removed', async () => {
    const { methodId } = await aSubscription();
    const removed = run(
      `update payment_methods set status = 'removed', removed_at = $2, removed_by = 'request', provider_customer_id = null,
         provider_payment_method_id = null, event_seq = 2 where id = $1`,
      [methodId, at],
    );
    await expect(removed).rejects.toMatchObject(illegal);
  });
});

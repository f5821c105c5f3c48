// The database defends saved cards, their detachments and what depends on them against plain SQL past all
// of our code, as the service's role and as the owner of the tables. Reliability §2.9.

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  type AttackOptions,
  type Attacks,
  openAttacks,
  type Role,
  roles,
} from '../../../test/attacks/attacks.ts';
import { aClient, aCustomer, newId, type TestClient } from '../../../test/harness.ts';

let fixture: Attacks;
let rival: TestClient;
let userId: string;
beforeAll(async () => {
  fixture = await openAttacks();
  rival = await aClient(fixture.db.database);
  userId = (await aCustomer(fixture.db.database, fixture.client)).id;
});
afterAll(() => fixture?.close());

const at = '2026-01-01T00:00:00Z';
const illegal = { code: '23514' };
const unknown = { code: '23503' };
const taken = { code: '23505' };
const append = { code: '23000' };

describe.each(roles)('as %s', (role: Role) => {
  const run = (text: string, values: unknown[] = []) => fixture.as[role].query(text, values);
  beforeEach(() => run('begin'));
  afterEach(() => run('rollback'));
  const commit = () => run('set constraints all immediate');

  /** Inserts a method, a pending one by default. */
  const method = async (given: AttackOptions = {}): Promise<string> => {
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
      status: 'pending',
      created_at: at,
      updated_at: at,
      ...given,
    });
    return id;
  };
  const changeRow = (id: string, set: string) =>
    run(`update payment_methods set ${set} where id = $1`, [id]);
  const verified = (id: string) => `status = 'active', provider_customer_id = 'cus_1',
    provider_payment_method_id = 'pm_${id}', verified_at = svc_clock(), event_seq = 1`;
  const event = (id: string, type: string, sequence: number) =>
    fixture.anEvent(role, id, { type, resource_type: 'payment_method', sequence });
  const createActive = async (given: AttackOptions = {}): Promise<string> => {
    const id = await method(given);
    await changeRow(id, verified(id));
    await event(id, 'payment_method.activated', 1);
    return id;
  };
  const bare = `status = 'removed', removed_at = svc_clock(), removed_by = 'request', provider_customer_id = null,
    provider_payment_method_id = null, event_seq = event_seq + 1`;
  /** Inserts a detachment, then changes it as given. */
  const detachment = async (id: string, given: AttackOptions = {}) => {
    await fixture.put(role, 'payment_method_detachments', {
      payment_method_id: id,
      client_id: fixture.client.id,
      step: 'claimed',
      state: 'running',
      started_at: at,
      next_try_at: at,
    });
    const set = Object.keys(given).map((name, index) => `${name} = $${index + 2}`);
    const text = `update payment_method_detachments set ${set.join(', ')} where payment_method_id = $1`;
    if (set.length > 0) await run(text, [id, ...Object.values(given)]);
  };
  const step = (id: string, set: string) =>
    run(`update payment_method_detachments set ${set} where payment_method_id = $1`, [id]);
  const subscription = (methodId: string, given: AttackOptions = {}) =>
    fixture.put(role, 'subscriptions', {
      id: newId(),
      client_id: fixture.client.id,
      user_id: userId,
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
      current_period_end: at,
      updated_at: at,
      ...given,
    });
  const makeDefault = (id: string | null, user = userId) =>
    run('update customers set default_payment_method_id = $1 where id = $2', [id, user]);
  const useMethod = async (id: string) =>
    fixture.put(role, 'payment_method_uses', {
      payment_id: await fixture.aRow(role, { status: 'pending' }),
      client_id: fixture.client.id,
      payment_method_id: id,
      purpose: 'charge',
      claimed_at: at,
    });

  it('the rows that the attacks start from are allowed, and the way to a tombstone is open', async () => {
    const [id, other] = [await createActive(), await createActive()];
    await subscription(other);
    await makeDefault(other);
    await useMethod(id);
    await detachment(id);
    await step(id, "step = 'detached'");
    await changeRow(id, bare);
    await event(id, 'payment_method.deleted', 2);
    await step(id, "step = 'removed', state = 'removed', finished_at = svc_clock()");
    await commit();
  });

  it.each<[string, AttackOptions]>([
    ['active', { status: 'active' }],
    ['removed', { status: 'removed', removed_at: at, removed_by: 'request' }],
    ['with an event counted', { event_seq: 1 }],
  ])('a method is never born %s', async (_what, given) => {
    await expect(method(given)).rejects.toMatchObject({ code: expect.stringMatching(/^23/) });
  });

  it("a method of a customer that is not the client's is refused", async () => {
    const theirs = method({ client_id: rival.id });
    await expect(theirs).rejects.toMatchObject(unknown);
  });

  it.each([
    [
      'without the provider’s customer',
      "status = 'active', event_seq = 1, verified_at = now(), provider_payment_method_id = 'pm_x'",
    ],
    [
      'without the provider’s method',
      "status = 'active', event_seq = 1, verified_at = now(), provider_customer_id = 'cus_1'",
    ],
    [
      'without its time',
      "status = 'active', event_seq = 1, provider_payment_method_id = 'pm_x', provider_customer_id = 'cus_1'",
    ],
    [
      'without an event counted',
      "status = 'active', verified_at = now(), provider_payment_method_id = 'pm_x', provider_customer_id = 'cus_1'",
    ],
  ])('P1: it does not become active %s', async (_what, set) => {
    await expect(changeRow(await method(), set)).rejects.toMatchObject(illegal);
  });

  it('P1: a counted event has to be written in the same transaction', async () => {
    const id = await method();
    await changeRow(id, verified(id));
    await expect(commit()).rejects.toMatchObject({ code: expect.stringMatching(/^23/) });
  });

  it.each([
    ['another provider method', "provider_payment_method_id = 'pm_other'"],
    ['another provider customer', "provider_customer_id = 'cus_other'"],
    ['a newer verification', 'verified_at = now()'],
    ['another owner', `user_id = '${newId()}'`],
    ['another gateway', `gateway_id = '${newId()}'`],
    ['pending again', "status = 'pending', verified_at = null"],
    [
      'removed without an event',
      "status = 'removed', removed_at = now(), removed_by = 'request', provider_customer_id = null, provider_payment_method_id = null",
    ],
  ])('an active method takes no %s', async (_what, set) => {
    await expect(changeRow(await createActive(), set)).rejects.toMatchObject({
      code: expect.stringMatching(/^23/),
    });
  });

  it('two methods that are one at the provider are refused', async () => {
    const [id, other] = [await createActive(), await method()];
    await expect(changeRow(other, verified(id))).rejects.toMatchObject(taken);
  });

  it.each(['active', 'removed'])('an %s method is not deleted', async (status) => {
    const id = await createActive();
    if (status === 'removed') {
      await detachment(id, { step: 'detached' });
      await changeRow(id, bare);
    }
    await expect(run('delete from payment_methods where id = $1', [id])).rejects.toMatchObject(
      illegal,
    );
  });

  describe('a tombstone', () => {
    it.each([
      ['status = active', "status = 'active', removed_at = null, removed_by = null"],
      ['a brand', "brand = 'visa'"],
      ['an email', "payer_email = 'jo@example.test'"],
      ['a provider method', "provider_payment_method_id = 'pm_1'"],
      ['an event', 'event_seq = event_seq + 1'],
    ])('takes nothing any more: %s', async (_what, set) => {
      const id = await createActive();
      await detachment(id, { step: 'detached' });
      await changeRow(id, bare);
      await expect(changeRow(id, set)).rejects.toMatchObject(illegal);
    });

    it.each(['brand', 'last_four', 'payer_email'])('keeps no %s', async (column) => {
      const id = await createActive({ [column]: column === 'last_four' ? '4242' : 'x' });
      await detachment(id, { step: 'detached' });
      await expect(changeRow(id, bare)).rejects.toMatchObject(illegal);
    });

    it('P2: is not made of a method that a subscription depends on', async () => {
      const id = await createActive();
      await subscription(id);
      await detachment(id, { step: 'detached' });
      await expect(changeRow(id, bare)).rejects.toMatchObject(illegal);
    });

    it("P2: is not made of a customer's default", async () => {
      const id = await createActive();
      await makeDefault(id);
      await detachment(id, { step: 'detached' });
      await expect(changeRow(id, bare)).rejects.toMatchObject(illegal);
    });

    it.each([
      ['no detachment', null],
      ['a detachment that has not detached it', { step: 'vault_wiped' }],
      [
        'a detachment that has failed',
        { step: 'verified', state: 'failed', failure_reason: 'x', finished_at: at },
      ],
    ])('P3: is not made of an active method with %s', async (_what, given) => {
      const id = await createActive();
      if (given) await detachment(id, given);
      await expect(changeRow(id, bare)).rejects.toMatchObject(illegal);
    });
  });

  describe('funding', () => {
    it.each(['pending', 'removed', "another customer's", 'unknown', 'being removed'])(
      'P2: neither a subscription nor a default takes a method that is %s',
      async (kind) => {
        const owner = (await aCustomer(fixture.db.database, fixture.client)).id;
        const id =
          kind === 'pending'
            ? await method()
            : kind === 'unknown'
              ? newId()
              : await createActive(kind === "another customer's" ? { user_id: owner } : {});
        if (kind === 'being removed') await detachment(id);
        if (kind === 'removed') {
          await detachment(id, { step: 'detached' });
          await changeRow(id, bare);
        }
        await run('savepoint before');
        await expect(subscription(id)).rejects.toMatchObject(illegal);
        await run('rollback to before');
        await expect(makeDefault(id)).rejects.toMatchObject(illegal);
        await run('rollback to before');
        const kept = await createActive();
        await subscription(kept);
        const move = run('update subscriptions set payment_method_id = $1', [id]);
        await expect(move).rejects.toMatchObject(illegal);
      },
    );

    it('P5: no use of a method that is being removed, or is removed', async () => {
      const id = await createActive();
      await detachment(id, { step: 'detached' });
      await run('savepoint before');
      await expect(useMethod(id)).rejects.toMatchObject(illegal);
      await run('rollback to before');
      await changeRow(id, bare);
      await event(id, 'payment_method.deleted', 2);
      await step(id, "step = 'removed', state = 'removed', finished_at = svc_clock()");
      await expect(useMethod(id)).rejects.toMatchObject(illegal);
    });

    it("a use of another client's method is refused, and a use never changes", async () => {
      const id = await createActive();
      await useMethod(id);
      await run('savepoint before');
      const moved = run('update payment_method_uses set payment_method_id = $1', [newId()]);
      await expect(moved).rejects.toMatchObject(append);
      await run('rollback to before');
      const foreign = { payment_id: newId(), client_id: rival.id, payment_method_id: id };
      await expect(
        fixture.put(role, 'payment_method_uses', { ...foreign, purpose: 'charge', claimed_at: at }),
      ).rejects.toMatchObject(illegal);
    });
  });

  describe('a detachment', () => {
    const ended = "step = 'removed', state = 'removed', finished_at = svc_clock()";

    it.each<[string, AttackOptions]>([
      ['of an unknown step', { step: 'half' }],
      ['failed without a reason', { state: 'failed', finished_at: at }],
      ['failed without an end', { state: 'failed', failure_reason: 'x' }],
      [
        'failed once it was detached',
        { state: 'failed', step: 'detached', failure_reason: 'x', finished_at: at },
      ],
      ['running with an end', { finished_at: at }],
      ['running with a reason', { failure_reason: 'x' }],
      ['removed at an earlier step', { state: 'removed', step: 'verified', finished_at: at }],
    ])('is not %s', async (_what, given) => {
      await expect(detachment(await createActive(), given)).rejects.toMatchObject(illegal);
    });

    it('is one per method, and stays', async () => {
      const id = await createActive();
      await detachment(id);
      await run('savepoint before');
      await expect(detachment(id)).rejects.toMatchObject(taken);
      await run('rollback to before');
      await expect(run('delete from payment_method_detachments')).rejects.toMatchObject(append);
    });

    it.each([
      ['ends while the method is there', ended],
      ['goes back to an earlier holder', 'epoch = 0'],
      ['passes to another method', `payment_method_id = '${newId()}'`],
      ['passes to another client', `client_id = '${newId()}'`],
    ])('never %s', async (_what, set) => {
      const id = await createActive();
      await detachment(id);
      await expect(step(id, set)).rejects.toMatchObject(illegal);
    });

    it('never begins again once it has ended', async () => {
      const id = await createActive();
      await detachment(id, { step: 'detached' });
      await changeRow(id, bare);
      await step(id, ended);
      for (const set of ["step = 'claimed', state = 'running', finished_at = null", 'epoch = 2']) {
        await run('savepoint before');
        await expect(step(id, set)).rejects.toMatchObject(illegal);
        await run('rollback to before');
      }
    });
  });
});

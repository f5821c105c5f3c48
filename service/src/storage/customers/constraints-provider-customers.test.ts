// The database lets a customer's id at the provider change only to the next generation, also for
// plain SQL past all of our code. Reliability §2.9.

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Attacks, openAttacks, type Role, roles } from '../../../test/attacks/attacks.ts';
import { aCustomer, newId } from '../../../test/harness.ts';

let fixture: Attacks;
let userId: string;
beforeAll(async () => {
  fixture = await openAttacks();
  userId = (await aCustomer(fixture.db.database, fixture.client)).id;
});
afterAll(() => fixture?.close());

describe.each(roles)('as %s', (role: Role) => {
  const run = (text: string, values: unknown[] = []) => fixture.as[role].query(text, values);
  const putRow = (given: object = {}) =>
    fixture.put(role, 'provider_customers', {
      client_id: fixture.client.id,
      user_id: userId,
      gateway_id: fixture.gateway.id,
      provider_customer_id: 'cus_1',
      created_at: '2026-01-01T00:00:00Z',
      ...given,
    });
  const changeRow = (set: string) =>
    run(`update provider_customers set ${set} where user_id = $1`, [userId]);
  beforeEach(async () => {
    await run('begin');
  });
  afterEach(() => run('rollback'));

  it('is born as the first', async () => {
    await expect(putRow({ generation: 2 })).rejects.toMatchObject({ code: '23000' });
  });

  it.each([
    "provider_customer_id = 'cus_2'",
    "provider_customer_id = 'cus_2', generation = 3",
    "provider_customer_id = 'cus_2', generation = 0",
    'generation = 2',
    `provider_customer_id = 'cus_2', generation = 2, user_id = '${newId()}'`,
    "provider_customer_id = 'cus_2', generation = 2, created_at = now()",
  ])('refuses: %s', async (set) => {
    await putRow();
    await expect(changeRow(set)).rejects.toMatchObject({ code: '23514' });
  });

  it('takes the next, and none is ever deleted', async () => {
    await putRow();
    expect((await changeRow("provider_customer_id = 'cus_2', generation = 2")).rowCount).toBe(1);
    await expect(run('delete from provider_customers')).rejects.toMatchObject({ code: '23000' });
  });
});

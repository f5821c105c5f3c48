import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Bench, connect, openBench, refusal } from '../../test/sandbox.ts';

let bench: Bench;
beforeAll(async () => {
  bench = await openBench();
});
afterAll(() => bench.sandbox.close());

const createRestrictedKey = async (...rights: string[]) => {
  const wish = { account: bench.accountId, rights };
  const { key } = await bench.control.post<{ key: string }>('/restricted-keys', wish);
  return connect(bench.sandbox, key);
};

it('the account of a key, and whether it takes charges', async () => {
  const account = await bench.stripe.accounts.retrieveCurrent();
  expect(account).toMatchObject({ id: bench.accountId, charges_enabled: true });
  await bench.control.post('/accounts/charges', { account: bench.accountId, enabled: false });
  expect((await bench.stripe.accounts.retrieveCurrent()).charges_enabled).toBe(false);
  await bench.control.post('/accounts/charges', { account: bench.accountId, enabled: true });
  const other = await refusal(bench.stripe.accounts.retrieve('acct_another'));
  expect([other.statusCode, other.code]).toEqual([404, 'resource_missing']);
});

it('a restricted key does what its rights name, and to write includes to read', async () => {
  const sdk = await createRestrictedKey('customers.write', 'refunds.read');
  const { id } = await sdk.customers.create({});
  expect((await sdk.customers.retrieve(id)).id).toBe(id);
  expect((await sdk.refunds.list()).data).toEqual([]);
  const write = await refusal(sdk.refunds.create({ payment_intent: 'pi_none' }));
  expect([write.statusCode, write.type]).toEqual([403, 'StripePermissionError']);
  expect(write.message).toContain("'refunds.write'");
  expect((await refusal(sdk.charges.list())).statusCode).toBe(403);
});

it('the controls refuse another account and rights that are none', async () => {
  const post = (path: string, body: object) => bench.control.post(path, body);
  await expect(post('/restricted-keys', { account: 'acct_x', rights: [] })).rejects.toThrow(
    '400 {"error":"there is no account acct_x"}',
  );
  const wrong = { account: bench.accountId, rights: ['refunds'] };
  await expect(post('/restricted-keys', wrong)).rejects.toThrow('rights must be a list');
});

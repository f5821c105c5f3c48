import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Bench, openBench, refusal } from '../../test/sandbox.ts';

let bench: Bench;
beforeAll(async () => {
  bench = await openBench();
});
afterAll(() => bench.sandbox.close());

const aCard = (customer: string) =>
  bench.stripe.paymentMethods.attach('pm_card_visa', { customer });
const setDefault = (customer: string, default_payment_method: string) =>
  bench.stripe.customers.update(customer, { invoice_settings: { default_payment_method } });
const defaultOf = async (id: string) => {
  const customer = await bench.stripe.customers.retrieve(id);
  return customer.deleted ? undefined : customer.invoice_settings.default_payment_method;
};

test.each(['nope', 'a b@example.com', 'a@b', '@example.com', 'a@.com', 'a@b..com'])(
  'email_invalid: a customer with the email %j',
  async (email) => {
    const made = bench.stripe.customers.create({ email });
    await expect(made).rejects.toMatchObject({ code: 'email_invalid', param: 'email' });
  },
);

describe("a customer's default payment method", () => {
  test('is set, and cleared by an empty value', async () => {
    const { id } = await bench.stripe.customers.create({});
    const card = await aCard(id);
    await setDefault(id, card.id);
    expect(await defaultOf(id)).toBe(card.id);
    await setDefault(id, '');
    expect(await defaultOf(id)).toBeNull();
  });

  test('is one that is kept for the customer: any other is refused and changes nothing', async () => {
    const [{ id }, other] = await Promise.all([
      bench.stripe.customers.create({}),
      bench.stripe.customers.create({}),
    ]);
    const card = await aCard(id);
    await setDefault(id, card.id);
    const theirs = await aCard(other.id);
    const gone = await bench.stripe.paymentMethods.detach((await aCard(id)).id);
    for (const method of [theirs.id, gone.id]) {
      const error = await refusal(setDefault(id, method));
      expect([error.statusCode, error.code]).toEqual([400, 'resource_missing']);
    }
    expect(await defaultOf(id)).toBe(card.id);
  });

  test('goes with a detach', async () => {
    const { id } = await bench.stripe.customers.create({});
    const [card, kept] = [await aCard(id), await aCard(id)];
    await setDefault(id, card.id);
    await bench.stripe.paymentMethods.detach(card.id);
    expect(await defaultOf(id)).toBeNull();
    await setDefault(id, kept.id);
    await bench.stripe.paymentMethods.detach((await aCard(id)).id);
    expect(await defaultOf(id)).toBe(kept.id);
  });
});

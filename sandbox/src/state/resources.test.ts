import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Bench, createHold, openBench, refusal } from '../../test/sandbox.ts';

let bench: Bench;
beforeAll(async () => {
  bench = await openBench();
});
afterAll(() => bench.sandbox.close());

describe('customers', () => {
  test('are created, changed, found by email and deleted', async () => {
    const made = await bench.stripe.customers.create({
      email: 'jo@example.com',
      name: 'Jo',
      address: { city: 'Bern', country: 'CH' },
      metadata: { a: '1' },
    });
    expect(made).toMatchObject({ email: 'jo@example.com', address: { city: 'Bern', line1: null } });
    const changed = await bench.stripe.customers.update(made.id, { name: '', phone: '+41' });
    expect(changed).toMatchObject({ name: null, phone: '+41', metadata: { a: '1' } });
    const found = await bench.stripe.customers.list({ email: 'jo@example.com' });
    expect(found.data.map(({ id }) => id)).toEqual([made.id]);
    expect(await bench.stripe.customers.del(made.id)).toEqual({
      id: made.id,
      object: 'customer',
      deleted: true,
    });
    expect(await bench.stripe.customers.retrieve(made.id)).toMatchObject({ deleted: true });
    expect((await bench.stripe.customers.list({ email: 'jo@example.com' })).data).toEqual([]);
    expect((await refusal(bench.stripe.customers.update(made.id, { name: 'x' }))).statusCode).toBe(
      404,
    );
  });
});

describe('payment methods', () => {
  test('are attached, listed by customer, detached, and then used up', async () => {
    const customer = await bench.stripe.customers.create({});
    const one = await bench.stripe.paymentMethods.attach('pm_card_visa', { customer: customer.id });
    const two = await bench.stripe.paymentMethods.attach('pm_card_amex', { customer: customer.id });
    const listed = await bench.stripe.paymentMethods.list({ customer: customer.id, type: 'card' });
    expect(listed.data.map(({ id }) => id)).toEqual([two.id, one.id]);
    const nested = await bench.stripe.customers.listPaymentMethods(customer.id);
    expect(nested.data).toHaveLength(2);
    expect((await bench.stripe.paymentMethods.detach(one.id)).customer).toBeNull();
    const error = await refusal(
      bench.stripe.paymentMethods.attach(one.id, { customer: customer.id }),
    );
    expect(error.message).toContain('may not be used again');
    const events = await bench.stripe.events.list({ type: 'payment_method.detached' });
    expect(events.data[0]?.data).toMatchObject({
      object: { id: one.id },
      previous_attributes: { customer: customer.id },
    });
  });

  test('pay once without a customer; a saved one pays again for its customer only', async () => {
    const buy = (method: string, more: object = {}) =>
      bench.stripe.paymentIntents.create({
        amount: 300,
        currency: 'usd',
        confirm: true,
        allowed_payment_method_types: ['card'],
        payment_method: method,
        ...more,
      });
    const loose = (await bench.stripe.paymentMethods.retrieve('pm_card_visa')).id;
    await buy(loose);
    expect((await refusal(buy(loose))).message).toContain('may not be used again');
    const customer = (await bench.stripe.customers.create({})).id;
    const kept = (await bench.stripe.paymentMethods.retrieve('pm_card_visa')).id;
    await buy(kept, { customer, setup_future_usage: 'off_session' });
    expect((await bench.stripe.paymentMethods.retrieve(kept)).customer).toBe(customer);
    expect((await buy(kept, { customer, off_session: true })).status).toBe('succeeded');
    const stranger = (await bench.stripe.customers.create({})).id;
    expect((await refusal(buy(kept, { customer: stranger }))).statusCode).toBe(400);
    expect((await refusal(buy(kept))).statusCode).toBe(400);
  });
});

describe('setup intents', () => {
  test('save a card for a customer without a charge', async () => {
    const customer = (await bench.stripe.customers.create({})).id;
    const setup = await bench.stripe.setupIntents.create({
      customer,
      allowed_payment_method_types: ['card'],
    });
    expect(setup).toMatchObject({ status: 'requires_payment_method', usage: 'off_session' });
    const done = await bench.browser.setupIntents.confirm(setup.id, {
      payment_method: 'pm_card_visa',
      client_secret: setup.client_secret ?? '',
    } as never);
    expect(done.status).toBe('succeeded');
    const shown = await bench.stripe.setupIntents.retrieve(setup.id, {
      expand: ['payment_method', 'latest_attempt'],
    });
    expect(shown).toMatchObject({
      payment_method: { customer },
      latest_attempt: { object: 'setup_attempt', status: 'succeeded' },
    });
  });

  test('402 with the setup intent when the card is declined; cancelled once', async () => {
    const setup = await bench.stripe.setupIntents.create({
      allowed_payment_method_types: ['card'],
    });
    const error = await refusal(
      bench.stripe.setupIntents.confirm(setup.id, { payment_method: 'pm_card_chargeDeclined' }),
    );
    expect(error).toMatchObject({
      statusCode: 402,
      setup_intent: { id: setup.id, status: 'requires_payment_method' },
    });
    const gone = await bench.stripe.setupIntents.cancel(setup.id, {
      cancellation_reason: 'abandoned',
    });
    expect(gone).toMatchObject({ status: 'canceled', cancellation_reason: 'abandoned' });
    expect((await refusal(bench.stripe.setupIntents.cancel(setup.id))).code).toBe(
      'setup_intent_unexpected_state',
    );
    expect((await bench.stripe.setupIntents.list({ limit: 1 })).data[0]?.id).toBe(setup.id);
  });
});

describe('refunds', () => {
  test('in parts up to the captured amount, never more', async () => {
    const { id } = await createHold(bench, 1000);
    await refusal(bench.stripe.refunds.create({ payment_intent: id }));
    await bench.stripe.paymentIntents.capture(id, { amount_to_capture: 700 });
    const part = await bench.stripe.refunds.create({
      payment_intent: id,
      amount: 200,
      reason: 'requested_by_customer',
      metadata: { line: '2' },
    });
    expect(part).toMatchObject({ status: 'succeeded', amount: 200, currency: 'usd' });
    const error = await refusal(bench.stripe.refunds.create({ payment_intent: id, amount: 501 }));
    expect([error.statusCode, error.code, error.param]).toEqual([400, undefined, 'amount']);
    expect((await bench.stripe.refunds.create({ payment_intent: id })).amount).toBe(500);
    expect((await refusal(bench.stripe.refunds.create({ payment_intent: id }))).code).toBe(
      'charge_already_refunded',
    );
    const charge = await bench.stripe.charges.retrieve(String(part.charge), {
      expand: ['refunds'],
    });
    expect(charge).toMatchObject({ refunded: true, amount_captured: 700 });
    expect(charge.refunds?.data.map(({ amount }) => amount)).toEqual([500, 200]);
    const moved = (await bench.control.ledger(id)).filter(({ kind }) => kind === 'refund');
    expect(moved.map(({ amount }) => amount)).toEqual([200, 500]);
  });

  test('can be listed, read and given metadata', async () => {
    const { id } = await createHold(bench);
    await bench.stripe.paymentIntents.capture(id);
    const made = await bench.stripe.refunds.create({ payment_intent: id, amount: 1 });
    await bench.stripe.refunds.update(made.id, { metadata: { seen: 'yes' } });
    const listed = await bench.stripe.refunds.list({ payment_intent: id });
    expect(listed.data).toMatchObject([{ id: made.id, metadata: { seen: 'yes' } }]);
    const booked = await bench.stripe.balanceTransactions.retrieve(
      String(made.balance_transaction),
    );
    expect(booked).toMatchObject({ amount: -1, net: -1, type: 'refund', source: made.id });
  });
});

describe('controls', () => {
  test('the same name is the same account, another seed another key', async () => {
    const again = await bench.control.post('/accounts', { name: 'tests' });
    expect(again.secretKey).toBe(bench.secretKey);
    const other = await openBench({ seed: 'another' });
    expect(other.secretKey).not.toBe(bench.secretKey);
    await other.sandbox.close();
  });

  test('the same seed and the same calls give the same ids', async () => {
    const ids = async () => {
      const fresh = await openBench({ seed: 'fixed' });
      const { id } = await createHold(fresh);
      await fresh.sandbox.close();
      return id;
    };
    expect(await ids()).toBe(await ids());
  });

  test('the ledger can be read from an entry on, and by account', async () => {
    const { id } = await createHold(bench);
    await bench.stripe.paymentIntents.capture(id);
    const [first] = await bench.control.ledger(id);
    const url = `/ledger?intent=${id}&account=${bench.accountId}&since=${first?.seq}`;
    const later = await bench.control.get<{ entries: { kind: string }[] }>(url);
    expect(later.entries.map(({ kind }) => kind)).toEqual(['capture']);
  });

  test('reset forgets payments and keeps keys; all forgets those too', async () => {
    const fresh = await openBench();
    const { id } = await createHold(fresh);
    await fresh.control.post('/reset');
    expect((await refusal(fresh.stripe.paymentIntents.retrieve(id))).statusCode).toBe(404);
    expect(await fresh.control.ledger(id)).toEqual([]);
    const next = await createHold(fresh);
    expect(next.id).not.toBe(id);
    await fresh.control.post('/reset', { all: true });
    expect((await refusal(fresh.stripe.paymentIntents.list())).statusCode).toBe(401);
    await fresh.sandbox.close();
  });

  test('the front page names every test card and control', async () => {
    const page = await (await fetch(bench.sandbox.url)).text();
    for (const part of ['4242 4242 4242 4242', '3782 822463 10005', '/_control/faults', 'curl']) {
      expect(page).toContain(part);
    }
  });
});

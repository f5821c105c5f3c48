import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Bench, createHold, openBench, refusal } from '../../test/sandbox.ts';

let bench: Bench;
beforeAll(async () => {
  bench = await openBench();
});
afterAll(() => bench.sandbox.close());

const card = { currency: 'usd', allowed_payment_method_types: ['card'] };

describe('create and confirm', () => {
  test('automatic capture: succeeded, money received, one authorisation and one capture', async () => {
    const intent = await bench.stripe.paymentIntents.create({
      ...card,
      amount: 1234,
      confirm: true,
      payment_method: 'pm_card_visa',
      metadata: { order: '7' },
      expand: ['latest_charge.balance_transaction', 'payment_method'],
    });
    expect(intent).toMatchObject({
      status: 'succeeded',
      amount_received: 1234,
      amount_capturable: 0,
      livemode: false,
      payment_method: { card: { brand: 'visa', last4: '4242' } },
      latest_charge: {
        captured: true,
        paid: true,
        balance_transaction: { amount: 1234, fee: 66, net: 1168, type: 'charge' },
      },
    });
    const entries = await bench.control.ledger(intent.id);
    expect(entries.map((entry) => [entry.kind, entry.amount, entry.answered])).toEqual([
      ['authorize', 1234, true],
      ['capture', 1234, true],
    ]);
    expect(entries[1]?.metadata).toEqual({ order: '7' });
  });

  test('manual capture: a hold with an end, in two steps', async () => {
    const made = await bench.stripe.paymentIntents.create({
      ...card,
      amount: 500,
      capture_method: 'manual',
    });
    expect(made.status).toBe('requires_payment_method');
    const held = await bench.stripe.paymentIntents.confirm(made.id, {
      payment_method: 'pm_card_mastercard',
      expand: ['latest_charge'],
    });
    expect(held).toMatchObject({ status: 'requires_capture', amount_capturable: 500 });
    const charge = held.latest_charge;
    if (typeof charge !== 'object' || charge === null) throw new Error('not expanded');
    expect(charge.captured).toBe(false);
    expect(charge.payment_method_details?.card?.capture_before).toBe(charge.created + 7 * 86_400);
  });

  test.each([
    ['pm_card_chargeProcessing', 'succeeded', ['authorize', 'capture']],
    ['pm_card_chargeProcessingDeclined', 'requires_payment_method', []],
  ])('%s: processing first, three seconds later %s', async (method, status, kinds) => {
    const intent = await bench.stripe.paymentIntents.create({
      ...card,
      amount: 500,
      confirm: true,
      payment_method: method,
    });
    expect(intent).toMatchObject({ status: 'processing', amount_received: 0 });
    await bench.control.advance(3);
    expect(await bench.stripe.paymentIntents.retrieve(intent.id)).toMatchObject({ status });
    const entries = await bench.control.ledger(intent.id);
    expect(entries.map(({ kind }) => kind)).toEqual(kinds);
  });

  test('cancelled while processing: nothing is charged', async () => {
    const intent = await bench.stripe.paymentIntents.create({
      ...card,
      amount: 500,
      confirm: true,
      payment_method: 'pm_card_chargeProcessing',
    });
    await bench.stripe.paymentIntents.cancel(intent.id);
    await bench.control.advance(3);
    expect(await bench.control.ledger(intent.id)).toEqual([]);
  });

  test('a browser confirms with the client secret and sees no metadata', async () => {
    const made = await bench.stripe.paymentIntents.create({
      ...card,
      amount: 500,
      metadata: { secret: 'of the merchant' },
    });
    const shown = await bench.browser.paymentIntents.confirm(made.id, {
      payment_method: 'pm_card_visa',
      client_secret: made.client_secret ?? '',
    } as never);
    expect(shown.status).toBe('succeeded');
    expect(shown).not.toHaveProperty('metadata');
    const error = await refusal(
      bench.browser.paymentIntents.retrieve(made.id, { client_secret: 'wrong' }),
    );
    expect(error).toMatchObject({ statusCode: 404, code: 'resource_missing' });
  });

  test('redirect methods need a return_url unless they are ruled out', async () => {
    const asked = { amount: 500, currency: 'usd', confirm: true, payment_method: 'pm_card_visa' };
    const error = await refusal(bench.stripe.paymentIntents.create(asked));
    expect(error).toMatchObject({ statusCode: 400, param: 'return_url' });
    const intent = await bench.stripe.paymentIntents.create({
      ...asked,
      automatic_payment_methods: { enabled: true, allow_redirects: 'never' },
    });
    expect(intent.status).toBe('succeeded');
  });
});

describe('capture', () => {
  test('takes the whole hold', async () => {
    const { id } = await createHold(bench, 900);
    const captured = await bench.stripe.paymentIntents.capture(id);
    expect(captured).toMatchObject({
      status: 'succeeded',
      amount_received: 900,
      amount_capturable: 0,
    });
  });

  test('takes a part and lets go of the rest', async () => {
    const { id } = await createHold(bench, 900);
    const captured = await bench.stripe.paymentIntents.capture(id, {
      amount_to_capture: 600,
      expand: ['latest_charge'],
    });
    expect(captured).toMatchObject({
      status: 'succeeded',
      amount: 900,
      amount_received: 600,
      latest_charge: { amount_captured: 600, amount_refunded: 0, refunded: false },
    });
    const kinds = (await bench.control.ledger(id)).map((entry) => [entry.kind, entry.amount]);
    expect(kinds).toEqual([
      ['authorize', 900],
      ['capture', 600],
    ]);
  });

  test('400 amount_too_large: the hold stands', async () => {
    const { id } = await createHold(bench, 900);
    const error = await refusal(
      bench.stripe.paymentIntents.capture(id, { amount_to_capture: 901 }),
    );
    expect(error).toMatchObject({ statusCode: 400, code: 'amount_too_large' });
    expect((await bench.stripe.paymentIntents.retrieve(id)).status).toBe('requires_capture');
  });

  test('400 payment_intent_unexpected_state carries the intent as it is', async () => {
    const { id } = await createHold(bench, 900);
    await bench.stripe.paymentIntents.capture(id);
    const error = await refusal(bench.stripe.paymentIntents.capture(id));
    expect(error).toMatchObject({
      type: 'StripeInvalidRequestError',
      statusCode: 400,
      code: 'payment_intent_unexpected_state',
      payment_intent: { id, status: 'succeeded', amount_received: 900 },
    });
    expect((await bench.control.ledger(id)).filter(({ kind }) => kind === 'capture')).toHaveLength(
      1,
    );
  });
});

describe('cancel', () => {
  test('lets a hold go, once', async () => {
    const { id } = await createHold(bench, 900);
    const canceled = await bench.stripe.paymentIntents.cancel(id, {
      cancellation_reason: 'requested_by_customer',
      expand: ['latest_charge'],
    });
    expect(canceled).toMatchObject({
      status: 'canceled',
      cancellation_reason: 'requested_by_customer',
      amount_capturable: 0,
      latest_charge: { amount_refunded: 0, refunded: false, captured: false },
    });
    const error = await refusal(bench.stripe.paymentIntents.cancel(id));
    expect(error).toMatchObject({
      code: 'payment_intent_unexpected_state',
      payment_intent: { status: 'canceled' },
    });
    const kinds = (await bench.control.ledger(id)).map((entry) => entry.kind);
    expect(kinds).toEqual(['authorize', 'void']);
  });

  test('moves no money where none was held', async () => {
    const made = await bench.stripe.paymentIntents.create({ ...card, amount: 500 });
    expect((await bench.stripe.paymentIntents.cancel(made.id)).status).toBe('canceled');
    expect(await bench.control.ledger(made.id)).toEqual([]);
  });
});

describe('update', () => {
  test('merges metadata; an empty value removes its key', async () => {
    const { id } = await createHold(bench);
    await bench.stripe.paymentIntents.update(id, { metadata: { a: '1', b: '2' } });
    const changed = await bench.stripe.paymentIntents.update(id, { metadata: { a: '' } });
    expect(changed.metadata).toEqual({ b: '2' });
  });

  test('400: the amount of a hold is fixed', async () => {
    const { id } = await createHold(bench);
    const error = await refusal(bench.stripe.paymentIntents.update(id, { amount: 1 }));
    expect(error).toMatchObject({ code: 'payment_intent_unexpected_state' });
  });
});

describe('parameters', () => {
  test.each([
    [{ ...card, amount: 5, amuont: 6 }, 'parameter_unknown', 'amuont'],
    [{ ...card }, 'parameter_missing', 'amount'],
    [{ ...card, amount: 1.5 }, 'parameter_invalid_integer', 'amount'],
    [{ ...card, amount: 0 }, 'parameter_invalid_integer', 'amount'],
    [{ ...card, amount: 49 }, 'amount_too_small', 'amount'],
    [{ ...card, amount: 100_000_000 }, 'amount_too_large', 'amount'],
    [{ amount: 500, currency: 'zzz' }, undefined, 'currency'],
    [{ amount: 500, currency: 'kpw' }, undefined, 'currency'],
    [{ ...card, amount: 500, capture_method: 'soon' }, undefined, 'capture_method'],
    [{ ...card, amount: 500, customer: 'cus_none' }, 'resource_missing', 'customer'],
    [{ ...card, amount: 500, shipping: { nam: 'x' } }, 'parameter_unknown', 'shipping[nam]'],
    [{ ...card, amount: 500, expand: ['nothing'] }, undefined, 'expand'],
  ])('%j is refused by name', async (asked, code, param) => {
    const before = await bench.stripe.paymentIntents.list({ limit: 1 });
    const error = await refusal(bench.stripe.paymentIntents.create(asked as never));
    expect(error.code).toBe(code);
    expect(error.param).toBe(param);
    const after = await bench.stripe.paymentIntents.list({ limit: 1 });
    expect(after.data[0]?.id).toBe(before.data[0]?.id);
  });
});

describe('list', () => {
  test('pages forwards and backwards, newest first', async () => {
    const customer = await bench.stripe.customers.create({ email: 'a@example.com' });
    const made: string[] = [];
    for (let amount = 101; amount <= 105; amount += 1) {
      const intent = await bench.stripe.paymentIntents.create({
        ...card,
        amount,
        customer: customer.id,
      });
      made.unshift(intent.id);
    }
    const seen: string[] = [];
    for await (const intent of bench.stripe.paymentIntents.list({
      customer: customer.id,
      limit: 2,
    })) {
      seen.push(intent.id);
    }
    expect(seen).toEqual(made);
    const back = await bench.stripe.paymentIntents.list({
      customer: customer.id,
      limit: 2,
      ending_before: made[4] ?? '',
      expand: ['data.customer'],
    });
    expect(back.data.map((intent) => intent.id)).toEqual([made[2], made[3]]);
    expect(back.has_more).toBe(true);
    expect(back.data[0]?.customer).toMatchObject({ email: 'a@example.com' });
  });
});

// Requests that other code sends and the pinned version accepts.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Bench, openBench, refusal, post as send } from '../../test/sandbox.ts';

let bench: Bench;
beforeAll(async () => {
  bench = await openBench();
});
afterAll(() => bench.sandbox.close());

const typed = { number: '4242424242424242', exp_month: 12, exp_year: 2040, cvc: '123' };
const euros = { amount: 900, currency: 'eur' } as const;
const byCard = { ...euros, allowed_payment_method_types: ['card'] as ['card'] };
const back = 'https://shop.example/back';
const post = (path: string, form: Record<string, string>, headers?: Record<string, string>) =>
  send(bench, { path, form, headers });

describe('one confirmation at a time', () => {
  test('of three by the server at once, one runs and the others meet lock_timeout', async () => {
    const intent = await bench.stripe.paymentIntents.create(byCard);
    await bench.control.fault({ match: { object: intent.id }, action: 'slow', delayMs: 1000 });
    const confirm = () =>
      bench.stripe.paymentIntents.confirm(intent.id, { payment_method: 'pm_card_visa' }).then(
        ({ status }) => status,
        ({ code }: { code: string }) => code,
      );
    const ends = await Promise.all([confirm(), confirm(), confirm()]);
    expect(ends.toSorted()).toEqual(['lock_timeout', 'lock_timeout', 'succeeded']);
  });
});

describe('confirmation_method: manual', () => {
  const manual = { ...byCard, confirmation_method: 'manual' as const };

  test('a page may not confirm', async () => {
    const intent = await bench.stripe.paymentIntents.create(manual);
    const error = await refusal(
      bench.browser.paymentIntents.confirm(intent.id, {
        client_secret: intent.client_secret,
        payment_method: 'pm_card_visa',
      } as never),
    );
    expect([error.statusCode, error.message]).toEqual([
      400,
      expect.stringContaining('cannot be confirmed using your publishable key'),
    ]);
  });

  test('after 3DS the server confirms once more, and only then money is held', async () => {
    const intent = await bench.stripe.paymentIntents.create({
      ...manual,
      confirm: true,
      payment_method: 'pm_card_authenticationRequired',
      return_url: back,
    });
    expect(intent.status).toBe('requires_action');
    await fetch(`${bench.sandbox.url}/3ds/${intent.id}`, {
      method: 'POST',
      body: new URLSearchParams({ outcome: 'approve' }),
      redirect: 'manual',
    });
    const between = await bench.stripe.paymentIntents.retrieve(intent.id);
    expect([between.status, between.latest_charge]).toEqual(['requires_confirmation', null]);
    const paid = await bench.stripe.paymentIntents.confirm(intent.id);
    expect(paid.status).toBe('succeeded');
  });
});

describe('payment_method_data', () => {
  test('makes the method with the intent', async () => {
    const intent = await bench.stripe.paymentIntents.create({
      ...byCard,
      confirm: true,
      payment_method_data: {
        type: 'card',
        card: { token: 'tok_mastercard' },
        billing_details: { email: 'ada@shop.example' },
      } as never,
      expand: ['payment_method'],
    });
    expect(intent).toMatchObject({
      status: 'succeeded',
      payment_method: {
        card: { brand: 'mastercard' },
        billing_details: { email: 'ada@shop.example' },
      },
    });
  });

  test('and with a setup, typed by a page', async () => {
    const setup = await bench.stripe.setupIntents.create({
      allowed_payment_method_types: ['card'],
    });
    const confirmed = await bench.browser.setupIntents.confirm(setup.id, {
      client_secret: setup.client_secret,
      payment_method_data: { type: 'card', card: typed },
    } as never);
    expect(confirmed.status).toBe('succeeded');
  });

  test('an unknown part of it is refused with its whole name', async () => {
    const error = await refusal(
      bench.stripe.paymentIntents.create({
        ...byCard,
        payment_method_data: { type: 'card', card: { token: 'tok_visa', nick: 'x' } } as never,
      }),
    );
    expect(error.param).toBe('payment_method_data[card][nick]');
  });

  test('the number is not in the memory of keys: one that ends alike is the same call', async () => {
    const intent = await bench.stripe.paymentIntents.create(byCard);
    const confirm = (number: string) =>
      bench.browser.paymentIntents.confirm(
        intent.id,
        {
          client_secret: intent.client_secret,
          payment_method_data: { type: 'card', card: { ...typed, number } },
        } as never,
        { idempotencyKey: `card-${intent.id}` },
      );
    expect((await confirm('4242424242424242')).status).toBe('succeeded');
    expect((await confirm('4000000000004242')).status).toBe('succeeded');
  });
});

describe('confirmation tokens', () => {
  const createTestToken = (more: object = {}) =>
    bench.stripe.testHelpers.confirmationTokens.create({
      payment_method: 'pm_card_visa',
      return_url: back,
      ...more,
    });

  test('hold method and return address until the server confirms with them', async () => {
    const token = await createTestToken();
    expect(token).toMatchObject({
      object: 'confirmation_token',
      payment_intent: null,
      payment_method_preview: { type: 'card', card: { last4: '4242' } },
    });
    const intent = await bench.stripe.paymentIntents.create({
      ...euros,
      confirm: true,
      confirmation_token: token.id,
    });
    expect(intent.status).toBe('succeeded');
    const used = await bench.stripe.confirmationTokens.retrieve(token.id);
    expect(used.payment_intent).toBe(intent.id);
  });

  test('serve one intent alone', async () => {
    const token = await createTestToken();
    const first = await bench.stripe.setupIntents.create({});
    await bench.stripe.setupIntents.confirm(first.id, { confirmation_token: token.id });
    const error = await refusal(
      bench.stripe.paymentIntents.create({ ...euros, confirm: true, confirmation_token: token.id }),
    );
    expect(error.message).toContain(`has already been used with ${first.id}`);
  });

  test('end after twelve hours', async () => {
    const own = await openBench();
    const token = await own.stripe.testHelpers.confirmationTokens.create({
      payment_method: 'pm_card_visa',
      return_url: back,
    });
    await own.control.advance(12 * 3600);
    const error = await refusal(
      own.stripe.paymentIntents.create({ ...euros, confirm: true, confirmation_token: token.id }),
    );
    await own.sandbox.close();
    expect(error.message).toContain('has expired');
  });

  test('a page makes one of a typed card; one of another account is not found', async () => {
    const { status, body } = await post(
      '/confirmation_tokens',
      {
        key: bench.publishableKey,
        'payment_method_data[type]': 'card',
        'payment_method_data[card][number]': typed.number,
        'payment_method_data[card][exp_month]': '12',
        'payment_method_data[card][exp_year]': '2040',
        'payment_method_data[card][cvc]': '123',
        return_url: back,
      },
      {},
    );
    expect(status).toBe(200);
    const other = await bench.control.post<{ secretKey: string }>('/accounts', { name: 'third' });
    const foreign = await post(
      '/payment_intents',
      { amount: '900', currency: 'eur', confirm: 'true', confirmation_token: String(body.id) },
      { authorization: `Bearer ${other.secretKey}` },
    );
    expect(foreign.status).toBe(404);
  });
});

test("a customer's default method is expanded", async () => {
  const made = await bench.stripe.customers.create({ payment_method: 'pm_card_visa' });
  const { data } = await bench.stripe.customers.listPaymentMethods(made.id);
  const customer = await bench.stripe.customers.update(made.id, {
    invoice_settings: { default_payment_method: data[0]?.id ?? '' },
    expand: ['invoice_settings.default_payment_method'],
  });
  expect(customer.invoice_settings.default_payment_method).toMatchObject({
    object: 'payment_method',
    card: { last4: '4242' },
  });
});

test('setup attempts are listed, newest first', async () => {
  const setup = await bench.stripe.setupIntents.create({ allowed_payment_method_types: ['card'] });
  await refusal(
    bench.stripe.setupIntents.confirm(setup.id, { payment_method: 'pm_card_chargeDeclined' }),
  );
  await bench.stripe.setupIntents.confirm(setup.id, { payment_method: 'pm_card_visa' });
  const { data } = await bench.stripe.setupAttempts.list({ setup_intent: setup.id });
  expect(data.map(({ status }) => status)).toEqual(['succeeded', 'failed']);
  const error = await refusal(bench.stripe.setupAttempts.list({} as never));
  expect(error.code).toBe('parameter_missing');
});

test('the balance waits for two days, and a card exists whose money does not', async () => {
  const own = await openBench();
  const pay = (payment_method: string) =>
    own.stripe.paymentIntents.create({ ...byCard, confirm: true, payment_method });
  await pay('pm_card_visa');
  await pay('pm_card_bypassPending');
  const net = 900 - 56;
  const now = await own.stripe.balance.retrieve();
  expect([now.available[0]?.amount, now.pending[0]?.amount]).toEqual([net, net]);
  await own.control.advance(2 * 86_400);
  const later = await own.stripe.balance.retrieve();
  expect([later.available[0]?.amount, later.pending[0]?.amount]).toEqual([2 * net, 0]);
  await own.sandbox.close();
});

test('answers and errors are indented by two', async () => {
  const { text } = await post('/customers', { name: 'Ada' });
  expect(text).toMatch(/^\{\n {2}"id": "cus_/);
  const refused = await post('/customers', { email: 'ada' });
  expect(refused.text).toMatch(/^\{\n {2}"error": \{\n {4}"type"/);
});

describe('addresses of mail', () => {
  test.each([
    ['receipt_email', { receipt_email: 'ada@shop' }],
    [
      'payment_method_data[billing_details][email]',
      {
        payment_method_data: {
          type: 'card',
          card: { token: 'tok_visa' },
          billing_details: { email: 'ada shop@shop.example' },
        },
      },
    ],
  ])('400 email_invalid for %s', async (param, more) => {
    const error = await refusal(
      bench.stripe.paymentIntents.create({ ...byCard, ...more } as never),
    );
    expect([error.code, error.param]).toEqual(['email_invalid', param]);
  });
});

describe('test cards', () => {
  const pay = (payment_method: string, more: object = {}) =>
    bench.stripe.paymentIntents.create({
      ...byCard,
      confirm: true,
      payment_method,
      expand: ['latest_charge'],
      ...more,
    });

  test('a dispute is there in the very next read', async () => {
    const intent = await pay('pm_card_createDispute');
    const { data } = await bench.stripe.disputes.list({ payment_intent: intent.id });
    expect(data.map(({ status }) => status)).toEqual(['needs_response']);
  });

  test('each country has one, debit and prepaid are told', async () => {
    const readShown = async (id: string) => {
      const { card } = await bench.stripe.paymentMethods.retrieve(id);
      return [card?.country, card?.funding, card?.brand];
    };
    expect(await readShown('pm_card_de')).toEqual(['DE', 'credit', 'visa']);
    expect(await readShown('pm_card_gb_debit')).toEqual(['GB', 'debit', 'visa']);
    expect(await readShown('pm_card_mastercard_prepaid')).toEqual(['US', 'prepaid', 'mastercard']);
    expect(await readShown('pm_card_authenticationRequired')).toEqual(['DE', 'credit', 'visa']);
  });

  test('a blocked one never reaches the bank', async () => {
    const error = await refusal(pay('pm_card_radarBlock'));
    expect([error.code, error.decline_code]).toEqual(['card_declined', 'fraudulent']);
    const charge = await bench.stripe.charges.retrieve(String(error.charge));
    expect(charge.outcome).toMatchObject({
      type: 'blocked',
      network_status: 'not_sent_to_network',
      risk_level: 'highest',
    });
  });

  test('risk and checks are told by the charge', async () => {
    const risky = await pay('pm_card_riskLevelElevated');
    expect(risky.latest_charge).toMatchObject({ outcome: { risk_level: 'elevated' }, paid: true });
    const error = await refusal(pay('pm_card_cvcCheckFail'));
    expect(error.code).toBe('incorrect_cvc');
    const method = await bench.browser.paymentMethods.create({
      type: 'card',
      card: { ...typed, number: '4000000000000036' },
      billing_details: { address: { line1: 'Street 1', postal_code: '10115' } },
    });
    const unused = { address_line1_check: 'unchecked', address_postal_code_check: 'unchecked' };
    expect(method.card?.checks).toEqual({ ...unused, cvc_check: 'unchecked' });
    const checks = {
      address_line1_check: 'pass',
      address_postal_code_check: 'fail',
      cvc_check: 'pass',
    };
    expect((await pay(method.id)).latest_charge).toMatchObject({
      payment_method_details: { card: { checks } },
    });
    expect((await bench.stripe.paymentMethods.retrieve(method.id)).card?.checks).toEqual(checks);
  });

  test('one that is set up for later asks a buyer who is present, and nobody else', async () => {
    const { id: customer } = await bench.stripe.customers.create({
      payment_method: 'pm_card_authenticationRequiredSetupForOffSession',
    });
    const { data } = await bench.stripe.customers.listPaymentMethods(customer);
    const id = data[0]?.id ?? '';
    expect((await pay(id, { customer, off_session: true })).status).toBe('succeeded');
    expect((await pay(id, { customer })).status).toBe('requires_action');
  });
});

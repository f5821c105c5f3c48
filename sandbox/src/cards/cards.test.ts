import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type Stripe from 'stripe';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Bench, openBench, refusal } from '../../test/sandbox.ts';
import { findTestNumber, testIds } from './test-cards.ts';

let bench: Bench;
const folder = mkdtempSync(join(tmpdir(), 'sandbox-cards-'));
beforeAll(async () => {
  bench = await openBench({ file: join(folder, 'sandbox.db') });
});
afterAll(async () => {
  await bench.sandbox.close();
  rmSync(folder, { recursive: true });
});

const type = (number: string, more: object = {}): Promise<Stripe.PaymentMethod> =>
  bench.browser.paymentMethods.create({
    type: 'card',
    card: { number, exp_month: 11, exp_year: 2031, cvc: '123', ...more },
  });

const pay = (method: string, more: Partial<Stripe.PaymentIntentCreateParams> = {}) =>
  bench.stripe.paymentIntents.create({
    amount: 700,
    currency: 'eur',
    confirm: true,
    allowed_payment_method_types: ['card'],
    payment_method: method,
    ...more,
  });

const challenge = async (intent: Stripe.PaymentIntent | Stripe.SetupIntent, outcome: string) => {
  const url = intent.next_action?.redirect_to_url?.url ?? 'no next action';
  const page = await fetch(url);
  expect(page.status).toBe(200);
  expect(await page.text()).toContain('Approve');
  return fetch(url, {
    method: 'POST',
    body: new URLSearchParams({ outcome }),
    redirect: 'manual',
  });
};

describe('approved cards', () => {
  test.each([
    ['4242 4242 4242 4242', 'visa', '4242'],
    ['5555 5555 5555 4444', 'mastercard', '4444'],
    ['3782 822463 10005', 'amex', '0005'],
    ['6011 1111 1111 1117', 'discover', '1117'],
    ['3566 0020 2036 0505', 'jcb', '0505'],
  ])('%s', async (number, brand, last4) => {
    const method = await type(number);
    expect(method.card).toMatchObject({ brand, last4, exp_month: 11, exp_year: 2031 });
    expect((await pay(method.id)).status).toBe('succeeded');
  });

  test('any other valid number is approved', async () => {
    expect((await pay((await type('4111111111111111')).id)).status).toBe('succeeded');
  });
});

describe('declined cards', () => {
  test.each([
    ['4000 0000 0000 0002', 'card_declined', 'generic_decline'],
    ['4000 0000 0000 9995', 'card_declined', 'insufficient_funds'],
    ['4000 0000 0000 9987', 'card_declined', 'lost_card'],
    ['4000 0000 0000 9979', 'card_declined', 'stolen_card'],
    ['4000 0000 0000 0069', 'expired_card', undefined],
    ['4000 0000 0000 0127', 'incorrect_cvc', undefined],
    ['4000 0000 0000 0119', 'processing_error', undefined],
    ['4000 0000 0000 0341', 'card_declined', 'generic_decline'],
  ])(
    '%s: 402 %s, decline code %s; the intent waits for another card',
    async (number, code, decline) => {
      const error = await refusal(pay((await type(number)).id));
      expect(error).toMatchObject({
        type: 'StripeCardError',
        statusCode: 402,
        code,
        decline_code: decline ?? '',
        payment_intent: {
          status: 'requires_payment_method',
          payment_method: null,
          last_payment_error: { code, ...(decline ? { decline_code: decline } : {}) },
        },
      });
      const id = error.payment_intent?.id ?? '';
      const charges = await bench.stripe.charges.list({ payment_intent: id });
      expect(charges.data.map((charge) => [charge.status, charge.id])).toEqual([
        ['failed', error.charge],
      ]);
      expect(await bench.control.ledger(id)).toEqual([]);
      const retried = await bench.stripe.paymentIntents.confirm(id, {
        payment_method: 'pm_card_visa',
      });
      expect(retried).toMatchObject({ status: 'succeeded', last_payment_error: null });
    },
  );

  test('a declined card cannot be saved, 0341 can', async () => {
    const customer = await bench.stripe.customers.create({});
    const error = await refusal(
      bench.stripe.paymentMethods.attach('pm_card_chargeDeclined', { customer: customer.id }),
    );
    expect(error).toMatchObject({ statusCode: 402, code: 'card_declined' });
    const saved = await bench.stripe.paymentMethods.attach('pm_card_chargeCustomerFail', {
      customer: customer.id,
    });
    expect(saved.customer).toBe(customer.id);
    const later = await refusal(pay(saved.id, { customer: customer.id, off_session: true }));
    expect(later.code).toBe('card_declined');
  });
});

describe('3DS', () => {
  test('approve: authorised, and back to the return_url as succeeded', async () => {
    const method = await type('4000 0027 6000 3184');
    const intent = await pay(method.id, {
      capture_method: 'manual',
      return_url: 'http://127.0.0.1:9/done?order=1',
    });
    expect(intent).toMatchObject({
      status: 'requires_action',
      latest_charge: null,
      next_action: {
        type: 'redirect_to_url',
        redirect_to_url: { return_url: 'http://127.0.0.1:9/done?order=1' },
      },
    });
    const answer = await challenge(intent, 'approve');
    expect(answer.status).toBe(303);
    const back = new URL(answer.headers.get('location') ?? '');
    expect(Object.fromEntries(back.searchParams)).toEqual({
      order: '1',
      payment_intent: intent.id,
      payment_intent_client_secret: intent.client_secret,
      redirect_status: 'succeeded',
    });
    const after = await bench.stripe.paymentIntents.retrieve(intent.id, {
      expand: ['latest_charge'],
    });
    expect(after).toMatchObject({
      status: 'requires_capture',
      next_action: null,
      latest_charge: {
        payment_method_details: { card: { three_d_secure: { result: 'authenticated' } } },
      },
    });
    expect((await challengeAgain(intent)).status).toBe(409);
  });

  const challengeAgain = (intent: Stripe.PaymentIntent) =>
    fetch(`${bench.sandbox.url}/3ds/${intent.id}`, {
      method: 'POST',
      body: new URLSearchParams({ outcome: 'approve' }),
    });

  test.each([['fail'], ['cancel'], ['time_out']])(
    '%s: offered by the page; no charge, one sentence for all, and the intent waits for another card',
    async (how) => {
      const intent = await pay((await type('4000 0025 0000 3155')).id, {
        return_url: 'http://127.0.0.1:9/done',
      });
      const page = await fetch(intent.next_action?.redirect_to_url?.url ?? '');
      expect(await page.text()).toContain(`value="${how}"`);
      const answer = await challenge(intent, how);
      expect(answer.headers.get('location')).toContain('redirect_status=failed');
      expect(await bench.stripe.paymentIntents.retrieve(intent.id)).toMatchObject({
        status: 'requires_payment_method',
        latest_charge: null,
        last_payment_error: {
          code: 'payment_intent_authentication_failure',
          message: expect.stringContaining('unable to authenticate'),
        },
      });
      expect(await bench.control.ledger(intent.id)).toEqual([]);
    },
  );

  test('4000 0084 0000 1629: approved by the customer, declined by the bank', async () => {
    const intent = await pay((await type('4000 0084 0000 1629')).id);
    expect((await challenge(intent, 'approve')).status).toBe(200);
    expect(await bench.stripe.paymentIntents.retrieve(intent.id)).toMatchObject({
      status: 'requires_payment_method',
      last_payment_error: { code: 'card_declined', decline_code: 'generic_decline' },
    });
  });

  test('4000 0025 0000 3155: none once it is set up; 3184 off session is declined', async () => {
    const customer = await bench.stripe.customers.create({});
    const setUp = async (number: string) => {
      const setup = await bench.stripe.setupIntents.create({
        customer: customer.id,
        confirm: true,
        allowed_payment_method_types: ['card'],
        payment_method: (await type(number)).id,
      });
      expect(setup.status).toBe('requires_action');
      await challenge(setup, 'approve');
      const done = await bench.stripe.setupIntents.retrieve(setup.id);
      expect(done.status).toBe('succeeded');
      return String(done.payment_method);
    };
    const off = { customer: customer.id, off_session: true };
    expect((await pay(await setUp('4000002500003155'), off)).status).toBe('succeeded');
    expect(await refusal(pay(await setUp('4000002760003184'), off))).toMatchObject({
      statusCode: 402,
      code: 'authentication_required',
    });
  });

  test('any card can be asked for it', async () => {
    const intent = await pay('pm_card_visa', {
      payment_method_options: { card: { request_three_d_secure: 'any' } },
    });
    expect(intent.status).toBe('requires_action');
  });
});

describe('typed numbers', () => {
  test.each([
    ['4242424242424241', {}, 'incorrect_number'],
    ['1234123412341238', {}, 'invalid_number'],
    ['4242424242424242', { exp_year: 2020 }, 'invalid_expiry_year'],
    ['4242424242424242', { exp_month: 13 }, 'invalid_expiry_month'],
    ['4242424242424242', { cvc: '12' }, 'invalid_cvc'],
    ['378282246310005', { cvc: '12345' }, 'invalid_cvc'],
  ])('%s %j: 402 %s', async (number, more, code) => {
    expect(await refusal(type(number, more))).toMatchObject({ statusCode: 402, code });
  });

  test('are refused with a secret key', async () => {
    const error = await refusal(
      bench.stripe.paymentMethods.create({
        type: 'card',
        card: { number: '4242424242424242', exp_month: 1, exp_year: 2031 },
      }),
    );
    expect(error.statusCode).toBe(402);
  });

  test('leave neither number nor CVC in the file, only token, last four and fingerprint', async () => {
    const number = '4012888888881881';
    const key = { idempotencyKey: 'typed-once' };
    const card = { number, exp_month: 1, exp_year: 2031, cvc: '739' };
    const asked = { type: 'card' as const, card };
    const first = await bench.browser.paymentMethods.create(asked, key);
    const again = await bench.browser.paymentMethods.create(asked, key);
    expect(again.id).toBe(first.id);
    const other = await type(number);
    expect(other.card?.fingerprint).toBe(first.card?.fingerprint);
    const written = readdirSync(folder).map((name) => readFileSync(join(folder, name), 'latin1'));
    expect(written.join('')).toContain(first.id);
    expect(written.join('')).not.toContain(number);
    // As a value of its own: random ids and times may end in these digits.
    expect(written.join('')).not.toMatch(/(?<![\w.-])739(?!\w)/);
  });
});

test.each(testIds)('pm_card_%s is a payment method', async (id) => {
  const method = await bench.stripe.paymentMethods.retrieve(`pm_card_${id}`);
  expect(method.id).toMatch(/^pm_[0-9A-Za-z]{24}$/);
  expect(method.card?.last4).toBe(findTestNumber(id)?.slice(-4));
});

// As the provider publishes them: https://docs.stripe.com/testing
test.each([
  ['visa', '4242424242424242'],
  ['visa_debit', '4000056655665556'],
  ['mastercard', '5555555555554444'],
  ['mastercard_debit', '5200828282828210'],
  ['mastercard_prepaid', '5105105105105100'],
  ['amex', '378282246310005'],
  ['discover', '6011111111111117'],
  ['diners', '3056930009020004'],
  ['jcb', '3566002020360505'],
  ['unionpay', '6200000000000005'],
  ['de', '4000002760000016'],
  ['gb', '4000008260000000'],
  ['jp', '4000003920000003'],
  ['chargeDeclined', '4000000000000002'],
  ['chargeDeclinedInsufficientFunds', '4000000000009995'],
  ['chargeDeclinedLostCard', '4000000000009987'],
  ['chargeDeclinedStolenCard', '4000000000009979'],
  ['chargeDeclinedExpiredCard', '4000000000000069'],
  ['chargeDeclinedIncorrectCvc', '4000000000000127'],
  ['chargeDeclinedProcessingError', '4000000000000119'],
  ['chargeCustomerFail', '4000000000000341'],
  ['authenticationRequired', '4000002760003184'],
  ['authenticationRequiredOnSetup', '4000002500003155'],
  ['threeDSecure2Required', '4000000000003220'],
  ['createDispute', '4000000000000259'],
  ['createDisputeProductNotReceived', '4000000000002685'],
  ['createDisputeInquiry', '4000000000001976'],
  ['pendingRefund', '4000000000007726'],
  ['refundFail', '4000000000005126'],
  ['bypassPending', '4000000000000077'],
  ['radarBlock', '4100000000000019'],
  ['riskLevelElevated', '4000000000009235'],
  ['riskLevelHighest', '4000000000004954'],
])('pm_card_%s is the card with the number %s', async (id, number) => {
  const { card } = await bench.stripe.paymentMethods.retrieve(`pm_card_${id}`);
  const typed = await type(number);
  expect(card).toMatchObject({
    last4: number.slice(-4),
    brand: typed.card?.brand,
    fingerprint: typed.card?.fingerprint,
  });
});

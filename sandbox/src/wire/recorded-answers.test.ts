// Answers as other projects recorded them from the provider: VCR cassettes, webmock and JSON fixtures of
// public repositories, and the provider's own changelog for what its last version ended.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Bench, createHold, openBench, refusal } from '../../test/sandbox.ts';

let bench: Bench;
beforeAll(async () => {
  bench = await openBench();
});
afterAll(() => bench.sandbox.close());

const cards = { allowed_payment_method_types: ['card'] };
const euros = { amount: 900, currency: 'eur', ...cards };
const pay = (payment_method: string, more: object = {}) =>
  bench.stripe.paymentIntents.create({ ...euros, confirm: true, payment_method, ...more });
const ask = async (path: string, init: RequestInit = {}) => {
  const response = await fetch(`${bench.sandbox.url}/v1${path}`, {
    ...init,
    headers: {
      authorization: `Bearer ${bench.secretKey}`,
      'content-type': 'application/x-www-form-urlencoded',
    },
  });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
};
const post = (path: string, body = '') => ask(path, { method: 'POST', body });

describe('a method without a customer after a decline', () => {
  test('400 without code or parameter, for intents and for customers', async () => {
    const { id } = await bench.browser.paymentMethods.create({
      type: 'card',
      card: { number: '4000000000000002', exp_month: 12, exp_year: 2034, cvc: '123' },
    });
    expect((await refusal(pay(id))).statusCode).toBe(402);
    for (const again of [
      () => pay(id),
      () => bench.stripe.paymentIntents.create({ ...euros, payment_method: id }),
      () => bench.stripe.setupIntents.create({ ...cards, payment_method: id }),
    ]) {
      const error = await refusal(again());
      expect([error.statusCode, error.type]).toEqual([400, 'StripeInvalidRequestError']);
      expect([error.code, error.param]).toEqual([undefined, undefined]);
      expect(error.message).toContain('may not be used again');
    }
  });

  test('one of a customer may be tried again', async () => {
    const { id: customer } = await bench.stripe.customers.create();
    const own = { customer, payment_method: 'pm_card_chargeCustomerFail' };
    const { id } = await bench.stripe.paymentMethods.attach(own.payment_method, { customer });
    for (let n = 0; n < 2; n++) expect((await refusal(pay(id, { customer }))).statusCode).toBe(402);
  });
});

describe('what a decline says', () => {
  const said = async (card: string) => {
    const error = await refusal(pay(`pm_card_${card}`));
    const { raw } = error as unknown as { raw: Record<string, unknown> };
    const { code, decline_code, advice_code, network_decline_code, network_advice_code, param } =
      raw;
    const charge = await bench.stripe.charges.retrieve(String(error.charge));
    expect(charge.receipt_url).toBeNull();
    expect([charge.outcome?.network_decline_code, charge.outcome?.network_advice_code]).toEqual([
      network_decline_code ?? null,
      network_advice_code ?? null,
    ]);
    return { code, decline_code, advice_code, network_decline_code, network_advice_code, param };
  };
  const none = { network_advice_code: undefined, param: undefined };

  test.each([
    [
      'chargeDeclined',
      { code: 'card_declined', decline_code: 'generic_decline', network_decline_code: '01' },
      { advice_code: 'try_again_later' },
    ],
    [
      'chargeDeclinedInsufficientFunds',
      { code: 'card_declined', decline_code: 'insufficient_funds', network_decline_code: '51' },
      { advice_code: 'try_again_later' },
    ],
    [
      'chargeDeclinedLostCard',
      { code: 'card_declined', decline_code: 'lost_card', network_decline_code: '41' },
      { advice_code: 'do_not_try_again', network_advice_code: '03' },
    ],
    [
      'chargeDeclinedExpiredCard',
      { code: 'expired_card', decline_code: undefined, network_decline_code: '54' },
      { advice_code: 'confirm_card_data', param: 'exp_month' },
    ],
    [
      'chargeDeclinedIncorrectCvc',
      { code: 'incorrect_cvc', decline_code: undefined, network_decline_code: 'N7' },
      { advice_code: 'confirm_card_data', param: 'cvc' },
    ],
    [
      'radarBlock',
      { code: 'card_declined', decline_code: 'fraudulent', network_decline_code: undefined },
      { advice_code: 'do_not_try_again' },
    ],
  ])('%s', async (card, codes, advice) => {
    expect(await said(card)).toEqual({ ...none, ...codes, ...advice });
  });

  test('the intent and a set-up keep the same', async () => {
    const error = await refusal(pay('pm_card_chargeDeclinedExpiredCard'));
    const facts = { code: 'expired_card', param: 'exp_month', network_decline_code: '54' };
    expect(error.payment_intent?.last_payment_error).toMatchObject(facts);
    const setup = await refusal(
      bench.stripe.setupIntents.create({
        ...cards,
        confirm: true,
        payment_method: 'pm_card_chargeDeclinedExpiredCard',
      }),
    );
    expect(setup.setup_intent?.last_setup_error).toMatchObject(facts);
  });
});

describe('refunds', () => {
  test('more than is left: 400 with the parameter and no code', async () => {
    const { id } = await pay('pm_card_visa');
    const error = await refusal(bench.stripe.refunds.create({ payment_intent: id, amount: 901 }));
    expect([error.statusCode, error.code, error.param]).toEqual([400, undefined, 'amount']);
  });

  test('GET /v1/charges/{id}/refunds is the list of the charge', async () => {
    const { latest_charge: charge, id } = await pay('pm_card_visa');
    const refunds = [];
    for (const amount of [100, 200]) {
      refunds.unshift((await bench.stripe.refunds.create({ payment_intent: id, amount })).id);
    }
    const path = `/charges/${String(charge)}/refunds`;
    const { status, body } = await ask(`${path}?limit=1`);
    expect([status, body.url, body.has_more]).toEqual([200, `/v1${path}`, true]);
    expect((body.data as { id: string }[]).map((one) => one.id)).toEqual(refunds.slice(0, 1));
    expect((await ask('/charges/ch_none/refunds')).status).toBe(404);
  });
});

describe('parameters that the provider takes', () => {
  test('off_session=false and error_on_requires_action=false without confirm', async () => {
    const off = 'off_session=false&error_on_requires_action=false';
    const made = await post('/payment_intents', `amount=900&currency=eur&${off}`);
    expect([made.status, made.body.status]).toEqual([200, 'requires_payment_method']);
    const on = await post('/payment_intents', 'amount=900&currency=eur&off_session=true');
    expect([on.status, on.body.error]).toEqual([
      400,
      expect.objectContaining({ param: 'off_session' }),
    ]);
  });

  test('expand[]=sources: a customer has none', async () => {
    const { id } = await bench.stripe.customers.create();
    const none = { object: 'list', data: [], has_more: false, url: `/v1/customers/${id}/sources` };
    const one = await ask(`/customers/${id}?expand[]=sources`);
    expect([one.status, one.body.sources]).toEqual([200, none]);
    const all = await ask('/customers?limit=1&expand[]=data.sources');
    expect(all.body.data).toEqual([expect.objectContaining({ sources: none })]);
  });

  test('use_stripe_sdk: the challenge is for the browser library, without it an address', async () => {
    const returnTo = { return_url: 'https://shop.example/back' };
    const asked = await pay('pm_card_authenticationRequired', {
      use_stripe_sdk: true,
      ...returnTo,
    });
    expect(asked.next_action).toMatchObject({
      type: 'use_stripe_sdk',
      use_stripe_sdk: { stripe_js: expect.stringContaining(`/3ds/${asked.id}`) },
    });
    const redirected = await pay('pm_card_authenticationRequired', returnTo);
    expect(redirected.next_action?.type).toBe('redirect_to_url');
    const setup = await bench.stripe.setupIntents.create({
      ...{ ...cards, confirm: true, payment_method: 'pm_card_authenticationRequired' },
      use_stripe_sdk: true,
    });
    expect(setup.next_action?.type).toBe('use_stripe_sdk');
  });
});

describe('payment_method_types at the pinned version', () => {
  const types = 'payment_method_types[]=card';
  test.each([
    ['/payment_intents', `amount=900&currency=eur&${types}`],
    ['/setup_intents', types],
  ])('%s: the code that the changelog names', async (path, body) => {
    const { status, body: answer } = await post(path, body);
    expect([status, answer.error]).toEqual([
      400,
      expect.objectContaining({
        code: 'payment_method_types_no_longer_supported',
        param: 'payment_method_types',
      }),
    ]);
  });

  test('also when an intent is changed or confirmed', async () => {
    const { id } = await bench.stripe.paymentIntents.create(euros);
    for (const path of [`/payment_intents/${id}`, `/payment_intents/${id}/confirm`]) {
      const { body } = await post(path, types);
      expect(body.error).toMatchObject({ code: 'payment_method_types_no_longer_supported' });
    }
  });
});

describe('a charge', () => {
  test('has a receipt, of a hold too, which can be opened', async () => {
    const { latest_charge: held } = await createHold(bench, 1234);
    const charge = await bench.stripe.charges.retrieve(String(held));
    expect(charge.receipt_url).toMatch(
      new RegExp(`^${bench.sandbox.url}/receipts/${bench.accountId}/${charge.id}/rcpt_\\w+$`),
    );
    const page = await fetch(charge.receipt_url ?? '');
    expect([page.status, await page.text()]).toEqual([200, expect.stringContaining('$12.34')]);
    expect((await fetch(`${charge.receipt_url}x`)).status).toBe(404);
  });

  test('a security code is checked once; before that the card says so', async () => {
    const { id: customer } = await bench.stripe.customers.create();
    const { id } = await bench.stripe.paymentMethods.attach('pm_card_visa', { customer });
    const shown = async () => (await bench.stripe.paymentMethods.retrieve(id)).card?.checks;
    expect(await shown()).toMatchObject({ cvc_check: 'unchecked' });
    const checkOf = async () => {
      const paid = await pay(id, { customer, expand: ['latest_charge'] });
      const { latest_charge: charge } = paid;
      if (charge === null || typeof charge === 'string') throw new Error('not expanded');
      return charge.payment_method_details?.card?.checks?.cvc_check;
    };
    expect([await checkOf(), await checkOf()]).toEqual(['pass', null]);
    expect(await shown()).toMatchObject({ cvc_check: 'pass' });
  });
});

// What the pinned version refuses, and what its older versions still take.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Bench, openBench, refusal, post as send } from '../../test/sandbox.ts';

let bench: Bench;
beforeAll(async () => {
  bench = await openBench();
});
afterAll(() => bench.sandbox.close());
beforeEach(() => bench.control.post('/accounts/raw-cards', setting('allowed')));

const setting = (word: 'allowed' | 'refused') => ({ account: bench.accountId, setting: word });
const typed = { number: '4242424242424242', exp_month: 12, exp_year: 2040, cvc: '123' };
const euros = { amount: 900, currency: 'eur' } as const;
const byCard = { ...euros, allowed_payment_method_types: ['card'] as ['card'] };
const back = 'https://shop.example/back';
const post = (path: string, form: Record<string, string>, headers?: Record<string, string>) =>
  send(bench, { path, form, headers });

describe('a card number with the publishable key', () => {
  test('is a method where the account has leave', async () => {
    const method = await bench.browser.paymentMethods.create({ type: 'card', card: typed });
    expect(method.card?.last4).toBe('4242');
  });

  test('is refused for an ordinary account, with 400 and the sentence that names the surface', async () => {
    await bench.control.post('/accounts/raw-cards', setting('refused'));
    const error = await refusal(bench.browser.paymentMethods.create({ type: 'card', card: typed }));
    expect(error.statusCode).toBe(400);
    expect(error.message).toContain('unsupported for publishable key tokenization');
    const inside = await bench.stripe.paymentIntents.create(byCard);
    const confirmed = await refusal(
      bench.browser.paymentIntents.confirm(inside.id, {
        client_secret: inside.client_secret,
        payment_method_data: { type: 'card', card: typed },
      } as never),
    );
    expect(confirmed.message).toContain('unsupported for publishable key tokenization');
  });

  test("passes all the same from the provider's own field", async () => {
    await bench.control.post('/accounts/raw-cards', setting('refused'));
    const { status } = await post(
      '/payment_methods',
      {
        key: bench.publishableKey,
        payment_user_agent: 'stripe.js/abc; stripe-js-v3/abc; split-card-element',
        guid: 'NA',
        time_on_page: '4711',
        type: 'card',
        'card[number]': typed.number,
        'card[exp_month]': '12',
        'card[exp_year]': '40',
        'card[cvc]': '123',
      },
      {},
    );
    expect(status).toBe(200);
  });

  test('404 for a setting of an account that is not there, 400 for a word that is none', async () => {
    await expect(
      bench.control.post('/accounts/raw-cards', { account: 'acct_x', setting: 'allowed' }),
    ).rejects.toThrow('there is no account acct_x');
    await expect(
      bench.control.post('/accounts/raw-cards', { account: bench.accountId, setting: 'perhaps' }),
    ).rejects.toThrow('unknown setting perhaps');
  });
});

describe('the key in the body', () => {
  const method = { type: 'card', 'card[token]': 'tok_visa' };

  test('a publishable key is as good there as in the header', async () => {
    const { status, body } = await post(
      '/payment_methods',
      { key: bench.publishableKey, ...method },
      {},
    );
    expect([status, body.id]).toEqual([200, expect.stringMatching(/^pm_/)]);
  });

  test('401 for a secret key there, and for none', async () => {
    const secret = await post('/payment_methods', { key: bench.secretKey, ...method }, {});
    expect(secret.status).toBe(401);
    expect((await post('/payment_methods', method, {})).status).toBe(401);
  });

  test('beside a secret key in the header it is an unknown parameter', async () => {
    const { status, body } = await post('/payment_methods', { key: 'pk_test_x', ...method });
    expect([status, body.error]).toEqual([
      400,
      expect.objectContaining({ code: 'parameter_unknown', param: 'key' }),
    ]);
  });
});

describe('versions', () => {
  const request = (version: string) =>
    post(
      '/payment_intents',
      { amount: '900', currency: 'eur', 'payment_method_types[]': 'card' },
      { authorization: `Bearer ${bench.secretKey}`, 'stripe-version': version },
    );

  test.each(['2026-10-28.endive', '2026-09-30.endive'])(
    '%s has no payment_method_types',
    async (version) => {
      const { status, body } = await request(version);
      expect([status, body.error]).toEqual([
        400,
        expect.objectContaining({
          code: 'payment_method_types_no_longer_supported',
          param: 'payment_method_types',
        }),
      ]);
    },
  );

  test.each(['2026-03-25.dahlia', '2025-03-31.basil'])('%s still has it', async (version) => {
    const { status, body } = await request(version);
    expect([status, body.payment_method_types]).toEqual([200, ['card']]);
  });

  test.each(['2026-11-01.endive', 'latest', '2026-10-28'])('400 for %s', async (version) => {
    const { status, text } = await request(version);
    expect([status, text]).toEqual([400, expect.stringContaining('Invalid Stripe API version')]);
  });

  test('a version from before the present shapes is refused by name', async () => {
    const { status, text } = await request('2024-06-20');
    expect([status, text]).toEqual([
      400,
      expect.stringContaining('its oldest is 2025-03-31.basil'),
    ]);
  });
});

describe('exclusive parameters', () => {
  test.each([
    [
      'payment_method_data',
      {
        payment_method: 'pm_card_visa',
        payment_method_data: { type: 'card', card: { token: 'tok_visa' } },
      },
    ],
    [
      'allowed_payment_method_types',
      { automatic_payment_methods: { enabled: true }, allowed_payment_method_types: ['card'] },
    ],
    [
      'confirmation_method',
      { automatic_payment_methods: { enabled: true }, confirmation_method: 'manual' },
    ],
  ])('400 parameters_exclusive for %s and another', async (param, pair) => {
    const error = await refusal(bench.stripe.paymentIntents.create({ ...euros, ...pair } as never));
    expect([error.statusCode, error.code, error.param]).toEqual([
      400,
      'parameters_exclusive',
      param,
    ]);
  });
});

describe('return_url', () => {
  test('a confirmation needs one where methods are chosen by the dashboard', async () => {
    for (const refused of [
      bench.stripe.paymentIntents.create({
        ...euros,
        confirm: true,
        payment_method: 'pm_card_visa',
      }),
      bench.stripe.setupIntents.create({ confirm: true, payment_method: 'pm_card_visa' }),
    ]) {
      const error = await refusal(refused);
      expect([error.statusCode, error.param]).toEqual([400, 'return_url']);
    }
    const setup = await bench.stripe.setupIntents.create({});
    expect(setup.automatic_payment_methods).toEqual({ allow_redirects: 'always', enabled: true });
    const later = await refusal(
      bench.stripe.setupIntents.confirm(setup.id, { payment_method: 'pm_card_visa' }),
    );
    expect(later.param).toBe('return_url');
    const confirmed = await bench.stripe.setupIntents.confirm(setup.id, {
      payment_method: 'pm_card_visa',
      return_url: back,
    });
    expect(confirmed.status).toBe('succeeded');
  });

  test('without the buyer none is needed', async () => {
    const { id: customer } = await bench.stripe.customers.create({
      payment_method: 'pm_card_visa',
    });
    const { data } = await bench.stripe.customers.listPaymentMethods(customer);
    const intent = await bench.stripe.paymentIntents.create({
      ...euros,
      customer,
      payment_method: data[0]?.id ?? '',
      confirm: true,
      off_session: true,
    });
    expect(intent.status).toBe('succeeded');
  });
});

describe('a confirmation with the publishable key', () => {
  const confirm = async (more: object) => {
    const { id, client_secret } = await bench.stripe.paymentIntents.create(byCard);
    const given = { client_secret, payment_method: 'pm_card_visa', ...more };
    return { id, sent: bench.browser.paymentIntents.confirm(id, given as never) };
  };

  test.each([
    { capture_method: 'manual' },
    { off_session: true },
    { error_on_requires_action: true },
    { allowed_payment_method_types: ['card'] },
    { payment_method_options: { card: { request_three_d_secure: 'any' } } },
  ])('says nothing of how money is taken: %j is refused', async (more) => {
    const { id, sent } = await confirm(more);
    const [param] = Object.keys(more);
    expect(await refusal(sent)).toMatchObject({ code: 'secret_key_required', param });
    const intent = await bench.stripe.paymentIntents.retrieve(id);
    expect(intent).toMatchObject({ capture_method: 'automatic_async', amount_received: 0 });
    // The merchant's own server may.
    await bench.stripe.paymentIntents.confirm(id, {
      payment_method: 'pm_card_visa',
      ...more,
    } as never);
  });

  test.each([
    { receipt_email: 'ada@example.com' },
    { return_url: back },
    { setup_future_usage: 'off_session' },
    { shipping: { name: 'Ada', address: { line1: '1 Main Street' } } },
    {
      mandate_data: {
        customer_acceptance: { type: 'online', online: { ip_address: '::1', user_agent: 'x' } },
      },
    },
  ])('may say %j', async (more) => {
    expect(await (await confirm(more)).sent).toMatchObject({ status: 'succeeded' });
  });

  test.each(['amount', 'currency'])('has no parameter %s', async (name) => {
    const error = await refusal((await confirm({ [name]: '1' })).sent);
    expect(error).toMatchObject({ code: 'parameter_unknown', param: name });
  });

  test('of a set-up says nothing of the authentication', async () => {
    const { id, client_secret } = await bench.stripe.setupIntents.create({
      allowed_payment_method_types: ['card'],
    });
    const error = await refusal(
      bench.browser.setupIntents.confirm(id, {
        ...{ client_secret, payment_method: 'pm_card_visa' },
        payment_method_options: { card: { request_three_d_secure: 'any' } },
      } as never),
    );
    expect(error).toMatchObject({ code: 'secret_key_required', param: 'payment_method_options' });
  });
});

import type Stripe from 'stripe';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Bench, openBench, refusal } from '../../test/sandbox.ts';

let bench: Bench;
beforeAll(async () => {
  bench = await openBench();
});
afterAll(() => bench.sandbox.close());

type Params = Stripe.Checkout.SessionCreateParams;

const lineItem = (amount = 1500, quantity = 2) => ({
  price_data: { currency: 'eur', unit_amount: amount, product_data: { name: 'Tea' } },
  quantity,
});

const openSession = (more: Params = {}): Promise<Stripe.Checkout.Session> =>
  bench.stripe.checkout.sessions.create({
    mode: 'payment',
    success_url: 'https://shop.example/thanks?session={CHECKOUT_SESSION_ID}',
    cancel_url: 'https://shop.example/cart',
    line_items: [lineItem()],
    ...more,
  });

const pay = (id: string, method?: string) =>
  bench.control.post<Stripe.Checkout.Session>(
    `/checkout_sessions/${id}/pay`,
    method === undefined ? {} : { payment_method: method },
  );

const retrieve = (id: string, more: Stripe.Checkout.SessionRetrieveParams = {}) =>
  bench.stripe.checkout.sessions.retrieve(id, more);

const eventsOf = async (id: string): Promise<string[]> => {
  const { data } = await bench.stripe.events.list({ limit: 50 });
  return data
    .filter(({ data: { object } }) => 'id' in object && object.id === id)
    .map(({ type }) => type);
};

describe('products and prices', () => {
  test('are created, retrieved, changed and listed', async () => {
    const { products, prices } = bench.stripe;
    const tea = await products.create({ name: 'Tea', metadata: { shelf: '3' } });
    expect(tea).toMatchObject({ object: 'product', active: true, name: 'Tea', description: null });
    const price = await prices.create({ currency: 'CHF', unit_amount: 450, product: tea.id });
    expect(price).toMatchObject({ currency: 'chf', product: tea.id, type: 'one_time' });
    expect(String(price.unit_amount_decimal)).toBe('450');
    await products.update(tea.id, { default_price: price.id, description: 'Green' });
    const whole = await products.retrieve(tea.id, { expand: ['default_price'] });
    expect(whole).toMatchObject({ description: 'Green', default_price: { unit_amount: 450 } });
    await prices.update(price.id, { active: false, nickname: 'old' });
    expect(await prices.retrieve(price.id)).toMatchObject({ active: false, nickname: 'old' });
    const found = await prices.list({ product: tea.id, active: false });
    expect(found.data.map(({ id }) => id)).toEqual([price.id]);
    expect((await prices.list({ product: tea.id, active: true })).data).toEqual([]);
    expect((await products.list({ limit: 1 })).data[0]?.id).toBe(tea.id);
  });

  test('404 resource_missing for one that is not there', async () => {
    const missing = await refusal(bench.stripe.products.retrieve('prod_none'));
    expect(missing).toMatchObject({ statusCode: 404, code: 'resource_missing' });
    const price = bench.stripe.prices.create({
      currency: 'usd',
      unit_amount: 1,
      product: 'prod_none',
    });
    expect((await refusal(price)).param).toBe('product');
  });
});

describe('a checkout session', () => {
  test('is created open, with its total, and tells its lines', async () => {
    const tea = await bench.stripe.products.create({ name: 'Cup' });
    const price = await bench.stripe.prices.create({
      currency: 'eur',
      unit_amount: 700,
      product: tea.id,
    });
    const made = await openSession({
      line_items: [lineItem(), { price: price.id, quantity: 3 }],
      client_reference_id: 'order-7',
      metadata: { a: 'b' },
    });
    expect(made).toMatchObject({
      status: 'open',
      payment_status: 'unpaid',
      amount_total: 5100,
      currency: 'eur',
      client_reference_id: 'order-7',
      payment_intent: null,
      metadata: { a: 'b' },
    });
    expect(made.expires_at - made.created).toBe(86_400);
    const lines = await bench.stripe.checkout.sessions.listLineItems(made.id);
    expect(
      lines.data.map((one) => [one.description, one.quantity, one.price?.unit_amount]),
    ).toEqual([
      ['Tea', 2, 1500],
      ['Cup', 3, 700],
    ]);
    const paged: string[] = [];
    for await (const one of bench.stripe.checkout.sessions.listLineItems(made.id, { limit: 1 })) {
      paged.push(one.id);
    }
    expect(paged).toEqual(lines.data.map(({ id }) => id));
    const whole = await retrieve(made.id, { expand: ['line_items.data.price.product'] });
    expect(whole.line_items?.data[1]?.price?.product).toMatchObject({ name: 'Cup' });
  });

  test('is refused by name: no line, two currencies, an inactive price, a bad end', async () => {
    const param = async (more: Params) => (await refusal(openSession(more))).param;
    expect(await param({ line_items: [] })).toBe('line_items');
    const dollars = {
      price_data: { currency: 'usd', unit_amount: 1, product_data: { name: 'x' } },
      quantity: 1,
    };
    expect(await param({ line_items: [lineItem(), dollars] })).toBe('line_items[1][price]');
    const old = await bench.stripe.prices.create({
      currency: 'eur',
      unit_amount: 5,
      active: false,
      product_data: { name: 'old' },
    });
    expect(await param({ line_items: [{ price: old.id, quantity: 1 }] })).toBe(
      'line_items[0][price]',
    );
    expect(await param({ line_items: [{ price: old.id }] })).toBe('line_items[0][quantity]');
    expect(await param({ expires_at: Math.floor(Date.now() / 1000) + 60 })).toBe('expires_at');
    expect(await param({ success_url: 'thanks' })).toBe('success_url');
    expect(await param({ mode: 'subscription' })).toBe('mode');
    expect(await param({ customer: 'cus_none' })).toBe('customer');
    const typo = { line_items: [{ ...lineItem(), quantiti: 1 }] } as unknown as Params;
    expect(await refusal(openSession(typo))).toMatchObject({
      code: 'parameter_unknown',
      param: 'line_items[0][quantiti]',
    });
  });

  test('404 resource_missing for an unknown one', async () => {
    const error = await refusal(retrieve('cs_test_none'));
    expect(error).toMatchObject({ statusCode: 404, code: 'resource_missing' });
    expect(error.message).toBe("No such checkout.session: 'cs_test_none'");
  });

  test('is paid by the control: complete, paid, with its intent and one event', async () => {
    const made = await openSession({
      customer_email: 'jo@example.com',
      customer_creation: 'always',
    });
    await pay(made.id);
    const done = await retrieve(made.id, { expand: ['payment_intent', 'customer'] });
    expect(done).toMatchObject({
      status: 'complete',
      payment_status: 'paid',
      url: null,
      payment_intent: { status: 'succeeded', amount: 3000 },
      customer: { email: 'jo@example.com' },
      customer_details: { email: 'jo@example.com' },
    });
    expect(await eventsOf(made.id)).toEqual(['checkout.session.completed']);
    await expect(pay(made.id)).rejects.toThrow('is complete');
    const found = await bench.stripe.checkout.sessions.list({ status: 'complete', limit: 1 });
    expect(found.data[0]?.id).toBe(made.id);
  });

  test('declined it stays open, and another card pays the same intent', async () => {
    const made = await openSession();
    const first = await pay(made.id, 'pm_card_chargeDeclined');
    expect(first).toMatchObject({ status: 'open', payment_status: 'unpaid' });
    const second = await pay(made.id, 'pm_card_visa');
    expect(second).toMatchObject({
      status: 'complete',
      payment_intent: first.payment_intent,
    });
  });

  test('held, it is complete but unpaid until it is captured', async () => {
    const made = await openSession({ payment_intent_data: { capture_method: 'manual' } });
    const held = await pay(made.id);
    expect(held).toMatchObject({ status: 'complete', payment_status: 'unpaid' });
    await bench.stripe.paymentIntents.capture(String(held.payment_intent));
    expect((await retrieve(made.id)).payment_status).toBe('paid');
  });

  test.each([
    ['pm_card_chargeProcessing', 'paid', 'succeeded'],
    ['pm_card_chargeProcessingDeclined', 'unpaid', 'failed'],
  ])('%s: complete before the bank answers, then %s', async (card, status, outcome) => {
    const made = await openSession();
    expect(await pay(made.id, card)).toMatchObject({
      status: 'complete',
      payment_status: 'unpaid',
    });
    await bench.control.advance(4);
    expect((await retrieve(made.id)).payment_status).toBe(status);
    expect(await eventsOf(made.id)).toEqual([
      `checkout.session.async_payment_${outcome}`,
      'checkout.session.completed',
    ]);
  });

  test('is expired by the merchant once; a complete one is not', async () => {
    const made = await openSession();
    expect(await bench.stripe.checkout.sessions.expire(made.id)).toMatchObject({
      status: 'expired',
      url: null,
    });
    const again = await refusal(bench.stripe.checkout.sessions.expire(made.id));
    expect(again).toMatchObject({ statusCode: 400, type: 'StripeInvalidRequestError' });
    expect(again.message).toContain('status of `expired`');
    await expect(pay(made.id)).rejects.toThrow('is expired');
    const paid = await openSession();
    await pay(paid.id);
    const late = await refusal(bench.stripe.checkout.sessions.expire(paid.id));
    expect(late.message).toContain('status of `complete`');
    expect((await retrieve(paid.id)).status).toBe('complete');
  });
});

describe('its page', () => {
  const post = (url: string, fields: Record<string, string>) =>
    fetch(url, { method: 'POST', body: new URLSearchParams(fields), redirect: 'manual' });

  test('shows the lines, pays, and sends the buyer back with the id of the session', async () => {
    const made = await openSession();
    const page = await (await fetch(String(made.url))).text();
    expect(page).toContain('Pay €30.00');
    expect(page).toContain('Tea');
    const answer = await post(String(made.url), {
      payment_method: 'pm_card_visa',
      email: 'a@example.com',
    });
    expect(answer.status).toBe(303);
    expect(answer.headers.get('location')).toBe(`https://shop.example/thanks?session=${made.id}`);
    expect((await retrieve(made.id)).customer_details?.email).toBe('a@example.com');
  });

  test('says why a card was declined', async () => {
    const made = await openSession();
    const answer = await post(String(made.url), { payment_method: 'pm_card_chargeDeclined' });
    expect(answer.status).toBe(200);
    expect(await answer.text()).toContain('Your card was declined.');
  });

  test('sends to the bank, whose yes completes the session before anybody returns', async () => {
    const made = await openSession();
    const answer = await post(String(made.url), {
      payment_method: 'pm_card_authenticationRequired',
    });
    const bank = String(answer.headers.get('location'));
    expect(bank).toContain('/3ds/pi_');
    expect((await retrieve(made.id)).status).toBe('open');
    const back = await post(bank, { outcome: 'approve' });
    // Read first: a retrieve would bring the session up to its intent's state.
    expect(await eventsOf(made.id)).toEqual(['checkout.session.completed']);
    expect((await retrieve(made.id)).status).toBe('complete');
    const last = await fetch(String(back.headers.get('location')), { redirect: 'manual' });
    expect(last.headers.get('location')).toContain('https://shop.example/thanks');
  });
});

describe('time', () => {
  test("ends an open session by the sandbox's clock, and lets go of what was tried", async () => {
    const made = await openSession({ expires_at: Math.floor(Date.now() / 1000) + 3600 });
    const tried = await pay(made.id, 'pm_card_authenticationRequired');
    const paid = await openSession();
    await pay(paid.id);
    await bench.control.advance(3600);
    expect(await retrieve(made.id)).toMatchObject({ status: 'expired', url: null });
    const intent = await bench.stripe.paymentIntents.retrieve(String(tried.payment_intent));
    expect(intent.status).toBe('canceled');
    expect(await eventsOf(made.id)).toEqual(['checkout.session.expired']);
    await bench.control.advance(90_000);
    expect((await retrieve(paid.id)).status).toBe('complete');
  });
});

/** The keys of the provider's own examples, which the SDK's types of other resources name as well. */
const published = {
  session: `adaptive_pricing after_expiration allow_promotion_codes amount_subtotal amount_total
    automatic_tax billing_address_collection cancel_url client_reference_id client_secret
    collected_information consent consent_collection created currency currency_conversion
    custom_fields custom_text customer customer_account customer_creation customer_details
    customer_email discounts expires_at id integration_identifier invoice invoice_creation
    livemode locale managed_payments metadata mode object origin_context payment_intent
    payment_link payment_method_collection payment_method_configuration_details
    payment_method_options payment_method_types payment_status permissions phone_number_collection
    recovered_from saved_payment_method_options setup_intent shipping_address_collection
    shipping_cost shipping_options status submit_type subscription success_url total_details
    ui_mode url wallet_options`,
  item: `adjustable_quantity amount_discount amount_subtotal amount_tax amount_total currency
    description id metadata object price quantity`,
  price: `active billing_scheme created currency custom_unit_amount id livemode lookup_key metadata
    nickname object product recurring tax_behavior tiers_mode transform_quantity type unit_amount
    unit_amount_decimal`,
  product: `active created default_price description id images livemode marketing_features metadata name
    object package_dimensions shippable statement_descriptor tax_code type unit_label updated url`,
};

test('a session, its lines, their prices and products have every published key', async () => {
  const session = await openSession({ expand: ['line_items.data.price.product'] });
  const [item] = session.line_items?.data ?? [];
  const shown = { session, item, price: item?.price, product: item?.price?.product };
  for (const [kind, keys] of Object.entries(published)) {
    const found = Object.keys(shown[kind as keyof typeof shown] as object);
    expect([kind, keys.split(/\s+/).filter((key) => !found.includes(key))]).toEqual([kind, []]);
  }
});

// The official SDK against the sandbox: the newest major, and the two before it.
import { createRequire } from 'node:module';
import Stripe from 'stripe';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Bench, openBench } from '../../test/sandbox.ts';

// Loaded without their types, because one of them declares the module `stripe` again for the whole program.
const load = createRequire(import.meta.url);
const one = load('stripe-22') as typeof Stripe;
const two = load('stripe-21') as typeof Stripe;

let bench: Bench;
beforeAll(async () => {
  bench = await openBench();
});
afterAll(() => bench.sandbox.close());

const euros = { amount: 900, currency: 'eur' } as const;

describe.each([
  ['newest', Stripe],
  ['one major earlier', one],
  ['two majors earlier', two],
])('the official SDK, %s', (which, Sdk) => {
  const types =
    which === 'newest'
      ? { allowed_payment_method_types: ['card'] }
      : { payment_method_types: ['card'] };

  test('holds, captures, refunds, saves and reads its pages', async () => {
    const sdk = new Sdk(bench.secretKey, {
      host: '127.0.0.1',
      port: bench.sandbox.port,
      protocol: 'http',
      telemetry: false,
    });
    const made = (await sdk.paymentIntents.create({
      ...euros,
      ...types,
      capture_method: 'manual',
      confirm: true,
      payment_method: 'pm_card_visa',
    } as never)) as Stripe.PaymentIntent;
    expect(made.status).toBe('requires_capture');
    const paid = await sdk.paymentIntents.capture(made.id, { amount_to_capture: 500 });
    expect(paid.amount_received).toBe(500);
    const refund = await sdk.refunds.create({ payment_intent: made.id, amount: 200 });
    expect(refund.status).toBe('succeeded');
    const customer = await sdk.customers.create({ email: 'ada@shop.example' });
    const setup = (await sdk.setupIntents.create({
      customer: customer.id,
      confirm: true,
      payment_method: 'pm_card_visa',
      ...types,
    } as never)) as Stripe.SetupIntent;
    expect(setup.status).toBe('succeeded');
    const newest = [made.id];
    for (const amount of [901, 902, 903]) {
      const { id } = await sdk.paymentIntents.create({ ...euros, ...types, amount } as never);
      newest.unshift(id);
    }
    const seen: string[] = [];
    for await (const each of sdk.paymentIntents.list({ limit: 1 })) seen.push(each.id);
    expect(seen.slice(0, 4)).toEqual(newest);
    expect(new Set(seen).size).toBe(seen.length);
    const declined = await sdk.paymentIntents
      .create({
        ...euros,
        ...types,
        confirm: true,
        payment_method: 'pm_card_chargeDeclined',
      } as never)
      .catch((error: { type: string; code: string }) => [error.type, error.code]);
    expect(declined).toEqual(['StripeCardError', 'card_declined']);
    const payload = JSON.stringify({ id: 'evt_1', object: 'event' });
    const header = sdk.webhooks.generateTestHeaderString({ payload, secret: 'whsec_x' });
    expect(sdk.webhooks.constructEvent(payload, header, 'whsec_x').id).toBe('evt_1');
  });
});

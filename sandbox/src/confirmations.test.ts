// Only one confirmation of an intent at a time, as at the real provider: when a page sends many
// cards at once, one of them is decided.
import type Stripe from 'stripe';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Bench, openBench } from './testing.ts';

let bench: Bench;
beforeAll(async () => {
  bench = await openBench({ judgingMs: 3000 });
});
afterAll(() => bench.sandbox.close());

type Intents = Pick<Stripe, 'paymentIntents' | 'setupIntents'>;

const opened = {
  paymentIntents: (by: Intents) =>
    by.paymentIntents.create({
      amount: 700,
      currency: 'eur',
      allowed_payment_method_types: ['card'],
    }),
  setupIntents: (by: Intents) => by.setupIntents.create({ allowed_payment_method_types: ['card'] }),
};

describe.each(['paymentIntents', 'setupIntents'] as const)('%s', (kind) => {
  test('of twenty confirmations at once one is judged, the others meet lock_timeout', async () => {
    const intent = await opened[kind](bench.stripe);
    const confirm = () =>
      bench.browser[kind]
        .confirm(
          intent.id,
          {
            payment_method: 'pm_card_chargeDeclined',
            client_secret: intent.client_secret,
          } as never,
          { maxNetworkRetries: 0 },
        )
        .then(
          () => 'confirmed',
          ({ code }: { code: string }) => code,
        );
    const codes = await Promise.all(Array.from({ length: 20 }, confirm));
    expect(codes.toSorted()).toEqual(['card_declined', ...Array(19).fill('lock_timeout')]);
    await expect.poll(confirm).toBe('card_declined');
  });
});

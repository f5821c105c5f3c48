// Only one confirmation of an intent at a time, as at the real provider: when a page sends many
// cards at once, one of them is decided.
import type Stripe from 'stripe';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Bench, openBench } from '../../test/sandbox.ts';

let bench: Bench;
let judging: PromiseWithResolvers<void>;
beforeAll(async () => {
  bench = await openBench({ judge: () => judging.promise });
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
    judging = Promise.withResolvers();
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
    const codes: string[] = [];
    const all = Array.from({ length: 20 }, async () => codes.push(await confirm()));
    await expect.poll(() => codes).toEqual(Array(19).fill('lock_timeout'));
    judging.resolve();
    await Promise.all(all);
    expect(codes.at(-1)).toBe('card_declined');
    await expect.poll(confirm).toBe('card_declined');
  });
});

// Cards from the provider's own fields: the provider decides what their tokens are worth. Contract
// §4.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  aHostedMethod,
  askProvider,
  hostedToken,
  storedCardOf,
} from '../../../test/customers/hosted-cards.ts';
import { pageIntent } from '../../../test/customers/in-page.ts';
import { confirmOfferedCard } from '../../../test/customers/saved-cards.ts';
import { aSetupSession, methodsOf, setupsOf, submitToken } from '../../../test/customers/setups.ts';
import { callerOf, newId } from '../../../test/harness.ts';
import {
  aSession,
  type Checkout,
  cards,
  payWith,
  startWorld,
  type World,
} from '../../../test/world.ts';
import { refuse } from '../../engine/implement.ts';
import { openGateway } from '../../engine/steps/gateways/open-gateway.ts';
import { operations } from '../index.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld({ driver: 'provider-fields' });
});
afterAll(() => world?.close());

const refusedWith = (code: string) => expect.objectContaining({ code });

const payHosted = async (session: Checkout, number: string) =>
  payWith(world, session, await hostedToken(world, session, await aHostedMethod(world, number)));

const countCaptures = async () => (await world.ledger()).length;

describe('a card of the provider’s own fields', () => {
  it('pays; brand, last four, expiry and fingerprint are the provider’s, and the last is not shown', async () => {
    const session = await aSession(world, { captureMethod: 'automatic' });
    const answer = await payHosted(session, '5555555555554444');
    expect(answer).toMatchObject({ status: 200, body: { type: 'success', status: 'succeeded' } });
    const stored = await storedCardOf(world, session);
    expect(stored).toMatchObject({
      method: expect.stringMatching(/^pm_/),
      card: {
        type: 'card',
        brand: 'mastercard',
        lastFour: '4444',
        expiryMonth: 12,
        expiryYear: 2034,
        fingerprint: expect.stringMatching(/^\w{16}$/),
      },
    });
    const paymentId = 'body' in answer ? (answer.body.paymentId ?? '') : '';
    const shown = await operations.getPayment(
      { paymentId },
      callerOf(world.token),
      world.ports,
      refuse,
    );
    expect(JSON.stringify(shown)).toContain('"lastFour":"4444"');
    expect(JSON.stringify(shown)).not.toContain('fingerprint');
  });

  it('declined; another card pays in the same session', async () => {
    const session = await aSession(world);
    await expect(payHosted(session, cards.declined)).rejects.toEqual(refusedWith('card_declined'));
    expect(await payHosted(session, cards.approved)).toMatchObject({
      body: { type: 'success', status: 'authorized' },
    });
  });

  it('asks the bank, saves a card, and sets one up, as a typed card does', async () => {
    const asked = await aSession(world);
    expect(await payHosted(asked, cards.needs3ds)).toMatchObject({
      body: { type: '3ds_required' },
    });
    const session = await aSetupSession(world);
    const token = await hostedToken(world, session, await aHostedMethod(world, cards.approved));
    expect(await submitToken(world, session, token)).toMatchObject({ type: 'success' });
    expect(await methodsOf(world, session)).toMatchObject([
      { status: 'active', brand: 'visa', last_four: '4242' },
    ]);
  });

  it('the same token again: the same payment', async () => {
    const session = await aSession(world);
    const token = await hostedToken(world, session, await aHostedMethod(world, cards.approved));
    const first = await payWith(world, session, token);
    const before = await countCaptures();
    expect(await payWith(world, session, token)).toEqual(first);
    expect(await countCaptures()).toBe(before);
  });
});

describe('422 provider_method_not_usable, and nothing is charged', () => {
  const strangers: [string, () => Promise<string>][] = [
    ['a method that the provider does not know', async () => `pm_${newId().replaceAll('-', '')}`],
    [
      'a method of another account',
      async () => {
        const other = (await world.control('POST', '/_control/accounts', { name: 'other' })) as {
          publishableKey: string;
        };
        return aHostedMethod(world, cards.approved, other.publishableKey);
      },
    ],
    [
      'a method that belongs to a customer',
      async () => {
        const methodId = await aHostedMethod(world, cards.approved);
        const customer = await askProvider(world, 'customers', {});
        await askProvider(world, `payment_methods/${methodId}/attach`, {
          customer: String(customer.id),
        });
        return methodId;
      },
    ],
  ];

  it.each(strangers)('%s: paying', async (_, make) => {
    const session = await aSession(world);
    const before = await countCaptures();
    const token = await hostedToken(world, session, await make());
    await expect(payWith(world, session, token)).rejects.toEqual(
      refusedWith('provider_method_not_usable'),
    );
    expect(await countCaptures()).toBe(before);
    expect(await storedCardOf(world, session)).toMatchObject({
      status: 'failed',
      failure_code: 'provider_method_not_usable',
    });
    // The session accepts another card.
    expect(await payHosted(session, cards.approved)).toMatchObject({ body: { type: 'success' } });
  });

  it.each(strangers)('%s: saving', async (_, make) => {
    const session = await aSetupSession(world);
    const token = await hostedToken(world, session, await make());
    await expect(submitToken(world, session, token)).rejects.toEqual(
      refusedWith('provider_method_not_usable'),
    );
    expect(await setupsOf(world, session)).toMatchObject([
      { failure_code: 'provider_method_not_usable' },
    ]);
  });

  it('a method that another payment has used up meanwhile', async () => {
    const methodId = await aHostedMethod(world, cards.approved);
    const first = await pageIntent(world, await aSession(world));
    const session = await aSession(world);
    const token = await hostedToken(world, session, methodId);
    expect(await confirmOfferedCard(world, first, methodId)).toEqual({
      status: 'requires_capture',
    });
    await expect(payWith(world, session, token)).rejects.toEqual(
      refusedWith('provider_method_not_usable'),
    );
    expect(await storedCardOf(world, session)).toMatchObject({ status: 'failed' });
    expect(await payHosted(session, cards.approved)).toMatchObject({ body: { type: 'success' } });
  });

  it('a token of another session: 400, whatever it stands for', async () => {
    const [session, other] = [await aSession(world), await aSession(world)];
    const token = await hostedToken(world, other, await aHostedMethod(world, cards.approved));
    await expect(payWith(world, session, token)).rejects.toEqual(refusedWith('invalid_request'));
  });
});

describe('the provider refuses the key of the account', () => {
  it('409 gateway_refused: told as such to this and the next call, and not to be repeated', async () => {
    const session = await aSession(world);
    const token = await hostedToken(world, session, await aHostedMethod(world, cards.approved));
    const gateway = await openGateway(world.ports, world.client.id, world.gatewayId);
    const revoked = { ...gateway, secretKey: 'sk_test_revoked' };
    const ports = { ...world.ports, methodKeeper: () => world.ports.methodKeeper(revoked) };
    await expect(payWith({ ...world, ports }, session, token)).rejects.toEqual(
      refusedWith('gateway_refused'),
    );
    expect(await storedCardOf(world, session)).toMatchObject({ failure_code: 'key_refused' });
    expect(await payHosted(session, cards.approved)).toMatchObject({ body: { type: 'success' } });
  });
});

describe('the provider does not say which card it is', () => {
  it.each(['error_500', 'drop_request'])(
    '502 gateway_unavailable with %s: nothing was asked to be charged, and the next card pays',
    async (action) => {
      const session = await aSession(world);
      const methodId = await aHostedMethod(world, cards.approved);
      const token = await hostedToken(world, session, methodId);
      await world.fault({ path: `/v1/payment_methods/${methodId}$`, method: 'GET' }, action);
      await expect(payWith(world, session, token)).rejects.toEqual(
        refusedWith('gateway_unavailable'),
      );
      expect(await storedCardOf(world, session)).toMatchObject({ failure_code: 'unavailable' });
      expect(await payHosted(session, cards.approved)).toMatchObject({ body: { type: 'success' } });
    },
  );
});

// Why a saved card is not removed, over HTTP: every row of the specification's errors of a deletion,
// every reason and resolution of the contract, and crashes at each step. Spec 7.2. Contract §5.

import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { PaymentMethod } from '../../service/src/domain/payments/payment-method.ts';
import type { Ports } from '../../service/src/engine/ports.ts';
import { aClient, aGateway, aToken, callAs, newId } from '../../service/test/harness.ts';
import { letRemovalsGo, removalOf } from '../../service/test/removals.ts';
import { aServer } from '../../service/test/server.ts';
import { cards } from '../../service/test/world.ts';
import { refusal } from './buyer.ts';
import { type CardShop, type Fields, mastercard, openCardShop } from './cardholder.ts';
import type { Answer } from './merchant.ts';

let shop: CardShop;
beforeAll(async () => {
  shop = await openCardShop();
});
const clear = () => shop.control('DELETE', '/_control/faults');
afterEach(clear);
afterAll(() => shop?.close());

const gone = { status: 204, text: '' };
const detach = '/v1/payment_methods/*/detach';

/** Creates a default card that pays for a subscription, and another card that could replace it. */
async function aFundingCard() {
  const userId = await shop.aBuyer();
  const card = await shop.aCard(userId);
  const subscription = await shop.aClub(card);
  const other = await shop.aCard(userId, mastercard);
  await shop.makeDefault(card);
  return { userId, card, other, subscription };
}

/** Expects the card to pay for the subscription, here and at the provider. */
async function expectFunded(subscription: Fields, by: PaymentMethod): Promise<void> {
  expect(await shop.subscription(subscription.id)).toMatchObject({
    status: 'active',
    paymentMethodId: by.id,
  });
  expect(await shop.isKept(by)).toBe(true);
  expect(await shop.listed(by.userId)).toContainEqual(
    expect.objectContaining({ id: by.id, status: 'active' }),
  );
}

const failedAnswer = (reason: string, resolution: string, retrySafe = true) => ({
  status: 502,
  body: {
    type: 'gateway_error',
    code: 'payment_method_deletion_failed',
    message: expect.any(String),
    status: 502,
    requestId: expect.stringMatching(/^req_/),
    retryable: retrySafe,
    docUrl: expect.stringContaining('payment_method_deletion_failed'),
    reason,
    retrySafe,
    resolution,
  },
});

async function expectFailed(id: string, ...why: Parameters<typeof failedAnswer>): Promise<void> {
  const { status, body } = await shop.remove(id);
  expect({ status, body }).toEqual(failedAnswer(...why));
}

describe('Payment-method deletion', () => {
  it('Spec 7.2.1: 204 without a body, completed, and for the owned tombstone', async () => {
    const { card, other, subscription } = await aFundingCard();
    expect(await shop.remove(card.id)).toMatchObject(gone);
    await expectFunded(subscription, other);
    expect(await shop.remove(card.id)).toMatchObject(gone);
  });

  it('Spec 7.2.2: 400 with code null for an id that is no UUID', async () => {
    for (const id of ['1', 'pm_123', newId().slice(1)]) {
      const { status, body } = await shop.remove(id);
      expect({ status, body }).toMatchObject({
        status: 400,
        body: { type: 'validation_error', code: null, status: 400, param: 'id' },
      });
    }
  });

  it('Spec 7.2.3: 404 payment_method_not_found, the same bytes for missing, a rival’s, a foreign gateway and an unlinked user, before any call of the provider', async () => {
    const rivals = await aClient(shop.database);
    const [theirs, misplaced, unlinked] = [
      await shop.aCard(await shop.aBuyer()),
      await shop.aCard(await shop.aBuyer()),
      await shop.aCard(await shop.aBuyer()),
    ];
    const { id: foreign } = await aGateway(shop.database, rivals);
    await shop.plant('update payment_methods set gateway_id = $2 where id = $1', [
      misplaced.id,
      foreign,
    ]);
    await shop.plant('delete from customers where id = $1', [unlinked.userId]);
    const rival = await aToken(shop.database, rivals);
    const { result, calls } = await shop.during(async () => [
      await shop.remove(newId()),
      await shop.remove(theirs.id, rival),
      await shop.remove(misplaced.id),
      await shop.remove(unlinked.id),
    ]);
    const withoutRequestId = ({ text, body }: Answer) =>
      text.replaceAll(String(body.requestId), '');
    expect(result[0]).toMatchObject(refusal(404, 'payment_method_not_found'));
    expect(new Set(result.map(withoutRequestId)).size).toBe(1);
    expect(calls).toEqual([]);
  });

  it('Spec 7.2.4: 409 payment_method_has_active_payment for a customer action, an unknown outcome, a renewal in doubt and a set-up under way', async () => {
    const expectBlocked = async ({ id }: { id: string }) => {
      const { result, calls } = await shop.during(() => shop.remove(id));
      expect(result).toMatchObject(refusal(409, 'payment_method_has_active_payment'));
      expect(calls).toEqual([]);
    };
    const asking = await shop.aCard(await shop.aBuyer(), cards.needs3ds);
    const session = await shop.vouched(asking.userId);
    expect((await shop.payWith(session, { paymentMethodId: asking.id })).body).toMatchObject({
      type: '3ds_required',
    });
    const setup = await shop.aSetup();
    expect((await shop.saveCard(setup, cards.needs3ds)).body).toMatchObject({
      type: '3ds_required',
    });
    const [pending] = await shop.listed(setup.userId);
    const [doubtful, renewed] = [
      await shop.aCard(await shop.aBuyer()),
      await shop.aCard(await shop.aBuyer()),
    ];
    const subscription = await shop.aClub(renewed);
    const intents = '/v1/payment_intents';
    await shop.fault({ path: `${intents}/*/confirm` }, 'timeout_after_commit', { count: 9 });
    await shop.fault({ method: 'GET', path: intents }, 'drop_reply', { count: 99 });
    expect((await shop.payBy(doubtful)).status).not.toBe(200);
    await shop.renew(subscription);
    for (const { id } of [asking, { id: String(pending?.id) }, doubtful, renewed]) {
      await expectBlocked({ id });
    }
    await clear();
    await shop.recover();
    expect(await shop.remove(doubtful.id)).toMatchObject(gone);
    expect(await shop.remove(asking.id)).toMatchObject(gone);
  });

  it('Spec 7.2.5: 409 payment_method_in_use where no card may take over, and nothing has moved', async () => {
    const card = await shop.aCard(await shop.aBuyer());
    const subscription = await shop.aClub(card);
    const { result, calls } = await shop.during(() => shop.remove(card.id));
    expect(result).toMatchObject(refusal(409, 'payment_method_in_use', { type: 'conflict_error' }));
    expect(calls).toEqual([]);
    await expectFunded(subscription, card);
    expect(await removalOf(shop, card.id)).toBeUndefined();
  });

  it('Spec 7.2.7: 502 payment_method_deletion_failed with reason, retrySafe and resolution; the same DELETE goes on later', async () => {
    const { card, other, subscription } = await aFundingCard();
    await shop.fault({ method: 'GET', path: '/v1/customers' }, 'drop_request', { count: 50 });
    await expectFailed(card.id, 'verification_failed', 'retry_delete');
    await expectFunded(subscription, card);
    await clear();
    expect(await shop.remove(card.id)).toMatchObject(gone);
    await expectFunded(subscription, other);
  });
});

describe('Contract §5, what a 502 says', () => {
  it('Contract §5 reason provider_reassignment_failed and resolution retry_delete: the provider does not take the other default', async () => {
    const { card, subscription } = await aFundingCard();
    await shop.fault({ method: 'POST', path: '/v1/customers' }, 'error_500', { count: 50 });
    await expectFailed(card.id, 'provider_reassignment_failed', 'retry_delete');
    await expectFunded(subscription, card);
    expect(await shop.providerDefault(card)).toBe(card.providerPaymentMethodId);
  });

  it('Contract §5 resolution update_funding_manually: the only card that could take over is none at the provider any more', async () => {
    const { card, other, subscription } = await aFundingCard();
    await shop.atProvider(`payment_methods/${other.providerPaymentMethodId}/detach`, 'POST');
    await expectFailed(card.id, 'provider_reassignment_failed', 'update_funding_manually');
    await expectFunded(subscription, card);
    // Follows the refusal's advice: another card pays from now on.
    const better = await shop.aCard(card.userId);
    expect(await shop.remove(card.id)).toMatchObject(gone);
    await expectFunded(subscription, better);
  });

  it('Contract §5 reason provider_detach_failed: until the provider confirms it, listed and paid for by the other card', async () => {
    const { card, other, subscription } = await aFundingCard();
    await shop.fault({ path: detach }, 'drop_request', { count: 50 });
    await expectFailed(card.id, 'provider_detach_failed', 'retry_delete');
    expect(await shop.listedIds(card.userId)).toEqual([other.id, card.id]);
    await expectFunded(subscription, other);
    await clear();
    expect(await shop.remove(card.id)).toMatchObject(gone);
    await expectFunded(subscription, other);
    expect(await shop.isKept(card)).toBe(false);
  });

  it('Contract §5 reason vault_cleanup_failed: before the provider is asked to let go', async () => {
    const { card, other, subscription } = await aFundingCard();
    await shop.plant('revoke delete on vault.card_tokens from svc_vault');
    const { calls } = await shop.during(() =>
      expectFailed(card.id, 'vault_cleanup_failed', 'retry_delete').finally(() =>
        shop.plant('grant delete on vault.card_tokens to svc_vault'),
      ),
    );
    expect(calls.filter(({ path }) => path.endsWith('/detach'))).toEqual([]);
    await expectFunded(subscription, card);
    expect(await shop.providerDefault(card)).toBe(card.providerPaymentMethodId);
    expect(await shop.remove(card.id)).toMatchObject(gone);
    await expectFunded(subscription, other);
  });

  it('Contract §5 reason verification_failed: what cannot be read is not called moved', async () => {
    const { card, subscription } = await aFundingCard();
    await shop.fault({ method: 'GET', path: '/v1/payment_methods' }, 'error_500', { count: 50 });
    await expectFailed(card.id, 'verification_failed', 'retry_delete');
    await clear();
    await expectFunded(subscription, card);
  });

  it('Contract §5 retrySafe, resolution contact_support: false only where nobody can tell whether the provider has let go', async () => {
    const { card, other, subscription } = await aFundingCard();
    await shop.fault({ path: detach }, 'drop_request', { count: 50 });
    await expectFailed(card.id, 'provider_detach_failed', 'retry_delete', true);
    await clear();
    const own = `/v1/payment_methods/${card.providerPaymentMethodId}$`;
    await shop.fault({ method: 'GET', path: own }, 'drop_request', { count: 50 });
    await expectFailed(card.id, 'verification_failed', 'contact_support', false);
    await expectFunded(subscription, other);
    await clear();
    expect(await shop.remove(card.id)).toMatchObject(gone);
  });
});

describe('Contract §5, a crash', () => {
  type Call =
    | 'retrieveCustomer'
    | 'setDefaultMethod'
    | 'forget'
    | 'detachMethod'
    | 'retrieveMethod';

  /**
   * Returns the ports of a process that dies at its `nth` call of that name, before or after the
   * call is sent.
   */
  function dyingPorts(name: Call, nth: number, when: 'before' | 'after'): Ports {
    let count = 0;
    const wrap = <A extends never[], R>(called: Call, call: (...given: A) => Promise<R>) =>
      (async (...given: A) => {
        count += called === name ? 1 : 0;
        const isLast = called === name && count >= nth;
        if (isLast && when === 'before') throw new Error('the process died');
        const answer = await call(...given);
        if (isLast) throw new Error('the process died');
        return answer;
      }) as (...given: A) => Promise<R>;
    const { ports } = shop;
    return {
      ...ports,
      methodKeeper: (gateway) => {
        const keeper = ports.methodKeeper(gateway);
        return {
          ...keeper,
          retrieveCustomer: wrap('retrieveCustomer', keeper.retrieveCustomer),
          retrieveMethod: wrap('retrieveMethod', keeper.retrieveMethod),
          setDefaultMethod: wrap('setDefaultMethod', keeper.setDefaultMethod),
          detachMethod: wrap('detachMethod', keeper.detachMethod),
        };
      },
      vault: { ...ports.vault, forget: wrap('forget', ports.vault.forget) },
    };
  }

  async function removeAndDie({ id }: PaymentMethod, ports: Ports): Promise<void> {
    const { app } = await aServer(ports);
    const { statusCode } = await callAs(app, shop.token, `DELETE /v1/payment-methods/${id}`);
    await app.close();
    expect(statusCode).toBe(500);
  }

  /** The provider calls that remain after each step. */
  const deaths = [
    ['claimed', 'retrieveCustomer', 1, 'before', 10],
    ['subscriptions_moved', 'setDefaultMethod', 1, 'before', 7],
    ['subscriptions_moved', 'setDefaultMethod', 1, 'after', 6],
    ['default_moved', 'retrieveCustomer', 3, 'before', 5],
    ['verified', 'forget', 1, 'after', 3],
    ['vault_wiped', 'detachMethod', 1, 'before', 3],
    ['vault_wiped', 'detachMethod', 1, 'after', 4],
    ['detached', 'retrieveMethod', 4, 'before', 2],
  ] as const;

  it.each(deaths)(
    'Contract §5 resume: at the step after %s (%s %i, %s it was sent), by the worker and by a repeat',
    async (...death) => {
      const [step, name, nth, when, left] = death;
      for (const by of ['repeat', 'worker']) {
        const { card, other, subscription } = await aFundingCard();
        await removeAndDie(card, dyingPorts(name, nth, when));
        expect(await removalOf(shop, card.id)).toMatchObject({ state: 'running', step });
        expect(await shop.listedIds(card.userId)).toContain(card.id);
        await expectFunded(subscription, step === 'claimed' ? card : other);
        await letRemovalsGo(shop);
        const { calls } = await shop.during<unknown>(() =>
          by === 'worker' ? shop.finishRemovals() : shop.remove(card.id),
        );
        expect(calls).toHaveLength(left);
        const { result, calls: more } = await shop.during(() => shop.remove(card.id));
        expect(result).toMatchObject(gone);
        expect(more).toEqual([]);
        await expectFunded(subscription, other);
        expect(await shop.isKept(card)).toBe(false);
        expect(await shop.types(card.id)).toEqual([
          'payment_method.activated',
          'payment_method.replaced',
          'payment_method.deleted',
        ]);
      }
    },
  );
});

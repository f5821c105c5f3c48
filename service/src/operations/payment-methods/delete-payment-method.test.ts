import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  changeAtProvider,
  customerAtProvider,
  defaultsOf,
  detachmentOf,
  insertFundedSubscription,
  isKeptAtProvider,
  listedIds,
  makeProviderDefault,
  methodEvents,
  methodRow,
  tapPorts,
  tokensOf,
  vaultTokenFor,
} from '../../../test/customers/detachments.ts';
import { aSavedCard, payBy, vouchedSession } from '../../../test/customers/saved-cards.ts';
import { aSetupSession, submitToken } from '../../../test/customers/setups.ts';
import {
  aClient,
  aCustomer,
  aGateway,
  aToken,
  callAs,
  newId,
  type TestToken,
} from '../../../test/harness.ts';
import { runRecovery } from '../../../test/payments/checkouts.ts';
import { plantInDatabase } from '../../../test/payments/planted.ts';
import { aServer, type TestServer } from '../../../test/server.ts';
import { aCardToken, cards, startWorld, type World } from '../../../test/world.ts';

let world: World;
let server: TestServer;
let tap: ReturnType<typeof tapPorts>;
beforeAll(async () => {
  world = await startWorld();
  tap = tapPorts(world.ports);
  server = await aServer(tap.ports);
});
afterAll(async () => {
  await server?.close();
  await world?.close();
});

const remove = async (id: string, token: TestToken = world.token) => {
  const response = await callAs(server.app, token, `DELETE /v1/payment-methods/${id}`);
  const body = response.body === '' ? null : response.json();
  return { status: response.statusCode, body };
};

const aBuyer = async () => (await aCustomer(world.database, world.client)).id;

describe('deletePaymentMethod', () => {
  it('Spec 3.2.4 · Spec 4.3.2 · Spec 7.2.1 · Contract §5 tombstone · 204: gone from the list, detached at the provider, forgotten by the vault, a bare tombstone', async () => {
    const userId = await aBuyer();
    const card = await aSavedCard(world, { userId });
    await vaultTokenFor(world, card);
    expect(await tokensOf(world, card)).toBe(1);
    expect(await remove(card.id)).toEqual({ status: 204, body: null });
    expect(await listedIds(server, world.token, userId)).toEqual([]);
    expect(await isKeptAtProvider(world, card)).toBe(false);
    expect(await tokensOf(world, card)).toBe(0);
    const { created_at, verified_at, removed_at, updated_at, ...rest } = await methodRow(
      world,
      card.id,
    );
    expect([created_at, verified_at, removed_at, updated_at]).not.toContain(null);
    expect(rest).toEqual({
      id: card.id,
      client_id: world.client.id,
      user_id: userId,
      gateway_id: world.gatewayId,
      provider: 'cardprovider',
      type: 'card',
      session_id: card.sessionId,
      provider_customer_id: null,
      provider_payment_method_id: null,
      brand: null,
      last_four: null,
      expiry_month: null,
      expiry_year: null,
      payer_email: null,
      is_live: false,
      last_charged_at: null,
      status: 'removed',
      removed_by: 'request',
      event_seq: 2,
      version: expect.any(Number),
    });
    const events = await methodEvents(world, card.id);
    expect(events.map(({ type }) => type)).toEqual([
      'payment_method.activated',
      'payment_method.deleted',
    ]);
    expect(events[1]?.data.object).toEqual({
      id: card.id,
      type: 'card',
      userId,
      externalId: null,
      status: 'removed',
      createdAt: card.createdAt.toISOString(),
      removedAt: expect.any(String),
      ...{ removedBy: 'request', subscriptionIds: [], subscriptionCount: 0 },
      gateway: { id: world.gatewayId, provider: 'cardprovider' },
    });
  });

  it('204: the same again for its tombstone, without asking the provider and without an event', async () => {
    const card = await aSavedCard(world, { userId: await aBuyer() });
    await remove(card.id);
    const events = await methodEvents(world, card.id);
    const asked = await tap.during(() => remove(card.id.toUpperCase()));
    expect(asked).toEqual({ result: { status: 204, body: null }, calls: [] });
    expect(await methodEvents(world, card.id)).toEqual(events);
  });

  it('Spec 4.3 choice, order · 204: subscriptions and both defaults move to the card that was proven last', async () => {
    const userId = await aBuyer();
    const [card, older, newer] = [
      await aSavedCard(world, { userId }),
      await aSavedCard(world, { userId, number: '5555555555554444' }),
      await aSavedCard(world, { userId, number: '378282246310005' }),
    ];
    const subscriptions = [
      await insertFundedSubscription(world, card),
      await insertFundedSubscription(world, card),
    ];
    const ended = await insertFundedSubscription(world, card, 'canceled');
    await makeProviderDefault(world, card);
    expect(await remove(card.id)).toMatchObject({ status: 204 });
    const funding = await Promise.all(subscriptions.map((one) => one.fundedBy()));
    expect(funding).toEqual([newer.id, newer.id]);
    expect(await ended.fundedBy()).toBe(card.id);
    expect(await defaultsOf(world, userId)).toEqual({
      ours: newer.id,
      providers: newer.providerPaymentMethodId,
    });
    expect(await isKeptAtProvider(world, older)).toBe(true);
    const events = await methodEvents(world, card.id);
    expect(events.map(({ type, sequence }) => [sequence, type])).toEqual([
      [1, 'payment_method.activated'],
      [2, 'payment_method.replaced'],
      [3, 'payment_method.deleted'],
    ]);
    expect(events[1]?.data.object).toMatchObject({
      id: card.id,
      replacedBy: newer.id,
      subscriptionIds: subscriptions.map(({ id }) => id).sort(),
      subscriptionCount: 2,
      isDefaultMoved: true,
    });
  });

  it('204: a default without another card is none, here and at the provider', async () => {
    const userId = await aBuyer();
    const card = await aSavedCard(world, { userId });
    await makeProviderDefault(world, card);
    expect(await remove(card.id)).toMatchObject({ status: 204 });
    expect(await defaultsOf(world, userId)).toEqual({ ours: null, providers: null });
    const types = (await methodEvents(world, card.id)).map(({ type }) => type);
    expect(types).not.toContain('payment_method.replaced');
  });

  it('204: one that the provider has detached by itself, or lost with its customer', async () => {
    const [one, other] = await Promise.all(
      [await aBuyer(), await aBuyer()].map((userId) => aSavedCard(world, { userId })),
    );
    if (!one || !other) throw new Error('two cards');
    await changeAtProvider(world, `/v1/payment_methods/${one.providerPaymentMethodId}/detach`);
    await customerAtProvider(world, other, 'DELETE');
    expect(await remove(one.id)).toMatchObject({ status: 204 });
    expect(await remove(other.id)).toMatchObject({ status: 204 });
  });

  it('204: a pending one, with the cards that were tried; no event tells of it', async () => {
    const session = await aSetupSession(world);
    const token = await aCardToken(world, session, cards.declined);
    await submitToken(world, session, token).catch(() => undefined);
    const pending = await methodRow(world, { session: session.sessionId });
    expect(pending.status).toBe('pending');
    expect(await remove(String(pending.id))).toEqual({ status: 204, body: null });
    expect(await methodRow(world, String(pending.id))).toMatchObject({
      status: 'removed',
      event_seq: 0,
    });
    expect(await methodEvents(world, String(pending.id))).toEqual([]);
    expect(await remove(String(pending.id))).toEqual({ status: 204, body: null });
    expect(await listedIds(server, world.token, session.userId)).toEqual([]);
  });

  it('Spec 7.2.2 · 400, code null: the id is not a UUID', async () => {
    for (const id of ['1', 'x', `${newId()}0`, newId().replaceAll('-', '')]) {
      const { status, body } = await remove(id);
      expect([status, body.code, body.param]).toEqual([400, null, 'id']);
      expect(body).toMatchObject({ type: 'validation_error', status: 400, retryable: false });
      expect(JSON.stringify(body.errors ?? [])).not.toContain('payment_method_id_invalid');
    }
  });

  it('Spec 7.2.3 · 404 payment_method_not_found: missing, another merchant’s, of a foreign gateway and of an unlinked user alike, before any call of the provider', async () => {
    const rival = await aClient(world.database);
    const rivals = await aToken(world.database, rival);
    const foreign = await aGateway(world.database, rival);
    const [theirs, misplaced, unlinked] = await Promise.all(
      [await aBuyer(), await aBuyer(), await aBuyer()].map((userId) =>
        aSavedCard(world, { userId }),
      ),
    );
    await plantInDatabase(world.ownerUrl, async (run) => {
      await run('update payment_methods set gateway_id = $2 where id = $1', [
        misplaced?.id,
        foreign.id,
      ]);
      await run('delete from customers where id = $1', [unlinked?.userId]);
    });
    const { result, calls } = await tap.during(() =>
      Promise.all([
        remove(newId()),
        remove(theirs?.id ?? '', rivals),
        remove(misplaced?.id ?? ''),
        remove(unlinked?.id ?? ''),
      ]),
    );
    const bodies = result.map(({ status, body: { requestId: _, ...body } }) => ({ status, body }));
    expect(bodies[0]).toMatchObject({ status: 404, body: { code: 'payment_method_not_found' } });
    expect(new Set(bodies.map((one) => JSON.stringify(one))).size).toBe(1);
    expect(calls).toEqual([]);
    expect(await remove(theirs?.id ?? '')).toMatchObject({ status: 204 });
  });

  it('404: a tombstone of another merchant is no tombstone', async () => {
    const card = await aSavedCard(world, { userId: await aBuyer() });
    await remove(card.id);
    const rivals = await aToken(world.database, await aClient(world.database));
    expect(await remove(card.id, rivals)).toMatchObject({
      status: 404,
      body: { code: 'payment_method_not_found' },
    });
  });
});

describe('deletePaymentMethod while the card is used', () => {
  const expectBlocked = async (id: string) => {
    const { result, calls } = await tap.during(() => remove(id));
    expect(result).toMatchObject({
      status: 409,
      body: { code: 'payment_method_has_active_payment', type: 'conflict_error' },
    });
    expect(calls).toEqual([]);
    expect(await detachmentOf(world, id)).toBeUndefined();
  };

  it('Spec 7.2.4 · 409 payment_method_has_active_payment: a payment whose outcome is unknown; 204 once it is known', async () => {
    const userId = await aBuyer();
    const card = await aSavedCard(world, { userId });
    const session = await vouchedSession(world, { userId });
    const path = '/v1/payment_intents/*';
    await world.fault({ method: 'POST', path: `${path}/confirm` }, 'drop_request', { count: 20 });
    await world.fault({ method: 'GET', path }, 'drop_request', { count: 20 });
    await payBy(world, session, { paymentMethodId: card.id }).catch(() => undefined);
    await expectBlocked(card.id);
    await world.control('DELETE', '/_control/faults');
    await runRecovery(world);
    expect(await remove(card.id)).toMatchObject({ status: 204 });
  });

  it('409 payment_method_has_active_payment: a payment that waits for its customer', async () => {
    const userId = await aBuyer();
    const card = await aSavedCard(world, { userId, number: cards.needs3ds });
    const session = await vouchedSession(world, { userId });
    const answer = await payBy(world, session, { paymentMethodId: card.id });
    expect(answer).toMatchObject({ body: { type: '3ds_required' } });
    await expectBlocked(card.id);
  });

  it('409 payment_method_has_active_payment: a setup that waits for its customer', async () => {
    const session = await aSetupSession(world);
    const token = await aCardToken(world, session, cards.needs3ds);
    expect(await submitToken(world, session, token)).toMatchObject({ type: '3ds_required' });
    const { id } = await methodRow(world, { session: session.sessionId });
    await expectBlocked(String(id));
  });

  it('409 payment_method_has_active_payment: a paid payment awaits the word that the wallet is kept', async () => {
    const session = await aSetupSession(world);
    const { id } = await methodRow(world, { session: session.sessionId });
    const paid = await vouchedSession(world);
    await payBy(world, paid, { token: await aCardToken(world, paid, cards.approved) });
    await plantInDatabase(world.ownerUrl, (run) =>
      run(
        `insert into payment_method_uses (payment_id, client_id, payment_method_id, purpose,
           claimed_at) select id, client_id, $2, 'save', now() from payments where session_id = $1`,
        [paid.sessionId, id],
      ),
    );
    await expectBlocked(String(id));
  });

  it('204: with a payment that has succeeded, or was declined', async () => {
    const userId = await aBuyer();
    const card = await aSavedCard(world, { userId });
    await payBy(world, await vouchedSession(world, { userId }), { paymentMethodId: card.id });
    expect(await remove(card.id)).toMatchObject({ status: 204 });
    const poor = await aSavedCard(world, { userId, number: '4000000000000341' });
    const session = await vouchedSession(world, { userId });
    await payBy(world, session, { paymentMethodId: poor.id }).catch(() => undefined);
    expect(await remove(poor.id)).toMatchObject({ status: 204 });
  });
});

describe('deletePaymentMethod with subscriptions', () => {
  it('Spec 7.2.5 · 409 payment_method_in_use: no other card may take over, and nothing has changed', async () => {
    const userId = await aBuyer();
    const card = await aSavedCard(world, { userId });
    // Another customer's card, and a card that is being removed, are no replacements.
    await aSavedCard(world, { userId: await aBuyer() });
    const { fundedBy: funding } = await insertFundedSubscription(world, card);
    const before = await methodRow(world, card.id);
    const { result, calls } = await tap.during(() => remove(card.id));
    expect(result).toMatchObject({ status: 409, body: { code: 'payment_method_in_use' } });
    expect(calls).toEqual([]);
    expect(await methodRow(world, card.id)).toEqual(before);
    expect([await funding(), await detachmentOf(world, card.id)]).toEqual([card.id, undefined]);
    expect(await listedIds(server, world.token, userId)).toEqual([card.id]);
  });

  it.each(['trialing', 'active', 'past_due', 'unpaid', 'paused'])(
    'Contract §5 in use trialing, in use active, in use past_due, in use unpaid, in use paused · 409 payment_method_in_use: a subscription that is %s counts',
    async (status) => {
      const card = await aSavedCard(world, { userId: await aBuyer() });
      await insertFundedSubscription(world, card, status);
      expect(await remove(card.id)).toMatchObject({ body: { code: 'payment_method_in_use' } });
    },
  );

  it('204: a canceled one does not', async () => {
    const card = await aSavedCard(world, { userId: await aBuyer() });
    await insertFundedSubscription(world, card, 'canceled');
    expect(await remove(card.id)).toMatchObject({ status: 204 });
  });

  it('Spec 7.2.6 · 409 payment_method_reassignment_requires_payer_action: a wallet pays, and another could take over; in_use where none could', async () => {
    const userId = await aBuyer();
    const wallet = await aGateway(world.database, world.client, { provider: 'wallet' });
    const [one, other] = [
      await aSavedCard(world, { userId }),
      await aSavedCard(world, { userId, number: '5555555555554444' }),
    ];
    await plantInDatabase(world.ownerUrl, async (run) => {
      const change = `update payment_methods set provider = 'wallet', type = 'wallet',
        gateway_id = $2 where id = any($1)`;
      await run(change, [[one.id, other.id], wallet.id]);
    });
    await insertFundedSubscription(world, one);
    const { result, calls } = await tap.during(() => remove(one.id));
    expect(result).toMatchObject({
      status: 409,
      body: { code: 'payment_method_reassignment_requires_payer_action' },
    });
    expect(calls).toEqual([]);
    await plantInDatabase(world.ownerUrl, (run) =>
      run(`update payment_methods set provider_customer_id = 'cus_other' where id = $1`, [
        other.id,
      ]),
    );
    expect(await remove(one.id)).toMatchObject({ body: { code: 'payment_method_in_use' } });
  });
});

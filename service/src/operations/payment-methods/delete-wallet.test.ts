// Removing a kept wallet, over HTTP, with real ones. Spec: Payment-method deletion. Contract §5.

import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import {
  endDetachmentLeases,
  insertFundedSubscription,
  listedIds,
  methodEvents,
  methodRow,
} from '../../../test/customers/detachments.ts';
import { aSavedCard, vouchedSession } from '../../../test/customers/saved-cards.ts';
import { callAs } from '../../../test/harness.ts';
import { runRecovery } from '../../../test/payments/checkouts.ts';
import { aServer, type TestServer } from '../../../test/server.ts';
import { aKeptWallet } from '../../../test/wallet/kept-wallets.ts';
import { openWalletShop, type WalletShop } from '../../../test/wallet/wallet-shop.ts';
import { aSession, startWorld, type World } from '../../../test/world.ts';
import type { PaymentMethod } from '../../domain/payments/payment-method.ts';
import { finishDetachments } from '../../engine/runs/payment-methods/finish-detachments.ts';
import { openGateway } from '../../engine/steps/gateways/open-gateway.ts';
import { sql } from '../../storage/database/sql.ts';

let world: World;
let shop: WalletShop;
let server: TestServer;
beforeAll(async () => {
  world = await startWorld();
  shop = await openWalletShop(world);
  server = await aServer(world.ports);
  // The first call of a new process may take longer than a test's time limit.
  await shop.pay(await aSession(world, { captureMethod: 'automatic' })).catch(() => undefined);
});
afterEach(() => world.control('DELETE', '/_control/faults'));
afterAll(async () => {
  await server?.close();
  await world?.close();
});

const remove = async (id: string) => {
  const response = await callAs(server.app, world.token, `DELETE /v1/payment-methods/${id}`);
  return { status: response.statusCode, body: response.body === '' ? null : response.json() };
};
const readAtWallet = async ({ providerPaymentMethodId }: PaymentMethod) => {
  const gateway = await openGateway(world.ports, world.client.id, shop.gatewayId);
  return world.ports.methodKeeper(gateway).retrieveMethod(providerPaymentMethodId ?? '');
};
const defaultOf = sql<{ id: string | null }>(
  'test_wallet_default',
  'select default_payment_method_id as id from customers where id = $1',
);
const readDefault = async (userId: string) =>
  (await world.database.read(defaultOf, [userId]))[0]?.id ?? null;
const tokens = { method: 'DELETE', path: '/v3/vault/payment-tokens/*' };

describe('deletePaymentMethod with a wallet', () => {
  it('204: gone at the wallet and from the list, a bare tombstone; the same again', async () => {
    const { method } = await aKeptWallet(world, shop);
    expect(await readAtWallet(method)).toMatchObject({ kind: 'found' });
    expect(await remove(method.id)).toEqual({ status: 204, body: null });
    expect(await readAtWallet(method)).toMatchObject({ kind: 'missing' });
    expect(await listedIds(server, world.token, method.userId)).toEqual([]);
    expect(await methodRow(world, method.id)).toMatchObject({
      status: 'removed',
      payer_email: null,
      provider_payment_method_id: null,
    });
    expect(await readDefault(method.userId)).toBeNull();
    expect((await methodEvents(world, method.id)).map(({ type }) => type)).toEqual([
      'payment_method.activated',
      'payment_method.deleted',
    ]);
    expect(await remove(method.id)).toEqual({ status: 204, body: null });
  });

  it('409 payment_method_reassignment_requires_payer_action: another wallet would have to agree', async () => {
    const { method: other } = await aKeptWallet(world, shop);
    const { method } = await aKeptWallet(world, shop, { userId: other.userId });
    const { fundedBy: funding } = await insertFundedSubscription(world, method);
    expect(await remove(method.id)).toMatchObject({
      status: 409,
      body: { code: 'payment_method_reassignment_requires_payer_action' },
    });
    expect(await funding()).toBe(method.id);
    expect(await readAtWallet(method)).toMatchObject({ kind: 'found' });
    expect(await listedIds(server, world.token, other.userId)).toHaveLength(2);
  });

  it('409 payment_method_in_use: no other wallet; a card never takes over', async () => {
    const { method } = await aKeptWallet(world, shop);
    await aSavedCard(world, { userId: method.userId });
    const { fundedBy: funding } = await insertFundedSubscription(world, method, 'past_due');
    expect(await remove(method.id)).toMatchObject({
      status: 409,
      body: { code: 'payment_method_in_use' },
    });
    expect(await funding()).toBe(method.id);
    expect(await readAtWallet(method)).toMatchObject({ kind: 'found' });
  });

  it('204 with a subscription that has ended', async () => {
    const { method } = await aKeptWallet(world, shop);
    await insertFundedSubscription(world, method, 'canceled');
    expect(await remove(method.id)).toMatchObject({ status: 204 });
  });

  it('204: the default alone moves to another wallet, for no payer has to agree to that', async () => {
    const { method } = await aKeptWallet(world, shop);
    const { method: other } = await aKeptWallet(world, shop, { userId: method.userId });
    expect(await readDefault(method.userId)).toBe(method.id);
    expect(await remove(method.id)).toMatchObject({ status: 204 });
    expect(await readDefault(method.userId)).toBe(other.id);
    expect(await readAtWallet(other)).toMatchObject({ kind: 'found' });
  });

  it('409 payment_method_has_active_payment: its payer is asked to agree to a charge', async () => {
    const { method } = await aKeptWallet(world, shop, { behaviour: 'needs_payer' });
    const session = await vouchedSession(world, { userId: method.userId });
    const asked = await shop.pay(session, { paymentMethodId: method.id });
    expect(await remove(method.id)).toMatchObject({
      status: 409,
      body: { code: 'payment_method_has_active_payment' },
    });
    await shop.approve(await shop.orderOf(asked));
    await runRecovery(world);
    expect(await remove(method.id)).toMatchObject({ status: 204 });
  });

  it('502 payment_method_deletion_failed: the wallet cannot be read; it stays, listed and usable', async () => {
    const { method } = await aKeptWallet(world, shop);
    const reads = { method: 'GET', path: '/v3/vault/payment-tokens/*' };
    await world.fault(reads, 'error_500', { count: 2 });
    expect(await remove(method.id)).toMatchObject({
      status: 502,
      body: {
        code: 'payment_method_deletion_failed',
        reason: 'verification_failed',
        retrySafe: true,
        resolution: 'retry_delete',
      },
    });
    await world.control('DELETE', '/_control/faults');
    expect(await listedIds(server, world.token, method.userId)).toEqual([method.id]);
    const session = await vouchedSession(world, { userId: method.userId });
    expect(await shop.pay(session, { paymentMethodId: method.id })).toMatchObject({
      type: 'success',
    });
    expect(await remove(method.id)).toMatchObject({ status: 204 });
  });

  it('the answer to the detachment is lost: 204 by what the wallet shows', async () => {
    const { method } = await aKeptWallet(world, shop);
    await world.fault(tokens, 'drop_reply', { count: 2 });
    expect(await remove(method.id)).toMatchObject({ status: 204 });
    expect(await readAtWallet(method)).toMatchObject({ kind: 'missing' });
  });

  it('502, then gone: a detachment that never arrived is sent again by the worker', async () => {
    const { method } = await aKeptWallet(world, shop);
    await world.fault(tokens, 'drop_request', { count: 2 });
    expect(await remove(method.id)).toMatchObject({
      status: 502,
      body: { code: 'payment_method_deletion_failed', retrySafe: true },
    });
    await world.control('DELETE', '/_control/faults');
    await endDetachmentLeases(world);
    await finishDetachments(world.ports, {
      limit: 10,
      onError: (_, error) => {
        throw error;
      },
    });
    expect(await readAtWallet(method)).toMatchObject({ kind: 'missing' });
    expect(await remove(method.id)).toMatchObject({ status: 204 });
  });

  it('204: its payer has let go of it at the wallet before', async () => {
    const { method } = await aKeptWallet(world, shop);
    const gateway = await openGateway(world.ports, world.client.id, shop.gatewayId);
    const methodId = method.providerPaymentMethodId ?? '';
    await world.ports.methodKeeper(gateway).detachMethod({ key: 'elsewhere', methodId });
    expect(await remove(method.id)).toMatchObject({ status: 204 });
  });
});

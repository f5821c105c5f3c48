// Paying with a wallet. Spec: process, `wallet_redirect_required`. Contract §3, Process.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  anonymous,
  bodyOf,
  decline,
  eventsOf,
  paymentsOf,
  recover,
  standing,
} from '../../../test/checkouts.ts';
import { aGateway, newId, sessionCaller } from '../../../test/harness.ts';
import {
  aCardToken,
  aSession,
  type Checkout,
  cards,
  payWith,
  startWorld,
  type World,
} from '../../../test/world.ts';
import { openProviders } from '../../providers/registry.ts';
import { findPayment } from '../../storage/payments.ts';
import { sql } from '../../storage/sql.ts';
import { guardPorts } from '../guard-ports.ts';
import { refuse } from '../implement.ts';
import { operations } from '../index.ts';

type App = { clientId: string; clientSecret: string; merchantId: string };

let world: World;
let app: App;
let providers: ReturnType<typeof openProviders>;
beforeAll(async () => {
  world = await startWorld();
  const { url } = world.sandbox;
  providers = openProviders({
    cardUrl: url,
    walletUrl: url,
    budgetMs: 1500,
    resendMs: 300,
    pauseMs: 20,
    answerMs: 400,
  });
  world.ports = guardPorts({ ...world.ports, provider: providers.provider });
  const account = (await world.control('POST', '/_control/accounts', { name: 'wallet' })) as {
    wallet: App;
  };
  app = account.wallet;
  await aWalletGateway();
  // The first call of a cold process may take longer than a test's patience.
  const warm = await aSession(world, { captureMethod: 'automatic' });
  await pay(warm).catch(() => undefined);
}, 60_000);
afterAll(async () => {
  await providers?.close();
  await world?.close();
});

async function aWalletGateway() {
  const id = newId();
  const place = { clientId: world.client.id, table: 'gateways', rowId: id, field: 'secret_key' };
  await aGateway(world.database, world.client, {
    id,
    provider: 'wallet',
    accountId: app.merchantId,
    publishableKey: app.clientId,
    secretKeySealed: await world.ports.sealed.seal(place, app.clientSecret),
  });
}

const code = (name: string) => expect.objectContaining({ code: name });
type Answer = {
  type: string;
  status?: string;
  paymentId: string;
  redirect?: { url: string; expiresAt: string };
};
const pay = (session: Checkout, more: object = {}) =>
  bodyOf<Answer>(
    operations.processCheckoutSession(
      {
        sessionId: session.sessionId,
        'x-user-id': session.userId,
        body: {
          sessionId: session.sessionId,
          tokenizedData: { provider: 'wallet', type: 'wallet', ...more },
          accountData: { userId: session.userId, email: 'buyer@example.test' },
        },
      },
      sessionCaller(session.nonce),
      world.ports,
      refuse,
    ),
  );
const orderOf = async ({ paymentId }: Answer) =>
  (await findPayment(world.database, world.client.id, paymentId))?.providerIntentId ?? '';
const approve = async (answer: Answer, behaviour = 'completes') =>
  world.control('POST', `/_control/wallet/orders/${await orderOf(answer)}/approve`, { behaviour });
const captures = async (answer: Answer) => {
  const found = await world.control('GET', `/_control/ledger?intent=${await orderOf(answer)}`);
  return (found as { entries: { kind: string }[] }).entries.filter(
    ({ kind }) => kind === 'capture',
  );
};
const aWalletSession = () => aSession(world, { captureMethod: 'automatic' });

describe('processCheckoutSession with a wallet', () => {
  it('wallet_redirect_required, then success: captured once, on return and ever after', async () => {
    const session = await aWalletSession();
    const asked = await pay(session);
    expect(asked).toMatchObject({
      type: 'wallet_redirect_required',
      sessionId: session.sessionId,
      redirect: { url: expect.stringContaining(await orderOf(asked)) },
    });
    expect(await standing(world, session)).toMatchObject({ status: 'requires_action' });
    expect(await pay(session)).toEqual(asked);
    expect(await captures(asked)).toEqual([]);
    await approve(asked);
    const paid = await pay(session);
    expect(paid).toMatchObject({
      type: 'success',
      status: 'succeeded',
      paymentId: asked.paymentId,
    });
    expect(await pay(session)).toEqual(paid);
    expect(await captures(asked)).toHaveLength(1);
    expect(await eventsOf(world, asked.paymentId)).toEqual(['item.purchased']);
    expect(await findPayment(world.database, world.client.id, asked.paymentId)).toMatchObject({
      provider: 'wallet',
      status: 'succeeded',
    });
  });

  it('the open order stands in gateways.wallet, and its id is taken as the token', async () => {
    const session = await aWalletSession();
    const read = () =>
      bodyOf<{ gateways: object }>(
        operations.getCheckoutSession(
          { checkoutSessionId: session.sessionId },
          sessionCaller(session.nonce),
          world.ports,
          refuse,
        ),
      );
    expect((await read()).gateways).not.toHaveProperty('wallet');
    const asked = await pay(session);
    const orderId = await orderOf(asked);
    expect((await read()).gateways).toMatchObject({ wallet: { clientId: app.clientId, orderId } });
    await approve(asked);
    await expect(pay(session, { token: 'ANOTHER-ORDER' })).rejects.toEqual(code('invalid_request'));
    expect(await pay(session, { token: orderId })).toMatchObject({ type: 'success' });
    expect((await read()).gateways).not.toHaveProperty('wallet');
  });

  it('10 calls at once make one order, and one capture after the approval', async () => {
    const session = await aWalletSession();
    const many = () => Promise.all(Array.from({ length: 10 }, () => pay(session)));
    const asked = await many();
    expect(new Set(asked.map(({ paymentId }) => paymentId)).size).toBe(1);
    expect(await paymentsOf(world, session)).toHaveLength(1);
    await approve(asked[0] as Answer);
    for (const { type } of await many()) expect(type).toBe('success');
    expect(await captures(asked[0] as Answer)).toHaveLength(1);
  });

  it('an approval that nobody came back for is captured by the worker', async () => {
    const session = await aWalletSession();
    const asked = await pay(session);
    await approve(asked);
    await recover(world);
    expect(await standing(world, session)).toMatchObject({ status: 'completed' });
    expect(await captures(asked)).toHaveLength(1);
  });

  it('an order that nobody approved within the hour is given up, and the session is open', async () => {
    const session = await aWalletSession();
    const asked = await pay(session);
    const age = sql(
      'test_age_order',
      `update payment_operations set first_sent_at = first_sent_at - interval '61 minutes'
       where payment_id = $1`,
    );
    await world.database.write(age, [asked.paymentId]);
    await recover(world);
    expect(await standing(world, session)).toMatchObject({
      status: 'open',
      latestTransactionAttempt: { result: 'CANCELED' },
    });
  });

  it('wallet_canceled gives the order up; the buyer may choose again', async () => {
    const session = await aWalletSession();
    const asked = await pay(session);
    await decline(world, session, { reason: 'wallet_canceled' });
    expect(await standing(world, session)).toMatchObject({
      status: 'open',
      latestTransactionAttempt: { result: 'CANCELED' },
    });
    const again = await pay(session);
    expect(again).toMatchObject({ type: 'wallet_redirect_required' });
    expect(await orderOf(again)).not.toBe(await orderOf(asked));
  });

  it('a card while the order is open gives it up first: charged once, also when approved late', async () => {
    const session = await aWalletSession();
    const asked = await pay(session);
    const token = await aCardToken(world, session, cards.approved);
    expect(await payWith(world, session, token)).toMatchObject({ body: { type: 'success' } });
    await approve(asked).catch(() => undefined);
    await recover(world);
    expect(await captures(asked)).toEqual([]);
    const payments = await paymentsOf(world, session);
    expect(payments.map(({ status }) => status)).toEqual(['failed', 'succeeded']);
  });

  it('422 capture_method_not_supported: a hold, and a subscription, before anything is asked', async () => {
    const held = await aSession(world, { captureMethod: 'manual' });
    await expect(pay(held)).rejects.toEqual(code('capture_method_not_supported'));
    const userId = newId();
    const { id, nonce } = await bodyOf<{ id: string; nonce: string }>(
      operations.createCheckoutSession(
        {
          body: {
            clientId: world.client.id,
            currency: 'EUR',
            products: [{ code: 'club', quantity: 1 }],
            accountData: { userId, email: 'buyer@example.test' },
          },
        },
        anonymous,
        world.ports,
        refuse,
      ),
    );
    const renewing = { sessionId: id, nonce, userId, mountToken: '' };
    await expect(pay(renewing)).rejects.toEqual(code('capture_method_not_supported'));
    expect(await paymentsOf(world, held)).toEqual([]);
    expect(await paymentsOf(world, renewing)).toEqual([]);
  });

  it('502 gateway_unavailable: the merchant has no wallet · 403 buyer_mismatch', async () => {
    const session = await aWalletSession();
    const off = sql(
      'test_wallet_off',
      "update gateways set is_active = $2 where client_id = $1 and provider = 'wallet'",
    );
    await world.database.write(off, [world.client.id, false]);
    await expect(pay(session)).rejects.toEqual(code('gateway_unavailable'));
    await world.database.write(off, [world.client.id, true]);
    await expect(pay({ ...session, userId: newId() })).rejects.toEqual(code('buyer_mismatch'));
    await expect(pay(session, { type: 'card' })).rejects.toEqual(code('invalid_request'));
  });
});

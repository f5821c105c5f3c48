// What a page says when it confirms an intent: what it may say, and what becomes of an intent that was
// confirmed otherwise than its session asks. Contract §3, Confirmation in the page.

import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { askProvider } from '../../../test/customers/hosted-cards.ts';
import { confirmInPage, type PageIntent, pageIntent } from '../../../test/customers/in-page.ts';
import {
  aProviderCard,
  aSavedCard,
  confirmOfferedCard,
  vouchedSession,
} from '../../../test/customers/saved-cards.ts';
import { methodsOf } from '../../../test/customers/setups.ts';
import { callerOf } from '../../../test/harness.ts';
import { eventsOf, paymentsOf, readState, runRecovery } from '../../../test/payments/checkouts.ts';
import { deliverNotice, providerEvents, readAllNotices } from '../../../test/payments/notices.ts';
import { reconcileAll } from '../../../test/payments/reconcile.ts';
import { aSession, type Checkout, cards, startWorld, type World } from '../../../test/world.ts';
import { refuse } from '../../engine/implement.ts';
import { runAudit } from '../../engine/runs/audit/run-audit.ts';
import { openGateway } from '../../engine/steps/gateways/open-gateway.ts';
import { findPayment } from '../../storage/payments/payments.ts';
import { operations } from '../index.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world?.close());

const cardOf = (number: string) => aProviderCard(world, number);
/** Confirms with the secret key, which may say more than a page: nothing proves what a provider takes. */
const confirmAs = async ({ intentId }: PageIntent, fields: Record<string, string>) =>
  (await askProvider(world, `payment_intents/${intentId}/confirm`, fields)).status;
const kindsOf = async ({ intentId }: PageIntent) =>
  (await world.ledger(intentId)).map(({ kind, amount }) => `${kind} ${amount}`);
const paymentOf = ({ paymentId }: PageIntent) =>
  findPayment(world.database, world.client.id, paymentId);
const readNoticesOf = async ({ intentId }: PageIntent) => {
  for (const event of await providerEvents(world, intentId)) await deliverNotice(world, event);
  await readAllNotices(world);
};
async function isSound() {
  const { seen } = await reconcileAll(world.ports, { isSettling: true });
  expect(seen).toEqual([]);
  const { results } = await runAudit({ url: world.url });
  expect(results.filter(({ violations }) => violations > 0)).toEqual([]);
}

describe('an intent that was confirmed with another capture method than its session’s', () => {
  it('a hold of a session that pays at once is captured, and told as paid alone', async () => {
    const session = await aSession(world, { captureMethod: 'automatic' });
    const intent = await pageIntent(world, session);
    const payment_method = await cardOf(cards.approved);
    const fields = { payment_method, capture_method: 'manual' };
    expect(await confirmAs(intent, fields)).toBe('requires_capture');
    await runRecovery(world);
    expect(await paymentOf(intent)).toMatchObject({ status: 'succeeded', capturedMinor: 1990 });
    expect(await readState(world, session)).toMatchObject({ status: 'completed' });
    expect(await eventsOf(world, intent.paymentId)).toEqual(['item.purchased']);
    expect(await kindsOf(intent)).toEqual(['authorize 1990', 'capture 1990']);
    await readNoticesOf(intent);
    await isSound();
  });

  it('the answer to that capture is lost: captured once', async () => {
    const intent = await pageIntent(world, await aSession(world, { captureMethod: 'automatic' }));
    const payment_method = await cardOf(cards.approved);
    await confirmAs(intent, { payment_method, capture_method: 'manual' });
    const object = intent.intentId;
    await world.fault({ method: 'POST', object }, 'drop_reply', { count: 2 });
    await world.fault({ method: 'GET', object }, 'stale_read', { count: 2 });
    for (const _ of [1, 2, 3]) await runRecovery(world);
    await world.control('DELETE', '/_control/faults');
    await runRecovery(world);
    expect(await paymentOf(intent)).toMatchObject({ status: 'succeeded' });
    expect(await eventsOf(world, intent.paymentId)).toEqual(['item.purchased']);
    expect(await kindsOf(intent)).toEqual(['authorize 1990', 'capture 1990']);
  });

  it('the bank does not give what it held: released, and declined', async () => {
    const session = await aSession(world, { captureMethod: 'automatic' });
    const intent = await pageIntent(world, session);
    const payment_method = await cardOf(cards.approved);
    await confirmAs(intent, { payment_method, capture_method: 'manual' });
    await world.fault({ path: `/v1/payment_intents/${intent.intentId}/capture` }, 'decline');
    await runRecovery(world);
    expect(await paymentOf(intent)).toMatchObject({ status: 'failed', capturedMinor: 0 });
    expect(await kindsOf(intent)).toEqual(['authorize 1990', 'void 1990']);
    expect(await readState(world, session)).toMatchObject({ status: 'open' });
  });

  it('money taken of a session that holds is returned, told as failed, and the buyer may pay again', async () => {
    const session = await aSession(world, { captureMethod: 'manual' });
    const intent = await pageIntent(world, session);
    const payment_method = await cardOf(cards.approved);
    const fields = { payment_method, capture_method: 'automatic' };
    expect(await confirmAs(intent, fields)).toBe('succeeded');
    await runRecovery(world);
    expect(await paymentOf(intent)).toMatchObject({
      status: 'failed',
      failureCode: 'confirmed_otherwise',
      capturedMinor: 0,
    });
    expect(await eventsOf(world, intent.paymentId)).toEqual(['payment.failed']);
    expect(await kindsOf(intent)).toEqual(['authorize 1990', 'capture 1990', 'refund 1990']);
    expect(await readState(world, session)).toMatchObject({
      status: 'open',
      latestTransactionAttempt: { result: 'CANCELED' },
    });
    await readNoticesOf(intent);
    await isSound();
    const next = await pageIntent(world, session);
    expect(await confirmInPage(world, next, cards.approved)).toEqual({
      status: 'requires_capture',
    });
    await runRecovery(world);
    expect(await readState(world, session)).toMatchObject({ status: 'authorized' });
  });

  it('the answer to that refund is lost: returned once, and undecided until it is seen', async () => {
    const session = await aSession(world, { captureMethod: 'manual' });
    const intent = await pageIntent(world, session);
    const payment_method = await cardOf(cards.approved);
    await confirmAs(intent, { payment_method, capture_method: 'automatic' });
    await world.fault({ method: 'POST', path: '/v1/refunds' }, 'drop_reply', { count: 2 });
    await world.fault({ method: 'GET', path: '/v1/refunds' }, 'drop_request', { count: 9 });
    await runRecovery(world);
    expect(await paymentOf(intent)).toMatchObject({ status: 'unknown' });
    expect(await eventsOf(world, intent.paymentId)).toEqual([]);
    await world.control('DELETE', '/_control/faults');
    await runRecovery(world);
    expect(await paymentOf(intent)).toMatchObject({ status: 'failed' });
    expect(await kindsOf(intent)).toEqual(['authorize 1990', 'capture 1990', 'refund 1990']);
  });

  it('the bank’s question is still open: the intent is closed, and no money is taken', async () => {
    const session = await aSession(world, { captureMethod: 'manual' });
    const intent = await pageIntent(world, session);
    const fields = {
      payment_method: await cardOf(cards.needs3ds),
      capture_method: 'automatic',
      return_url: 'https://shop.example/back',
    };
    expect(await confirmAs(intent, fields)).toBe('requires_action');
    await runRecovery(world);
    expect(await paymentOf(intent)).toMatchObject({ failureCode: 'confirmed_otherwise' });
    expect(await kindsOf(intent)).toEqual([]);
    expect(await confirmInPage(world, intent, cards.approved)).toHaveProperty('code');
  });
});

/** The table of the contract: each parameter, and whether a page may say it. */
const listed = [
  ...readFileSync(`${import.meta.dirname}/../../../../docs/spec/contract.md`, 'utf8').matchAll(
    /^\| `(\w+)` \| (may say|refused) \|/gm,
  ),
].map(([, name = '', word = '']) => ({ name, word }));

const address = { 'shipping[name]': 'Ada', 'shipping[address][line1]': '1 Main Street' };
/** A value that differs from what the service asks for. */
const values: Readonly<Record<string, Record<string, string>>> = {
  shipping: address,
  mandate_data: {
    'mandate_data[customer_acceptance][type]': 'online',
    'mandate_data[customer_acceptance][online][ip_address]': '::1',
    'mandate_data[customer_acceptance][online][user_agent]': 'browser',
  },
  payment_method_options: { 'payment_method_options[card][request_three_d_secure]': 'any' },
  receipt_email: { receipt_email: 'stranger@example.com' },
  return_url: { return_url: 'https://elsewhere.example/' },
  setup_future_usage: { setup_future_usage: 'off_session' },
  capture_method: { capture_method: 'automatic' },
  amount: { amount: '1' },
  currency: { currency: 'usd' },
  off_session: { off_session: 'true' },
  error_on_requires_action: { error_on_requires_action: 'true' },
  allowed_payment_method_types: { 'allowed_payment_method_types[0]': 'card' },
};

describe('Contract §3 Confirmation in the page: each parameter', () => {
  it('the table has every parameter that a confirmation takes', () => {
    const names = listed.map(({ name }) => name);
    expect(names.toSorted()).toEqual(['payment_method', ...Object.keys(values)].toSorted());
  });

  it.each(listed)(
    '$name: a page $word it, and the hold is the session’s',
    async ({ name, word }) => {
      const session = await aSession(world, { captureMethod: 'manual' });
      const intent = await pageIntent(world, session);
      const payment_method = await cardOf(cards.approved);
      const { status, code } = await confirmOfferedCard(
        world,
        intent,
        payment_method,
        values[name],
      );
      await runRecovery(world);
      const [payment] = await paymentsOf(world, session);
      if (word === 'refused') {
        expect(code).toMatch(/^(secret_key_required|parameter_unknown)$/);
        expect(payment).toMatchObject({ status: 'pending' });
        return;
      }
      expect(status).toBe('requires_capture');
      expect(payment).toMatchObject({ status: 'authorized' });
      expect(await eventsOf(world, intent.paymentId)).toEqual(['payment.authorized']);
      expect(await kindsOf(intent)).toEqual(['authorize 1990']);
    },
  );
});

describe('a card that the provider keeps without having been asked by us', () => {
  /** A buyer with a saved card, and the provider's customer. */
  async function aBuyer() {
    const session = await vouchedSession(world);
    const method = await aSavedCard(world, { userId: session.userId });
    return { session, method, customerId: method.providerCustomerId ?? '' };
  }
  const keptAt = async (customerId: string) => {
    const gateway = await openGateway(world.ports, world.client.id, world.gatewayId);
    const listed = await world.ports.methodKeeper(gateway).listMethods(customerId);
    return listed.kind === 'found' ? listed.methodIds : [];
  };
  const forget = ({ userId }: Checkout) =>
    operations.forgetCustomer({ customerId: userId }, callerOf(world.token), world.ports, refuse);

  it('an intent for a saved card, confirmed with another one and setup_future_usage: listed, and removed with the customer', async () => {
    const { session, method, customerId } = await aBuyer();
    const intent = await pageIntent(world, session, { paymentMethod: method.id });
    const other = await cardOf('5555555555554444');
    const more = { setup_future_usage: 'off_session' };
    expect(await confirmOfferedCard(world, intent, other, more)).toEqual({ status: 'succeeded' });
    await runRecovery(world);
    expect(await readState(world, session)).toMatchObject({ status: 'completed' });
    const listedMethods = await methodsOf(world, session);
    expect(listedMethods).toContainEqual(
      expect.objectContaining({ status: 'active', last_four: '4444' }),
    );
    expect(await keptAt(customerId)).toHaveLength(2);
    await isSound();
    expect(await forget(session)).toMatchObject({ status: 200 });
    expect(await keptAt(customerId)).toEqual([]);
  });

  it('forgetCustomer empties the provider’s own list, also of cards without a row', async () => {
    const { session, method, customerId } = await aBuyer();
    const intent = await pageIntent(world, session, { paymentMethod: method.id });
    await confirmOfferedCard(world, intent);
    await runRecovery(world);
    const unlisted = await cardOf(cards.approved);
    await askProvider(world, `payment_methods/${unlisted}/attach`, { customer: customerId });
    expect(await keptAt(customerId)).toHaveLength(2);
    await world.fault({ path: `/v1/payment_methods/${unlisted}/detach` }, 'drop_request', {
      count: 9,
    });
    await expect(forget(session)).rejects.toMatchObject({
      code: 'payment_method_deletion_failed',
      facts: { retrySafe: true },
    });
    await world.control('DELETE', '/_control/faults');
    expect(await forget(session)).toMatchObject({ status: 200 });
    expect(await keptAt(customerId)).toEqual([]);
  });
});

// Tests of the wallet's notices that it saved a payer: in any order and number, also when no
// response reported it before. docs/decisions/wallet.md.

import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import {
  beginDetachment,
  methodsOf,
  vouchedSession,
} from '../../../../test/customers/saved-cards.ts';
import { endAll, subscriptionsOfSession } from '../../../../test/customers/subscriptions.ts';
import { sessionCaller } from '../../../../test/harness.ts';
import { bodyOf, eventsOf, readState, runRecovery } from '../../../../test/payments/checkouts.ts';
import { readAllNotices } from '../../../../test/payments/notices.ts';
import { advance, plantInDatabase } from '../../../../test/payments/planted.ts';
import { aServer, type TestServer } from '../../../../test/server.ts';
import { aKeptWallet, payAndKeep } from '../../../../test/wallet/kept-wallets.ts';
import { openWalletShop, type WalletShop } from '../../../../test/wallet/wallet-shop.ts';
import { startWorld, type World } from '../../../../test/world.ts';
import { operations } from '../../../operations/index.ts';
import { sql } from '../../../storage/database/sql.ts';
import { refuse } from '../../implement.ts';
import type { Ports } from '../../ports.ts';
import { openGateway } from '../../steps/gateways/open-gateway.ts';
import { expireSessions } from '../checkout-sessions/expire-sessions.ts';
import { receiveNotice } from './receive-notice.ts';

let world: World;
let shop: WalletShop;
let server: TestServer;
const answers: string[] = [];

beforeAll(async () => {
  world = await startWorld();
  shop = await openWalletShop(world);
  server = await aServer(world.ports, {
    receiveNotice: async (notice, ports) => {
      const answer = await receiveNotice(notice, ports);
      answers.push(answer);
      return answer;
    },
  });
  await shop.tell(server);
});
afterEach(async () => {
  await world.control('DELETE', '/_control/faults');
  await release();
  await readAllNotices(world);
  answers.length = 0;
});
afterAll(async () => {
  await server?.close();
  await world?.close();
});

const club = [{ code: 'club', quantity: 1 }];
const holdWebhooks = () => world.control('POST', '/_control/faults', { action: 'hold_webhooks' });
const release = (wanted: object = {}) =>
  world.control('POST', '/_control/wallet/webhooks/release', wanted);
const outcomes = sql<{ outcome: string | null }>(
  'test_token_outcomes',
  `select outcome from provider_inbox where gateway_id = $1
     and type = 'VAULT.PAYMENT-TOKEN.CREATED' order by received_at desc`,
);
const lastOutcome = async () => (await world.database.read(outcomes, [shop.gatewayId]))[0]?.outcome;
const expire = (ports: Ports = world.ports) =>
  expireSessions(ports, {
    limit: 50,
    onError: (_, error) => {
      throw error;
    },
  });

describe('VAULT.PAYMENT-TOKEN.CREATED', () => {
  it.each(['fifo', 'lifo', 'shuffle'])(
    'kept later, told %s and some of it twice: active once, and what it buys is subscribed to once',
    async (order) => {
      await holdWebhooks();
      const { session, method, orderId } = await payAndKeep(world, shop, {
        behaviour: 'saved_later',
        products: club,
      });
      expect(await readState(world, session)).toMatchObject({ status: 'completed' });
      expect(method).toMatchObject({ status: 'pending' });
      expect(await subscriptionsOfSession(world, session)).toEqual([]);
      await advance(world, 4);
      await release({ order, duplicates: 3, seed: order });
      expect(answers).toContain('stored');
      await readAllNotices(world);
      await runRecovery(world);
      await readAllNotices(world);
      expect(await methodsOf(world, session.userId)).toMatchObject([
        { id: method.id, status: 'active', type: 'wallet', payerEmail: expect.any(String) },
      ]);
      expect(await eventsOf(world, method.id)).toEqual(['payment_method.activated']);
      expect(await subscriptionsOfSession(world, session)).toMatchObject([
        { payment_method_id: method.id },
      ]);
      expect(await shop.movements(orderId)).toHaveLength(1);
      await endAll(world);
    },
  );

  it('said by the payment before: the notice changes nothing, and asks the wallet nothing', async () => {
    await holdWebhooks();
    const { method } = await aKeptWallet(world, shop);
    await world.control('DELETE', '/_control/faults');
    await release();
    const before = await countReads();
    await readAllNotices(world);
    expect(await lastOutcome()).toBe('nothing_to_change');
    expect(await countReads()).toBe(before);
    expect(await eventsOf(world, method.id)).toEqual(['payment_method.activated']);
  });

  it('before the payment is settled: kept for later, then nothing is left to do', async () => {
    const session = await vouchedSession(world);
    const asked = await shop.pay(session, { saveForLater: true });
    await shop.approve(await shop.orderOf(asked));
    expect(await shop.pay(session, {}, losingPorts())).toMatchObject({ type: 'processing' });
    await expect.poll(() => answers.length).toBe(3);
    await readAllNotices(world);
    expect(await lastOutcome()).toBeNull();
    await runRecovery(world);
    expect(await methodsOf(world, session.userId)).toMatchObject([{ status: 'active' }]);
    await readAllNotices(world);
    expect(await lastOutcome()).toBe('nothing_to_change');
  });

  it('a token that cannot be read activates nothing until it can', async () => {
    await holdWebhooks();
    const { session } = await payAndKeep(world, shop, { behaviour: 'saved_later' });
    await advance(world, 4);
    await world.control('DELETE', '/_control/faults');
    await release();
    await world.fault({ method: 'GET', path: '/v3/vault/payment-tokens/*' }, 'error_500', {
      count: 4,
    });
    await readAllNotices(world);
    expect(await lastOutcome()).toBeNull();
    expect(await methodsOf(world, session.userId)).toMatchObject([{ status: 'pending' }]);
    await world.control('DELETE', '/_control/faults');
    await readAllNotices(world);
    expect(await lastOutcome()).toBe('settled');
    expect(await methodsOf(world, session.userId)).toMatchObject([{ status: 'active' }]);
  });
});

describe('a wallet that is kept once more, or removed while it is pending', () => {
  const takeToken = sql(
    'test_take_token',
    'update payment_methods set provider_payment_method_id = $2 where id = $1',
  );
  const tokenOf = async (orderId: string): Promise<string> => {
    const gateway = await openGateway(world.ports, world.client.id, shop.gatewayId);
    const reading = await world.ports.provider(gateway).retrieve(orderId);
    const saved = reading.kind === 'found' ? reading.payment.saved : undefined;
    return saved?.providerPaymentMethodId ?? '';
  };

  it('the wallet names the token that it kept before: one method, which funds what was bought', async () => {
    await world.control('POST', '/_control/faults', { action: 'drop_webhook', count: 50 });
    const { method: first, session } = await aKeptWallet(world, shop);
    const again = await payAndKeep(world, shop, {
      userId: session.userId,
      behaviour: 'saved_later',
      products: club,
    });
    await advance(world, 4);
    const token = await tokenOf(again.orderId);
    await plantInDatabase(world.ownerUrl, (run) => run(takeToken.text, [first.id, token]));
    await advance(world, 3601);
    await expire();
    expect(await methodsOf(world, session.userId)).toMatchObject([{ id: first.id }]);
    expect(await subscriptionsOfSession(world, again.session)).toMatchObject([
      { payment_method_id: first.id },
    ]);
    await endAll(world);
  });

  it('claimed by a detachment: neither usable nor charged again', async () => {
    await holdWebhooks();
    const { session, method } = await payAndKeep(world, shop, {
      behaviour: 'saved_later',
      products: club,
    });
    await beginDetachment(world, method.id);
    await advance(world, 4);
    await release();
    await readAllNotices(world);
    expect(await methodsOf(world, session.userId)).toMatchObject([{ status: 'pending' }]);
    expect(await subscriptionsOfSession(world, session)).toEqual([]);
  });
});

describe('a notice that never comes', () => {
  it('the wallet is looked at once more before what is pending is forgotten', async () => {
    await world.control('POST', '/_control/faults', { action: 'drop_webhook', count: 50 });
    const kept = await payAndKeep(world, shop, { behaviour: 'saved_later', products: club });
    const never = await payAndKeep(world, shop, { behaviour: 'not_saved', products: club });
    await expire();
    expect(await methodsOf(world, kept.session.userId)).toMatchObject([{ status: 'pending' }]);
    await advance(world, 3601);
    await expire();
    expect(await methodsOf(world, kept.session.userId)).toMatchObject([{ status: 'active' }]);
    expect(await subscriptionsOfSession(world, kept.session)).toHaveLength(1);
    expect(await methodsOf(world, never.session.userId)).toEqual([]);
    expect(await subscriptionsOfSession(world, never.session)).toEqual([]);
    await endAll(world);
  });
});

describe('the last look at a wallet that is kept later', () => {
  const orders = { method: 'GET', path: '/v2/checkout/orders/*' };
  const dropAndAdvance = async () => {
    await world.control('POST', '/_control/faults', { action: 'drop_webhook', count: 50 });
    const kept = await payAndKeep(world, shop, { behaviour: 'saved_later', products: club });
    await advance(world, 4);
    await world.control('DELETE', '/_control/faults');
    return kept;
  };
  const failReads = () => world.fault(orders, 'error_500', { count: 50 });

  it('cannot be had: it is looked at again, and what was bought starts', async () => {
    const { session } = await dropAndAdvance();
    await advance(world, 3601);
    await failReads();
    await expire();
    expect(await methodsOf(world, session.userId)).toMatchObject([{ status: 'pending' }]);
    await world.control('DELETE', '/_control/faults');
    await expire();
    expect(await methodsOf(world, session.userId)).toMatchObject([{ status: 'active' }]);
    expect(await subscriptionsOfSession(world, session)).toHaveLength(1);
    await endAll(world);
  });

  it('cannot be had for a day: forgotten', async () => {
    const { session } = await dropAndAdvance();
    await advance(world, 24 * 3600 - 60);
    await failReads();
    await expire();
    expect(await methodsOf(world, session.userId)).toMatchObject([{ status: 'pending' }]);
    await advance(world, 120);
    await expire();
    expect(await methodsOf(world, session.userId)).toEqual([]);
  });

  it('never makes sense: it keeps no older one of the same wallet waiting', async () => {
    const first = await dropAndAdvance();
    await advance(world, 600);
    const second = await dropAndAdvance();
    await advance(world, 3601);
    const path = `/v2/checkout/orders/${second.orderId}`;
    await world.fault({ method: 'GET', path }, 'wrong_id', { count: 50 });
    await expire();
    expect(await methodsOf(world, second.session.userId)).toMatchObject([{ status: 'pending' }]);
    expect(await methodsOf(world, first.session.userId)).toMatchObject([{ status: 'active' }]);
    await world.control('DELETE', '/_control/faults');
    await expire();
    await endAll(world);
  });

  it('takes long: one whose hour ends meanwhile is not forgotten without its own', async () => {
    await dropAndAdvance();
    await advance(world, 600);
    const { session } = await dropAndAdvance();
    await advance(world, 3001);
    let hasPassed = false;
    const slow: Ports = {
      ...world.ports,
      provider: (gateway) => {
        const provider = world.ports.provider(gateway);
        const retrieve: typeof provider.retrieve = async (orderId) => {
          if (!hasPassed) await advance(world, 1200);
          hasPassed = true;
          return provider.retrieve(orderId);
        };
        return { ...provider, retrieve };
      },
    };
    await expire(slow);
    expect(hasPassed).toBe(true);
    expect(await methodsOf(world, session.userId)).toMatchObject([{ status: 'pending' }]);
    await expire();
    expect(await methodsOf(world, session.userId)).toMatchObject([{ status: 'active' }]);
    await endAll(world);
  });

  it('breaks off: told, and sessions run out all the same', async () => {
    const { session } = await dropAndAdvance();
    const due = await vouchedSession(world);
    await advance(world, 25 * 3600);
    const errors: unknown[] = [];
    const broken: Ports = {
      ...world.ports,
      sealed: { ...world.ports.sealed, open: () => Promise.reject(new Error('sealed elsewhere')) },
    };
    const options = {
      limit: 50,
      onError: (one: { id: string }, error: unknown) => errors.push([one.id, error]),
    };
    await expireSessions(broken, options);
    expect(errors).toContainEqual([session.sessionId, new Error('sealed elsewhere')]);
    expect(await readState(world, due)).toMatchObject({ status: 'expired' });
  });
});

describe('an order that was ready and saves', () => {
  it('approved, and its buyer never came back: the notice pays, keeps and subscribes', async () => {
    await holdWebhooks();
    const session = await vouchedSession(world, { products: club });
    const { gateways } = await bodyOf<{ gateways: { wallet?: { orderId: string } } }>(
      operations.getCheckoutSession(
        { checkoutSessionId: session.sessionId },
        sessionCaller(session.nonce),
        world.ports,
        refuse,
      ),
    );
    await shop.approve(gateways.wallet?.orderId ?? '');
    await release();
    await readAllNotices(world);
    await runRecovery(world);
    expect(await readState(world, session)).toMatchObject({ status: 'completed' });
    const [method] = await methodsOf(world, session.userId);
    expect(method).toMatchObject({ status: 'active', type: 'wallet' });
    expect(await subscriptionsOfSession(world, session)).toMatchObject([
      { payment_method_id: method?.id },
    ]);
    await endAll(world);
  });
});

/** Ports whose wallet captures and whose responses are lost. */
const losingPorts = (): Ports => ({
  ...world.ports,
  provider: (gateway) => {
    const provider = world.ports.provider(gateway);
    return {
      ...provider,
      authorize: async (call) => {
        const { trace } = await provider.authorize(call);
        return { kind: 'in_doubt', cause: 'no_answer', trace };
      },
    };
  },
});

async function countReads(): Promise<number> {
  const { requests } = (await world.control('GET', '/_control/requests')) as { requests: object[] };
  return requests.length;
}

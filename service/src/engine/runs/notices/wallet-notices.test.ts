// The wallet's notices over HTTP. Reliability §2.5: any number and order of genuine notices ends in
// the wallet's state (W1, W2), and a notice that is not genuine changes nothing (W3).

import { createSign, generateKeyPairSync } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { callerOf, moveClock, newId } from '../../../../test/harness.ts';
import { readState, runRecovery } from '../../../../test/payments/checkouts.ts';
import { aPurchase } from '../../../../test/payments/disputes.ts';
import { readAllNotices } from '../../../../test/payments/notices.ts';
import { plantInDatabase } from '../../../../test/payments/planted.ts';
import { aServer, type TestServer } from '../../../../test/server.ts';
import { openWalletShop, type WalletShop } from '../../../../test/wallet/wallet-shop.ts';
import { aSession, startWorld, type World } from '../../../../test/world.ts';
import { operations } from '../../../operations/index.ts';
import { sql } from '../../../storage/database/sql.ts';
import { findPayment } from '../../../storage/payments/payments.ts';
import { refuse } from '../../implement.ts';
import { listLostNotices } from './list-lost-notices.ts';
import { receiveNotice } from './receive-notice.ts';

type Webhook = { gatewayId: string; rawBody: Buffer; headers: Record<string, unknown> };

let world: World;
let shop: WalletShop;
let server: TestServer;
let webhookId: string;
const received: Webhook[] = [];
const answers: string[] = [];

beforeAll(async () => {
  world = await startWorld();
  shop = await openWalletShop(world);
  server = await aServer(world.ports, {
    receiveNotice: async (notice, ports) => {
      const answer = await receiveNotice(notice, ports);
      received.push(notice as Webhook);
      answers.push(answer);
      return answer;
    },
  });
  webhookId = await shop.tell(server);
});
afterEach(async () => {
  await world.control('DELETE', '/_control/faults');
  // Waits for all notices that a test caused: the next test would count late ones as its own.
  await expect.poll(underWay).toEqual([]);
  received.length = 0;
  answers.length = 0;
});
afterAll(async () => {
  await server?.close();
  await world?.close();
});

const holdHooks = () => world.control('POST', '/_control/faults', { action: 'hold_webhooks' });
type WaitingNotice = { state: string };
const underWay = async (): Promise<WaitingNotice[]> => {
  const listed = await world.control('GET', '/_control/wallet/webhooks');
  const { deliveries } = listed as { deliveries: WaitingNotice[] };
  return deliveries.filter(({ state }) => state === 'pending' || state === 'sending');
};
const release = async (wanted: object): Promise<number> => {
  const sent = await world.control('POST', '/_control/wallet/webhooks/release', wanted);
  return (sent as { arrived: number }).arrived;
};
const paymentOf = async (id: string) => {
  const payment = await findPayment(world.database, world.client.id, id);
  if (!payment) throw new Error(`payment ${id} is missing`);
  return payment;
};
const stateOf = async (id: string) => {
  const { status, refundedMinor } = await paymentOf(id);
  return { status, refundedMinor };
};

/** Runs the workers until they find no more work. */
async function runWorkers(): Promise<void> {
  for (let pass = 0; pass < 4; pass++) {
    await readAllNotices(world);
    await runRecovery(world);
  }
}

const countNotices = sql<{ n: number }>(
  'test_count_wallet_notices',
  'select count(*)::int as n from provider_inbox where gateway_id = $1',
);
const stored = async () => (await world.database.read(countNotices, [shop.gatewayId]))[0]?.n;

/** Creates an order that its buyer has approved and that nothing has captured. */
async function anApproved(behaviour = 'completes') {
  const session = await aSession(world, { captureMethod: 'automatic' });
  const { paymentId } = await shop.pay(session);
  const orderId = await shop.orderOf({ paymentId });
  await shop.approve(orderId, behaviour);
  return { session, paymentId, orderId };
}

async function aPaid(behaviour = 'completes') {
  const approved = await anApproved(behaviour);
  await shop.pay(approved.session);
  const { gatewayChargeId } = await paymentOf(approved.paymentId);
  return { ...approved, captureId: gatewayChargeId ?? '' };
}

const refundByApi = (paymentId: string, amount: number) => {
  const digest = Buffer.alloc(32, newId());
  return operations.createRefund(
    {
      paymentId,
      body: { amount },
      idempotencyKey: newId(),
      rawSha256: digest,
      canonSha256: digest,
    },
    callerOf(world.token),
    world.ports,
    refuse,
  );
};

const moveByHand = (captureId: string, what: 'refund' | 'reverse', amount: number) =>
  world.control('POST', `/_control/wallet/captures/${captureId}/${what}`, { amount });
const passTime = (seconds: number) => world.control('POST', '/_control/clock/advance', { seconds });

describe('genuine notices, over HTTP', () => {
  it('an approval whose buyer never came back is captured, once, and the session completed', async () => {
    const { session, paymentId, orderId } = await anApproved();
    await expect.poll(() => answers).toContain('stored');
    expect(world.nudged).toContain('read-notices');
    await readAllNotices(world);
    expect(world.nudged).toContain('settle-in-doubt');
    await runRecovery(world);
    expect(await readState(world, session)).toMatchObject({ status: 'completed' });
    expect(await shop.movements(orderId)).toMatchObject([{ kind: 'capture', amount: 1990 }]);
    expect(await stateOf(paymentId)).toEqual({ status: 'succeeded', refundedMinor: 0 });
  });

  /** What happened at the wallet, and the state in which the payment must end. */
  const histories: Record<
    string,
    { play: () => Promise<string>; ends: { status: string; refundedMinor: number } }
  > = {
    'captured at once': {
      play: async () => (await aPaid()).paymentId,
      ends: { status: 'succeeded', refundedMinor: 0 },
    },
    'pending, then captured': {
      play: async () => {
        const { paymentId } = await aPaid('pends');
        expect(await stateOf(paymentId)).toMatchObject({ status: 'processing' });
        await passTime(4);
        return paymentId;
      },
      ends: { status: 'succeeded', refundedMinor: 0 },
    },
    'pending, then denied': {
      play: async () => {
        const { paymentId } = await aPaid('denied');
        await passTime(4);
        return paymentId;
      },
      ends: { status: 'failed', refundedMinor: 0 },
    },
    'refunded by us and in the dashboard': {
      play: async () => {
        const { paymentId, captureId } = await aPaid();
        await refundByApi(paymentId, 5);
        await moveByHand(captureId, 'refund', 300);
        return paymentId;
      },
      ends: { status: 'partially_refunded', refundedMinor: 800 },
    },
    'a refund of ours that fails later': {
      play: async () => {
        const { paymentId } = await aPaid('refund_fails');
        await refundByApi(paymentId, 5);
        await passTime(4);
        return paymentId;
      },
      ends: { status: 'succeeded', refundedMinor: 0 },
    },
    'taken back by the wallet': {
      play: async () => {
        const { paymentId, captureId } = await aPaid();
        await moveByHand(captureId, 'reverse', 1990);
        return paymentId;
      },
      ends: { status: 'refunded', refundedMinor: 1990 },
    },
  };

  const orders = ['fifo', 'lifo', 'shuffle'] as const;
  it.each(Object.keys(histories).flatMap((name) => orders.map((order) => [name, order] as const)))(
    '%s, delivered %s and some of it twice: the wallet’s truth',
    async (name, order) => {
      const history = histories[name];
      if (!history) throw new Error(`no history ${name}`);
      await holdHooks();
      const paymentId = await history.play();
      expect(received).toEqual([]);
      const arrived = await release({ order, duplicates: 3, seed: `${name} ${order}` });
      expect(arrived).toBe(answers.length);
      expect(answers).not.toContain('refused');
      expect(answers.filter((answer) => answer === 'duplicate')).toHaveLength(3);
      await runWorkers();
      expect(await stateOf(paymentId)).toEqual(history.ends);
      const orderId = await shop.orderOf({ paymentId });
      const captures = (await shop.movements(orderId)).filter(({ kind }) => kind === 'capture');
      expect(captures).toHaveLength(history.ends.status === 'failed' ? 0 : 1);
    },
  );

  it('none that came, and the wallet lists them: each is read, once', async () => {
    await holdHooks();
    const given = await aPaid();
    await moveByHand(given.captureId, 'refund', 300);
    await moveByHand(given.captureId, 'refund', 200);
    const reversed = await aPaid();
    await moveByHand(reversed.captureId, 'reverse', 1990);
    const failing = await aPaid('refund_fails');
    await refundByApi(failing.paymentId, 5);
    await passTime(4);
    // These tests share the wallet's clock with others, so it is ahead of ours.
    await moveClock(world.database, 120_000);
    const onError = (_: unknown, error: unknown) => {
      throw error;
    };
    const list = () => listLostNotices(world.ports, { readsPerSecond: 1000, onError });
    await list();
    await runWorkers();
    expect(await stateOf(given.paymentId)).toMatchObject({ refundedMinor: 500 });
    expect(await stateOf(reversed.paymentId)).toMatchObject({ status: 'refunded' });
    expect(await stateOf(failing.paymentId)).toMatchObject({ refundedMinor: 0 });
    expect(await list()).toBe(0);
    expect(await release({})).toBeGreaterThan(4);
    expect(answers.filter((answer) => answer === 'duplicate')).toHaveLength(5);
  });

  it('listed: a provider that answers late keeps the gateways of no other waiting', async () => {
    await aPurchase(world);
    await aPaid();
    const asked = new Set<string>();
    const answerLate = async () => {
      await expect.poll(() => asked.size).toBeGreaterThan(1);
      throw new Error('late');
    };
    const ports: World['ports'] = {
      ...world.ports,
      provider: (gateway) => {
        const listNotices = async () => {
          asked.add(gateway.id);
          return answerLate();
        };
        return { ...world.ports.provider(gateway), listNotices };
      },
    };
    const errors: string[] = [];
    const onError = (_: unknown, error: unknown) => void errors.push((error as Error).message);
    await moveClock(world.database, 1000);
    await listLostNotices(ports, { readsPerSecond: 1000, onError });
    expect(errors).toEqual(['late', 'late']);
  });

  it('one refund in the dashboard, told ten times: one refund row', async () => {
    await holdHooks();
    const { paymentId, captureId } = await aPaid();
    await release({});
    answers.length = 0;
    await moveByHand(captureId, 'refund', 500);
    await release({ order: 'shuffle', duplicates: 9, seed: 'ten' });
    expect(answers.filter((answer) => answer === 'stored')).toHaveLength(1);
    await runWorkers();
    expect(await stateOf(paymentId)).toEqual({ status: 'partially_refunded', refundedMinor: 500 });
  });

  it('a refund of an order that is not ours is asked about once, and read when it becomes ours', async () => {
    const { paymentId, orderId, captureId } = await aPaid();
    const plant = (text: string, ...values: unknown[]) =>
      plantInDatabase(world.ownerUrl, (run) => run(text, values));
    const name = (id: string | null) =>
      plant('update payments set provider_intent_id = $2 where id = $1', paymentId, id);
    await name(null);
    await moveByHand(captureId, 'refund', 300);
    await expect.poll(underWay).toEqual([]);
    await plant("update provider_inbox set payload = payload - 'isMarked'"); // of other software
    const asked: string[] = [];
    const provider: World['ports']['provider'] = (gateway) => {
      const real = world.ports.provider(gateway);
      const count = async (id: string) => asked.push(id);
      return { ...real, retrieveRefund: (id) => count(id).then(() => real.retrieveRefund(id)) };
    };
    for (const _ of 'abc') await readAllNotices({ ...world, ports: { ...world.ports, provider } });
    expect(asked).toHaveLength(1);
    await name(orderId);
    await readAllNotices(world);
    expect(await stateOf(paymentId)).toMatchObject({ refundedMinor: 300 });
  });
});

describe('what is not genuine', () => {
  const strange = generateKeyPairSync('rsa', { modulusLength: 2048 });

  /** The headers of a notice, signed by a key that is not the wallet's. */
  const forge = (headers: Record<string, unknown>, body: Buffer, hook: string) => {
    const id = String(headers['paypal-transmission-id']);
    const time = String(headers['paypal-transmission-time']);
    const signed = `${id}|${time}|${hook}|${crc32(body)}`;
    const signature = createSign('sha256').update(signed).sign(strange.privateKey, 'base64');
    return { ...headers, 'paypal-transmission-sig': signature };
  };
  const post = (gatewayId: string, payload: Buffer, headers: Record<string, unknown>) => {
    const { host: _host, 'content-length': _length, ...kept } = headers;
    return server.app.inject({
      method: 'POST',
      url: `/provider-notices/${gatewayId}`,
      payload,
      headers: kept as Record<string, string>,
    });
  };

  it('400 or 413, nothing stored, nothing changed, nobody charged', async () => {
    await holdHooks();
    const { session, paymentId, orderId } = await anApproved();
    await release({});
    const [notice] = received;
    if (!notice) throw new Error('the approval was told');
    const { rawBody, headers } = notice;
    await readAllNotices(world);
    const before = [await stored(), await paymentOf(paymentId), await readState(world, session)];
    const other = await openWalletShop(world);
    const time = 'paypal-transmission-time';
    const ago = (seconds: number) =>
      `${new Date(Date.now() - seconds * 1000).toISOString().slice(0, 19)}Z`;
    const changed = Buffer.from(rawBody.toString().replace('19.90', '99.90'));
    const cases: [why: string, gatewayId: string, body: Buffer, sent: Record<string, unknown>][] = [
      ['signed by somebody else', shop.gatewayId, rawBody, forge(headers, rawBody, webhookId)],
      ['no signature', shop.gatewayId, rawBody, { 'content-type': 'application/json' }],
      ['another body', shop.gatewayId, changed, headers],
      ['too old', shop.gatewayId, rawBody, { ...headers, [time]: ago(400) }],
      ['from the future', shop.gatewayId, rawBody, { ...headers, [time]: ago(-400) }],
      ['another gateway of the wallet', other.gatewayId, rawBody, headers],
      ['the card gateway', world.gatewayId, rawBody, headers],
      ['no gateway', newId(), rawBody, headers],
      [
        'a certificate from elsewhere',
        shop.gatewayId,
        rawBody,
        { ...headers, 'paypal-cert-url': 'https://example.test/v1/notifications/certs/CERT-1' },
      ],
      [
        'the card provider’s signature',
        shop.gatewayId,
        rawBody,
        { 'stripe-signature': `t=1,v1=${'0'.repeat(64)}` },
      ],
    ];
    for (const [why, gatewayId, body, sent] of cases) {
      const response = await post(gatewayId, body, sent);
      expect([why, response.statusCode, response.json().code]).toEqual([
        why,
        400,
        'invalid_request',
      ]);
    }
    const large = Buffer.concat([rawBody, Buffer.alloc(256 * 1024, ' ')]);
    expect((await post(shop.gatewayId, large, headers)).statusCode).toBe(413);
    await readAllNotices(world);
    expect([await stored(), await paymentOf(paymentId), await readState(world, session)]).toEqual(
      before,
    );
    expect(await shop.movements(orderId)).toEqual([]);
    // The original notice is still accepted.
    expect((await post(shop.gatewayId, rawBody, headers)).statusCode).toBe(200);
  });

  it('a gateway that names no webhook takes none', async () => {
    await holdHooks();
    await anApproved();
    await release({});
    const [notice] = received;
    const clear = sql(
      'test_clear_webhook_id',
      'update gateways set notice_secret_sealed = $2 where id = $1',
    );
    const [kept] = await world.database.read<{ notice_secret_sealed: Buffer }>(
      sql('test_webhook_id', 'select notice_secret_sealed from gateways where id = $1'),
      [shop.gatewayId],
    );
    await world.database.write(clear, [shop.gatewayId, null]);
    const response = await post(
      shop.gatewayId,
      notice?.rawBody ?? Buffer.alloc(0),
      notice?.headers ?? {},
    );
    expect(response.statusCode).toBe(400);
    await world.database.write(clear, [shop.gatewayId, kept?.notice_secret_sealed]);
  });
});

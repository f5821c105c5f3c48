// Liveness: an open operation is finished without a request. Reliability R1, E9.

import { EventEmitter } from 'node:events';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '../../test/harness.ts';
import { deliverNotice, noticeState } from '../../test/payments/notices.ts';
import { aHold, moveHold, startWorld, type World } from '../../test/world.ts';
import type { Ports } from '../engine/ports.ts';
import { findPayment } from '../storage/payments/payments.ts';
import { startReadNotices } from './read-notices.ts';
import { startSettleInDoubt } from './settle-in-doubt.ts';

let world: World;
const nudges = new EventEmitter();
let ports: Ports;
beforeAll(async () => {
  world = await startWorld();
  ports = { ...world.ports, nudge: (worker) => void nudges.emit(worker) };
});
afterAll(() => world?.close());

const told: unknown[] = [];
const doubted: unknown[] = [];
const log = {
  error: (facts: object) => void told.push(facts),
  warn: (facts: object) => void doubted.push(facts),
};
const onNudge = (worker: string) => (listener: () => void) => void nudges.on(worker, listener);
const paymentOf = (id: string) => findPayment(world.database, world.client.id, id);

describe('startSettleInDoubt', () => {
  it('two processes: an open capture is finished once, by whichever comes first', async () => {
    const { paymentId } = await aHold(world);
    await world.fault({ path: '/v1/payment_intents/*/capture' }, 'drop_request', { count: 2 });
    await expect(
      moveHold(world, 'capturePayment', { paymentId, key: newId() }),
    ).rejects.toMatchObject({ code: 'gateway_outcome_unknown' });
    const workers = [1, 2].map(() => startSettleInDoubt(ports, { log, pollMs: 50 }));
    await expect.poll(async () => (await paymentOf(paymentId))?.status).toBe('succeeded');
    await Promise.all(workers.map((worker) => worker.stop()));
    const intent = (await paymentOf(paymentId))?.providerIntentId ?? '';
    const kinds = (await world.ledger(intent)).map((entry) => entry.kind);
    expect(kinds).toEqual(['authorize', 'capture']);
    expect(told).toEqual([]);
    expect(doubted).toEqual([
      expect.objectContaining({ paymentId, clientId: world.client.id, kind: 'capture' }),
    ]);
  });

  it('an operation that throws is told, and the others go on', async () => {
    const [bad, good] = [await aHold(world), await aHold(world)];
    await world.fault({ path: '/v1/payment_intents/*/capture' }, 'drop_request', { count: 4 });
    for (const { paymentId } of [bad, good]) {
      await expect(
        moveHold(world, 'capturePayment', { paymentId, key: newId() }),
      ).rejects.toMatchObject({ code: 'gateway_outcome_unknown' });
    }
    const broken = (await paymentOf(bad.paymentId))?.providerIntentId;
    const provider: Ports['provider'] = (gateway) => {
      const real = world.ports.provider(gateway);
      return {
        ...real,
        capture: async (call) => {
          if (call.intentId === broken) throw new Error('planted');
          return real.capture(call);
        },
      };
    };
    told.length = 0;
    const worker = startSettleInDoubt({ ...ports, provider }, { log, pollMs: 50 });
    await expect.poll(async () => (await paymentOf(good.paymentId))?.status).toBe('succeeded');
    await expect.poll(() => told.length).toBeGreaterThan(0);
    await worker.stop();
    expect(told[0]).toMatchObject({ err: expect.objectContaining({ message: 'planted' }) });
    expect((await paymentOf(bad.paymentId))?.status).toBe('unknown');
  });
});

describe('startReadNotices', () => {
  it('a stored notice is read at once, not at the next poll', async () => {
    const worker = startReadNotices(ports, {
      log,
      pollMs: 60_000,
      onNudge: onNudge('read-notices'),
    });
    const { paymentId } = await aHold(world);
    const intentId = (await paymentOf(paymentId))?.providerIntentId ?? '';
    await world.control('POST', `/_control/intents/${intentId}/capture`);
    const id = `evt_${newId()}`;
    const event = {
      object: 'event',
      id,
      type: 'payment_intent.succeeded',
      created: Math.floor(Date.now() / 1000),
      livemode: false,
      data: { object: { object: 'payment_intent', id: intentId } },
    };
    await deliverNotice({ ...world, ports } as World, event);
    await expect.poll(async () => (await noticeState(world, id))?.outcome).toBe('settled');
    await worker.stop();
    expect((await paymentOf(paymentId))?.status).toBe('succeeded');
  });
});

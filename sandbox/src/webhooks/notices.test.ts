// The order in which notices arrive, driven by a test.
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type Stripe from 'stripe';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  type Bench,
  createHold,
  openBench,
  openReceiver,
  type Receiver,
} from '../../test/sandbox.ts';
import { arrange } from './release-order.ts';

let bench: Bench;
let receiver: Receiver;
beforeEach(async () => {
  bench = await openBench();
  receiver = await openReceiver();
});
afterEach(async () => {
  await bench.sandbox.close();
  await receiver.close();
});

const listen = (url = receiver.url, at = bench) =>
  at.stripe.webhookEndpoints.create({ url, enabled_events: ['*'] });

const holdWebhooks = (match: object = {}, at = bench) =>
  at.control.fault({ match, action: 'hold_webhooks' });

type SentEvent = { event: string; type: string; arrived: boolean };
const release = async (body: object = {}, at = bench): Promise<SentEvent[]> =>
  (await at.control.post<{ sent: SentEvent[] }>('/webhooks/release', body)).sent;

const listWaiting = async (at = bench) =>
  (
    await at.control.get<{ deliveries: { type: string; state: string; event: string }[] }>(
      '/webhooks',
    )
  ).deliveries;

const idsIn = (hits: { body: string }[]): string[] =>
  hits.map(({ body }) => (JSON.parse(body) as Stripe.Event).id);
const typesIn = (hits: { body: string }[]): string[] =>
  hits.map(({ body }) => (JSON.parse(body) as Stripe.Event).type);

const captureOne = async (at = bench): Promise<string> => {
  const { id } = await createHold(at);
  await at.stripe.paymentIntents.capture(id);
  return id;
};

const story = [
  'payment_intent.created',
  'charge.succeeded',
  'payment_intent.amount_capturable_updated',
  'charge.captured',
  'payment_intent.succeeded',
];

describe('hold_webhooks', () => {
  test('keeps them until released, then first in, first out, one after the other', async () => {
    await listen();
    await holdWebhooks();
    await captureOne();
    expect((await listWaiting()).map(({ type, state }) => [type, state])).toEqual(
      story.map((type) => [type, 'kept']),
    );
    await bench.control.advance(86_400);
    expect(receiver.hits).toEqual([]);
    const sent = await release();
    expect(sent.map(({ type, arrived }) => [type, arrived])).toEqual(
      story.map((type) => [type, true]),
    );
    expect(typesIn(receiver.hits)).toEqual(story);
    expect(await listWaiting()).toEqual([]);
  });

  test('lifo turns them round', async () => {
    await listen();
    await holdWebhooks();
    await captureOne();
    await release({ order: 'lifo' });
    expect(typesIn(receiver.hits)).toEqual([...story].reverse());
  });

  test('shuffle with duplicates: each at least once, as told, signed anew', async () => {
    const endpoint = await listen();
    await holdWebhooks();
    await captureOne();
    const sent = await release({ order: 'shuffle', duplicates: 3, seed: 'a' });
    expect(idsIn(receiver.hits)).toEqual(sent.map(({ event }) => event));
    expect(receiver.hits).toHaveLength(8);
    expect(new Set(idsIn(receiver.hits)).size).toBe(5);
    for (const { body, signature } of receiver.hits) {
      await bench.stripe.webhooks.constructEventAsync(body, signature, endpoint.secret ?? '');
    }
  });

  test('by name: just these, in just this order, delivered ones again', async () => {
    await listen();
    await holdWebhooks();
    await captureOne();
    const [first, second, third] = (await listWaiting()).map(({ event }) => event);
    const events = [third, first, third].map(String);
    await release({ events });
    expect(idsIn(receiver.hits)).toEqual(events);
    expect((await listWaiting()).map(({ event }) => event)[0]).toBe(second);
    await expect(release({ events: ['evt_none'] })).rejects.toThrow(/^400/);
    await expect(release({ events, order: 'lifo' })).rejects.toThrow(/^400/);
    await expect(release({ order: 'random' })).rejects.toThrow(/^400/);
  });

  test('only what matches is kept: type, object, account', async () => {
    await listen();
    const other = await createHold(bench);
    await holdWebhooks({ event: 'payment_intent.*', object: other.id, account: bench.accountId });
    await holdWebhooks({ account: 'acct_other' });
    await captureOne();
    await receiver.waitFor(5 + story.length - 2);
    await bench.stripe.paymentIntents.capture(other.id);
    await receiver.waitFor(5 + story.length - 1);
    expect((await listWaiting()).map(({ type, state }) => [type, state])).toEqual([
      ['payment_intent.succeeded', 'kept'],
    ]);
  });

  test('a refused one is told as not arrived and tried again later', async () => {
    await listen();
    await holdWebhooks({ event: 'payment_intent.created' });
    await bench.stripe.paymentIntents.create({ amount: 100, currency: 'usd' });
    receiver.refuse(1);
    expect(await release()).toMatchObject([{ arrived: false }]);
    expect(typesIn(await receiver.waitFor(1))).toEqual(['payment_intent.created']);
  });

  test('what is kept survives a restart', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'sandbox-notices-'));
    const file = join(folder, 'sandbox.db');
    const first = await openBench({ file });
    await listen(receiver.url, first);
    await holdWebhooks({}, first);
    await captureOne(first);
    await first.sandbox.close();
    const second = await openBench({ file });
    expect(await listWaiting(second)).toHaveLength(story.length);
    expect(receiver.hits).toEqual([]);
    expect(await release({}, second)).toHaveLength(story.length);
    await second.sandbox.close();
    rmSync(folder, { recursive: true });
  });
});

describe('delay_webhook', () => {
  test('comes once the sandbox clock has moved that far', async () => {
    await listen();
    await bench.control.fault({
      match: { event: 'payment_intent.created' },
      action: 'delay_webhook',
      delayMs: 600_000,
    });
    await bench.stripe.paymentIntents.create({ amount: 100, currency: 'usd' });
    await bench.stripe.customers.create({});
    expect(typesIn(await receiver.waitFor(1))).toEqual(['customer.created']);
    await bench.control.advance(601);
    expect(typesIn(await receiver.waitFor(2))[1]).toBe('payment_intent.created');
  });
});

describe('early_webhook', () => {
  const sendEarly = (event: string) =>
    bench.control.fault({ match: { event }, action: 'early_webhook' });

  test('arrives before the call that caused it is answered', async () => {
    const order: string[] = [];
    const server = createServer((request, response) => {
      request.resume();
      void answerLate().then(() => {
        order.push('notice');
        response.writeHead(200).end();
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { id } = await createHold(bench);
    // A response that did not wait would come before those to later calls.
    const answerLate = async () => {
      for (let n = 0; n < 3; n++) await bench.stripe.paymentIntents.retrieve(id);
    };
    await listen(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
    await holdWebhooks({ event: 'charge.captured' });
    await sendEarly('payment_intent.succeeded');
    await bench.stripe.paymentIntents.capture(id);
    order.push('answer');
    expect(order).toEqual(['notice', 'answer']);
    server.closeAllConnections();
    server.close();
  });

  test('lets an endpoint ask about what it was told', async () => {
    const seen: string[] = [];
    const { id } = await createHold(bench);
    const server = createServer((request, response) => {
      request.resume();
      void bench.stripe.paymentIntents.retrieve(id).then(({ status }) => {
        seen.push(status);
        response.writeHead(200).end();
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    await listen(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
    await holdWebhooks({ event: 'charge.captured' });
    await sendEarly('payment_intent.succeeded');
    await bench.stripe.paymentIntents.capture(id);
    expect(seen).toEqual(['succeeded']);
    server.closeAllConnections();
    server.close();
  });

  test('of what no call caused comes as any other', async () => {
    const { id } = await createHold(bench);
    await listen();
    await sendEarly('payment_intent.succeeded');
    await bench.control.post(`/intents/${id}/capture`);
    expect(typesIn(await receiver.waitFor(2))).toContain('payment_intent.succeeded');
  });
});

describe('an arrangement', () => {
  const all = ['a', 'b', 'c', 'd', 'e', 'f'];
  const shuffled = (seed: string) => arrange(all, { order: 'shuffle', duplicates: 0, seed });

  test('is the same for the same seed and loses nothing', () => {
    expect(shuffled('1')).toEqual(shuffled('1'));
    expect(shuffled('1').sort()).toEqual(all);
    expect(new Set(['1', '2', '3', '4'].map((seed) => shuffled(seed).join(''))).size).toBe(4);
  });

  test('of nothing has no duplicates', () => {
    expect(arrange([], { order: 'fifo', duplicates: 5, seed: 's' })).toEqual([]);
  });
});

import { mkdtempSync, rmSync } from 'node:fs';
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
  refusal,
} from '../../test/sandbox.ts';

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

const listen = (events: string[] = ['*']): Promise<Stripe.WebhookEndpoint> =>
  bench.stripe.webhookEndpoints.create({ url: receiver.url, enabled_events: events as never });

const typesOf = (hits: { body: string }[]): string[] =>
  hits.map((hit) => (JSON.parse(hit.body) as Stripe.Event).type);

describe('deliveries', () => {
  test("pass the SDK's constructEvent with the endpoint's secret, and no other", async () => {
    const endpoint = await listen(['payment_intent.amount_capturable_updated']);
    const intent = await createHold(bench);
    const [hit] = await receiver.waitFor(1);
    if (!hit) throw new Error('nothing came');
    const event = await bench.stripe.webhooks.constructEventAsync(
      hit.body,
      hit.signature,
      endpoint.secret ?? '',
    );
    expect(event).toMatchObject({
      object: 'event',
      type: 'payment_intent.amount_capturable_updated',
      livemode: false,
      data: { object: { id: intent.id, status: 'requires_capture', amount_capturable: 1000 } },
    });
    expect(event.request?.id).toMatch(/^req_/);
    const forged = bench.stripe.webhooks.constructEventAsync(
      hit.body.replace('1000', '9000'),
      hit.signature,
      endpoint.secret ?? '',
    );
    await expect(forged).rejects.toThrow('signature');
  });

  test('tell a life from creation to capture', async () => {
    await listen();
    const { id } = await createHold(bench);
    await bench.stripe.paymentIntents.capture(id, {}, { idempotencyKey: 'cap' });
    const hits = await receiver.waitFor(5);
    expect(typesOf(hits).sort()).toEqual([
      'charge.captured',
      'charge.succeeded',
      'payment_intent.amount_capturable_updated',
      'payment_intent.created',
      'payment_intent.succeeded',
    ]);
    const captured = hits.map((hit) => JSON.parse(hit.body) as Stripe.Event);
    const last = captured.find(({ type }) => type === 'payment_intent.succeeded');
    expect(last?.request?.idempotency_key).toBe('cap');
    const listed = await bench.stripe.events.list({ type: 'payment_intent.succeeded' });
    expect(listed.data.map((event) => event.id)).toEqual([last?.id]);
    const types = ['charge.captured', 'payment_intent.succeeded'];
    const [later, sooner] = (await bench.stripe.events.list({ types })).data;
    expect([sooner?.type, later?.type]).toEqual(types);
    await expect(bench.stripe.events.list({ types, type: 'charge.captured' })).rejects.toThrow(
      /only specify one/,
    );
    await expect
      .poll(async () => (await bench.stripe.events.retrieve(last?.id ?? '')).pending_webhooks)
      .toBe(0);
  });

  test('are tried again after a refusal', async () => {
    await listen(['payment_intent.canceled']);
    receiver.refuse(1);
    const { id } = await createHold(bench);
    await bench.stripe.paymentIntents.cancel(id);
    const hits = await receiver.waitFor(1);
    expect(typesOf(hits)).toEqual(['payment_intent.canceled']);
  });

  test('survive a restart', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'sandbox-hooks-'));
    const file = join(folder, 'sandbox.db');
    const first = await openBench({ file });
    await first.stripe.webhookEndpoints.create({
      url: receiver.url,
      enabled_events: ['payment_intent.created'],
    });
    receiver.refuse(1);
    const { id } = await createHold(first);
    await first.sandbox.close();
    const second = await openBench({ file });
    const hits = await receiver.waitFor(1);
    expect(JSON.parse(hits[0]?.body ?? '')).toMatchObject({ data: { object: { id } } });
    await second.sandbox.close();
    rmSync(folder, { recursive: true });
  });

  test('stop for a disabled or deleted endpoint', async () => {
    const endpoint = await listen();
    await bench.stripe.webhookEndpoints.update(endpoint.id, { disabled: true });
    await createHold(bench);
    await bench.stripe.webhookEndpoints.update(endpoint.id, { disabled: false });
    await bench.stripe.customers.create({});
    expect(typesOf(await receiver.waitFor(1))).toEqual(['customer.created']);
    await bench.stripe.webhookEndpoints.del(endpoint.id);
    expect((await bench.stripe.webhookEndpoints.list()).data).toEqual([]);
  });

  test('go to this machine only', async () => {
    for (const url of ['https://example.com/x', 'http://10.0.0.1/', 'http://127.0.0.1.example/']) {
      const made = bench.stripe.webhookEndpoints.create({ url, enabled_events: ['*'] });
      expect(await refusal(made)).toMatchObject({ code: 'url_invalid' });
    }
  });
});

describe('webhook faults', () => {
  test('duplicate_webhook: the same event twice', async () => {
    await listen(['payment_intent.created']);
    await bench.control.fault({
      match: { event: 'payment_intent.*' },
      action: 'duplicate_webhook',
    });
    await createHold(bench);
    const hits = await receiver.waitFor(2);
    expect(hits[0]?.body).toBe(hits[1]?.body);
  });

  test('reorder_webhooks: the earlier one comes after the later one', async () => {
    await listen(['payment_intent.amount_capturable_updated', 'payment_intent.succeeded']);
    await bench.control.fault({
      match: { event: 'payment_intent.amount_capturable_updated' },
      action: 'reorder_webhooks',
    });
    const { id } = await createHold(bench);
    await bench.stripe.paymentIntents.capture(id);
    expect(typesOf(await receiver.waitFor(2))).toEqual([
      'payment_intent.succeeded',
      'payment_intent.amount_capturable_updated',
    ]);
  });

  test('drop_webhook: never sent, still listed', async () => {
    await listen(['payment_intent.created', 'payment_intent.canceled']);
    const action = 'drop_webhook';
    await bench.control.fault({ match: { event: 'payment_intent.created' }, action });
    const { id } = await createHold(bench);
    await bench.stripe.paymentIntents.cancel(id);
    expect(typesOf(await receiver.waitFor(1))).toEqual(['payment_intent.canceled']);
    const listed = await bench.stripe.events.list({ type: 'payment_intent.created' });
    expect(listed.data).toHaveLength(1);
  });
});

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Stripe from 'stripe';
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import { connect, openReceiver } from '../../test/sandbox.ts';
import { startTwin, type Twin, type TwinOptions } from './twin.ts';

const folder = mkdtempSync(join(tmpdir(), 'twin-'));
afterAll(() => rmSync(folder, { recursive: true }));

const ends: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

const open = async (options: TwinOptions = {}): Promise<{ twin: Twin; stripe: Stripe }> => {
  const twin = await startTwin(options);
  ends.push(twin.close);
  return { twin, stripe: connect(twin, twin.secretKey) };
};

describe('events', () => {
  test('go to the given address, signed with the printed secret; no list shows that endpoint', async () => {
    const receiver = await openReceiver();
    ends.push(receiver.close);
    const told: string[] = [];
    const { twin, stripe } = await open({
      forwardTo: receiver.url,
      forwardEvents: ['customer.created'],
      onDelivery: ({ type, status }) => told.push(`${status} ${type}`),
    });
    await stripe.products.create({ name: 'Tea' });
    const customer = await stripe.customers.create({ email: 'ada@example.com' });
    const [{ body, signature } = { body: '', signature: '' }] = await receiver.waitFor(1);
    const event = await Stripe.webhooks.constructEventAsync(body, signature, twin.webhookSecret);
    expect(event.data.object).toMatchObject({ id: customer.id });
    await expect.poll(() => told).toEqual(['200 customer.created']);
    expect(receiver.hits).toHaveLength(1);
    expect((await stripe.webhookEndpoints.list()).data).toEqual([]);
  });

  test('the secret stays when the file is opened again, and an address that is not given gets nothing', async () => {
    const file = join(folder, 'forwarded.db');
    const receiver = await openReceiver();
    ends.push(receiver.close);
    const first = await startTwin({ file, forwardTo: receiver.url });
    await first.close();
    const { twin, stripe } = await open({ file });
    expect(twin.webhookSecret).toBe(first.webhookSecret);
    expect(twin.secretKey).toBe(first.secretKey);
    await stripe.customers.create({});
    const [event] = (await stripe.events.list()).data;
    expect(event).toMatchObject({ type: 'customer.created', pending_webhooks: 0 });
    expect(receiver.hits).toEqual([]);
  });

  test('to another machine are refused, and nothing keeps listening', async () => {
    await expect(startTwin({ forwardTo: 'http://shop.example/' })).rejects.toThrow(
      'http://shop.example/ is not on this machine',
    );
  });
});

describe('the clock', () => {
  test('begins where it is told, and moves by its control', async () => {
    const { twin, stripe } = await open({ clock: new Date('2031-05-01T12:00:00Z') });
    const before = await stripe.customers.create({});
    expect(new Date(before.created * 1000).toISOString()).toMatch(/^2031-05-01T12:00:/);
    await twin.control('/clock/advance', { seconds: 86_400 });
    const { created } = await stripe.customers.create({});
    expect(created - before.created).toBeGreaterThanOrEqual(86_400);
  });

  test('of a file that has begun is not set again', async () => {
    const file = join(folder, 'clock.db');
    await (await startTwin({ file, clock: new Date('2031-05-01T12:00:00Z') })).close();
    await expect(startTwin({ file, clock: new Date('2032-01-01T00:00:00Z') })).rejects.toThrow(
      /^this file's clock has begun and reads 2031-05-01T12:/,
    );
  });
});

test('the same seed gives the same keys', async () => {
  const [one, other] = [await open({ seed: 's' }), await open({ seed: 's' })];
  const keysOf = ({ twin }: typeof one) => [
    twin.secretKey,
    twin.publishableKey,
    twin.webhookSecret,
  ];
  expect(keysOf(one)).toEqual(keysOf(other));
  expect(keysOf(await open())).not.toEqual(keysOf(other));
});

test('429 for the 26th call of a second, and not without limits', async () => {
  const burst = async (options: TwinOptions) => {
    const { stripe } = await open(options);
    const all = await Promise.allSettled(
      Array.from({ length: 150 }, () => stripe.customers.list({ limit: 1 })),
    );
    return all.filter(({ status }) => status === 'rejected').length;
  };
  expect(await burst({})).toBeGreaterThan(0);
  expect(await burst({ limits: false })).toBe(0);
});

test('a version before basil: 400, and taken where that was asked for', async () => {
  const list = async (options: TwinOptions): Promise<number[]> => {
    const { twin } = await open(options);
    const asked = ['2023-10-16', '2024-09-30.acacia', '2025-02-24.acacia', '2025-04-24.acacia'];
    return Promise.all(
      asked.map(async (version) => {
        const headers = { authorization: `Bearer ${twin.secretKey}`, 'stripe-version': version };
        return (await fetch(`${twin.url}/v1/customers`, { headers })).status;
      }),
    );
  };
  expect(await list({})).toEqual([400, 400, 400, 400]);
  // There was no acacia after basil.
  expect(await list({ olderVersions: true })).toEqual([200, 200, 200, 400]);
});

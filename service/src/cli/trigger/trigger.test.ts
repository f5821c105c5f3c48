// svc trigger, svc events and svc webhooks on everything that npm start starts: the sandbox's banks,
// the card form, the workers and the clock are real.

import { createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { violationsOf } from '@svc/contract/events/check-event';
import { eventExamples } from '@svc/contract/events/event-examples';
import { type EventType, eventTypes } from '@svc/contract/rows/event-types';
import type { Block } from '@svc/tools/start/block';
import { type StartedProduct, startProduct } from '@svc/tools/start/start-product';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { emptySurroundings } from '../../../test/command-line.ts';
import { aToken } from '../../../test/harness.ts';
import { aReceiver, loopback } from '../../../test/webhooks/webhooks.ts';
import { readConfig } from '../../start/config.ts';
import { openPorts } from '../../start/open-ports.ts';
import { webhookSender } from '../../webhooks/send.ts';
import { runCommand } from '../run.ts';

let product: StartedProduct;
let block: Block;

beforeAll(async () => {
  product = startProduct(['--no-demo-data', '--port', '14960']);
  block = await product.ready;
  // The newest product costs less than the smallest charge of a card.
  const prices = [{ currency: 'EUR', amount: 0.2 }];
  await fetch(`${block.apiUrl}/v1/products`, {
    method: 'POST',
    headers: {
      authorization: `Basic ${btoa(`${block.clientId}:${block.apiToken}`)}`,
      'content-type': 'application/json',
    },
    body: JSON.stringify({ code: 'penny', name: 'A penny sweet', kind: 'item', prices }),
  });
}, 120_000);
afterAll(() => product?.stop());

async function runSvc(...args: string[]) {
  let [out, err] = ['', ''];
  const code = await runCommand([...args, '--data', product.folder], {
    ...emptySurroundings,
    out: {
      write(text) {
        out += text;
      },
    },
    err: {
      write(text) {
        err += text;
      },
    },
    signal: new AbortController().signal,
    databaseUrl: () => '',
    openPorts() {
      const env = parseEnv(readFileSync(join(product.folder, 'service.env'), 'utf8'));
      return openPorts(readConfig(env).config, () => undefined);
    },
    describeError: () => undefined,
    sendWebhook: webhookSender({ allow: loopback }),
  });
  return { code, out, err };
}

type ReceivedEvent = {
  readonly id: string;
  readonly type: string;
  readonly resource: { readonly id: string };
  readonly data: { readonly object: Readonly<Record<string, unknown>> };
};

/** Another admin of the merchant, who approves what its owner asks for; returns the token's value. */
async function secondPerson(): Promise<string> {
  const env = parseEnv(readFileSync(join(product.folder, 'service.env'), 'utf8'));
  const { ports, close } = await openPorts(readConfig(env).config, () => undefined);
  try {
    return (await aToken(ports.database, { id: block.clientId }, { role: 'admin' })).token;
  } finally {
    await close();
  }
}

const made = new Set<string>();

/** Returns the event that the command caused, as the merchant reads it. */
async function trigger(type: EventType, ...more: string[]): Promise<ReceivedEvent> {
  const { code, out, err } = await runSvc('trigger', type, '--json', ...more);
  if (code !== 0) throw new Error(`${type}: ${code} ${err}`);
  const printed = JSON.parse(out) as ReceivedEvent;
  const read = JSON.parse((await runSvc('events', 'get', printed.id)).out) as ReceivedEvent;
  expect(read).toEqual(printed);
  expect(read.type).toBe(type);
  expect(violationsOf(read)).toEqual([]);
  // The service serializes the fields in this order.
  expect(Object.keys(read.data.object)).toEqual(Object.keys(eventExamples[type].data.object));
  made.add(type);
  return read;
}

const onPayment = (payment: ReceivedEvent | string) => [
  '--payment',
  typeof payment === 'string' ? payment : payment.resource.id,
];

// Payment attempts from one address are limited to 30 an hour, which is why payments are used again.
describe('svc trigger makes it happen', () => {
  it('2 before anything happens: an unknown event with the nearest names, a payment or a request that it has not', async () => {
    const before = (await runSvc('events', 'list', '--limit', '1', '--json')).out;
    const wrong: [string[], string][] = [
      [['payment.authorised'], 'did you mean payment.authorized'],
      [['dispute.created'], 'dispute.opened'],
      [['payment_intent.succeeded'], 'payment.succeeded'],
      [['zzz'], '--list'],
      [[], '--list'],
      [
        ['payment.failed', ...onPayment('0190a000-0000-7000-8000-00000000abcd')],
        'leave --payment out',
      ],
      [['payment.failed', '--override', 'refund.amount=1'], 'session, card'],
      [['payment.failed', '--subscription', 'x'], 'leave --subscription out'],
      [['subscription.past_due', '--subscription', 'x'], 'is the id of a subscription'],
      [['payment.failed', '--override', 'session'], 'written like'],
      [['payment.failed', '--override', 'session.__proto__.x=1'], 'written like'],
      [['payment.failed', '--override', 'session.colour=red'], 'POST /v1/checkouts/sessions'],
      [
        ['item.purchased', ...onPayment('0190a000-0000-7000-8000-00000000abcd')],
        'payment_not_found',
      ],
    ];
    for (const [args, word] of wrong) {
      const { code, out, err } = await runSvc('trigger', ...args);
      expect([code, out, err], args.join(' ')).toEqual([2, '', expect.stringContaining(word)]);
    }
    expect((await runSvc('events', 'list', '--limit', '1', '--json')).out).toBe(before);
  });

  it.concurrent('to one payment: held, not captured, captured, refunded, disputed and won', async () => {
    const hold = await trigger('payment.authorized');
    await trigger('payment.capture_failed', ...onPayment(hold));
    const paid = await trigger('item.purchased', ...onPayment(hold));
    expect(paid.resource.id).toBe(hold.resource.id);
    const part = ['--override', 'refund.amount=1.5'];
    for (const type of ['refund.created', 'refund.succeeded', 'refund.failed'] as const) {
      const { data } = await trigger(type, ...onPayment(hold), ...part);
      expect(data.object).toMatchObject({ parentPaymentId: hold.resource.id, amount: 1.5 });
    }
    const alone = await runSvc('trigger', 'refund_request.created', ...onPayment(hold));
    expect(alone).toMatchObject({ code: 2, err: expect.stringContaining('no_second_person') });
    const approver = await secondPerson();
    const little = ['--override', 'request.amount=0.5', ...onPayment(hold)];
    const nobody = await runSvc('trigger', 'refund_request.approved', ...little);
    expect(nobody).toMatchObject({ code: 2, err: expect.stringContaining('--approver-token') });
    await trigger('refund_request.created', ...little);
    const approved = await trigger(
      'refund_request.approved',
      ...little,
      '--approver-token',
      approver,
    );
    expect(approved.data.object).toMatchObject({ amount: 0.5, paymentId: hold.resource.id });
    await trigger('refund_request.declined', ...little);
    await trigger('payment.fraud_warning', ...onPayment(hold));
    await trigger('payment.review_closed', ...onPayment(hold));
    for (const type of ['dispute.opened', 'dispute.updated', 'chargeback.reinstated'] as const) {
      const { data } = await trigger(type, ...onPayment(hold));
      expect(JSON.stringify(data.object)).toContain(hold.resource.id);
    }
  }, 90_000);

  it.concurrent('to cards and what they pay for', async () => {
    await trigger('payment_method.activated');
    await trigger('payment_method.updated', '--override', 'renewal.expYear=2041');
    await trigger('payment_method.deleted');
    await trigger('payment_method.replaced');
    await trigger('customer.updated');
    await trigger('customer.forgotten');
    await trigger('payment.succeeded');
    const own = ['--override', 'customer.id=member 42'];
    const begun = await trigger('subscription.created', ...own);
    expect(begun.data.object).toMatchObject({ externalId: 'member 42' });
    await trigger('subscription.cancellation_scheduled');
    const resumed = await trigger('subscription.resumed');
    expect(resumed.data.object).toMatchObject({ status: 'active', cancelAt: null });
    await trigger('subscription.canceled');
  }, 90_000);

  it.concurrent('to sessions, tokens and endpoints, as overridden', async () => {
    const userId = '0190a000-0000-7000-8000-00000000abcd';
    const session = ['--override', 'session.metadata.order=7'];
    const buyer = ['--override', `session.accountData.userId=${userId}`];
    const failed = await trigger('payment.failed', ...session, ...buyer);
    expect(failed.data.object).toMatchObject({ userId });
    const own = ['--override', 'session.accountData.userId=42'];
    const held = await trigger('payment.authorized', ...own);
    expect(held.data.object).toMatchObject({ externalId: '42' });
    const done = await trigger('checkout.session.completed', ...session);
    expect(done.data.object).toMatchObject({ metadata: { order: '7' } });
    const payment = String(done.data.object.paymentId);
    await trigger('payment.review_opened', ...onPayment(payment));
    await trigger('chargeback.withdrawn', ...onPayment(payment));
    await trigger('dispute.closed', ...onPayment(payment));
    await trigger('payment.authorization_voided');
    await trigger('api_token.created');
    await trigger('api_token.revoked');
    await trigger('webhook_endpoint.test');
    await trigger('webhook_endpoint.disabled');
  }, 90_000);

  it('by time, which it moves: holds, sessions and periods run out, an endpoint fails on', async () => {
    const expiring = await trigger('payment.authorization_expiring');
    await trigger('payment.authorization_expired', ...onPayment(expiring));
    const moved = await runSvc('trigger', 'checkout.session.expired', '--json');
    expect(moved).toMatchObject({ code: 0, err: expect.stringContaining('24.0 hours ahead') });
    made.add('checkout.session.expired');
    const expired = await trigger('refund_request.expired');
    expect(expired.data.object).toMatchObject({ status: 'expired', version: 1 });
    await trigger('webhook_endpoint.failing');
    await trigger('subscription.renewed');
    const failing = await trigger('subscription.past_due');
    // The trigger uses a subscription that exists already: the developer's own, whose handler is to
    // be tested.
    const { resource } = await trigger('subscription.created');
    const due = await trigger('subscription.past_due', '--subscription', resource.id);
    expect(due.resource.id).toBe(resource.id);
    expect(due.resource.id).not.toBe(failing.resource.id);
    const again = await runSvc('trigger', 'subscription.past_due', '--subscription', resource.id);
    expect(again).toMatchObject({
      code: 2,
      err: expect.stringContaining('is past_due, not active'),
    });
  }, 120_000);

  it('every type of the contract, each seen in GET /v1/events', () => {
    expect([...made].sort()).toEqual([...eventTypes].sort());
  });
});

describe('svc trigger --verify', () => {
  /** Starts a handler that checks the header itself, without a signature. */
  const handler = async (isRight: (header: string, body: string) => boolean) =>
    aReceiver(({ headers, body }, response) => {
      const isTaken = isRight(String(headers['svc-signature']), String(body));
      response.writeHead(isTaken ? 204 : 400).end();
    });

  it('0 for a handler that verifies, 1 for one that believes anything, or forgets the time', async () => {
    const secret = (await runSvc('listen', '--print-secret')).out.trim();
    const isSigned = (header: string, body: string) => {
      const [, t = '', v1 = ''] = /^t=(\d+),v1=(\w+)$/.exec(header) ?? [];
      return createHmac('sha256', secret).update(`${t}.${body}`).digest('hex') === v1;
    };
    const isFresh = (header: string) =>
      Math.abs(Date.now() / 1000 - Number(/^t=(\d+)/.exec(header)?.[1])) < 300;
    const handlers = [
      [(header: string, body: string) => isSigned(header, body) && isFresh(header), 0, []],
      [() => true, 1, ['another secret', 'no signature', 'ten minutes old']],
      [isSigned, 1, ['ten minutes old']],
      [() => false, 1, ['well-signed']],
    ] as const;
    for (const [isRight, code, wrong] of handlers) {
      const target = await handler(isRight);
      const ran = await runSvc('trigger', '--verify', target.url);
      await target.close();
      expect(ran.code).toBe(code);
      const said = ran.out.split('\n').filter((line) => line.startsWith('WRONG'));
      expect(said).toHaveLength(wrong.length);
      for (const [at, word] of wrong.entries()) expect(said[at]).toContain(word);
    }
    expect(await runSvc('trigger', '--verify', '127.0.0.1:1')).toMatchObject({ code: 2 });
  });
});

describe('svc events resend', () => {
  it('delivers one again, to all or to one, and to this machine with the label', async () => {
    const [line = '', earlier = ''] = (
      await runSvc('events', 'list', '--type', 'item.purchased', '--json')
    ).out.split('\n');
    const { id } = JSON.parse(line) as ReceivedEvent;
    const listed = await runSvc('webhooks', 'list');
    const endpoint = /^[0-9a-f-]{36}/m.exec(listed.out)?.[0] ?? '';
    expect(listed.out).toContain(`${block.demoShopUrl}/webhooks`);
    const other = (JSON.parse(earlier) as ReceivedEvent).id;
    expect(await runSvc('events', 'resend', other)).toMatchObject({
      code: 0,
      out: '1 delivery under way\n',
    });
    expect(await runSvc('events', 'resend', id, '--endpoint', endpoint)).toMatchObject({ code: 0 });
    const target = await aReceiver();
    const here = await runSvc('events', 'resend', id, '--forward-to', target.url);
    await target.close();
    expect(here).toMatchObject({ code: 0, out: expect.stringContaining('<-- 200') });
    const [got] = target.received;
    expect(got?.headers).toMatchObject({ 'webhook-id': id, 'svc-redelivery': '1' });
    const shown = await fetch(`${block.demoShopUrl}/webhooks.json`);
    const { data } = (await shown.json()) as { data: { raw: string }[] };
    // The bytes equal those that an endpoint gets.
    expect(data.map(({ raw }) => raw)).toContain(String(got?.body));
  });

  it('delivers a span of time again; a test of an endpoint shows its answer', async () => {
    const listed = (await runSvc('webhooks', 'list')).out;
    const endpoint = /^[0-9a-f-]{36}/m.exec(listed)?.[0] ?? '';
    const since = ['--since', '2026-01-01'];
    const all = await runSvc(
      'events',
      'resend',
      '--endpoint',
      endpoint,
      ...since,
      '--all',
      '--json',
    );
    expect(JSON.parse(all.out)).toEqual({ deliveries: expect.any(Number) });
    expect(all.code).toBe(0);
    expect((await runSvc('events', 'resend', ...since)).code).toBe(2);
    const tested = await runSvc('webhooks', 'test', endpoint);
    expect(tested).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^delivered {2}200 {2}evt_/),
    });
  });
});

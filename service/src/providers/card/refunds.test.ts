// A refund is guarded by its key alone: what an earlier send did decides, never a later refusal.
// Reliability §4.3, §4.4, M10.

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Gateway, Provider, RefundCall } from '../../engine/ports.ts';
import { openProviders } from '../registry.ts';

type Reply = { readonly status: number; readonly body: object } | 'lost';

/** The responses to the sends and to the lists, in their order. */
let sends: Reply[] = [];
let lists: Reply[] = [];
let seen: string[] = [];
let provider: Provider;
let close: () => Promise<void>;

const noRefunds: Reply = { status: 200, body: { object: 'list', data: [], has_more: false } };

const reply = (request: IncomingMessage, response: ServerResponse): void => {
  const isSend = request.method === 'POST';
  seen.push(isSend ? 'send' : 'list');
  const said = (isSend ? sends.shift() : lists.shift()) ?? (isSend ? 'lost' : noRefunds);
  if (said === 'lost') return void request.socket.destroy();
  response.writeHead(said.status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(said.body));
};

beforeAll(async () => {
  const server = createServer((request, response) => {
    request.resume().once('end', () => reply(request, response));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const cardUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const settings = { budgetMs: 3000, answerMs: 1000, resendMs: 100, pauseMs: 5 };
  const providers = openProviders({ ...settings, cardUrl });
  provider = providers.provider({ id: 'g', secretKey: 'sk_test_x' } as Gateway);
  close = async () => {
    await providers.close();
    await new Promise((resolve) => server.close(resolve));
  };
});
afterEach(() => {
  sends = [];
  lists = [];
  seen = [];
});
afterAll(() => close());

const first: RefundCall = {
  key: 'op-1-1',
  isFirstSend: true,
  operationId: 'o',
  paymentId: 'p',
  refundId: 'r',
  intentId: 'pi_1',
  amountMinor: 500,
  currency: 'EUR',
  reason: null,
  sendUntil: Date.now() + 600_000,
};
const again: RefundCall = { ...first, isFirstSend: false };

const aRefund = (id: string, operation: string) => ({
  object: 'refund',
  id,
  status: 'succeeded',
  amount: 500,
  currency: 'eur',
  charge: 'ch_1',
  payment_intent: 'pi_1',
  metadata: { operation_id: operation },
});
const list = (data: { id: string }[], hasMore = false): Reply => ({
  status: 200,
  body: { object: 'list', data, has_more: hasMore },
});
const made = list([aRefund('re_other', 'x'), aRefund('re_1', 'o')]);
const error = (status: number, more: object): Reply => ({
  status,
  body: { error: { type: 'invalid_request_error', message: 'no', ...more } },
});

const configuration: [string, Reply][] = [
  ['401', error(401, {})],
  ['403', error(403, { code: 'more_permissions_required' })],
  ['404', error(404, { code: 'resource_missing' })],
];
const usedKey = error(400, { type: 'idempotency_error' });
const refunded = error(400, { code: 'charge_already_refunded' });
const unclear: [string, Reply][] = [
  ['lost', 'lost'],
  ['broken off', error(500, { type: 'api_error' })],
];

describe('refund, after a first send that was', () => {
  for (const [way, start] of unclear) {
    it.each([...configuration, ['a used key', usedKey] as [string, Reply]])(
      `${way}: %s is no refusal, and the list decides`,
      async (_, then) => {
        sends = [start, then];
        expect(await provider.refund(first)).toMatchObject({ kind: 'in_doubt' });
        sends = [start, then];
        lists = [made];
        expect(await provider.refund(first)).toMatchObject({
          kind: 'confirmed',
          refund: { refundId: 're_1' },
        });
      },
    );

    it(`${way}: a refusal of the refund counts where the list has none, and only there`, async () => {
      sends = [start, refunded];
      expect(await provider.refund(first)).toMatchObject({
        kind: 'refused',
        code: 'charge_already_refunded',
      });
      sends = [start, refunded];
      lists = [made];
      expect(await provider.refund(first)).toMatchObject({ kind: 'confirmed' });
      sends = [start, refunded];
      lists = ['lost', 'lost', 'lost'];
      expect(await provider.refund(first)).toMatchObject({ kind: 'in_doubt' });
    });
  }
});

describe('refund, sent by whoever took it over', () => {
  it('looks first, and sends nothing where it is there', async () => {
    lists = [made];
    expect(await provider.refund(again)).toMatchObject({ kind: 'confirmed' });
    expect(seen).toEqual(['list']);
  });

  it('sends nothing while it cannot look', async () => {
    lists = ['lost', 'lost', 'lost'];
    expect(await provider.refund(again)).toMatchObject({ kind: 'in_doubt', cause: 'read_failed' });
    expect(seen).not.toContain('send');
  });

  it.each(configuration)('%s says nothing of the earlier send', async (status, then) => {
    sends = [then];
    expect(await provider.refund(again)).toMatchObject({
      kind: 'in_doubt',
      cause: status === '404' ? 'provider_configuration' : 'key_refused',
    });
  });

  it('finds it on a later page of the list', async () => {
    lists = [list([aRefund('re_other', 'x')], true), list([aRefund('re_1', 'o')])];
    expect(await provider.refund(again)).toMatchObject({ kind: 'confirmed' });
    expect(seen).toEqual(['list', 'list']);
  });
});

describe('refund, at its first send', () => {
  it.each(configuration)('%s alone is a refusal: nothing was sent before', async (_, said) => {
    sends = [said];
    expect(await provider.refund(first)).toMatchObject({ kind: 'refused' });
  });

  it('a key that was used before is none', async () => {
    sends = [usedKey];
    expect(await provider.refund(first)).toMatchObject({
      kind: 'in_doubt',
      cause: 'key_used_before',
    });
  });
});

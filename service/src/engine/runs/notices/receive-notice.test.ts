// Reliability §2.5: W2 duplicates, W3 what is not genuine, W5 answered once it is on disk.

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '../../../../test/harness.ts';
import { type LossyWay, openLossyWay } from '../../../../test/network/lossy-way.ts';
import {
  deliverNotice,
  noticeState,
  providerEvents,
  readAllNotices,
  signNotice,
} from '../../../../test/payments/notices.ts';
import { aHold, moveHold, startWorld, type World } from '../../../../test/world.ts';
import { openDatabase } from '../../../storage/database/database.ts';
import { sql } from '../../../storage/database/sql.ts';
import { findPayment } from '../../../storage/payments/payments.ts';
import { receiveNotice } from './receive-notice.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world?.close());

const countNotices = sql<{ n: number }>(
  'test_count_notices',
  'select count(*)::int as n from provider_inbox',
);
const leased = sql(
  'test_leased',
  "select id from payment_operations where payment_id = $1 and lease_until is not null and state = 'active'",
);
const countStored = async () => (await world.database.read(countNotices, []))[0]?.n;
const notice = (more: object = {}) => ({
  object: 'event',
  id: `evt_${newId()}`,
  type: 'payment_intent.succeeded',
  created: Math.floor(Date.now() / 1000),
  livemode: false,
  data: { object: { object: 'payment_intent', id: 'pi_nobody', client_secret: 'pi_x_secret_y' } },
  ...more,
});

describe('receiveNotice', () => {
  it('stores a genuine notice, without the object that it carries, and wakes the reader', async () => {
    const event = notice();
    world.nudged.length = 0;
    expect(await deliverNotice(world, event)).toBe('stored');
    expect(world.nudged).toEqual(['read-notices']);
    const kept = await noticeState(world, event.id);
    expect(kept).toMatchObject({ is_read: false, tries: 0 });
    expect(JSON.stringify(kept?.payload)).not.toContain('secret');
  });

  it('one that tells what our own call told is over at once, and wakes nobody', async () => {
    const { paymentId } = await aHold(world);
    await moveHold(world, 'capturePayment', { paymentId, key: newId() });
    const { providerIntentId } =
      (await findPayment(world.database, world.client.id, paymentId)) ?? {};
    const about = (type: string) =>
      notice({ type, data: { object: { object: 'payment_intent', id: providerIntentId } } });
    const [known, taken] = [
      about('payment_intent.succeeded'),
      about('payment_intent.payment_failed'),
    ];
    world.nudged.length = 0;
    expect(await deliverNotice(world, known)).toBe('stored');
    expect(await noticeState(world, known.id)).toMatchObject({
      outcome: 'nothing_to_change',
      tries: 0,
    });
    expect(world.nudged).toEqual([]);
    // A capture may have been taken back: the provider is read.
    expect(await deliverNotice(world, taken)).toBe('stored');
    expect(await noticeState(world, taken.id)).toMatchObject({ is_read: false });
    expect(world.nudged).toEqual(['read-notices']);
  });

  it('one whose operation a process holds wakes nobody, and is over once that has settled', async () => {
    const { paymentId } = await aHold(world);
    const { providerIntentId } =
      (await findPayment(world.database, world.client.id, paymentId)) ?? {};
    const said = notice({ data: { object: { object: 'payment_intent', id: providerIntentId } } });
    const call = { path: '/v1/payment_intents/*/capture' };
    await world.fault(call, 'slow', { count: 1, delayMs: 1500 });
    const captured = moveHold(world, 'capturePayment', { paymentId, key: newId() });
    await expect.poll(async () => (await world.database.read(leased, [paymentId])).length).toBe(1);
    world.nudged.length = 0;
    expect(await deliverNotice(world, said)).toBe('stored');
    expect(world.nudged).toEqual([]);
    expect((await noticeState(world, said.id))?.pause).toBeGreaterThan(0.1);
    await captured;
    await readAllNotices(world);
    expect(await noticeState(world, said.id)).toMatchObject({
      outcome: 'nothing_to_change',
      tries: 1,
    });
  });

  it.each([
    { object: 'payment_intent', id: 'pi_\u0000' },
    { object: 'refund', id: 're_1', payment_intent: 'pi_\u0000' },
    { object: 'payment_intent\u0000', id: 'pi_nobody' },
    { object: 'payment_intent', id: 'p'.repeat(10_000) },
    { object: 'payment_intent', id: { a: 1 } },
  ])('one about an id that could not be kept is refused, and nothing is stored', async (object) => {
    const before = await countStored();
    expect(await deliverNotice(world, notice({ data: { object } }))).toBe('refused');
    expect(await countStored()).toBe(before);
  });

  it('tells the operator why, and the sender nothing', async () => {
    const body = JSON.stringify(notice());
    const old = signNotice(body, world.noticeSecret, 302);
    const faults: string[] = [];
    const onFault = (fault: string) => faults.push(fault);
    for (const [event, signature] of [
      [JSON.parse(body), signNotice(body, 'whsec_other')],
      [JSON.parse(body), old],
      [notice({ livemode: true }), undefined],
      [notice({ account: 'acct_other' }), undefined],
      [notice({ object: 'v2.core.event' }), undefined],
    ] as const) {
      const given = { onFault, ...(signature ? { signature } : {}) };
      expect(await deliverNotice(world, event, given)).toBe('refused');
    }
    expect(faults).toEqual([
      'wrong_secret',
      'old_timestamp',
      'other_mode',
      'other_account',
      'thin_event',
    ]);
  });

  it('20 deliveries of one event at once: stored once, the others are duplicates', async () => {
    const before = (await countStored()) ?? 0;
    const event = notice();
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => deliverNotice(world, event)),
    );
    expect(answers.filter((answer) => answer === 'stored')).toHaveLength(1);
    expect(answers.filter((answer) => answer === 'duplicate')).toHaveLength(19);
    expect(await countStored()).toBe(before + 1);
  });

  it('nothing is stored of what is not genuine', async () => {
    const before = await countStored();
    const event = notice();
    const body = JSON.stringify(event);
    const { noticeSecret } = world;
    const right = signNotice(body, noticeSecret);
    for (const [why, given] of [
      ['no signature', { signature: null }],
      ['another secret', { signature: signNotice(body, 'whsec_other') }],
      ['another body', { signature: signNotice(`${body} `, noticeSecret) }],
      ['too old', { signature: signNotice(body, noticeSecret, 302) }],
      ['from the future', { signature: signNotice(body, noticeSecret, -302) }],
      ['an oversized header', { signature: `${right},${'v0=0,'.repeat(300)}` }],
      ['an unknown gateway', { signature: right, gatewayId: newId() }],
      ['no gateway id', { signature: right, gatewayId: "' or true --" }],
    ] as const) {
      expect(await deliverNotice(world, event, given), why).toBe('refused');
    }
    expect(await deliverNotice(world, notice({ livemode: true }))).toBe('refused');
    expect(await deliverNotice(world, notice({ livemode: undefined }))).toBe('refused');
    expect(await deliverNotice(world, notice({ account: 'acct_other' }))).toBe('refused');
    expect(await countStored()).toBe(before);
  });

  it('a gateway without a secret takes no notices', async () => {
    const fresh = await startWorld();
    const clear = sql(
      'test_clear_notice_secret',
      'update gateways set notice_secret_sealed = null where id = $1',
    );
    await fresh.database.write(clear, [fresh.gatewayId]);
    expect(await deliverNotice(fresh, notice())).toBe('refused');
    await fresh.close();
  });

  it('what could not be stored is no answer; sent again, it is there once', async () => {
    const event = notice();
    const way: LossyWay = await openLossyWay(world.url);
    const lossy = openDatabase({ url: way.url });
    const through = { ...world, ports: { ...world.ports, database: lossy } } as World;
    way.lose('inbox.insert', 'before');
    await expect(deliverNotice(through, event)).rejects.toThrow();
    expect(await noticeState(world, event.id)).toBeUndefined();
    way.lose('inbox.insert', 'after');
    await expect(deliverNotice(through, event)).rejects.toThrow();
    expect(await deliverNotice(through, event)).toBe('duplicate');
    await lossy.close();
    await way.close();
  });
});

describe('the webhooks of the sandbox, over HTTP', () => {
  it('are genuine, and end in the truth of the provider', async () => {
    const answers: string[] = [];
    const server = createServer(async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      const rawBody = Buffer.concat(chunks);
      const { headers } = request;
      const answer = await receiveNotice(
        { gatewayId: world.gatewayId, rawBody, headers },
        world.ports,
      );
      answers.push(answer);
      response.writeHead(answer === 'refused' ? 400 : 200).end();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const made = await fetch(`${world.sandbox.url}/v1/webhook_endpoints`, {
      method: 'POST',
      headers: { authorization: `Bearer ${world.account.secretKey}` },
      body: new URLSearchParams({ url: `http://127.0.0.1:${port}/`, 'enabled_events[]': '*' }),
    });
    const { secret, id } = (await made.json()) as { secret: string; id: string };
    await useNoticeSecret(secret);

    await world.fault({ event: 'payment_intent.succeeded' }, 'duplicate_webhook');
    await world.fault({ event: 'charge.captured' }, 'reorder_webhooks');
    const { paymentId } = await aHold(world);
    const payment = await findPayment(world.database, world.client.id, paymentId);
    const intentId = payment?.providerIntentId ?? '';
    await world.control('POST', `/_control/intents/${intentId}/capture`);
    const sent = await providerEvents(world, intentId);
    await expect
      .poll(() => answers.filter((answer) => answer === 'stored').length, { timeout: 15_000 })
      .toBeGreaterThanOrEqual(sent.length);
    expect(answers).not.toContain('refused');
    await expect.poll(() => answers.includes('duplicate'), { timeout: 15_000 }).toBe(true);

    await readAllNotices(world);
    const after = await findPayment(world.database, world.client.id, paymentId);
    expect(after).toMatchObject({ status: 'succeeded', capturedMinor: 1990 });
    await fetch(`${world.sandbox.url}/v1/webhook_endpoints/${id}`, {
      method: 'DELETE',
      headers: { authorization: `Bearer ${world.account.secretKey}` },
    });
    await new Promise((resolve) => server.close(resolve));
  });

  const setSecret = sql(
    'test_set_notice_secret',
    'update gateways set notice_secret_sealed = $2 where id = $1',
  );
  async function useNoticeSecret(secret: string): Promise<void> {
    const sealed = await world.ports.sealed.seal(
      {
        clientId: world.client.id,
        table: 'gateways',
        rowId: world.gatewayId,
        field: 'notice_secret',
      },
      secret,
    );
    await world.database.write(setSecret, [world.gatewayId, sealed]);
  }
});

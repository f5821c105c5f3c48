// Tests of a detachment that does not finish: what callers are told, what stays, and how it continues.
// Spec: Payment-method deletion. Contract §5. proof/detachment tests the faults of every step by the
// thousand.

import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  type CallTrouble,
  changeAtProvider,
  defaultsOf,
  detachmentOf,
  endDetachmentLeases,
  insertFundedSubscription,
  isKeptAtProvider,
  listedIds,
  makeProviderDefault,
  methodEvents,
  methodRow,
  tapPorts,
} from '../../../../test/customers/detachments.ts';
import { aSavedCard, payBy, vouchedSession } from '../../../../test/customers/saved-cards.ts';
import { aCustomer, callAs } from '../../../../test/harness.ts';
import { aServer, type TestServer } from '../../../../test/server.ts';
import { startWorld, type World } from '../../../../test/world.ts';
import type { PaymentMethod } from '../../../domain/payments/payment-method.ts';
import { finishDetachments } from './finish-detachments.ts';

let world: World;
let server: TestServer;
let tap: ReturnType<typeof tapPorts>;
beforeAll(async () => {
  world = await startWorld();
  tap = tapPorts(world.ports);
  server = await aServer(tap.ports);
});
afterAll(async () => {
  await server?.close();
  await world?.close();
});

const remove = async (id: string) => {
  const response = await callAs(server.app, world.token, `DELETE /v1/payment-methods/${id}`);
  return { status: response.statusCode, body: response.body === '' ? null : response.json() };
};

const finishOpenDetachments = (ports = tap.ports) =>
  finishDetachments(ports, {
    limit: 10,
    onError: (_, error) => {
      throw error;
    },
  });

let userId: string;
let card: PaymentMethod;
let other: PaymentMethod;
let subscription: Awaited<ReturnType<typeof insertFundedSubscription>>;
beforeEach(async () => {
  userId = (await aCustomer(world.database, world.client)).id;
  card = await aSavedCard(world, { userId });
  other = await aSavedCard(world, { userId, number: '5555555555554444' });
  subscription = await insertFundedSubscription(world, card);
  await makeProviderDefault(world, card);
});

const readFunding = async () => ({
  subscription: await subscription.fundedBy(),
  ...(await defaultsOf(world, userId)),
});

type Failure = {
  readonly name: string;
  readonly trouble: readonly [string, ...CallTrouble[]];
  readonly reason: string;
  readonly resolution: string;
};

const failures: readonly Failure[] = [
  {
    name: 'the provider cannot be read before anything moves',
    trouble: ['retrieveMethod', 'lost_after'],
    reason: 'verification_failed',
    resolution: 'retry_delete',
  },
  {
    name: 'the provider refuses the new default',
    trouble: ['setDefaultMethod', 'refused'],
    reason: 'provider_reassignment_failed',
    resolution: 'contact_support',
  },
  {
    name: 'no answer to the new default, which was not set',
    trouble: ['setDefaultMethod', 'lost_before'],
    reason: 'provider_reassignment_failed',
    resolution: 'retry_delete',
  },
  {
    name: 'no answer to the new default, which was set',
    trouble: ['setDefaultMethod', 'lost_after'],
    reason: 'provider_reassignment_failed',
    resolution: 'retry_delete',
  },
  {
    name: 'a default that is confirmed, and was not set',
    trouble: ['setDefaultMethod', 'hollow'],
    reason: 'verification_failed',
    resolution: 'retry_delete',
  },
  {
    name: 'the vault does not answer',
    trouble: ['forget', 'lost_before'],
    reason: 'vault_cleanup_failed',
    resolution: 'retry_delete',
  },
  {
    name: 'the vault has forgotten, and does not answer',
    trouble: ['forget', 'lost_after'],
    reason: 'vault_cleanup_failed',
    resolution: 'retry_delete',
  },
  {
    name: 'the provider refuses to detach',
    trouble: ['detachMethod', 'refused'],
    reason: 'provider_detach_failed',
    resolution: 'contact_support',
  },
  {
    name: 'the detach was surely not done',
    trouble: ['detachMethod', 'not_done'],
    reason: 'provider_detach_failed',
    resolution: 'retry_delete',
  },
];

describe('deletePaymentMethod, a failure before the card is let go', () => {
  it.each(failures)(
    'Spec 7.2.7 · Spec 4.3 failure · Contract §5 reason provider_reassignment_failed, reason vault_cleanup_failed, reason verification_failed, resolution retry_delete · 502 payment_method_deletion_failed, $reason, $resolution: $name; nothing has changed, and the repeat ends in 204',
    async ({ trouble: [call, ...next], reason, resolution }) => {
      const before = await methodRow(world, card.id);
      tap.trouble(call, ...next);
      const { status, body } = await remove(card.id);
      expect([status, body.code]).toEqual([502, 'payment_method_deletion_failed']);
      expect(body).toMatchObject({ reason, resolution, retrySafe: true, retryable: true });
      expect(body.type).toBe('gateway_error');
      const { version, updated_at, ...row } = await methodRow(world, card.id);
      expect(row).toEqual({ ...before, version: undefined, updated_at: undefined });
      expect([version, updated_at]).toEqual([before.version, before.updated_at]);
      expect(await listedIds(server, world.token, userId)).toEqual([other.id, card.id]);
      expect(await isKeptAtProvider(world, card)).toBe(true);
      expect(await readFunding()).toEqual({
        subscription: card.id,
        ours: card.id,
        providers: card.providerPaymentMethodId,
      });
      expect((await methodEvents(world, card.id)).map(({ type }) => type)).toEqual([
        'payment_method.activated',
      ]);
      const session = await vouchedSession(world, { userId });
      const paid = await payBy(world, session, { paymentMethodId: card.id });
      expect(paid).toMatchObject({ body: { type: 'success' } });
      expect(await remove(card.id)).toEqual({ status: 204, body: null });
      expect(await readFunding()).toEqual({
        subscription: other.id,
        ours: other.id,
        providers: other.providerPaymentMethodId,
      });
    },
  );

  it('Contract §5 resolution update_funding_manually · 502, update_funding_manually: the card that would take over is none at the provider any more', async () => {
    await changeAtProvider(world, `/v1/payment_methods/${other.providerPaymentMethodId}/detach`);
    for (let n = 0; n < 2; n++) {
      expect(await remove(card.id)).toMatchObject({
        status: 502,
        body: {
          reason: 'provider_reassignment_failed',
          resolution: 'update_funding_manually',
          retrySafe: true,
        },
      });
    }
    expect(await readFunding()).toMatchObject({ subscription: card.id, ours: card.id });
    expect((await detachmentOf(world, card.id))?.epoch).toBe(2);
    const fresh = await aSavedCard(world, { userId });
    expect(await remove(card.id)).toMatchObject({ status: 204 });
    expect(await readFunding()).toMatchObject({ subscription: fresh.id, ours: fresh.id });
  });

  it.each(['the replacement', 'a third card', 'none'])(
    '502: a default that the customer chose meanwhile stays: %s',
    async (which) => {
      const third = which === 'a third card' ? await aSavedCard(world, { userId }) : other;
      const chosen = which === 'none' ? null : third;
      tap.before('forget', async () => {
        const path = `PATCH /v1/customers/${userId}` as const;
        const choice = { body: { defaultPaymentMethodId: chosen?.id ?? null } };
        const { statusCode } = await callAs(server.app, world.token, path, choice);
        expect(statusCode).toBe(200);
      });
      tap.trouble('forget', 'lost_before');
      expect(await remove(card.id)).toMatchObject({ status: 502 });
      expect(await readFunding()).toEqual({
        subscription: card.id,
        ours: chosen?.id ?? null,
        providers: chosen?.providerPaymentMethodId ?? null,
      });
    },
  );

  it('502, contact_support: the provider keeps the card for another customer', async () => {
    const stranger = await aSavedCard(world, {
      userId: (await aCustomer(world.database, world.client)).id,
    });
    const { plantInDatabase } = await import('../../../../test/payments/planted.ts');
    await plantInDatabase(world.ownerUrl, (run) =>
      run('update payment_methods set provider_customer_id = $2 where id = any($1)', [
        [card.id, other.id],
        stranger.providerCustomerId,
      ]),
    );
    expect(await remove(card.id)).toMatchObject({
      status: 502,
      body: { reason: 'verification_failed', resolution: 'contact_support', retrySafe: true },
    });
    expect((await methodRow(world, card.id)).status).toBe('active');
  });

  it('a worker leaves alone what has failed', async () => {
    tap.trouble('forget', 'lost_before');
    await remove(card.id);
    await endDetachmentLeases(world);
    expect((await tap.during(() => finishOpenDetachments())).calls).toEqual([]);
    expect((await methodRow(world, card.id)).status).toBe('active');
  });
});

describe('deletePaymentMethod, once the detach was sent', () => {
  const expectRunning = (answer: Awaited<ReturnType<typeof remove>>, facts: object) => {
    expect(answer).toMatchObject({ status: 502, body: { ...facts } });
    expect(answer.body.message).toContain('not confirmed it yet');
  };

  it.each<[string, CallTrouble]>([
    ['lost before it took effect', 'lost_before'],
    ['lost after it took effect', 'lost_after'],
  ])(
    'Contract §5 reason provider_detach_failed · 502, provider_detach_failed: it is %s; listed, taking no use, until a repeat ends in 204',
    async (_what, trouble) => {
      tap.trouble('detachMethod', trouble);
      expectRunning(await remove(card.id), {
        reason: 'provider_detach_failed',
        resolution: 'retry_delete',
        retrySafe: true,
      });
      expect(await listedIds(server, world.token, userId)).toEqual([other.id, card.id]);
      expect(await readFunding()).toMatchObject({ subscription: other.id, ours: other.id });
      const session = await vouchedSession(world, { userId });
      await expect(payBy(world, session, { paymentMethodId: card.id })).rejects.toMatchObject({
        code: 'payment_method_not_found',
      });
      expect(await remove(card.id)).toMatchObject({ status: 204 });
      expect((await methodEvents(world, card.id)).map(({ type }) => type)).toEqual([
        'payment_method.activated',
        'payment_method.replaced',
        'payment_method.deleted',
      ]);
    },
  );

  it('Contract §5 retrySafe, resolution contact_support · 502, verification_failed, retrySafe false: the provider cannot be read afterwards; 204 once it can', async () => {
    // The first two reads come before any change; the third verifies the replacement.
    tap.trouble('retrieveMethod');
    tap.trouble('detachMethod', 'lost_after');
    await remove(card.id);
    tap.trouble('retrieveMethod', 'lost_after');
    expectRunning(await remove(card.id), {
      reason: 'verification_failed',
      resolution: 'contact_support',
      retrySafe: false,
      retryable: false,
    });
    expect(await remove(card.id)).toMatchObject({ status: 204 });
  });

  it('502, verification_failed: confirmed, and read back as it was; detached again, then 204', async () => {
    tap.trouble('detachMethod', 'hollow');
    expectRunning(await remove(card.id), { reason: 'verification_failed', retrySafe: true });
    expect(await isKeptAtProvider(world, card)).toBe(true);
    expect(await remove(card.id)).toMatchObject({ status: 204 });
    expect(await isKeptAtProvider(world, card)).toBe(false);
  });

  it('Contract §5 resume: the worker drives it to its end, when its time has come and not before', async () => {
    tap.trouble('detachMethod', 'lost_before');
    await remove(card.id);
    expect(await finishOpenDetachments()).toBe(0);
    await endDetachmentLeases(world);
    expect(await finishOpenDetachments()).toBe(1);
    expect((await methodRow(world, card.id)).status).toBe('removed');
    expect(await remove(card.id)).toMatchObject({ status: 204 });
  });

  it.each<CallTrouble>(['refused', 'not_done'])(
    'after one that may have arrived, %s is no word that the card stays',
    async (trouble) => {
      tap.trouble('detachMethod', 'lost_before', trouble);
      await remove(card.id);
      expectRunning(await remove(card.id), { reason: 'provider_detach_failed' });
      expect(await detachmentOf(world, card.id)).toMatchObject({ state: 'running', tries: 2 });
      expect(await remove(card.id)).toMatchObject({ status: 204 });
    },
  );

  it('a real provider that turns the detach away (429): over, given back, and paying', async () => {
    const path = `/v1/payment_methods/${card.providerPaymentMethodId}/detach`;
    await world.fault({ method: 'POST', path }, 'error_429', { count: 20 });
    const { status, body } = await remove(card.id);
    await world.control('DELETE', '/_control/faults');
    expect([status, body.reason]).toEqual([502, 'provider_detach_failed']);
    expect(body.message).not.toContain('not confirmed it yet');
    expect(await detachmentOf(world, card.id)).toMatchObject({ state: 'failed' });
    const providers = card.providerPaymentMethodId;
    expect(await readFunding()).toEqual({ subscription: card.id, ours: card.id, providers });
    const session = await vouchedSession(world, { userId });
    const paid = await payBy(world, session, { paymentMethodId: card.id });
    expect(paid).toMatchObject({ body: { type: 'success' } });
  });

  it('a real connection that is cut after the detach: told by reading back, 204', async () => {
    const path = `/v1/payment_methods/${card.providerPaymentMethodId}/detach`;
    await world.fault({ method: 'POST', path }, 'drop_reply', { count: 20 });
    expect(await remove(card.id)).toMatchObject({ status: 204 });
    await world.control('DELETE', '/_control/faults');
    expect(await isKeptAtProvider(world, card)).toBe(false);
  });
});

describe('deletePaymentMethod by several at once', () => {
  it('Spec 7.2 repeat · 204 for all: one of them removes, the others wait for it; each call of the provider once', async () => {
    const { result, calls } = await tap.during(() =>
      Promise.all(Array.from({ length: 8 }, () => remove(card.id))),
    );
    expect(result.map(({ status }) => status)).toEqual(Array(8).fill(204));
    expect(calls.filter((name) => name === 'detachMethod')).toHaveLength(1);
    expect(calls.filter((name) => name === 'forget')).toHaveLength(1);
    const types = (await methodEvents(world, card.id)).map(({ type }) => type);
    expect(types.filter((type) => type === 'payment_method.deleted')).toHaveLength(1);
  });

  it('both cards of a customer at once: no subscription is left without one', async () => {
    const answers = await Promise.all([remove(card.id), remove(other.id)]);
    const codes = answers.map(({ status, body }) => body?.code ?? status);
    const { subscription: on } = await readFunding();
    const rows = await Promise.all([methodRow(world, card.id), methodRow(world, other.id)]);
    expect(rows.find(({ id }) => id === on)?.status, codes.join()).toBe('active');
    for (const code of codes) expect([204, 'payment_method_in_use']).toContain(code);
  });
});

// Setup intents and customers with the sandbox, over good and bad connections. A set-up in doubt is
// never reported as failed, and a decline only once its setup intent is closed.

import { startSandbox } from '@svc/sandbox';
import { watchCard } from '@svc/sandbox/official/watch';
import type Stripe from 'stripe';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '../../../test/harness.ts';
import type { Gateway, SetupCall } from '../../engine/ports.ts';
import { openProviders } from '../registry.ts';
import { translateSetup } from './setups.ts';
import { translateFailure, translateNotice } from './translate.ts';

const settings = { budgetMs: 2500, answerMs: 500, resendMs: 400, pauseMs: 10 };

type Bench = Awaited<ReturnType<typeof openBench>>;
let bench: Bench;
beforeAll(async () => {
  bench = await openBench();
});
afterAll(() => bench?.close());

async function openBench() {
  const watch = watchCard();
  const sandbox = await startSandbox({ limits: null, onCardExchange: watch.onCardExchange });
  const request = async <T>(path: string, init: RequestInit = {}): Promise<T> => {
    const answer = await fetch(sandbox.url + path, init);
    return (await answer.json()) as T;
  };
  const post = <T>(path: string, body: object) =>
    request<T>(path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  const account = await post<{ accountId: string; secretKey: string; publishableKey: string }>(
    '/_control/accounts',
    { name: 'set-ups' },
  );
  const gateway: Gateway = { id: newId(), clientId: newId(), provider: 'cardprovider', ...account };
  const providers = openProviders({ ...settings, cardUrl: sandbox.url });
  const nowhere = openProviders({ ...settings, cardUrl: 'http://127.0.0.1:1' });
  return {
    gateway,
    keeper: providers.methodKeeper(gateway),
    unreachable: nowhere.methodKeeper(gateway),
    unauthorised: providers.methodKeeper({ ...gateway, id: newId(), secretKey: 'sk_test_none' }),
    fault: (match: object, action: string, more: object = {}) =>
      post('/_control/faults', { match, action, ...more }),
    clearFaults: () => request('/_control/faults', { method: 'DELETE' }),
    list: async <T>(path: string): Promise<T[]> => {
      const headers = { authorization: `Bearer ${account.secretKey}` };
      return (await request<{ data: T[] }>(`/v1/${path}`, { headers })).data;
    },
    async aMethod(number = '4242424242424242'): Promise<string> {
      const card = { number, exp_month: '12', exp_year: '2034', cvc: '123' };
      const body = new URLSearchParams({ type: 'card' });
      for (const [name, value] of Object.entries(card)) body.set(`card[${name}]`, value);
      const headers = { authorization: `Bearer ${account.publishableKey}` };
      return (
        await request<{ id: string }>('/v1/payment_methods', { method: 'POST', headers, body })
      ).id;
    },
    answer: (url: string, outcome: string) =>
      fetch(url, {
        method: 'POST',
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        body: `outcome=${outcome}`,
        redirect: 'manual',
      }),
    async close() {
      await Promise.all([providers.close(), nowhere.close()]);
      await sandbox.close();
      watch.assertClean();
    },
  };
}

async function aCustomer(): Promise<string> {
  const made = await bench.keeper.createCustomer({
    key: `customer-${newId()}`,
    userId: newId(),
    clientId: newId(),
    email: 'buyer@example.test',
  });
  if (made.kind !== 'found') throw new Error(`no customer: ${made.kind}`);
  return made.customer.customerId;
}

async function aCall(given: Partial<SetupCall> & { number?: string } = {}): Promise<SetupCall> {
  const { number, ...more } = given;
  const cardSetupId = newId();
  return {
    key: `setup-${cardSetupId}-1`,
    isFirstSend: true,
    cardSetupId,
    sessionId: newId(),
    customerId: await aCustomer(),
    setupId: null,
    providerPaymentMethodId: await bench.aMethod(number),
    returnUrl: 'http://localhost:4000/back',
    onSetup: async () => undefined,
    ...more,
  };
}

const create = { method: 'POST', path: '/v1/setup_intents$' };
const confirm = { method: 'POST', path: '/v1/setup_intents/*/confirm' };
const cancel = { method: 'POST', path: '/v1/setup_intents/*/cancel' };
const retrieve = { method: 'GET', path: '/v1/setup_intents/*' };
const customers = { method: 'POST', path: '/v1/customers$' };

describe('setUp', () => {
  it('confirmed: the card is verified for its customer, its id stored before the confirmation', async () => {
    const stored: string[] = [];
    const call = await aCall({ onSetup: async (id) => void stored.push(id) });
    const outcome = await bench.keeper.setUp(call);
    expect(outcome).toMatchObject({
      kind: 'confirmed',
      setup: {
        state: 'succeeded',
        customerId: call.customerId,
        providerPaymentMethodId: call.providerPaymentMethodId,
        paidWith: { card: { type: 'card', brand: 'visa', lastFour: '4242', expiryYear: 2034 } },
      },
    });
    expect(stored).toEqual([outcome.kind === 'confirmed' ? outcome.setup.setupId : '']);
  });

  it('the same call again: the same setup intent, never a second one', async () => {
    const call = await aCall();
    const [first, again] = [await bench.keeper.setUp(call), await bench.keeper.setUp(call)];
    expect(again).toMatchObject({ kind: 'confirmed', setup: { state: 'succeeded' } });
    expect('setup' in again && again.setup.setupId).toBe('setup' in first && first.setup.setupId);
    expect(await bench.list(`setup_intents?customer=${call.customerId}`)).toHaveLength(1);
  });

  it('requires_action with the way to the bank; approved it is confirmed on reading', async () => {
    const outcome = await bench.keeper.setUp(await aCall({ number: '4000002760003184' }));
    if (outcome.kind !== 'requires_action') throw new Error(outcome.kind);
    expect(outcome.challenge.url).toContain(`/3ds/${outcome.setup.setupId}`);
    expect(outcome.setup.providerPaymentMethodId).toBeNull();
    await bench.answer(outcome.challenge.url ?? '', 'approve');
    expect(await bench.keeper.retrieveSetup(outcome.setup.setupId)).toMatchObject({
      kind: 'found',
      setup: { state: 'succeeded', providerPaymentMethodId: expect.stringMatching(/^pm_/) },
    });
  });

  it.each([
    ['fail', 'authentication_failed'],
    ['cancel', 'authentication_canceled'],
    ['time_out', 'authentication_abandoned'],
  ])('a challenge that ended in %s is read as %s', async (answer, code) => {
    const outcome = await bench.keeper.setUp(await aCall({ number: '4000002760003184' }));
    if (outcome.kind !== 'requires_action') throw new Error(outcome.kind);
    await bench.answer(outcome.challenge.url ?? '', answer);
    expect(await bench.keeper.retrieveSetup(outcome.setup.setupId)).toMatchObject({
      setup: { state: 'new', lastFailure: { code, declineCode: code } },
    });
  });

  it('refused with the bank’s code, and the setup intent is closed by then', async () => {
    const call = await aCall({ number: '4000000000009987' });
    expect(await bench.keeper.setUp(call)).toMatchObject({
      kind: 'refused',
      code: 'declined',
      declineCode: 'lost_card',
      advice: 'do_not_try_again',
    });
    expect(await bench.list(`setup_intents?customer=${call.customerId}`)).toMatchObject([
      { status: 'canceled' },
    ]);
  });

  it('declined, but not closed: in doubt, and the next call tells the decline', async () => {
    let setupId: string | null = null;
    const call = await aCall({
      number: '4000000000000002',
      onSetup: async (id) => {
        setupId = id;
      },
    });
    await bench.fault(cancel, 'error_503_unrecorded', { count: 2 });
    await bench.fault(retrieve, 'drop_reply', { count: 1 });
    expect(await bench.keeper.setUp(call)).toMatchObject({ kind: 'in_doubt', cause: 'not_closed' });
    await bench.clearFaults();
    expect(await bench.keeper.setUp({ ...call, setupId, isFirstSend: false })).toMatchObject({
      kind: 'refused',
      code: 'declined',
      declineCode: 'generic_decline',
    });
  });

  it.each([
    ['drop_reply', confirm],
    ['timeout_after_commit', confirm],
    ['truncated', confirm],
    ['error_409', confirm],
    ['error_503_unrecorded', confirm],
    ['drop_reply', create],
    ['timeout_after_commit', create],
  ])('%s once: sent again with the same key, verified once', async (action, match) => {
    const call = await aCall();
    await bench.fault(match, action);
    expect(await bench.keeper.setUp(call)).toMatchObject({
      kind: 'confirmed',
      setup: { state: 'succeeded' },
    });
    expect(await bench.list(`setup_intents?customer=${call.customerId}`)).toHaveLength(1);
  });

  it('no answer at all, and no reading: in doubt; the next call finds the success', async () => {
    let setupId: string | null = null;
    const call = await aCall({
      onSetup: async (id) => {
        setupId = id;
      },
    });
    await bench.fault(confirm, 'drop_reply', { count: 2 });
    await bench.fault(retrieve, 'drop_reply', { count: 1 });
    expect(await bench.keeper.setUp(call)).toMatchObject({ kind: 'in_doubt' });
    await bench.clearFaults();
    expect(await bench.keeper.setUp({ ...call, setupId, isFirstSend: false })).toMatchObject({
      kind: 'confirmed',
      setup: { state: 'succeeded', customerId: call.customerId },
    });
  });

  it('a recorded 500 that took effect all the same is a success, not a failure', async () => {
    const call = await aCall();
    await bench.fault(confirm, 'error_500', { executes: true });
    expect(await bench.keeper.setUp(call)).toMatchObject({
      kind: 'confirmed',
      setup: { state: 'succeeded' },
    });
  });

  it('a recorded 500 that took no effect: unavailable, and closed', async () => {
    const call = await aCall();
    await bench.fault(confirm, 'error_500');
    expect(await bench.keeper.setUp(call)).toMatchObject({ kind: 'refused', code: 'unavailable' });
    expect(await bench.list(`setup_intents?customer=${call.customerId}`)).toMatchObject([
      { status: 'canceled' },
    ]);
  });

  it('the answer names another set-up: in doubt', async () => {
    const call = await aCall();
    await bench.fault(confirm, 'wrong_id', { count: 2 });
    expect(await bench.keeper.setUp(call)).toMatchObject({ kind: 'in_doubt' });
    await bench.clearFaults();
  });

  it('nothing to reach, and a key that is refused: unavailable, key_refused', async () => {
    const call = await aCall();
    expect(await bench.unreachable.setUp(call)).toMatchObject({ code: 'unavailable' });
    expect(await bench.unauthorised.setUp(call)).toMatchObject({
      kind: 'refused',
      code: 'key_refused',
    });
  });

  it('without a card it is only opened, for the page; succeeded meanwhile it says so', async () => {
    const call = await aCall();
    const { providerPaymentMethodId, ...bare } = call;
    const opened = await bench.keeper.setUp({ ...bare, providerPaymentMethodId: null });
    if (opened.kind !== 'requires_action') throw new Error(opened.kind);
    expect(opened.challenge).toEqual({
      url: null,
      clientSecret: expect.stringContaining('_secret_'),
    });
    const { setupId } = opened.setup;
    await bench.keeper.setUp({ ...call, setupId, providerPaymentMethodId });
    expect(
      await bench.keeper.setUp({ ...bare, setupId, providerPaymentMethodId: null }),
    ).toMatchObject({ kind: 'confirmed', setup: { state: 'succeeded' } });
  });
});

describe('cancelSetup', () => {
  const openedSetup = async () => {
    const opened = await bench.keeper.setUp(await aCall({ providerPaymentMethodId: null }));
    if (opened.kind !== 'requires_action') throw new Error(opened.kind);
    return { key: `close-${newId()}`, setupId: opened.setup.setupId };
  };

  it('confirmed as canceled, and so again with another key', async () => {
    const call = await openedSetup();
    const closed = { kind: 'confirmed', setup: { state: 'canceled' } };
    expect(await bench.keeper.cancelSetup(call)).toMatchObject(closed);
    expect(await bench.keeper.cancelSetup({ ...call, key: newId() })).toMatchObject(closed);
  });

  it('a recorded 500 gives way to a second key', async () => {
    const call = await openedSetup();
    await bench.fault(cancel, 'error_500');
    expect(await bench.keeper.cancelSetup(call)).toMatchObject({ setup: { state: 'canceled' } });
  });

  it('one that has succeeded stays so, and says so', async () => {
    const done = await bench.keeper.setUp(await aCall());
    const setupId = 'setup' in done ? done.setup.setupId : '';
    expect(await bench.keeper.cancelSetup({ key: newId(), setupId })).toMatchObject({
      kind: 'confirmed',
      setup: { state: 'succeeded' },
    });
  });

  it('nothing heard: in doubt', async () => {
    const call = await openedSetup();
    expect(await bench.unreachable.cancelSetup(call)).toMatchObject({ kind: 'in_doubt' });
  });
});

describe('createCustomer', () => {
  const call = (given: object = {}) => ({
    key: `customer-${newId()}`,
    userId: newId(),
    clientId: newId(),
    email: `${newId()}@example.test`,
    ...given,
  });

  it.each(['drop_reply', 'timeout_after_commit', 'error_503_unrecorded'])(
    '%s once: one customer, the same for the same key',
    async (action) => {
      const wanted = call();
      await bench.fault(customers, action);
      const [first, again] = [
        await bench.keeper.createCustomer(wanted),
        await bench.keeper.createCustomer(wanted),
      ];
      expect(first).toMatchObject({ kind: 'found', customer: { defaultMethodId: null } });
      expect(again).toMatchObject({ customer: 'customer' in first ? first.customer : {} });
      expect(await bench.list(`customers?email=${wanted.email}`)).toHaveLength(1);
    },
  );

  it('another e-mail address by now, or a recorded 500: a second key finds a way', async () => {
    const wanted = call();
    await bench.keeper.createCustomer(wanted);
    const moved = { ...wanted, email: `${newId()}@example.test` };
    expect(await bench.keeper.createCustomer(moved)).toMatchObject({ kind: 'found' });
    await bench.fault(customers, 'error_500');
    expect(await bench.keeper.createCustomer(call())).toMatchObject({ kind: 'found' });
  });

  it('refused for a key that the provider does not know; in doubt when nothing is heard', async () => {
    expect(await bench.unauthorised.createCustomer(call())).toMatchObject({
      kind: 'refused',
      code: 'key_refused',
    });
    expect(await bench.unreachable.createCustomer(call())).toMatchObject({ kind: 'in_doubt' });
  });
});

describe('translateSetup', () => {
  it('names no method before it is verified, and no card that it was not shown', () => {
    const said = {
      id: 'seti_1',
      object: 'setup_intent',
      status: 'processing',
      customer: { id: 'cus_1' },
      payment_method: 'pm_1',
      client_secret: 'seti_1_secret_x',
      last_setup_error: null,
    } as unknown as Stripe.SetupIntent;
    expect(translateSetup(said)).toEqual({
      setupId: 'seti_1',
      state: 'processing',
      customerId: 'cus_1',
      providerPaymentMethodId: null,
      clientSecret: 'seti_1_secret_x',
    });
  });

  it('tells a failed authentication of a set-up from a decline', () => {
    const code = 'setup_intent_authentication_failure';
    expect(translateFailure({ code, message: 'It has failed.' }).code).toBe(
      'authentication_failed',
    );
    expect(translateFailure({ code: 'card_declined' }).code).toBe('declined');
  });

  it('a notice about a set-up says which one to read', () => {
    const event = {
      id: 'evt_1',
      type: 'setup_intent.succeeded',
      created: 1_772_000_000,
      livemode: false,
      data: { object: { id: 'seti_1', object: 'setup_intent', client_secret: 'secret' } },
    } as unknown as Stripe.Event;
    const notice = translateNotice(event);
    expect(notice).toMatchObject({ intentId: 'seti_1', kept: { object: 'setup_intent' } });
    expect(JSON.stringify(notice)).not.toContain('secret');
  });
});

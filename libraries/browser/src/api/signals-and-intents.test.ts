// Calls that their page aborts, and the two calls whose response stays raw. Spec 4.5.8.

import { describe, expect, it } from 'vitest';
import {
  answer,
  attached,
  failure,
  id,
  jsonOf,
  nonce,
  openedAnswer,
  payload,
  refusedAnswer,
  startStubWire,
  testBuyer,
  testDraft,
} from '../../test-wire.ts';
import { sleep } from './send.ts';

describe('a signal', () => {
  it('ends every call as aborted, and before the network when it came first', async () => {
    const signal = AbortSignal.abort();
    const { api, asked } = startStubWire([]);
    api.rememberSession(id, nonce);
    const body = { sessionId: id, tokenizedData: {}, accountData: testBuyer } as never;
    const calls = [
      api.createAndFetchSession(testDraft, { signal }),
      api.createDetachedSession(testDraft, { signal }),
      api.claimCheckoutSession(id, nonce, payload, { signal }),
      api.getCheckoutSession(id, { signal }),
      api.getUnifiedCheckoutSession(id, { signal }),
      api.getCheckoutSessionStatus(id, { signal }),
      api.processPayment(testBuyer.userId, body, { signal }),
      api.declineSession(id, { reason: 'other' }, { signal }),
      api.createPaymentIntent(id, testBuyer.email, 'card', { signal }),
      api.createSetupIntent(id, testBuyer.email, 'card', { signal }),
      api.getPaymentsByEmail(testBuyer.email, { signal }),
    ];
    for (const call of calls) {
      expect(await failure(call)).toMatchObject({ type: 'api_error', code: 'aborted', status: 0 });
    }
    expect(asked).toEqual([]);
  });

  it('ends a call on its way, with its own reason as cause', async () => {
    const { api } = startStubWire(['never']);
    api.rememberSession(id, nonce);
    const stop = new AbortController();
    const call = failure(api.getCheckoutSession(id, { signal: stop.signal }));
    const reason = new Error('the buyer left');
    stop.abort(reason);
    expect(await call).toMatchObject({ code: 'aborted', cause: reason });
  });

  it('ends the pause between two claims, and asks no more', async () => {
    const stop = new AbortController();

    const pausing = Promise.withResolvers<void>();
    // Longer than any test may take: only the signal ends this pause.
    const sleepForAnHour: typeof sleep = (_, signal) => {
      pausing.resolve();
      return sleep(3_600_000, signal);
    };
    const wire = { sleep: sleepForAnHour, random: () => 1 };
    const { api, asked } = startStubWire(['lost', attached()], wire);
    const call = failure(api.claimCheckoutSession(id, nonce, payload, { signal: stop.signal }));
    await pausing.promise;
    stop.abort();
    expect(await call).toMatchObject({ code: 'aborted' });
    expect(asked).toHaveLength(1);
  });

  it('ends the claim of a detached session as well', async () => {
    const stop = new AbortController();
    const { api } = startStubWire([openedAnswer(), 'never']);
    const { claimed: call } = await api.createDetachedSession(testDraft, { signal: stop.signal });
    stop.abort();
    expect(await failure(call)).toMatchObject({ code: 'aborted' });
  });
});

describe('intents', () => {
  it('Contract §9 intents: the fields of the contract, and the raw answer of any status', async () => {
    const data = { data: { intentId: 'pi_1' } };
    const { api, asked } = startStubWire([answer(200, data), refusedAnswer(409, 'some_code')]);
    api.rememberSession(id, nonce);
    const made = await api.createPaymentIntent(id, testBuyer.email, 'card');
    expect([made.status, await made.json()]).toEqual([200, data]);
    const refusal = await api.createSetupIntent(id, testBuyer.email, 'wallet_express_checkout');
    expect([refusal.ok, refusal.status]).toEqual([false, 409]);
    expect(await refusal.json()).toMatchObject({ code: 'some_code' });
    expect(asked.map(({ method, path }) => `${method} ${path}`)).toEqual([
      'POST /v1/checkouts/payments/intents',
      'POST /v1/checkouts/payments/setup-intents',
    ]);
    expect(asked.map(jsonOf)).toEqual([
      { sessionId: id, email: testBuyer.email, paymentMethod: 'card' },
      { sessionId: id, email: testBuyer.email, paymentMethodType: 'wallet_express_checkout' },
    ]);
    for (const { headers } of asked) expect(headers['x-checkout-session-token']).toBe(nonce);
  });

  it.each([
    [true, { isWallet: 'true' }],
    ['true' as const, { isWallet: 'true' }],
    [
      { isWallet: true, saveForLater: true },
      { isWallet: 'true', saveForLater: true },
    ],
    [false, {}],
    ['false' as 'true', {}],
  ])("the wallet flag %j goes out as the wire's", async (flag, fields) => {
    const { api, asked } = startStubWire([answer(200, {})]);
    api.rememberSession(id, nonce);
    await api.createPaymentIntent(id, testBuyer.email, 'apple_pay', flag);
    const fixed = { sessionId: id, email: testBuyer.email, paymentMethod: 'apple_pay' };
    expect(jsonOf(asked[0])).toEqual({ ...fixed, ...fields });
  });

  it('no answer at all is network_error; an unknown nonce asks nobody', async () => {
    const { api } = startStubWire(['lost']);
    const { email } = testBuyer;
    expect(await failure(api.createSetupIntent(id, email, 'card'))).toMatchObject({
      type: 'authentication_error',
    });
    api.rememberSession(id, nonce);
    expect(await failure(api.createPaymentIntent(id, email, 'card'))).toMatchObject({
      code: 'network_error',
      status: 0,
    });
  });
});

// The claim of a shell: how often, when, and with which bytes. Spec 4.5.3.

import { passTime } from '@svc/tools/pass-time';
import { describe, expect, it } from 'vitest';
import {
  attached,
  claimedSession,
  failure,
  id,
  nonce,
  payload,
  refusedAnswer,
  startStubWire,
} from '../../test-wire.ts';

describe('claimCheckoutSession', () => {
  it('three attempts, byte for byte the same, with a pause that grows and spreads', async () => {
    const { api, asked, pauses } = startStubWire([
      'lost',
      refusedAnswer(500, 'internal_error'),
      attached(),
    ]);
    const mine = { ...payload, timeoutMs: 9_000 };
    const call = api.claimCheckoutSession(id, nonce, mine);
    mine.currency = 'USD';
    expect(await call).toEqual(claimedSession);
    expect(new Set(asked.map(({ text }) => text))).toEqual(new Set([JSON.stringify(payload)]));
    expect(asked).toHaveLength(3);
    expect(pauses).toEqual([300, 600]);
    const other = startStubWire(['lost', 'lost', attached()], { random: () => 0 });
    await other.api.claimCheckoutSession(id, nonce, payload);
    expect(other.pauses).toEqual([150, 300]);
  });

  it('no fourth attempt: what the third met is thrown', async () => {
    const { api, asked } = startStubWire([
      'lost',
      'lost',
      refusedAnswer(503, 'service_unavailable'),
    ]);
    const error = await failure(api.claimCheckoutSession(id, nonce, payload));
    expect(error).toMatchObject({ code: 'service_unavailable', status: 503 });
    expect(asked).toHaveLength(3);
  });

  it.each([
    [400, 'validation_error'],
    [401, 'authentication_error'],
    [404, 'api_error'],
    [409, 'api_error'],
    [410, 'api_error'],
    [422, 'validation_error'],
    [425, 'api_error'],
    [429, 'api_error'],
  ])('%i is thrown at once, as %s', async (status, type) => {
    const { api, asked } = startStubWire([refusedAnswer(status, 'some_code')]);
    const error = await failure(api.claimCheckoutSession(id, nonce, payload));
    expect(error).toMatchObject({ type, code: 'some_code', status });
    expect(asked).toHaveLength(1);
  });

  it('a 409 that says when to come again is thrown at once all the same', async () => {
    const late = refusedAnswer(409, 'checkout_session_already_claimed', { 'retry-after': '1' });
    const { api, asked } = startStubWire([late]);
    const error = await failure(api.claimCheckoutSession(id, nonce, payload));
    expect(error).toMatchObject({ code: 'checkout_session_already_claimed', retryAfter: 1 });
    expect(asked).toHaveLength(1);
  });

  it.each([429, 425, 503])('%i with Retry-After is repeated then', async (status) => {
    const { api, pauses } = startStubWire([
      refusedAnswer(status, 'busy', { 'retry-after': '3' }),
      attached(),
    ]);
    expect(await api.claimCheckoutSession(id, nonce, payload)).toEqual(claimedSession);
    expect(pauses).toEqual([3_000]);
  });

  it('a page of a proxy is read by its status: 502 is repeated, 403 is not', async () => {
    const page = (status: number) => new Response('<html>', { status });
    const first = startStubWire([page(502), attached()]);
    expect(await first.api.claimCheckoutSession(id, nonce, payload)).toEqual(claimedSession);
    const second = startStubWire([page(403)]);
    expect(await failure(second.api.claimCheckoutSession(id, nonce, payload))).toMatchObject({
      type: 'authentication_error',
      code: 'invalid_response',
      status: 403,
      retryable: false,
    });
  });

  it.each([429, 503])(
    '%i with Retry-After past the deadline is thrown without waiting',
    async (status) => {
      const { api, asked, pauses } = startStubWire([
        refusedAnswer(status, 'busy', { 'retry-after': '12' }),
      ]);
      const error = await failure(api.claimCheckoutSession(id, nonce, payload));
      expect(error).toMatchObject({ code: 'busy', status, retryAfter: 12 });
      expect([asked.length, pauses.length]).toEqual([1, 0]);
    },
  );

  it('12 s for all attempts together, or as timeoutMs says', async () => {
    for (const [timeoutMs, spent] of [
      [undefined, 11_800],
      [2_000, 1_800],
    ] as const) {
      const { api, asked, pass } = startStubWire([
        () => {
          pass(spent);
          return refusedAnswer(500, 'internal_error');
        },
      ]);
      const given = timeoutMs ? { ...payload, timeoutMs } : payload;
      expect(await failure(api.claimCheckoutSession(id, nonce, given))).toMatchObject({
        status: 500,
      });
      expect(asked).toHaveLength(1);
    }
  });

  it('an attempt without an answer is given up at the deadline', async () => {
    const { api, asked } = startStubWire(['never']);
    const given = { ...payload, timeoutMs: 60 };
    const error = await failure(api.claimCheckoutSession(id, nonce, given));
    expect(error).toMatchObject({ type: 'api_error', code: 'network_error', retryable: true });
    expect(error.message).toContain('No answer within 60 ms');
    expect(asked).toHaveLength(1);
  });

  it('without a nonce: authentication_error before the network', async () => {
    const { api, asked } = startStubWire([]);
    const error = await failure(api.claimCheckoutSession(id, '', payload));
    expect(error).toMatchObject({
      type: 'authentication_error',
      code: 'checkout_session_token_required',
    });
    expect(asked).toEqual([]);
  });

  it('a deadline beyond what a timer takes is no deadline of now', async () => {
    const late = passTime(30, 'a timer of no length would have ended').then(attached);
    const { api } = startStubWire([late]);
    const given = { ...payload, timeoutMs: Number.POSITIVE_INFINITY };
    expect(await api.claimCheckoutSession(id, nonce, given)).toEqual(claimedSession);
  });
});

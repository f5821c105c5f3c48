// Proofs of identity, and failures in words, without a browser. Contract §6.

import { beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type * as Advice from './advice.ts';
import type * as Calls from './calls.ts';
import type * as Confirmation from './confirmation.ts';
import type * as Proofs from './proofs.ts';

let kit: typeof Calls & typeof Proofs & typeof Advice & typeof Confirmation;

// The router reads the address when it is loaded.
beforeAll(async () => {
  vi.stubGlobal('location', new URL('http://localhost/account'));
  kit = {
    ...(await import('./calls.ts')),
    ...(await import('./proofs.ts')),
    ...(await import('./advice.ts')),
    ...(await import('./confirmation.ts')),
  };
});

const failure = (code: string, status = 401, retryAfter?: number) =>
  new kit.CallFailure(status, { code, message: 'The service’s words.' }, retryAfter);

describe('a proof', () => {
  it('is a code in whichever groups it is typed, or a recovery code in its place', () => {
    expect(kit.secondFactorOf(' 123 456 ', false)).toEqual({ code: '123456' });
    expect(kit.secondFactorOf('abcd efgh\t', true)).toEqual({ recoveryCode: 'abcdefgh' });
    expect(kit.wrongCode(false)).toBe('The code is wrong or was used before.');
    expect(kit.wrongCode(true)).toBe('The recovery code is wrong or was used before.');
  });

  it('refused: told in the form’s own words, any other failure in the service’s', () => {
    const told = kit.signInFailed('The address or the password is wrong.');
    expect(() => told(failure('sign_in_failed'))).toThrow('The address or the password is wrong.');
    expect(() => told(failure('rate_limited', 429))).toThrow('The service’s words.');
    const fault = new Error('a fault');
    expect(() => told(fault)).toThrow(fault);
  });

  it('is given by passkey only where the account has one and the browser can use it', () => {
    const ways = (passkeyCount: number, hasPassword: boolean, can: boolean) =>
      kit.waysToProve({ passkeyCount, hasPassword }, can);
    expect(ways(1, true, true)).toEqual({ byPasskey: true, byPassword: true });
    expect(ways(1, true, false)).toEqual({ byPasskey: false, byPassword: true });
    expect(ways(0, true, true)).toEqual({ byPasskey: false, byPassword: true });
    expect(ways(2, false, true)).toEqual({ byPasskey: true, byPassword: false });
    expect(ways(1, false, false)).toEqual({ byPasskey: false, byPassword: false });
  });

  it('ends the question where the sign-in has ended meanwhile, and no other failure does', async () => {
    await expect(
      kit.unlessSignedOut(Promise.reject(failure('sign_in_required'))),
    ).resolves.toBeUndefined();
    await expect(
      kit.unlessSignedOut(Promise.reject(failure('sign_in_failed'))),
    ).rejects.toMatchObject({ code: 'sign_in_failed' });
  });
});

describe('a call for which the service wants a proof', () => {
  let sent = 0;
  let refused: { status: number; code: string }[] = [];
  beforeEach(() => {
    sent = 0;
    vi.stubGlobal('fetch', async () => {
      sent += 1;
      const given = refused.shift();
      return given ? Response.json(given, { status: given.status }) : Response.json({ data: [] });
    });
    return () => void vi.stubGlobal('fetch', undefined);
  });
  const old = { status: 403, code: 'recent_sign_in_required' };
  const read = () => kit.call('GET /v1/account/memberships', {}, { isVisitor: true });
  const asked = () => vi.waitUntil(() => kit.question.value, { interval: 1 });

  it('is sent again once the person has given one', async () => {
    refused = [old];
    const answer = read();
    (await asked()).answer(true);
    expect(await answer).toEqual({ data: [] });
    expect([sent, kit.question.value]).toEqual([2, null]);
  });

  it('fails where the question is closed, and is not sent again', async () => {
    refused = [old];
    const answer = read();
    (await asked()).answer(false);
    await expect(answer).rejects.toMatchObject({ code: 'recent_sign_in_required' });
    expect([sent, kit.question.value]).toEqual([1, null]);
  });

  it('fails as signed out where the sign-in has ended meanwhile', async () => {
    refused = [old, { status: 401, code: 'sign_in_required' }];
    const answer = read();
    (await asked()).answer(true);
    await expect(answer).rejects.toMatchObject({ code: 'sign_in_required' });
    expect(sent).toBe(2);
  });

  it('shares one question with a call at the same time', async () => {
    refused = [old, old];
    const answers = [read(), read()];
    (await asked()).answer(true);
    expect(await Promise.all(answers)).toEqual([{ data: [] }, { data: [] }]);
    expect(sent).toBe(4);
  });
});

describe('advice', () => {
  it('429: says how long to wait, in whole minutes from two on', () => {
    expect(kit.adviceOf(failure('rate_limited', 429, 840), [])).toBe('Try again in 14 minutes.');
    expect(kit.adviceOf(failure('rate_limited', 429, 841), [])).toBe('Try again in 15 minutes.');
    expect(kit.adviceOf(failure('rate_limited', 429, 119), [])).toBe('Try again in 119 seconds.');
    expect(kit.adviceOf(failure('rate_limited', 429), [])).toBe(null);
    const told = new kit.CallFailure(429, { message: 'Wait 3 seconds.' }, 3);
    expect(kit.adviceOf(told, [])).toBe(null);
    expect(kit.adviceOf(failure('gateway_unavailable', 503, 5), [])).toBe(null);
  });

  it('403 merchant_role_required: names the owners', () => {
    const refusal = failure('merchant_role_required', 403);
    expect(kit.adviceOf(refusal, ['Ada', 'Grace'])).toBe('Ask Ada, Grace.');
    expect(kit.adviceOf(refusal, [])).toBe('Ask an owner.');
  });
});

// Calls with arguments that can mean nothing are refused before any request, always as a SvcError.

import { describe, expect, it } from 'vitest';
import { CardSetup, confirmPayment, PaymentAPI, SvcError } from './index.ts';

const asked: string[] = [];
const api = new PaymentAPI('http://pay.test', {
  fetch: async (url) => {
    asked.push(url);
    return Response.json({});
  },
});
const id = '0199a1b2-0000-7000-8000-000000000001';
const asArgument = (value: unknown) => value as never;
api.rememberSession(id, 'nonce');

async function catchThrown(call: () => unknown): Promise<unknown> {
  try {
    await call();
  } catch (error) {
    return error;
  }
  return 'accepted';
}

/** A call that returns a promise rejects and never throws. */
const rejectsWith = (call: () => Promise<unknown>) => () =>
  call().catch((error) => Promise.reject(error));

describe.each([undefined, null, 7])('%s', (odd) => {
  it.each<[string, () => unknown]>([
    ['draft', rejectsWith(() => api.createAndFetchSession(asArgument(odd)))],
    ['draft', rejectsWith(() => api.createDetachedSession(asArgument(odd)))],
    ['payload', rejectsWith(() => api.claimCheckoutSession(id, 'nonce', asArgument(odd)))],
    [
      'userId',
      rejectsWith(() => api.processPayment(asArgument(odd), asArgument({ sessionId: id }))),
    ],
    [
      'userId',
      rejectsWith(() => confirmPayment(api, asArgument(odd), asArgument({ sessionId: id }))),
    ],
    ['body', rejectsWith(() => api.processPayment('u', asArgument(odd)))],
    ['body', rejectsWith(() => confirmPayment(api, 'u', asArgument(odd)))],
    ['data', () => api.cacheSessionDisplayData(id, asArgument(odd))],
    ['baseUrl', () => new PaymentAPI(asArgument(odd))],
    ['options', () => new CardSetup(asArgument(odd))],
  ])('as %s (%#)', async (param, call) => {
    const error = await catchThrown(call);
    expect(error).toBeInstanceOf(SvcError);
    expect(error).toMatchObject({ type: 'validation_error', param });
    expect(asked).toEqual([]);
  });
});

describe('the arguments of a call', () => {
  it('options of null are as options left out', async () => {
    await api.getCheckoutSessionStatus(id, asArgument(null));
    await api.getPaymentsByEmail('ada@example.test', asArgument(null));
    await api.createSetupIntent(id, 'ada@example.test', 'card', asArgument(null));
    expect(asked.splice(0)).toHaveLength(3);
  });

  it.each(['', '\ud800', 'a\udc00'])('a userId of %j', async (userId) => {
    const error = await catchThrown(() =>
      api.processPayment(userId, asArgument({ sessionId: id })),
    );
    expect(error).toBeInstanceOf(SvcError);
    expect(error).toMatchObject({ type: 'validation_error', param: 'userId' });
    expect(asked).toEqual([]);
  });

  it.each([0, -1, Number.NaN, '12', null])('a timeoutMs of %s', async (timeoutMs) => {
    const draft = asArgument({ currency: 'EUR', timeoutMs });
    const error = await catchThrown(() => api.claimCheckoutSession(id, 'nonce', draft));
    expect(error).toMatchObject({ type: 'validation_error', param: 'timeoutMs' });
    expect(asked).toEqual([]);
  });

  it.each(['pay.test', 'ftp://pay.test', 'http://', '//pay.test', 'javascript:alert(1)'])(
    'a base URL of %s',
    (baseUrl) => {
      const shown = { code: 'invalid_argument', param: 'baseUrl' };
      expect(() => new PaymentAPI(baseUrl)).toThrow(expect.objectContaining(shown));
      const options = { baseUrl, sessionId: id, nonce: 'n' };
      expect(() => new CardSetup(options)).toThrow(expect.objectContaining(shown));
    },
  );

  it.each(['', '/billing', 'HTTPS://pay.test/'])('takes the base URL %j', (baseUrl) => {
    expect(() => new PaymentAPI(baseUrl)).not.toThrow();
  });
});

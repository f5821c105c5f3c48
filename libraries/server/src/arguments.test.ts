// What no call can mean is refused by its name, before the network, and always as a SvcError.

import { describe, expect, it } from 'vitest';
import { Svc, SvcError, SvcValidationError } from './index.ts';

// Nobody listens there: a call that goes out would fail as a connection.
const svc = new Svc('sk_1', {
  baseUrl: 'http://127.0.0.1:9',
  providerBaseUrl: 'http://127.0.0.1:9',
  clientId: 'c',
  apiToken: 'svc_t',
  maxNetworkRetries: 0,
});
const id = '0199a1b2-0000-7000-8000-000000000001';
const given = (value: unknown) => value as never;
const thrownBy = async (call: () => unknown): Promise<unknown> => {
  try {
    await call();
  } catch (error) {
    return error;
  }
  return 'accepted';
};

describe.each([undefined, null, 7])('%s', (odd) => {
  it.each<[string, () => unknown]>([
    ['params', () => svc.checkout.sessions.create(given(odd))],
    ['params', () => svc.customers.update('cus_1', given(odd))],
    ['params', () => svc.events.poll(given(odd)).next()],
    ['parts', () => svc.webhooks.generateTestHeader(given(odd))],
    ['parts', () => svc.webhooks.generateTestHeaderAsync(given(odd))],
    ['handler', () => svc.webhooks.toNodeHandler(given(odd), 'svc_whsec_x')],
    ['options', () => svc.webhooks.toFastifyPlugin(() => {}, 'svc_whsec_x', given(odd))],
    ['listener', () => svc.on('request', given(odd))],
    ['method', () => svc.request(given(odd), given('/v1/payments'))],
    ['path', () => svc.request('GET', given(odd))],
    ['paymentId', () => svc.payments.retrieve(given(odd))],
    ['id', () => svc.checkout.sessions.retrieve(given(odd))],
  ])('as %s (%#)', async (param, call) => {
    const error = await thrownBy(call);
    expect(error).toBeInstanceOf(SvcValidationError);
    expect(error).toMatchObject({ type: 'validation_error', param });
  });
});

describe.each([null, 7])('%s', (odd) => {
  it.each<[string, () => unknown]>([
    ['options', () => svc.checkout.sessions.getStatus(id, 'n', given(odd))],
    ['options', () => svc.setupSessions.getStatus(id, 'n', given(odd))],
    ['options', () => svc.request('GET', '/v1/payments', undefined, given(odd))],
    ['options', () => svc.webhooks.toNodeHandler(() => {}, 'svc_whsec_x', given(odd))],
    ['params', () => svc.payments.list(given(odd))],
    ['params', () => svc.checkout.sessions.listLineItems('cs_1', given(odd))],
    ['signal', () => svc.payments.retrieve(id, { signal: given(odd) })],
    ['appInfo', () => new Svc('sk_1', { appInfo: given(odd) })],
    ['timeout', () => svc.payments.retrieve(id, { timeout: given(Number(odd) / 2) })],
    ['baseUrl', () => new Svc('sk_1', { baseUrl: given(odd) })],
  ])('as %s (%#)', async (param, call) => {
    expect(await thrownBy(call)).toMatchObject({ type: 'validation_error', param });
  });
});

describe('the arguments of a call', () => {
  it.each([10n, { amount: 10n }, () => undefined])('a body of %s is no JSON', async (body) => {
    const error = await thrownBy(() => svc.request('POST', '/v1/products', given(body)));
    expect(error).toMatchObject({ type: 'validation_error', param: 'body' });
  });

  it('a secret of this service in place of the key of the card provider is refused by name', () => {
    const wrong = () => new Svc('svc_0123456789');
    expect(wrong).toThrow(SvcError);
    expect(wrong).toThrow(/not the secret key of your card provider/);
  });
});

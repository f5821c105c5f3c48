// Calls with arguments that can mean nothing are refused by the argument's name, before any request
// and always as a SvcError.

import { describe, expect, it } from 'vitest';
import { Svc, SvcError, SvcValidationError } from './index.ts';

// Nothing listens at this address: a call that is sent fails as a connection error.
const svc = new Svc('sk_1', {
  baseUrl: 'http://127.0.0.1:9',
  providerBaseUrl: 'http://127.0.0.1:9',
  clientId: 'c',
  apiToken: 'svc_t',
  maxNetworkRetries: 0,
});
const id = '0199a1b2-0000-7000-8000-000000000001';
const asArgument = (value: unknown) => value as never;
const catchThrown = async (call: () => unknown): Promise<unknown> => {
  try {
    await call();
  } catch (error) {
    return error;
  }
  return 'accepted';
};

describe.each([undefined, null, 7])('%s', (odd) => {
  it.each<[string, () => unknown]>([
    ['params', () => svc.checkout.sessions.create(asArgument(odd))],
    ['params', () => svc.customers.update('cus_1', asArgument(odd))],
    ['params', () => svc.events.poll(asArgument(odd)).next()],
    ['parts', () => svc.webhooks.generateTestHeader(asArgument(odd))],
    ['parts', () => svc.webhooks.generateTestHeaderAsync(asArgument(odd))],
    ['handler', () => svc.webhooks.toNodeHandler(asArgument(odd), 'svc_whsec_x')],
    ['options', () => svc.webhooks.toFastifyPlugin(() => {}, 'svc_whsec_x', asArgument(odd))],
    ['listener', () => svc.on('request', asArgument(odd))],
    ['method', () => svc.request(asArgument(odd), asArgument('/v1/payments'))],
    ['path', () => svc.request('GET', asArgument(odd))],
    ['paymentId', () => svc.payments.retrieve(asArgument(odd))],
    ['id', () => svc.checkout.sessions.retrieve(asArgument(odd))],
  ])('as %s (%#)', async (param, call) => {
    const error = await catchThrown(call);
    expect(error).toBeInstanceOf(SvcValidationError);
    expect(error).toMatchObject({ type: 'validation_error', param });
  });
});

describe.each([null, 7])('%s', (odd) => {
  it.each<[string, () => unknown]>([
    ['options', () => svc.checkout.sessions.getStatus(id, 'n', asArgument(odd))],
    ['options', () => svc.setupSessions.getStatus(id, 'n', asArgument(odd))],
    ['options', () => svc.request('GET', '/v1/payments', undefined, asArgument(odd))],
    ['options', () => svc.webhooks.toNodeHandler(() => {}, 'svc_whsec_x', asArgument(odd))],
    ['params', () => svc.payments.list(asArgument(odd))],
    ['params', () => svc.checkout.sessions.listLineItems('cs_1', asArgument(odd))],
    ['signal', () => svc.payments.retrieve(id, { signal: asArgument(odd) })],
    ['appInfo', () => new Svc('sk_1', { appInfo: asArgument(odd) })],
    ['timeout', () => svc.payments.retrieve(id, { timeout: asArgument(Number(odd) / 2) })],
    ['baseUrl', () => new Svc('sk_1', { baseUrl: asArgument(odd) })],
  ])('as %s (%#)', async (param, call) => {
    expect(await catchThrown(call)).toMatchObject({ type: 'validation_error', param });
  });
});

describe('the arguments of a call', () => {
  it.each([10n, { amount: 10n }, () => undefined])('a body of %s is no JSON', async (body) => {
    const error = await catchThrown(() => svc.request('POST', '/v1/products', asArgument(body)));
    expect(error).toMatchObject({ type: 'validation_error', param: 'body' });
  });

  it('an address that ends in /v1, as the start prints it, is refused by the one to give', () => {
    const createWrong = () => new Svc({ baseUrl: 'http://localhost:4000/v1/' });
    expect(createWrong).toThrow(
      /^Option baseUrl must be the address without \/v1: http:\/\/localhost:4000\.?$/,
    );
  });

  it('a secret of this service in place of the key of the card provider is refused by name', () => {
    const createWrong = () => new Svc('svc_0123456789');
    expect(createWrong).toThrow(SvcError);
    expect(createWrong).toThrow(/not the secret key of your card provider/);
  });
});

// The outcomes of a detach: done, refused, certainly not done, or in doubt while a send of it may
// still take effect. docs/decisions/saved-cards.md.

import { startSandbox } from '@svc/sandbox';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { newId } from '../../../test/harness.ts';
import type { Gateway, MethodKeeper } from '../../engine/ports.ts';
import { openProviders } from '../registry.ts';

const settings = { budgetMs: 2500, answerMs: 500, resendMs: 400, pauseMs: 10 };

let bench: Awaited<ReturnType<typeof openBench>>;
beforeAll(async () => {
  bench = await openBench();
});
afterAll(() => bench?.close());

type Body = Record<string, unknown>;

async function openBench() {
  const sandbox = await startSandbox({ limits: null });
  const request = async (path: string, init: RequestInit = {}): Promise<Body> =>
    (await (await fetch(sandbox.url + path, init)).json()) as Body;
  const post = (path: string, body: object) =>
    request(path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  const account = await post('/_control/accounts', { name: 'detach' });
  const gateway = { id: newId(), clientId: newId(), provider: 'cardprovider', ...account };
  const providers = openProviders({ ...settings, cardUrl: sandbox.url });
  const nowhere = openProviders({ ...settings, cardUrl: 'http://127.0.0.1:1' });
  const secret = String(account.secretKey);
  const call = (method: string, path: string, fields?: Record<string, string>, key = secret) =>
    request(path, {
      method,
      headers: { authorization: `Bearer ${key}` },
      ...(fields ? { body: new URLSearchParams(fields) } : {}),
    });
  return {
    keeper: providers.methodKeeper(gateway as unknown as Gateway),
    unreachable: nowhere.methodKeeper(gateway as unknown as Gateway),
    fault: (path: string, action: string, more: object = {}) =>
      post('/_control/faults', { match: { method: 'POST', path }, action, ...more }),
    unread: (path: string) =>
      post('/_control/faults', { match: { method: 'GET', path }, action: 'error_429', count: 9 }),
    clear: () => request('/_control/faults', { method: 'DELETE' }),
    /** Creates a card that is saved for a customer. */
    async aCard(): Promise<string> {
      const { id: customer } = await call('POST', '/v1/customers', { email: 'jo@example.test' });
      const card = { number: '4242424242424242', exp_month: '12', exp_year: '2034', cvc: '123' };
      const fields = Object.entries(card).map(([name, value]) => [`card[${name}]`, value]);
      const typed = { type: 'card', ...Object.fromEntries(fields) };
      const publishable = String(account.publishableKey);
      const { id } = await call('POST', '/v1/payment_methods', typed, publishable);
      const saved = await providers.methodKeeper(gateway as unknown as Gateway).setUp({
        ...{ key: newId(), isFirstSend: true, cardSetupId: newId(), sessionId: newId() },
        ...{ customerId: String(customer), setupId: null, providerPaymentMethodId: String(id) },
        ...{ returnUrl: 'http://localhost:4000/back', onSetup: async () => undefined },
      });
      if (saved.kind !== 'confirmed') throw new Error(`no card: ${saved.kind}`);
      return String(id);
    },
    isKept: async (id: string) =>
      (await call('GET', `/v1/payment_methods/${id}`)).customer !== null,
    async close() {
      await Promise.all([providers.close(), nowhere.close()]);
      await sandbox.close();
    },
  };
}

let methodId: string;
let path: string;
beforeEach(async () => {
  await bench.clear();
  methodId = await bench.aCard();
  path = `/v1/payment_methods/${methodId}/detach`;
});

const detach = (keeper: MethodKeeper = bench.keeper) =>
  keeper.detachMethod({ key: newId(), methodId });
const kindOf = async (keeper?: MethodKeeper) => (await detach(keeper)).kind;
const readPath = () => `/v1/payment_methods/${methodId}$`;

describe('detachMethod', () => {
  it('confirmed, and again once it is detached', async () => {
    expect(await kindOf()).toBe('confirmed');
    expect(await kindOf()).toBe('confirmed');
    expect(await bench.isKept(methodId)).toBe(false);
  });

  it.each(['error_429', 'error_503_unrecorded'])(
    'confirmed: %s once, then taken up',
    async (action) => {
      await bench.fault(path, action, { count: 1 });
      expect(await kindOf()).toBe('confirmed');
    },
  );

  it.each(['drop_reply', 'timeout_after_commit'])(
    'confirmed: read as detached after %s',
    async (action) => {
      await bench.fault(path, action, { count: 9 });
      expect(await kindOf()).toBe('confirmed');
    },
  );

  it('not done: turned away by 429, whether it can be read or not', async () => {
    await bench.fault(path, 'error_429', { count: 9 });
    expect(await kindOf()).toBe('not_done');
    await bench.unread(readPath());
    expect(await kindOf()).toBe('not_done');
  });

  it('not done: it never left', async () => {
    expect(await kindOf(bench.unreachable)).toBe('not_done');
  });

  it('a 500 is not done where the card is read as kept, and in doubt where it cannot be read', async () => {
    await bench.fault(path, 'error_500', { count: 9 });
    expect(await kindOf()).toBe('not_done');
    expect(await bench.isKept(methodId)).toBe(true);
    await bench.unread(readPath());
    expect(await kindOf()).toBe('in_doubt');
  });

  it('a 500 that took effect is confirmed by reading', async () => {
    await bench.fault(path, 'error_500', { count: 1, executes: true });
    expect(await kindOf()).toBe('confirmed');
  });

  it('in doubt: 409, one with the key is being executed', async () => {
    await bench.fault(path, 'error_409', { count: 9 });
    expect(await kindOf()).toBe('in_doubt');
  });

  it.each(['drop_request', 'half_open', 'late'])(
    'in doubt: no answer (%s), though the card is read as kept',
    async (action) => {
      await bench.fault(path, action, { count: 9, delayMs: 3000 });
      expect(await kindOf()).toBe('in_doubt');
      expect(await bench.isKept(methodId)).toBe(true);
    },
  );

  it.each(['error_429', 'error_500'])(
    'in doubt: the first answer was lost, then %s',
    async (action) => {
      await bench.fault(path, 'drop_request', { count: 1 });
      await bench.fault(path, action, { count: 1 });
      expect(await kindOf()).toBe('in_doubt');
    },
  );
});

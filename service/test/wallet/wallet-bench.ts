// A wallet in the sandbox for the tests of the wallet's client: an account of its own, the faults
// of the conformance suite, the record of its calls, and every exchange compared with the
// description of the API.

import { randomUUID } from 'node:crypto';
import { type Exchange, startSandbox } from '@svc/sandbox';
import { openReference } from '@svc/sandbox/wallet/reference';
import { afterAll, afterEach, beforeAll, describe, expect, vi } from 'vitest';
import type {
  AuthorizeCall,
  Gateway,
  HoldCall,
  ReceivedNotice,
  RefundCall,
} from '../../src/engine/ports.ts';
import type { Fault } from '../../src/providers/conformance/bench.ts';
import { openProviders } from '../../src/providers/registry.ts';
import type { WalletProvider } from '../../src/providers/wallet/port.ts';
import { newId } from '../harness.ts';

export const budgetMs = 2500;
const settings = { budgetMs, answerMs: 500, resendMs: 400, pauseMs: 10 };

const orders = '/v2/checkout/orders';
const paths = {
  token: { method: 'POST', path: '/v1/oauth2/token' },
  create: { method: 'POST', path: `${orders}$` },
  capture: { method: 'POST', path: `${orders}/*/capture` },
  mark: { method: 'PATCH', path: `${orders}/*` },
  retrieve: { method: 'GET', path: `${orders}/*` },
  refund: { method: 'POST', path: '/v2/payments/captures/*/refund' },
} as const;
type Step = keyof typeof paths;

const actions: Record<Fault, object> = {
  effect_then_reset: { action: 'drop_reply' },
  effect_then_silence: { action: 'timeout_after_commit' },
  reset_before_effect: { action: 'drop_request' },
  reset_then_late_effect: { action: 'late', delayMs: 1500 },
  recorded_error: { action: 'error_500' },
  recorded_error_after_effect: { action: 'error_500', executes: true },
  unrecorded_error: { action: 'error_503_unrecorded' },
  key_in_use: { action: 'error_409' },
  rate_limited: { action: 'error_429' },
  slow: { action: 'slow', delayMs: 1000 },
  wrong_amount: { action: 'wrong_amount' },
  broken_body: { action: 'truncated' },
  refused: { action: 'decline' },
};

type Account = {
  accountId: string;
  wallet: { clientId: string; clientSecret: string; merchantId: string };
};
type Effect = {
  kind: string;
  amount: number;
  idempotencyKey: string | null;
  metadata: Record<string, string>;
};
type SeenRequest = { method: string; path: string; idempotencyKey: string | null };

type WalletBench = Awaited<ReturnType<typeof openWalletBench>>;

async function openWalletBench(mode: 'guarded' | 'unguarded' = 'guarded') {
  const reference = openReference();
  const exchanges: Exchange[] = [];
  const sandbox = await startSandbox({
    limits: null,
    mode,
    onWalletExchange: (exchange) => exchanges.push(exchange),
  });
  const request = async <T>(path: string, init: RequestInit = {}): Promise<T> => {
    const answer = await fetch(`${sandbox.url}/_control${path}`, init);
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
    return (await answer.json()) as T;
  };
  const post = <T>(path: string, body: object = {}) =>
    request<T>(path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  const { wallet: app } = await post<Account>('/accounts', { name: 'wallet client' });
  const gateway: Gateway = {
    id: newId(),
    clientId: newId(),
    provider: 'wallet',
    accountId: app.merchantId,
    publishableKey: app.clientId,
    secretKey: app.clientSecret,
  };
  const providers = openProviders({ ...settings, cardUrl: sandbox.url, walletUrl: sandbox.url });
  const nowhere = 'http://127.0.0.1:1';
  const gone = openProviders({ ...settings, cardUrl: nowhere, walletUrl: nowhere });
  return {
    sandbox,
    gateway,
    /** Returns the violations of the API's description since the last call. */
    complaints: () => exchanges.splice(0).flatMap((one) => reference?.compare(one) ?? []),
    provider: providers.wallet(gateway),
    unreachable: gone.wallet(gateway),
    unauthorised: providers.wallet({ ...gateway, id: newId(), secretKey: 'unknown' }),
    post,
    /** A new client of the same account, with empty caches. */
    fresh: () => providers.wallet({ ...gateway, id: newId() }),
    readNotice: (received: ReceivedNotice, accountId = app.merchantId) =>
      providers.parseNotice({ provider: 'wallet', accountId }, received),
    /** Registers `url` for the account's notices; returns the webhook's id. */
    listen: async (url: string): Promise<string> => {
      const basic = Buffer.from(`${app.clientId}:${app.clientSecret}`).toString('base64');
      const granted = await fetch(sandbox.url + paths.token.path, {
        method: 'POST',
        headers: { authorization: `Basic ${basic}` },
        body: 'grant_type=client_credentials',
      });
      const { access_token: token } = (await granted.json()) as { access_token: string };
      const made = await fetch(`${sandbox.url}/v1/notifications/webhooks`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify({ url, event_types: [{ name: '*' }] }),
      });
      return ((await made.json()) as { id: string }).id;
    },
    /** Returns how often an access token was requested. */
    async grants() {
      const { requests } = await request<{ requests: SeenRequest[] }>('/requests');
      return requests.filter(({ path }) => path === paths.token.path).length;
    },
    approve: (orderId: string, behaviour = 'completes') =>
      post(`/wallet/orders/${orderId}/approve`, { behaviour }),
    advance: (seconds: number) => post('/clock/advance', { seconds }),
    fault: (step: Step, fault: Fault, count = 1) =>
      post('/faults', { match: paths[step], count, ...actions[fault] }),
    plant: (step: Step, fault: object) => post('/faults', { match: paths[step], ...fault }),
    clearFaults: () => request('/faults', { method: 'DELETE' }),
    async effects(orderId: string) {
      const { entries } = await request<{ entries: Effect[] }>(`/ledger?intent=${orderId}`);
      return entries.map(({ idempotencyKey, kind, amount, metadata }) => ({
        kind,
        amount,
        key: idempotencyKey,
        metadata,
      }));
    },
    async sends(orderId: string, step: Step) {
      const { requests } = await request<{ requests: SeenRequest[] }>(
        `/requests?intent=${orderId}`,
      );
      const { method, path } = paths[step];
      const pattern = new RegExp(`^${path.replaceAll('*', '[^/]+')}$`);
      return requests
        .filter((seen) => seen.method === method && pattern.test(seen.path))
        .map(({ idempotencyKey }) => idempotencyKey);
    },
    async close() {
      await Promise.all([providers.close(), gone.close()]);
      await sandbox.close();
    },
  };
}

const newHold = () => {
  const operationId = randomUUID();
  return { operationId, key: `op-${operationId}-1`, isFirstSend: true };
};

/** Calls about new payments of the fixture. */
function openBenchCalls(bench: WalletBench) {
  const attempt = async (given: Partial<AuthorizeCall> = {}) => {
    const made: string[] = [];
    const call: AuthorizeCall = {
      ...newHold(),
      paymentId: randomUUID(),
      sessionId: randomUUID(),
      intentId: null,
      amountMinor: 1990,
      currency: 'EUR',
      captureMethod: 'automatic',
      providerPaymentMethodId: null,
      returnUrl: 'http://localhost:4000/c/x?a=1#nonce',
      onIntent: async (id) => made.push(id) > 0,
      ...given,
    };
    const outcome = await bench.provider.authorize(call);
    const [orderId = ''] = made;
    const authorizeAgain = (
      more: Partial<AuthorizeCall> = {},
      provider: WalletProvider = bench.provider,
    ) => provider.authorize({ ...call, intentId: orderId, ...more });
    return { call, outcome, orderId, again: authorizeAgain };
  };
  /** Creates an attempt that its buyer has approved. */
  const anApproved = async (behaviour = 'completes', given: Partial<AuthorizeCall> = {}) => {
    const made = await attempt(given);
    await bench.approve(made.orderId, behaviour);
    return made;
  };
  const aHold = async (behaviour = 'completes'): Promise<HoldCall> => {
    const { call, orderId } = await anApproved(behaviour);
    return { ...call, ...newHold(), intentId: orderId };
  };
  const aCaptured = async (behaviour = 'completes'): Promise<RefundCall> => {
    const { call, orderId, again } = await anApproved(behaviour);
    const outcome = await again();
    if (outcome.kind !== 'confirmed') throw new Error(`not captured: ${outcome.kind}`);
    const refundId = randomUUID();
    const more = { refundId, reason: null, sendUntil: Date.now() + 60_000 };
    return { ...call, ...newHold(), ...more, intentId: orderId };
  };
  const listKinds = async (orderId: string) =>
    (await bench.effects(orderId)).map((effect) => effect.kind);
  return {
    bench,
    provider: bench.provider,
    attempt,
    anApproved,
    aHold,
    aCaptured,
    kinds: listKinds,
  };
}

type BenchCalls = ReturnType<typeof openBenchCalls>;

/** Returns a captured order of the fixture. */
export const capturedAnswer = (orderId: string) => ({
  kind: 'confirmed',
  payment: { intentId: orderId, state: 'captured', amountMinor: 1990, currency: 'EUR' },
});

/**
 * Declares tests of the wallet's client with the sandbox. A provider that executes every new key
 * shows faults in our keys that the real provider's protection would hide.
 */
export function describeWallet(
  modes: readonly ('guarded' | 'unguarded')[],
  define: (at: BenchCalls) => void,
): void {
  describe.each(modes)('wallet, %s', (mode) => {
    let bench: WalletBench;
    let made: BenchCalls;
    beforeAll(async () => {
      bench = await openWalletBench(mode);
      made = openBenchCalls(bench);
      // The first call of a new process may take longer than a test's time limits.
      const warmUpProvider = async () =>
        expect(await bench.provider.retrieve('NONE')).toMatchObject({ kind: 'missing' });
      await vi.waitFor(warmUpProvider, { timeout: 20_000 });
    });
    afterEach(async () => {
      await bench.clearFaults();
      expect(bench.complaints()).toEqual([]);
    });
    afterAll(() => bench.close());
    define({
      get bench() {
        return bench;
      },
      get provider() {
        return bench.provider;
      },
      attempt: (given) => made.attempt(given),
      anApproved: (behaviour, given) => made.anApproved(behaviour, given),
      aHold: (behaviour) => made.aHold(behaviour),
      aCaptured: (behaviour) => made.aCaptured(behaviour),
      kinds: (orderId) => made.kinds(orderId),
    });
  });
}

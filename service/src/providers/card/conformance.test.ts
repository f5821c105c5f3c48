import { startSandbox } from '@svc/sandbox';
import { watchCard } from '@svc/sandbox/official/watch';
import { newId } from '../../../test/harness.ts';
import type { Gateway } from '../../engine/ports.ts';
import type { Fault, ProviderFixture, Step } from '../conformance/bench.ts';
import { describeProvider } from '../conformance.ts';
import { openProviders } from '../registry.ts';

const budgetMs = 2500;
const settings = { budgetMs, answerMs: 500, resendMs: 400, pauseMs: 10 };

const paths: Record<Step, { method: string; path: string }> = {
  create: { method: 'POST', path: '/v1/payment_intents$' },
  confirm: { method: 'POST', path: '/v1/payment_intents/*/confirm' },
  capture: { method: 'POST', path: '/v1/payment_intents/*/capture' },
  cancel: { method: 'POST', path: '/v1/payment_intents/*/cancel' },
  retrieve: { method: 'GET', path: '/v1/payment_intents/*' },
};

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

type Account = { accountId: string; secretKey: string; publishableKey: string };

async function openBench(mode: 'guarded' | 'unguarded'): Promise<ProviderFixture> {
  const watch = watchCard();
  const sandbox = await startSandbox({
    ...{ mode, limits: null },
    onCardExchange: watch.onCardExchange,
  });
  const request = async <T>(path: string, init: RequestInit = {}): Promise<T> => {
    const answer = await fetch(sandbox.url + path, init);
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
    return (await answer.json()) as T;
  };
  const post = <T>(path: string, body: object = {}) =>
    request<T>(path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  const account = await post<Account>('/_control/accounts', { name: 'conformance' });
  const gateway: Gateway = {
    id: newId(),
    clientId: newId(),
    provider: 'cardprovider',
    ...account,
  };
  const providers = openProviders({ ...settings, cardUrl: sandbox.url });
  const nowhere = openProviders({ ...settings, cardUrl: 'http://127.0.0.1:1' });
  return {
    provider: providers.provider(gateway),
    unreachable: nowhere.provider(gateway),
    unauthorised: providers.provider({ ...gateway, id: newId(), secretKey: 'sk_test_unknown' }),
    budgetMs,
    async aPaymentMethod(number) {
      const card = { number, exp_month: '12', exp_year: '2034', cvc: '123' };
      const body = new URLSearchParams({ type: 'card' });
      for (const [name, value] of Object.entries(card)) body.set(`card[${name}]`, value);
      const made = await request<{ id: string }>('/v1/payment_methods', {
        method: 'POST',
        headers: { authorization: `Bearer ${account.publishableKey}` },
        body,
      });
      return made.id;
    },
    async aCustomer() {
      const made = await request<{ id: string }>('/v1/customers', {
        method: 'POST',
        headers: { authorization: `Bearer ${account.secretKey}` },
        body: new URLSearchParams({ email: 'buyer@example.test' }),
      });
      return made.id;
    },
    async fault(step, fault, count = 1) {
      await post('/_control/faults', { match: paths[step], count, ...actions[fault] });
    },
    async clearFaults() {
      await request('/_control/faults', { method: 'DELETE' });
    },
    async effects(intentId) {
      const { entries } = await request<{
        entries: { kind: string; amount: number; idempotencyKey: string | null }[];
      }>(`/_control/ledger?intent=${intentId}`);
      return entries.map(({ kind, amount, idempotencyKey }) => ({
        kind,
        amount,
        key: idempotencyKey,
      }));
    },
    async sends(intentId, step) {
      const { requests } = await request<{
        requests: { path: string; idempotencyKey: string | null }[];
      }>(`/_control/requests?intent=${intentId}`);
      return requests
        .filter(({ path }) => path.endsWith(`/${step}`))
        .map(({ idempotencyKey }) => ({ key: idempotencyKey }));
    },
    async actAtProvider(intentId, act) {
      if (act === 'expire') return post(`/_control/holds/${intentId}/expire`);
      const [verb, part] = act.split(' ');
      const body = part ? { amount_to_capture: 1000 } : {};
      await post(`/_control/intents/${intentId}/${verb}`, body);
    },
    async answerChallenge(url, outcome) {
      const body = new URLSearchParams({ outcome });
      const answer = await fetch(url, { method: 'POST', body, redirect: 'manual' });
      if (answer.status >= 400) throw new Error(`challenge: ${answer.status}`);
    },
    async close() {
      await Promise.all([providers.close(), nowhere.close()]);
      await sandbox.close();
      watch.assertClean();
    },
  };
}

describeProvider('card provider, guarded', () => openBench('guarded'), { isGuarded: true });
describeProvider('card provider that runs every new key', () => openBench('unguarded'), {
  isGuarded: false,
});

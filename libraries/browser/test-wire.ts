// A stub server and a clock for tests: responses in turn, and pauses that take no time.

import { PaymentAPI } from './src/api/payment-api.ts';
import type { PaymentApiOptions } from './src/api/session-api.ts';
import { SvcError } from './src/api/svc-error.ts';

export const id = '01990000-0000-7000-8000-00000000c0de';
export const nonce = 'n0nce';
export const testBuyer = {
  userId: '01990000-0000-7000-8000-0000000000aa',
  email: 'ada@example.com',
};
export const testDraft = {
  clientId: '01990000-0000-7000-8000-000000000001',
  currency: 'EUR',
  products: [{ code: 'mug', quantity: 1 }],
  accountData: testBuyer,
};
export const testShell = {
  id,
  status: 'unclaimed',
  currency: 'EUR',
  products: [],
  gateways: {},
  vault: { mountToken: 'svcm_1' },
  url: `https://pay.example/c/${id}#${nonce}`,
  expiresAt: '2099-01-01T00:00:00.000Z',
};
const { url: _, ...bare } = testShell;
export const claimedSession = {
  ...bare,
  url: null,
  status: 'open',
  products: [{ code: 'mug', name: null, totalAmount: 5, overrideAmount: null, currency: 'EUR' }],
  gateways: { cardprovider: { publishableKey: 'pk_test_1', accountId: 'acct_1' } },
};
export const payload = { currency: 'EUR', products: testDraft.products, accountData: testBuyer };

type RecordedRequest = {
  method: string;
  path: string;
  headers: Record<string, string>;
  text: string;
};
type PlannedReply = Response | Promise<Response> | 'lost' | 'never' | (() => Response);

export const answer = (status: number, body: unknown, headers: Record<string, string> = {}) =>
  new Response(JSON.stringify(body), { status, headers });
export const openedAnswer = () => answer(201, { ...testShell, nonce });
export const attached = () => answer(200, claimedSession);
export const refusedAnswer = (status: number, code: string, headers?: Record<string, string>) =>
  answer(status, { code, status }, headers);

/** A service that responds in turn, and a clock that only pauses move. */
export function startStubWire(answers: PlannedReply[], options: PaymentApiOptions = {}) {
  const asked: RecordedRequest[] = [];
  const pauses: number[] = [];
  let now = 1_000_000;
  const fetch = async (url: string, { method = '', headers, body, signal }: RequestInit) => {
    signal?.throwIfAborted();
    const path = url.slice('https://pay.example'.length);
    asked.push({ method, path, headers: { ...(headers as object) }, text: String(body ?? '') });
    const next = answers.shift();
    if (next === undefined) throw new Error('asked more often than expected');
    if (next === 'lost') throw new TypeError('Failed to fetch');
    if (next === 'never' || next instanceof Promise) {
      return new Promise<Response>((resolve, reject) => {
        signal?.addEventListener('abort', () => reject(signal.reason));
        if (next !== 'never') next.then(resolve, reject);
      });
    }
    return typeof next === 'function' ? next() : next;
  };
  const sleep = async (ms: number) => {
    pauses.push(ms);
    passTime(ms);
  };
  const passTime = (ms: number) => {
    now += ms;
  };
  const api = new PaymentAPI('https://pay.example//', {
    fetch,
    sleep,
    now: () => now,
    random: () => 1,
    ...options,
  });
  return { api, asked, pauses, pass: passTime };
}

export async function failure(call: Promise<unknown>): Promise<SvcError> {
  const error = await call.then(
    () => null,
    (cause: unknown) => cause,
  );
  if (error instanceof SvcError) return error;
  throw new Error(`no SvcError but ${String(error)}`);
}
export const jsonOf = (
  { text }: RecordedRequest = { method: '', path: '', headers: {}, text: 'null' },
): object => JSON.parse(text) as object;

// What the sandbox's tests share: a sandbox with one account, the official SDK as its client, a receiver of
// webhooks, and functions for the controls.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import Stripe from 'stripe';
import { type Sandbox, type SandboxOptions, startSandbox } from '../src/index.ts';

export type Entry = {
  seq: number;
  kind: string;
  object: string;
  intent: string | null;
  charge: string | null;
  amount: number;
  currency: string;
  idempotencyKey: string | null;
  metadata: Record<string, string>;
  origin: string;
  answered: boolean;
};

export type SeenCall = {
  method: string;
  path: string;
  status: number | null;
  fault: string | null;
  idempotencyKey: string | null;
  replayed: boolean;
  answered: boolean;
};

export type Control = {
  post: <T = Record<string, unknown>>(path: string, body?: object) => Promise<T>;
  get: <T = Record<string, unknown>>(path: string) => Promise<T>;
  fault: (fault: object) => Promise<unknown>;
  ledger: (intent: string) => Promise<Entry[]>;
  calls: (intent: string) => Promise<SeenCall[]>;
  advance: (seconds: number) => Promise<unknown>;
};

export type Bench = {
  sandbox: Sandbox;
  stripe: Stripe;
  browser: Stripe;
  secretKey: string;
  publishableKey: string;
  accountId: string;
  control: Control;
};

export const createControl = (url: string): Control => {
  const ask = async <T>(path: string, init?: RequestInit): Promise<T> => {
    const answer = await fetch(`${url}/_control${path}`, init);
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${answer.status} ${text}`);
    return JSON.parse(text) as T;
  };
  const post = <T>(path: string, body: object = {}): Promise<T> =>
    ask<T>(path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  return {
    post,
    get: (path) => ask(path),
    fault: (fault) => post('/faults', fault),
    ledger: async (intent) => (await ask<{ entries: Entry[] }>(`/ledger?intent=${intent}`)).entries,
    calls: async (intent) =>
      (await ask<{ requests: SeenCall[] }>(`/requests?intent=${intent}`)).requests,
    advance: (seconds) => post('/clock/advance', { seconds }),
  };
};

/** Makes the SDK as a merchant configures it, without retries of its own. */
export const connect = (sandbox: Sandbox, key: string, timeoutMs = 5_000): Stripe =>
  new Stripe(key, {
    host: '127.0.0.1',
    port: sandbox.port,
    protocol: 'http',
    maxNetworkRetries: 0,
    timeout: timeoutMs,
    telemetry: false,
  });

export const openBench = async (options: SandboxOptions = {}): Promise<Bench> => {
  const sandbox = await startSandbox({ limits: null, ...options });
  const control = createControl(sandbox.url);
  const account = await control.post<{
    accountId: string;
    secretKey: string;
    publishableKey: string;
  }>('/accounts', { name: 'tests' });
  return {
    sandbox,
    control,
    ...account,
    stripe: connect(sandbox, account.secretKey),
    browser: connect(sandbox, account.publishableKey),
  };
};

type Hit = { body: string; signature: string };
export type Receiver = {
  url: string;
  hits: Hit[];
  /** Responds to the next n deliveries with 500. */
  refuse: (times: number) => void;
  waitFor: (count: number) => Promise<Hit[]>;
  close: () => Promise<void>;
};

/** A merchant's webhook endpoint. */
export const openReceiver = async (): Promise<Receiver> => {
  const hits: Hit[] = [];
  let refusals = 0;
  let wake: (() => void)[] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => {
      body += chunk.toString();
    });
    request.on('end', () => {
      if (refusals > 0) {
        refusals -= 1;
        response.writeHead(500).end();
        return;
      }
      hits.push({ body, signature: String(request.headers['stripe-signature']) });
      response.writeHead(200).end();
      for (const next of wake) next();
      wake = [];
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const waitFor = async (count: number): Promise<Hit[]> => {
    const limit = AbortSignal.timeout(8_000);
    while (hits.length < count) {
      await new Promise<void>((resolve, reject) => {
        wake.push(resolve);
        limit.addEventListener('abort', () =>
          reject(new Error(`only ${hits.length} of ${count} deliveries came`)),
        );
      });
    }
    return hits;
  };
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks`,
    hits,
    refuse: (times) => {
      refusals = times;
    },
    waitFor,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
};

/** A call as a stranger's code makes it, without the SDK; with the secret key unless it names headers. */
export const post = async (
  bench: Bench,
  call: {
    path: string;
    form: Record<string, string>;
    headers?: Record<string, string> | undefined;
  },
): Promise<{ status: number; text: string; body: Record<string, unknown> }> => {
  const answer = await fetch(`${bench.sandbox.url}/v1${call.path}`, {
    method: 'POST',
    headers: call.headers ?? { authorization: `Bearer ${bench.secretKey}` },
    body: new URLSearchParams(call.form),
  });
  const text = await answer.text();
  return { status: answer.status, text, body: JSON.parse(text) as Record<string, unknown> };
};

/** Returns the error with which `work` rejects. */
export const refusal = async (work: Promise<unknown>): Promise<Stripe.errors.StripeError> => {
  try {
    await work;
  } catch (error) {
    if (error instanceof Stripe.errors.StripeError) return error;
    throw error;
  }
  throw new Error('it was not refused');
};

/** Makes a hold on a new card, ready to capture. */
export const createHold = (bench: Bench, amount = 1000): Promise<Stripe.PaymentIntent> =>
  bench.stripe.paymentIntents.create({
    amount,
    currency: 'usd',
    capture_method: 'manual',
    confirm: true,
    payment_method: 'pm_card_visa',
    allowed_payment_method_types: ['card'],
  });

// Purchases as a shop and its buyer make them, over HTTP: session, card form, hold, capture.

import { randomUUID } from 'node:crypto';
import { Agent, type RequestOptions, request } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';

export type Shop = {
  readonly apiUrl: string;
  readonly clientId: string;
  readonly apiToken: string;
  readonly productCode: string;
};

export type Load = {
  readonly purchases: number;
  /** By status and code of the refusal. */
  readonly failed: Readonly<Record<string, number>>;
  /** Of the captures, in ascending order. */
  readonly captureMs: readonly number[];
  /** From the first purchase to the end of the last one. */
  readonly tookMs: number;
};

export type Buying = {
  /** Begins purchases on schedule, whether or not the earlier ones are done. */
  atRate(rate: number, seconds: number): Promise<Load>;
  /** Buys in a few lanes, each one purchase after the other, until `most` were begun. */
  warmUp(seconds: number, most: number): Promise<Load>;
  close(): void;
};

/** Over it purchases are not begun, so that a machine that cannot keep up is not buried. */
const mostOpen = 1000;
const lanes = 8;
const answerWithinMs = 15_000;

class Failed extends Error {}

type Call = {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: object;
};

export function openBuying(shop: Shop, signal: AbortSignal): Buying {
  const agent = new Agent({ keepAlive: true, maxSockets: mostOpen });
  const call = <T>(url: string, given: Call) => callOnce<T>(url, { agent, signal }, given);
  const run = async (drive: (buy: () => Promise<void>) => Promise<void>): Promise<Load> => {
    const captureMs: number[] = [];
    const failed: Record<string, number> = {};
    const from = performance.now();
    const count = (reason: string) => {
      failed[reason] = (failed[reason] ?? 0) + 1;
    };
    let open = 0;
    await drive(async () => {
      if (open >= mostOpen) return count('not_begun');
      open += 1;
      try {
        captureMs.push(await purchase(shop, call));
      } catch (error) {
        count(error instanceof Failed ? error.message : codeOf(error));
      } finally {
        open -= 1;
      }
    });
    signal.throwIfAborted();
    const tookMs = performance.now() - from;
    return {
      ...{ purchases: captureMs.length, failed, tookMs },
      captureMs: captureMs.sort((a, b) => a - b),
    };
  };
  return {
    atRate: (rate, seconds) =>
      run(async (buy) => {
        const from = performance.now();
        const begun: Promise<void>[] = [];
        for (let at = 0; at < rate * seconds; at++) {
          const early = from + (at * 1000) / rate - performance.now();
          if (early > 0) await pause(early, undefined, { signal });
          begun.push(buy());
        }
        await Promise.all(begun);
      }),
    warmUp: (seconds, most) =>
      run(async (buy) => {
        const until = performance.now() + seconds * 1000;
        let begun = 0;
        const lane = async () => {
          while (begun++ < most && performance.now() < until && !signal.aborted) await buy();
        };
        await Promise.all(Array.from({ length: lanes }, lane));
      }),
    close: () => agent.destroy(),
  };
}

const codeOf = (error: unknown): string =>
  (error as NodeJS.ErrnoException).code ?? (error as Error).name;

type Session = {
  readonly id: string;
  readonly nonce: string;
  readonly vault: {
    readonly formUrl: string;
    readonly formOrigin: string;
    readonly mountToken: string;
  };
};

/** Makes one purchase of a new buyer. Returns how long its capture took, in ms. */
async function purchase(
  { apiUrl, clientId, apiToken, productCode }: Shop,
  call: <T>(url: string, given: Call) => Promise<T>,
): Promise<number> {
  const authorization = `Basic ${Buffer.from(`${clientId}:${apiToken}`).toString('base64')}`;
  const userId = randomUUID();
  const accountData = { userId, email: `${userId.slice(0, 13)}@example.com` };
  const { id, nonce, vault } = await call<Session>(`${apiUrl}/v1/checkouts/sessions`, {
    headers: { authorization },
    body: {
      ...{ clientId, captureMethod: 'manual', currency: 'EUR', accountData },
      products: [{ code: productCode, quantity: 1 }],
    },
  });
  const { token } = await call<{ token: string }>(`${vault.formOrigin}/form/tokens`, {
    headers: { origin: vault.formOrigin },
    body: {
      mountToken: vault.mountToken,
      // The token is valid where these pages embed the form.
      parents: new URL(vault.formUrl).searchParams.get('parents')?.split('.')[1],
      ...{ number: '4242424242424242', expiryMonth: 12, cvc: '123' },
      expiryYear: new Date().getUTCFullYear() + 3,
    },
  });
  const held = await call<{ paymentId: string; type: string }>(
    `${apiUrl}/v1/checkouts/sessions/${id}/process`,
    {
      headers: { 'x-checkout-session-token': nonce, 'x-user-id': userId },
      body: {
        ...{ sessionId: id, accountData },
        tokenizedData: { provider: 'cardprovider', type: 'card', token },
      },
    },
  );
  if (held.type !== 'success') throw new Failed(`hold_${held.type}`);
  const from = performance.now();
  await call(`${apiUrl}/v1/payments/${held.paymentId}/capture`, {
    method: 'PUT',
    headers: { authorization, 'idempotency-key': `bench-${held.paymentId}` },
    body: {},
  });
  return performance.now() - from;
}

function callOnce<T>(
  url: string,
  { agent, signal }: Pick<RequestOptions, 'agent' | 'signal'>,
  { method = 'POST', headers, body }: Call,
): Promise<T> {
  const text = JSON.stringify(body);
  const about = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) };
  return new Promise((resolve, reject) => {
    const sent = request(url, {
      ...{ method, agent, timeout: answerWithinMs, headers: { ...headers, ...about } },
      ...(signal ? { signal } : {}),
    });
    sent.once('timeout', () => sent.destroy(new Failed('no_answer')));
    sent.once('error', reject);
    sent.once('response', (answer) => {
      const parts: Buffer[] = [];
      answer.on('data', (part: Buffer) => void parts.push(part));
      answer.once('error', reject);
      answer.once('end', () => {
        const said = JSON.parse(Buffer.concat(parts).toString() || '{}');
        const status = answer.statusCode ?? 0;
        if (status < 300) resolve(said as T);
        else reject(new Failed(`${status} ${said.error?.code ?? said.code ?? ''}`.trim()));
      });
    });
    sent.end(text);
  });
}

// Purchases as a shop and its buyer make them, over HTTP: session, card form, hold, capture.

import { randomUUID } from 'node:crypto';
import { Agent, type RequestOptions, request } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import {
  type Ask,
  buyerOf,
  type Call,
  credentialOf,
  payCall,
  type Session,
  type Shop,
  sessionCall,
  tokenise,
} from '../stage/checkout.ts';

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

/** Makes one purchase of a new buyer. Returns how long its capture took, in ms. */
async function purchase(shop: Shop, ask: Ask): Promise<number> {
  const buyer = buyerOf(randomUUID());
  const headers = credentialOf(shop);
  const session = await ask<Session>(`${shop.apiUrl}/v1/checkouts/sessions`, {
    headers,
    body: sessionCall(shop, buyer, { captureMethod: 'manual', currency: 'EUR' }),
  });
  const token = await tokenise(session, ask);
  const held = await ask<{ paymentId: string; type: string }>(
    `${shop.apiUrl}/v1/checkouts/sessions/${session.id}/process`,
    payCall(session, buyer, token),
  );
  if (held.type !== 'success') throw new Failed(`hold_${held.type}`);
  const from = performance.now();
  await ask(`${shop.apiUrl}/v1/payments/${held.paymentId}/capture`, {
    method: 'PUT',
    headers: { ...headers, 'idempotency-key': `bench-${held.paymentId}` },
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

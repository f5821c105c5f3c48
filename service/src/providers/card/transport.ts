// The card SDK's HTTP client over undici: a third of the CPU of node:http, and errors that state
// whether a request can have reached the provider.

import type Stripe from 'stripe';
import type { Dispatcher } from 'undici';
import Pool from 'undici/lib/dispatcher/pool.js';
import { type ReceivedAnswer, sendAndRead } from '../sending/ask.ts';
import { throwIfNeverSent } from '../sending/never-sent.ts';
import { assertStillToSend, waitForTurn } from '../sending/send-until.ts';

const mostBytes = 256 * 1024;

export type TransportSettings = {
  readonly origin: string;
  readonly connections: number;
  readonly connectMs: number;
};

export type Transport = { readonly client: Stripe.HttpClient; close(): Promise<void> };

/** Makes the SDK's `httpClient` for one provider; all its accounts share the sockets. */
export function openTransport(settings: TransportSettings): Transport {
  const pool = new Pool(settings.origin, {
    connections: settings.connections,
    connect: { timeout: settings.connectMs },
    maxResponseSize: mostBytes,
  });

  // The SDK's own signature: the pool already determines host and port.
  const makeRequest = async (
    ...[, , path, method, headers, body, , timeoutMs]: Parameters<Stripe.HttpClient['makeRequest']>
  ): Promise<Stripe.HttpClientResponse> => {
    await waitForTurn(method, path);
    assertStillToSend();
    try {
      const asked = {
        path,
        method: method as Dispatcher.HttpMethod,
        headers: headers as Record<string, string>,
        body: method === 'POST' ? body : null,
      };
      return toResponse(await sendAndRead(pool, asked, timeoutMs));
    } catch (error) {
      throwIfNeverSent(error);
      // The error's code is dropped: the SDK itself repeats errors that it recognises as a closed connection.
      throw new Error((error as Error).message, { cause: error });
    }
  };

  return {
    client: { getClientName: () => 'undici', makeRequest },
    close: () => pool.close(),
  };
}

const toResponse = (received: ReceivedAnswer): Stripe.HttpClientResponse => ({
  getStatusCode: () => received.status,
  getHeaders: () => received.headers as Record<string, string>,
  getRawResponse: () => received,
  toStream: () => {
    throw new Error('an answer of the card provider is read whole');
  },
  toJSON: async () => readAnswer(received.status, JSON.parse(received.text)),
});

const errorTypes = new Set([
  'api_error',
  'card_error',
  'idempotency_error',
  'invalid_request_error',
]);

/**
 * Accepts an object under 2xx, or the provider's own error envelope under any other status.
 * Anything else comes from a system in between, and the SDK would take some of it for success.
 */
function readAnswer(status: number, body: unknown): object {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw new SyntaxError('the answer is no object');
  }
  const { error } = body as { error?: { type?: unknown } | null };
  const isEnvelope = typeof error?.type === 'string' && errorTypes.has(error.type);
  const isGood = status >= 200 && status < 300;
  if (isGood ? error !== undefined : !isEnvelope) {
    throw new SyntaxError("the answer is not the provider's");
  }
  return body;
}

// The card SDK's HTTP client over undici: a third of the CPU of node:http, and errors that tell
// whether a request can have reached the provider.

import type Stripe from 'stripe';
import { type Dispatcher, Pool } from 'undici';

/** Nothing of the request left this machine. */
export class NeverSent extends Error {}

const neverSentCodes = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
]);

const mostBytes = 256 * 1024;

export type TransportSettings = {
  readonly origin: string;
  readonly connections: number;
  readonly connectMs: number;
  readonly answerMs: number;
};

export type Transport = { readonly client: Stripe.HttpClient; close(): Promise<void> };

/** Makes the SDK's `httpClient` for one provider; the sockets are shared by all its accounts. */
export function openTransport(settings: TransportSettings): Transport {
  const pool = new Pool(settings.origin, {
    connections: settings.connections,
    connect: { timeout: settings.connectMs },
    headersTimeout: settings.answerMs,
    bodyTimeout: settings.answerMs,
    maxResponseSize: mostBytes,
  });

  // The SDK's own signature: host, port and timeout are the pool's business here.
  const makeRequest = async (
    ...[, , path, method, headers, body]: Parameters<Stripe.HttpClient['makeRequest']>
  ): Promise<Stripe.HttpClientResponse> => {
    try {
      return toResponse(
        await pool.request({
          path,
          method: method as Dispatcher.HttpMethod,
          headers: headers as Record<string, string>,
          body: method === 'POST' ? body : null,
        }),
      );
    } catch (error) {
      const { code, message } = error as { code?: string; message: string };
      if (code && neverSentCodes.has(code)) throw new NeverSent(message, { cause: error });
      throw error;
    }
  };

  return {
    client: { getClientName: () => 'undici', makeRequest },
    close: () => pool.close(),
  };
}

const toResponse = (response: Dispatcher.ResponseData): Stripe.HttpClientResponse => ({
  getStatusCode: () => response.statusCode,
  getHeaders: () => response.headers as Record<string, string>,
  getRawResponse: () => response,
  toStream: (onEnd) => {
    response.body.once('end', onEnd);
    return response.body;
  },
  toJSON: async () => JSON.parse(await response.body.text()),
});

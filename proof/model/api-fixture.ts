// The fixture of the API layer: PostgreSQL, sandbox provider and vault, all real, behind a real
// HTTP server, with a merchant and buyers that call it.

import { request } from 'undici';
import { aProduct, moveClock, newId } from '../../service/test/harness.ts';
import { aServer } from '../../service/test/server.ts';
import { parentsOf, startWorld } from '../../service/test/world.ts';
import { amount } from './core-answers.ts';

export type Reply = {
  readonly status: number;
  readonly text: string;
  readonly body: Record<string, unknown>;
  readonly headers: Record<string, string | string[] | undefined>;
};

/** A session, and a card token that pays it. */
export type Checkout = {
  readonly sessionId: string;
  readonly nonce: string;
  readonly mountToken: string;
  readonly userId: string;
};

type Method = 'GET' | 'POST' | 'PUT';
type RequestParts = { readonly headers?: Record<string, string>; readonly body?: string | object };

async function send(
  url: string,
  method: Method,
  { headers = {}, body }: RequestParts,
): Promise<Reply> {
  const sent = typeof body === 'object' ? JSON.stringify(body) : body;
  const answer = await request(url, {
    method,
    headers: {
      ...(sent === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(sent === undefined ? {} : { body: sent }),
  });
  const text = await answer.body.text();
  const shown = JSON.parse(text) as Record<string, unknown>;
  return { status: answer.statusCode, text, body: shown, headers: answer.headers };
}

export type ApiFixture = Awaited<ReturnType<typeof openApiFixture>>;

const email = 'buyer@example.test';

export async function openApiFixture() {
  // Long limits, so that a busy machine loses no response: only planted faults do.
  const patience = { budgetMs: 30_000, answerMs: 20_000, pauseMs: 5 };
  const world = await startWorld({ provider: patience });
  await aProduct(world.database, world.client, { code: 'pin', prices: { KRW: amount } });
  const server = await aServer(world.ports);
  const address = await server.app.listen({ host: '127.0.0.1', port: 0 });
  let shiftMs = 0;

  const call = (method: Method, path: string, given: RequestParts = {}) =>
    send(address + path, method, given);

  /** Calls as the merchant's server does. */
  const callAsMerchant = (
    method: Method,
    path: string,
    { headers = {}, body }: RequestParts = {},
  ) => {
    const { authorization } = world.token;
    const given = { headers: { authorization, ...headers } };
    return call(method, path, body === undefined ? given : { ...given, body });
  };

  return {
    world,
    call,
    callAsMerchant,
    now: () => Date.now() + shiftMs,
    /**
     * Moves the clocks of service and provider; the provider ends the holds that have expired by
     * then.
     */
    async moveClock(ms: number): Promise<void> {
      shiftMs += ms;
      await moveClock(world.database, ms);
      await world.control('POST', '/_control/clock/advance', { seconds: ms / 1000 });
    },
    async session(captureMethod: 'automatic' | 'manual'): Promise<Checkout> {
      const id = newId();
      // The merchant's id of the buyer may be any text: a UUID, or a text from which a UUID is
      // made.
      const userId = /[02468ace]$/.test(id) ? id : `buyer ${id}`;
      const made = await call('POST', '/v1/checkouts/sessions', {
        body: {
          clientId: world.client.id,
          captureMethod,
          currency: 'KRW',
          products: [{ code: 'pin', quantity: 1 }],
          accountData: { userId, email },
        },
      });
      const shown = made.body as { id: string; nonce: string; vault: { mountToken: string } };
      if (made.status !== 201) throw new Error(`no session: ${made.text}`);
      const { id: sessionId, nonce, vault } = shown;
      return { sessionId, nonce, mountToken: vault.mountToken, userId };
    },
    cardToken: ({ mountToken }: Checkout, number: string): Promise<string> =>
      cardToken(world.vault.url, { mountToken, number, now: Date.now() + shiftMs }),
    pay({ sessionId, nonce, userId }: Checkout, token: string): Promise<Reply> {
      return call('POST', `/v1/checkouts/sessions/${sessionId}/process`, {
        headers: { 'x-checkout-session-token': nonce, 'x-user-id': userId },
        body: {
          sessionId,
          tokenizedData: { provider: 'cardprovider', type: 'card', token },
          accountData: { userId, email },
        },
      });
    },
    async close(): Promise<void> {
      await server.app.close();
      await world.close();
    },
  };
}

/** Creates a card token as the card form does. */
async function cardToken(
  vaultUrl: string,
  { mountToken, number, now }: { mountToken: string; number: string; now: number },
): Promise<string> {
  const expiryYear = new Date(now).getFullYear() + 3;
  const card = { number, expiryMonth: 12, expiryYear, cvc: '123' };
  const { status, body } = await send(`${vaultUrl}/form/tokens`, 'POST', {
    headers: { origin: vaultUrl },
    body: { mountToken, parents: parentsOf(mountToken), ...card },
  });
  if (typeof body.token !== 'string') throw new Error(`no card token: ${status}`);
  return body.token;
}

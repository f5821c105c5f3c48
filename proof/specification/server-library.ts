// A merchant's server that uses the library: the service on a port, the provider's sandbox, real
// cards and people. No part is simulated.

import Stripe from 'stripe';
import { expect } from 'vitest';
import { Svc, SvcError, type SvcOptions } from '../../libraries/server/src/index.ts';
import { webhookUrlJudge } from '../../service/src/webhooks/judge-url.ts';
import { webhookSender } from '../../service/src/webhooks/send.ts';
import { aGrant } from '../../service/test/people/grants.ts';
import { aServer } from '../../service/test/server.ts';
import { aReceiver, loopback } from '../../service/test/webhooks/webhooks.ts';

import { email, mug, openShop } from './shop.ts';

export type Library = Awaited<ReturnType<typeof openLibrary>>;

export async function openLibrary() {
  const shop = await openShop();
  const sending = { allow: loopback };
  const { app } = await aServer({
    ...shop.ports,
    sendWebhook: webhookSender(sending),
    judgeWebhookUrl: webhookUrlJudge(sending),
  });
  const baseUrl = await app.listen({ host: '127.0.0.1', port: 0 });
  const receiver = await aReceiver();
  const { secretKey } = shop.account;
  const svcWith = (options: SvcOptions = {}) =>
    new Svc(secretKey, { baseUrl, providerBaseUrl: shop.sandbox.url, ...options });
  const credential = { clientId: shop.client.id, apiToken: shop.token.token };
  const { hostname: host, port } = new URL(shop.sandbox.url);
  return {
    ...shop,
    baseUrl,
    secretKey,
    /** The receiver of the webhooks. */
    receiver,
    credential,
    svcWith,
    /** The library with the merchant's credential. */
    svc: svcWith(credential),
    /** The provider's SDK with the same account, with which the merchant's own checkout is made. */
    stripe: new Stripe(secretKey, { host, port: Number(port), protocol: 'http', telemetry: false }),
    /** Pays a session of the library as a buyer does on the page. */
    async payAtThePage(session: { sessionId: string; nonce: string }, userId: string) {
      const got = await shop.call(session, `GET /v1/checkouts/sessions/${session.sessionId}`);
      const { mountToken } = got.body.vault as { mountToken: string };
      return shop.pay({ ...session, userId, mountToken });
    },
    cart: (userId: string) => ({ currency: 'EUR', products: [mug], account: { userId, email } }),
    /** Returns an access token, as an application gets one from a person. */
    anAccessToken: async (scopes: readonly string[] = ['mcp']) => {
      const user = { id: shop.token.userId };
      const given = { user, client: shop.client, scopes };
      return (await aGrant(shop.ports, given)).accessToken;
    },
    async close() {
      await app.close();
      await receiver.close();
      await shop.close();
    },
  };
}

/** Returns what the call throws or rejects with; fails the test when it does neither. */
export async function catchThrown(run: () => unknown): Promise<SvcError> {
  try {
    await run();
  } catch (error) {
    expect(error).toBeInstanceOf(SvcError);
    return error as SvcError;
  }
  throw new Error('nothing was thrown');
}

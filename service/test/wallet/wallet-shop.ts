// A merchant of a world who also accepts the wallet: the gateway, the buyer's actions, and the
// wallet's records.

import { refuse } from '../../src/engine/implement.ts';
import { operations } from '../../src/operations/index.ts';
import { sql } from '../../src/storage/database/sql.ts';
import { findPayment } from '../../src/storage/payments/payments.ts';
import { aGateway, newId, sessionCaller } from '../harness.ts';
import { bodyOf } from '../payments/checkouts.ts';
import type { TestServer } from '../server.ts';
import { aSession, type Checkout, type LedgerEntry, type World } from '../world.ts';

export type WalletAnswer = {
  type: string;
  status?: string;
  paymentId: string;
  redirect?: { url: string; expiresAt: string };
};

type Request = { method: string; path: string };
export type WalletShop = Awaited<ReturnType<typeof openWalletShop>>;

const setSecret = sql(
  'test_set_webhook_id',
  'update gateways set notice_secret_sealed = $2 where id = $1',
);

/** Gives the world's client an active gateway at the wallet. */
export async function openWalletShop(world: World) {
  const app = world.account.wallet;
  const gatewayId = newId();
  const place = { clientId: world.client.id, table: 'gateways', rowId: gatewayId };
  const sealField = (field: string, text: string) =>
    world.ports.sealed.seal({ ...place, field }, text);
  await aGateway(world.database, world.client, {
    id: gatewayId,
    provider: 'wallet',
    accountId: app.merchantId,
    publishableKey: app.clientId,
    secretKeySealed: await sealField('secret_key', app.clientSecret),
  });
  const credential = Buffer.from(`${app.clientId}:${app.clientSecret}`).toString('base64');
  const askForToken = async (): Promise<string> => {
    const granted = await fetch(`${world.sandbox.url}/v1/oauth2/token`, {
      method: 'POST',
      headers: { authorization: `Basic ${credential}` },
      body: 'grant_type=client_credentials',
    });
    return ((await granted.json()) as { access_token: string }).access_token;
  };
  let token = await askForToken();

  const orderOf = async ({ paymentId }: { paymentId: string }) =>
    (await findPayment(world.database, world.client.id, paymentId))?.providerIntentId ?? '';

  const subscribe = async (url: string): Promise<string> => {
    const made = await fetch(`${world.sandbox.url}/v1/notifications/webhooks`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ url, event_types: [{ name: '*' }] }),
    });
    const { id } = (await made.json()) as { id: string };
    await world.database.write(setSecret, [gatewayId, await sealField('notice_secret', id)]);
    return id;
  };
  const payWithWallet = (
    session: Checkout,
    more: object = {},
    ports: World['ports'] = world.ports,
  ): Promise<WalletAnswer> =>
    bodyOf<WalletAnswer>(
      operations.processCheckoutSession(
        {
          sessionId: session.sessionId,
          'x-user-id': session.userId,
          body: {
            sessionId: session.sessionId,
            tokenizedData: { provider: 'wallet', type: 'wallet', ...more },
            accountData: { userId: session.userId, email: 'buyer@example.test' },
          },
        },
        sessionCaller(session.nonce),
        ports,
        refuse,
      ),
    );

  return {
    app,
    gatewayId,
    orderOf,
    /** Returns the wallet's own response. */
    async ask(path: string): Promise<unknown> {
      const readOrder = () =>
        fetch(`${world.sandbox.url}${path}`, { headers: { authorization: `Bearer ${token}` } });
      const answer = await readOrder();
      if (answer.status !== 401) return answer.json();
      // The access token has expired, because a test moved the sandbox's clock.
      token = await askForToken();
      return (await readOrder()).json();
    },
    /**
     * Registers the server for the account's notices, and stores the webhook with the gateway;
     * returns the webhook's id.
     */
    async tell(server: Pick<TestServer, 'listen'>): Promise<string> {
      const port = await server.listen('127.0.0.1', 0);
      const id = await subscribe(`http://127.0.0.1:${port}/provider-notices/${gatewayId}`);
      // The first call of a new process may take longer than a test's time limits.
      await payWithWallet(await aSession(world, { captureMethod: 'automatic' })).catch(
        () => undefined,
      );
      return id;
    },
    pay: payWithWallet,
    /** Approves as the buyer; `behaviour` decides what happens to the capture. */
    approve: (orderId: string, behaviour = 'completes') =>
      world.control('POST', `/_control/wallet/orders/${orderId}/approve`, { behaviour }),
    async movements(orderId: string): Promise<LedgerEntry[]> {
      const found = await world.control('GET', `/_control/ledger?intent=${orderId}`);
      return (found as { entries: LedgerEntry[] }).entries;
    },
    /** Returns how many orders the wallet was asked to create. */
    async ordersMade(): Promise<number> {
      const { requests } = (await world.control('GET', '/_control/requests')) as {
        requests: Request[];
      };
      return requests.filter(
        ({ method, path }) => method === 'POST' && path === '/v2/checkout/orders',
      ).length;
    },
  };
}

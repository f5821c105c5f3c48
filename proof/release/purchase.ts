// One purchase in a fresh installation, by its own commands and the public API, as a stranger would do it.

import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { cardToken, json, type OpenForm } from '@svc/tools/start/card-token';

export type Installation = {
  readonly apiUrl: string;
  readonly sandboxUrl: string;
  /** Runs a command of `svc` there and returns what it printed. */
  svc(args: readonly string[]): string;
  /** Writes a file that the command can read, and returns its path there. */
  put(name: string, text: string): string;
};

const asJson = { 'content-type': 'application/json' };
const post = (url: string, body: object, headers: Record<string, string> = {}) =>
  json(url, { method: 'POST', headers: { ...asJson, ...headers }, body: JSON.stringify(body) });

/** Waits until the address answers 200. */
export async function untilReady(url: string, withinMs = 120_000): Promise<void> {
  const deadline = performance.now() + withinMs;
  for (let said = 'nothing'; ; await pause(200)) {
    try {
      const answer = await fetch(url, { signal: AbortSignal.timeout(5000) });
      if (answer.ok) return;
      said = await answer.text();
    } catch (error) {
      said = String((error as Error).cause ?? error);
    }
    if (performance.now() > deadline) throw new Error(`${url} is not ready: ${said}`);
  }
}

/** Makes a merchant with an account at the sandbox and one product. Returns the merchant's id. */
async function openShop({ sandboxUrl, svc, put }: Installation): Promise<string> {
  const account = await post(`${sandboxUrl}/_control/accounts`, { name: 'release' });
  const { accountId: id, secretKey, publishableKey } = account as Record<string, string>;
  const said = svc(['clients', 'create', '--name', 'Release', '--owner', 'owner@shop.example']);
  const client = /^client +(\S+)/m.exec(said)?.[1];
  if (!client || !id || !publishableKey) throw new Error(`no merchant: ${said}`);
  const gateway = ['--client', client, '--provider', 'cardprovider', '--account', id];
  const keys = put('keys.json', JSON.stringify({ secretKey }));
  svc(['gateways', 'create', ...gateway, '--publishable-key', publishableKey, '--keys', keys]);
  const catalog = put('catalog.csv', 'code,name,kind,price_EUR\ntea,A tea,item,19.90\n');
  svc(['import-products', '--client', client, '--file', catalog]);
  return client;
}

/** Pays once and returns the payment's status. Throws what went wrong. */
export async function payOnce(place: Installation): Promise<string> {
  const clientId = await openShop(place);
  const { apiUrl, sandboxUrl } = place;
  const buyer = { userId: randomUUID(), email: 'ada@example.com' };
  const session = await post(`${apiUrl}/v1/checkouts/sessions`, {
    ...{ clientId, currency: 'EUR', accountData: buyer },
    products: [{ code: 'tea', quantity: 1 }],
  });
  const fixture = { sandboxUrl, providerPublishableKey: '' };
  const card = { number: '4242424242424242', driver: 'own-vault' } as const;
  const token = await cardToken(fixture, session as unknown as OpenForm, card);
  const proof = { 'x-checkout-session-token': String(session.nonce), 'x-user-id': buyer.userId };
  const paid = await post(
    `${apiUrl}/v1/checkouts/sessions/${session.id}/process`,
    {
      sessionId: session.id,
      tokenizedData: { provider: 'cardprovider', type: 'card', token },
      accountData: buyer,
    },
    proof,
  );
  return String(paid.status);
}

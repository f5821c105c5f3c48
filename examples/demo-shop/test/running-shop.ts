// A shop on a free port in front of the stub, with what a browser and a webhook sender do.

import type { AddressInfo } from 'node:net';
import { Svc } from '@svc/server';
import type { Config } from '../src/config.ts';
import { createShopServer } from '../src/server.ts';
import { Store } from '../src/store.ts';
import { type Stub, startStub, userId } from './stub-service.ts';

const svc = new Svc('sk_test_shop');
const secret = 'svc_whsec_c2hvcA==';

export async function startShop(more: Partial<Config> = {}, given?: Stub) {
  const stub = given ?? (await startStub());
  const log: string[] = [];
  const config: Config = {
    host: '127.0.0.1',
    port: 0,
    apiUrl: stub.url,
    checkoutUrl: 'http://checkout.example:4000',
    clientId: '0199a1b2-0000-7000-8000-0000000000cc',
    apiToken: 'svc_shop',
    providerSecretKey: 'sk_test_shop',
    webhookSecret: secret,
    buyer: { userId, email: 'ada@example.com' },
    file: undefined,
    ...more,
  };
  const server = createShopServer(config, new Store(config.file), (line) => log.push(line));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const ask = (path: string, init: RequestInit = {}) =>
    fetch(url + path, { redirect: 'manual', ...init });
  return {
    url,
    stub,
    log,
    ask,
    page: async (path: string) => (await ask(path)).text(),
    /** A form of the shop's own page. */
    submit: (
      path: string,
      fields: Record<string, string> = {},
      headers: Record<string, string> = {},
    ) =>
      ask(path, {
        method: 'POST',
        body: new URLSearchParams(fields),
        headers: { origin: url, ...headers },
      }),
    /** A delivery, signed unless a signature is given. */
    deliver: (event: object | string, signature?: string) => {
      const body = typeof event === 'string' ? event : JSON.stringify(event);
      const signed = signature ?? svc.webhooks.generateTestHeader({ payload: body, secret });
      return ask('/webhooks', { method: 'POST', body, headers: { 'svc-signature': signed } });
    },
    deliveries: async () => {
      const { data } = (await (await ask('/webhooks.json')).json()) as {
        data: Record<string, unknown>[];
      };
      return data;
    },
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      if (!given) await stub.stop();
    },
  };
}

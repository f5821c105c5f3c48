// What a shop stands on in the kit: the real service and its sandbox, a database, and what can lose answers and
// webhooks on the way.

import { execFile } from 'node:child_process';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { credentialOf } from '@svc/service/start/stage/checkout';
import { freePort } from '@svc/tools/free-port';
import type { Block } from '@svc/tools/start/block';
import { json } from '@svc/tools/start/card-token';
import { root } from '@svc/tools/start/options';
import { startProduct } from '@svc/tools/start/start-product';
import { testCluster } from '@svc/tools/test-database/index';
import pg from 'pg';
import { openStoppingProxy, type StoppingProxy } from '../chaos/stopping-proxy.ts';
import { openShopFolder, removeShopFolder } from './install.ts';
import type { Plugin, Shop, ShopAdapter } from './shop.ts';

const run = promisify(execFile);

/** One movement of money at the provider, in minor units. */
export type Movement = {
  readonly seq: number;
  readonly kind: string;
  readonly intent: string;
  readonly amount: number;
  readonly currency: string;
};

export type Hooks = {
  /** While true no delivery arrives, and the sender hears 503. */
  isLosing: boolean;
  /** Sends every delivery that has arrived once more, to another path of the shop where one is given. */
  resend(path?: string): Promise<number>;
};

export type Ground = {
  readonly plugin: Plugin;
  readonly block: Block;
  /** The publishable key of the built-in plugin's own account. */
  readonly builtInKey: string;
  readonly shop: Shop;
  readonly hooks: Hooks;
  /** Loses the answers of every request that contains the text, until the returned function is called. */
  loseAnswers(text: string): () => void;
  /** Calls `then` once the answer to such a request is on its way; it arrives afterwards. */
  whenAnswered(text: string, then: () => Promise<void>): Promise<void>;
  movements(since: number): Promise<Movement[]>;
  /** Runs a command of the operator: `svc gateways list`. Returns what it printed. */
  svc(args: readonly string[]): Promise<string>;
  /** Ends the last refunds that are on their way, each as its amount in minor units says. */
  endRefunds(count: number, endOf: (amount: number) => 'succeed' | 'fail'): Promise<void>;
  /** Moves the clock of provider and service; the shop's own clock stays. */
  advance(seconds: number): Promise<void>;
  close(): Promise<void>;
};

export const control = (block: Block, path: string, body?: object) =>
  json(`${block.sandboxUrl}/_control/${path}`, {
    method: body ? 'POST' : 'GET',
    headers: body ? { 'content-type': 'application/json' } : {},
    ...(body ? { body: JSON.stringify(body) } : {}),
  });

async function openHooks(shopPort: number): Promise<Hooks & { port: number; close(): void }> {
  const kept: { path: string; headers: Record<string, string>; body: Buffer }[] = [];
  const send = ({ path, headers, body }: (typeof kept)[number]) =>
    fetch(`http://127.0.0.1:${shopPort}${path}`, {
      method: 'POST',
      headers,
      body: new Uint8Array(body),
    });
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', async () => {
      const { host: _, connection: __, 'content-length': ___, ...headers } = request.headers;
      const delivery = {
        path: request.url ?? '/',
        headers: headers as Record<string, string>,
        body: Buffer.concat(chunks),
      };
      if (hooks.isLosing) return response.writeHead(503).end();
      kept.push(delivery);
      const status = await send(delivery).then(
        ({ status }) => status,
        () => 502,
      );
      return response.writeHead(status).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const hooks = {
    isLosing: false,
    resend: async (path?: string) => {
      for (const delivery of [...kept]) await send(path ? { ...delivery, path } : delivery);
      return kept.length;
    },
    port: (server.address() as AddressInfo).port,
    close: () => server.close(),
  };
  return hooks;
}

/** Makes the endpoint to which the plugin's webhooks are sent, and returns its secret. */
export async function makeEndpoint(
  block: Block,
  secretKey: string | null,
  url: string,
): Promise<string> {
  if (secretKey) {
    const body = new URLSearchParams({ url });
    for (const type of ['amount_capturable_updated', 'succeeded', 'payment_failed']) {
      body.append('enabled_events[]', `payment_intent.${type}`);
    }
    const headers = { authorization: `Bearer ${secretKey}` };
    const made = await json(`${block.sandboxUrl}/v1/webhook_endpoints`, {
      method: 'POST',
      headers,
      body,
    });
    return String(made.secret);
  }
  return String((await askSvc(block, 'POST /v1/webhook-endpoints', { url })).secret);
}

/** Calls Svc as the merchant's server does. `call` is method and path, such as `GET /v1/payments`. */
export function askSvc(
  block: Pick<Block, 'apiUrl' | 'clientId' | 'apiToken'>,
  call: string,
  body?: object,
) {
  const [method = '', path = ''] = call.split(' ');
  const headers = {
    ...credentialOf(block),
    ...(body && { 'content-type': 'application/json', 'idempotency-key': crypto.randomUUID() }),
  };
  return json(`${block.apiUrl}${path}`, {
    method,
    headers,
    ...(body && { body: JSON.stringify(body) }),
  });
}

/** Makes a database and returns its address by TCP: shops take no address of a socket. */
async function openDatabase(name: string): Promise<{ url: string; close(): Promise<void> }> {
  const address = (await testCluster()).url('postgres', 'postgres');
  const admin = new pg.Client({ connectionString: address });
  await admin.connect();
  await admin.query(`create database ${name}`);
  await admin.end();
  const [, password] = /:([^:@/]+)@/.exec(address) ?? [];
  const folder = decodeURIComponent(address.split('host=')[1] ?? '');
  const proxy = await openStoppingProxy({ to: { path: `${folder}/.s.PGSQL.5432` } });
  return {
    url: `postgres://postgres:${password}@127.0.0.1:${proxy.port}/${name}`,
    close: proxy.close,
  };
}

const openProxy = (url: string): Promise<StoppingProxy> =>
  openStoppingProxy({ to: { host: '127.0.0.1', port: Number(new URL(url).port) } });

/** Starts everything. The shop reaches Svc and the provider through the proxies alone. */
export async function openGround(adapter: ShopAdapter, plugin: Plugin): Promise<Ground> {
  const ends: (() => unknown)[] = [];
  const close = async () => {
    for (const end of ends.splice(0).reverse()) await end();
  };
  try {
    const folder = await openShopFolder(adapter);
    ends.push(() => removeShopFolder(folder));
    const product = startProduct(['--no-demo-data', '--port', String(await freePort())], {
      detached: true,
      stderr: 'ignore',
    });
    ends.push(() => product.stop());
    const block = await product.ready;
    await control(block, 'limits', { setting: 'off' });
    const account = await control(block, 'accounts', { name: 'shop' });
    const isBuiltIn = plugin === 'built-in';
    const port = await freePort();
    const hooks = await openHooks(port);
    ends.push(() => hooks.close());
    const proxy = await openProxy(isBuiltIn ? block.sandboxUrl : block.apiUrl);
    ends.push(() => proxy.close());
    const address = `http://127.0.0.1:${proxy.port}`;
    const database = await openDatabase(`shop_${port}`);
    ends.push(() => database.close());
    const hook = `http://127.0.0.1:${hooks.port}${adapter.webhookPath(plugin)}`;
    const shop = await adapter.open({
      ...{ plugin, folder, port },
      databaseUrl: database.url,
      svc: {
        baseUrl: isBuiltIn ? block.apiUrl : address,
        clientId: block.clientId,
        apiToken: block.apiToken,
      },
      provider: {
        baseUrl: isBuiltIn ? address : block.sandboxUrl,
        secretKey: String(account.secretKey),
        publishableKey: String(account.publishableKey),
      },
      webhookSecret: await makeEndpoint(block, isBuiltIn ? String(account.secretKey) : null, hook),
    });
    ends.push(() => shop.close());
    return {
      ...{ plugin, block, shop, hooks, close },
      builtInKey: String(account.publishableKey),
      loseAnswers: (text) => loseAnswers(proxy, text),
      whenAnswered: async (text, then) => {
        const held = await proxy.holdNext('answers', text);
        await then();
        held.lose();
      },
      svc: async (args) => {
        const main = join(root, 'service/src/svc.ts');
        return (await run(process.execPath, [main, ...args, '--data', product.folder])).stdout;
      },
      endRefunds: async (count, endOf) => {
        const headers = { authorization: `Bearer ${block.providerSecretKey}` };
        const { data } = await json(`${block.sandboxUrl}/v1/refunds?limit=${count}`, { headers });
        for (const { id, amount } of data as { id: string; amount: number }[]) {
          await control(block, `refunds/${id}/${endOf(amount)}`, {});
        }
      },
      advance: async (seconds) => {
        await control(block, 'clock/advance', { seconds });
      },
      movements: async (since) => {
        const { entries } = await control(block, `ledger?since=${since}`);
        return entries as Movement[];
      },
    };
  } catch (error) {
    await close();
    throw error;
  }
}

function loseAnswers(proxy: StoppingProxy, text: string): () => void {
  let isOver = false;
  void (async () => {
    while (!isOver) {
      const held = await proxy.holdNext('answers', text);
      if (isOver) held.forward();
      else held.lose();
    }
  })();
  return () => {
    isOver = true;
  };
}

/** Asks until it holds, for as long as a shop may take. Returns the last answer in any case. */
export async function until<T>(
  ask: () => Promise<T>,
  holds: (answer: T) => boolean,
  withinMs: number,
): Promise<T> {
  for (const end = Date.now() + withinMs; ; await pause(500)) {
    const answer = await ask();
    if (holds(answer) || Date.now() > end) return answer;
  }
}

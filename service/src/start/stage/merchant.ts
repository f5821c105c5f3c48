// The merchant of a bench or a break: its account at the sandbox of the provider, and its end of the webhooks.

import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { idSource } from '../../domain/protocol/uuid-v7.ts';
import { noticeTypes } from '../../providers/card/notice-types.ts';
import { openDatabase } from '../../storage/database/database.ts';
import { openSealed } from '../../storage/database/sealed.ts';
import { type DemoInput, seedDemo } from '../seed.ts';

/** The shop's end of the webhooks: it takes each at once. `onEvent` gets its body. */
export async function openReceiver(
  onEvent: (text: string) => void = () => undefined,
): Promise<{ url: string; close(): void }> {
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => void parts.push(part));
    request.once('end', () => {
      onEvent(Buffer.concat(parts).toString());
      response.writeHead(204).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/webhooks`,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

type Registration = {
  readonly serviceUrl: string;
  readonly apiUrl: string;
  readonly providerUrl: string;
  readonly webhookUrl: string;
  readonly kek: Buffer;
};

/** Makes the merchant, its account at the stand-in, and the address for the provider's notices. */
export async function registerMerchant({
  serviceUrl,
  apiUrl,
  providerUrl,
  webhookUrl,
  kek,
}: Registration) {
  const database = openDatabase({ url: serviceUrl, poolSize: 2 });
  try {
    const sealed = openSealed({ database, kek, randomBytes });
    const seeding = { database, sealed, newId: idSource(Date.now, randomBytes), randomBytes };
    const json = { 'content-type': 'application/json' };
    const account = (await post(`${providerUrl}/_control/accounts`, json, '{"name":"shop"}')) as {
      accountId: string;
      secretKey: string;
      publishableKey: string;
    };
    const cards = JSON.stringify({ account: account.accountId, setting: 'allowed' });
    await post(`${providerUrl}/_control/accounts/raw-cards`, json, cards);
    const input: DemoInput = {
      ...{ ...account, webhookUrl, noticeSecret: randomBytes(24).toString('hex') },
      ...{ allowedOrigins: [], apiToken: null, webhookSecret: null, wallet: null },
    };
    const first = await seedDemo(seeding, input);
    const notices = new URLSearchParams([
      ['url', `${apiUrl}/provider-notices/${first.gatewayId}`],
      ...noticeTypes.map((type) => ['enabled_events[]', type] as [string, string]),
    ]);
    const form = {
      authorization: `Bearer ${account.secretKey}`,
      'content-type': 'application/x-www-form-urlencoded',
    };
    const { secret } = (await post(`${providerUrl}/v1/webhook_endpoints`, form, `${notices}`)) as {
      secret: string;
    };
    const { apiToken, webhookSecret } = first;
    return await seedDemo(seeding, { ...input, noticeSecret: secret, apiToken, webhookSecret });
  } finally {
    await database.close();
  }
}

async function post(url: string, headers: Readonly<Record<string, string>>, body: string) {
  const answer = await fetch(url, { method: 'POST', headers, body });
  if (answer.ok) return answer.json();
  throw new Error(`the stand-in of the provider answered ${url}: ${await answer.text()}`);
}

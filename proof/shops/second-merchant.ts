// A second merchant of the running service, made as its operator makes one: by commands, and the invitation's link.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { json } from '@svc/tools/start/card-token';
import { control, type Ground, makeEndpoint } from './ground.ts';

export type SecondMerchant = { clientId: string; apiToken: string; webhookSecret: string };

/** `webhookUrl`: where its deliveries go. Without `takesCards` it has no account at the provider. */
export async function aSecondMerchant(
  { block, svc }: Ground,
  given: { readonly webhookUrl: string; readonly takesCards: boolean },
): Promise<SecondMerchant> {
  const [owner, name] = [`owner-${crypto.randomUUID()}@example.com`, 'Second'];
  const made = await svc(['clients', 'create', '--name', name, '--owner', owner]);
  const clientId = /client\s+(\S+)/.exec(made)?.[1] ?? '';
  await json(`${block.apiUrl}/v1/invitation/accept`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: block.apiUrl },
    body: JSON.stringify({
      ...{ link: /#(\S+)/.exec(made)?.[1], name: 'Owner' },
      password: 'a password of twelve or more',
    }),
  });
  if (given.takesCards) await addGateway({ block, svc }, clientId);
  const ofClient = ['--client', clientId, '--user', owner, '--name', 'shop'];
  const apiToken = /svc_\S+/.exec(await svc(['tokens', 'create', ...ofClient]))?.[0] ?? '';
  const keys = { ...block, clientId, apiToken };
  return { clientId, apiToken, webhookSecret: await makeEndpoint(keys, null, given.webhookUrl) };
}

async function addGateway({ block, svc }: Pick<Ground, 'block' | 'svc'>, clientId: string) {
  const account = await control(block, 'accounts', { name: 'second' });
  const folder = mkdtempSync(join(tmpdir(), 'svc-keys-'));
  const keys = join(folder, 'keys.json');
  writeFileSync(keys, JSON.stringify({ secretKey: account.secretKey }));
  const names = [
    '--account',
    String(account.accountId),
    '--publishable-key',
    String(account.publishableKey),
  ];
  const gateway = ['--client', clientId, '--provider', 'cardprovider', ...names, '--keys', keys];
  await svc(['gateways', 'create', ...gateway, '--webhook', 'create']);
  rmSync(folder, { recursive: true });
}

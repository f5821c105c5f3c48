// The demo merchant and its account at the sandbox provider: made once, and updated at every start because
// ports may have changed.

import { randomBytes } from 'node:crypto';
import { idSource } from '@svc/service/domain/protocol/uuid-v7';
import { seedDemo, seedOwnerPassword } from '@svc/service/start/seed';
import { setClockShift } from '@svc/service/storage/database/clock';
import { type Database, openDatabase } from '@svc/service/storage/database/database';
import { migrate } from '@svc/service/storage/database/migrate';
import { openSealed } from '@svc/service/storage/database/sealed';
import { hasMerchants, setDemoPace } from '@svc/service/storage/database/seed';
import type { StartedDatabase } from './database.ts';
import type { Keys, Merchant } from './keys.ts';
import type { CardDriver } from './options.ts';
import type { Ports } from './ports.ts';
import { subscribeToWallet, type WalletApp } from './wallet.ts';

export type Account = {
  readonly accountId: string;
  readonly secretKey: string;
  readonly publishableKey: string;
  readonly wallet: WalletApp;
};

type MerchantOptions = {
  readonly ports: Ports;
  readonly keys: Keys;
  readonly database: StartedDatabase;
  readonly driver: CardDriver;
  /** How many seconds ago a new database and sandbox begin; now when it is absent. */
  readonly beginsSecondsAgo?: number | undefined;
};

export type RegisteredMerchant = {
  readonly merchant: Merchant;
  readonly account: Account;
  readonly ownerPassword: string | null;
  /** True when the merchant's clock now begins in the past. */
  readonly isBegun: boolean;
};

/** Migrates, seeds, and subscribes the service to the provider's webhooks. Repeatable. */
export async function registerMerchant(facts: MerchantOptions): Promise<RegisteredMerchant> {
  const { ports, keys, database: started } = facts;
  const sandboxUrl = `http://127.0.0.1:${ports.sandbox}`;
  await migrate(started.ownerUrl);
  const database = openDatabase({ url: started.serviceUrl, poolSize: 2 });
  try {
    const isBegun = await beginInThePast(sandboxUrl, database, facts.beginsSecondsAgo);
    const account = await openAccount(sandboxUrl, facts.driver);
    const kek = Buffer.from(keys.serviceKey, 'base64');
    const sealed = openSealed({ database, kek, randomBytes });
    const seeding = { database, sealed, newId: idSource(Date.now, randomBytes), randomBytes };
    const seed = (
      checks: { noticeSecret: string; webhookId: string },
      known: Pick<Merchant, 'apiToken' | 'webhookSecret'> | null,
    ) =>
      seedDemo(seeding, {
        ...account,
        wallet: { ...account.wallet, webhookId: checks.webhookId },
        noticeSecret: checks.noticeSecret,
        webhookUrl: `http://127.0.0.1:${ports.demoShop}/webhooks`,
        allowedOrigins: [`http://127.0.0.1:${ports.demoShop}`],
        apiToken: known?.apiToken ?? null,
        webhookSecret: known?.webhookSecret ?? null,
      });

    const known = keys.merchant;
    // The secret that verifies the provider's webhooks comes with an endpoint there, whose address needs
    // the gateway's id first.
    const unknown = randomBytes(24).toString('hex');
    const noticeSecret = known?.notices.secret ?? unknown;
    const webhookId = known?.walletWebhookId ?? unknown;
    const seeded = await seed({ noticeSecret, webhookId }, known);
    const addressOf = (gatewayId: string | null) =>
      `http://127.0.0.1:${ports.api}/provider-notices/${gatewayId}`;
    const [notices, walletWebhookId, ownerPassword] = await Promise.all([
      subscribe(sandboxUrl, account, {
        url: addressOf(seeded.gatewayId),
        known: known?.notices ?? null,
      }),
      subscribeToWallet(sandboxUrl, account.wallet, addressOf(seeded.walletGatewayId)),
      seedOwnerPassword(seeding, keys.ownerPassword),
    ]);
    if (notices.secret !== noticeSecret || walletWebhookId !== webhookId) {
      await seed({ noticeSecret: notices.secret, webhookId: walletWebhookId }, seeded);
    }
    const merchant = { ...seeded, notices, walletWebhookId };
    return { merchant, account, ownerPassword, isBegun };
  } finally {
    await database.close();
  }
}

type PaceOptions = {
  readonly sandboxUrl: string;
  readonly serviceUrl: string;
  readonly gatewayId: string;
};

const noPace = 100_000;

/**
 * Runs `work` without limits on the calls to the provider, as demo data is made faster than any
 * shop sells. A service that was started just now has them back within half a minute after it.
 */
export async function withoutPace(facts: PaceOptions, work: () => Promise<void>): Promise<void> {
  if (process.env.SVC_LIMITS === 'off') return work();
  const database = openDatabase({ url: facts.serviceUrl, poolSize: 1 });
  const limitSandbox = async (setting: 'on' | 'off') =>
    fetch(`${facts.sandboxUrl}/_control/limits`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ setting }),
    });
  try {
    await setDemoPace(database, facts.gatewayId, noPace);
    await limitSandbox('off');
    await work();
  } finally {
    await limitSandbox('on');
    await setDemoPace(database, facts.gatewayId, null);
    await database.close();
  }
}

/** Sets both clocks back when database and sandbox are new, else neither. */
async function beginInThePast(
  sandboxUrl: string,
  database: Database,
  secondsAgo: number | undefined,
): Promise<boolean> {
  if (secondsAgo === undefined || (await hasMerchants(database))) return false;
  const { ok } = await fetch(`${sandboxUrl}/_control/clock/begin`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ secondsAgo }),
  });
  return ok && (await setClockShift(database, -secondsAgo * 1000)) !== undefined;
}

/** The account may send card numbers only where our own form takes them, as with the real provider. */
async function openAccount(sandboxUrl: string, driver: CardDriver): Promise<Account> {
  const control = async (path: string, body: object): Promise<unknown> => {
    const response = await fetch(`${sandboxUrl}/_control/accounts${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    if (!response.ok) throw new Error(`the sandbox gave no account: ${await response.text()}`);
    return response.json();
  };
  const account = (await control('', { name: 'demo-coffee-shop' })) as Account;
  const setting = driver === 'own-vault' ? 'allowed' : 'refused';
  await control('/raw-cards', { account: account.accountId, setting });
  return account;
}

type Notices = Merchant['notices'];

/** Makes the provider's webhook endpoint for the service, or updates the address of an existing one. */
async function subscribe(
  sandboxUrl: string,
  account: Account,
  { url, known }: { url: string; known: Notices | null },
): Promise<Notices> {
  const call = async (path: string, fields: Record<string, string>) => {
    const response = await fetch(`${sandboxUrl}/v1/webhook_endpoints${path}`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${account.secretKey}`,
        'content-type': 'application/x-www-form-urlencoded',
      },
      body: new URLSearchParams(fields),
    });
    return response.ok ? ((await response.json()) as { id: string; secret: string }) : undefined;
  };
  if (known && (await call(`/${known.endpointId}`, { url }))) return known;
  const made = await call('', { url, 'enabled_events[0]': '*' });
  if (!made) throw new Error('the sandbox took no webhook endpoint');
  return { endpointId: made.id, secret: made.secret };
}

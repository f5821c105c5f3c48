// The product as it ships, for one run: a migrated database of its own, a merchant, a provider
// process and the real service process without rate limits.

import { randomBytes } from 'node:crypto';
import { idSource } from '@svc/service/domain/protocol/uuid-v7';
import { newWebhookSecret } from '@svc/service/domain/protocol/webhook-secret';
import { seedDemo } from '@svc/service/start/seed';
import { openDatabase } from '@svc/service/storage/database/database';
import { migrate } from '@svc/service/storage/database/migrate';
import { openSealed } from '@svc/service/storage/database/sealed';
import { webhookSecretPlace } from '@svc/service/storage/webhooks/webhook-endpoints';
import { freePort } from '@svc/tools/free-port';
import { type Child, type ChildPlan, startChild } from '@svc/tools/start/children';
import { planCardForm } from './buyers.ts';
import type { BenchDatabase, Cluster } from './cluster.ts';
import { entries } from './entries.ts';
import type { Closers } from './load/closers.ts';
import { openSandboxAccount, type SandboxAccount } from './sandbox-wire.ts';
import { type Audit, auditCaptures, seedHolds } from './seed-product.ts';

/** `stub` answers at once and stores nothing; `sandbox` is the real wire protocol with a ledger. */
export type ProviderKind = 'stub' | 'sandbox';

export type Product = {
  readonly origin: string;
  readonly service: Child;
  readonly provider: Child;
  readonly providerUrl: string;
  readonly authorization: string;
  readonly clientId: string;
  readonly gatewayId: string;
  readonly productCode: string;
  readonly buyerId: string;
  /** Inserts holds that can be captured: rows `first` to `first + count - 1`. */
  seed(rows: { first: number; count: number }): Promise<void>;
  audit(): Promise<Audit & { asked: number }>;
  /** Starts the same service, except that reading a payment needs no credential. */
  startUnchecked(): Promise<{ readonly origin: string; readonly pid: number }>;
  readonly database: BenchDatabase;
  /** Creates a new secret, encrypted for the merchant's endpoint of that id. */
  sealWebhookSecret(endpointId: string): Promise<{ secret: string; sealed: Buffer }>;
  /** The environment of one more service process on the same database. */
  environment(port: number): Readonly<Record<string, string>>;
};

export type Fixture = {
  readonly cluster: Cluster;
  readonly closers: Closers;
  /** Where the processes write their logs. */
  readonly folder: string;
  /** Called when a process ends that should still run. */
  readonly onLoss: (text: string) => void;
};

export type ProductPlan = {
  readonly kind: ProviderKind;
  /** Processes of the service behind its port; one where it is not said. */
  readonly processes?: number;
  /** Of database and logs, where two products have the same provider. */
  readonly label?: string;
  /** What the provider takes of the account, which the service is told, with a card form for buyers; else neither. */
  readonly limits?: AccountLimits;
};

export type AccountLimits = { readonly perSecond: number; readonly endpointPerSecond: number };

export async function startProduct(fixture: Fixture, plan: ProductPlan): Promise<Product> {
  const { kind, processes = 1, label = kind, limits = null } = plan;
  const { cluster, closers, folder } = fixture;
  const database = await cluster.createDatabase(label);
  await migrate(database.ownerUrl);
  const [port, providerPort] = await Promise.all([freePort(), freePort()]);
  const run = async (of: Omit<ChildPlan, 'folder' | 'onExit'>): Promise<Child> => {
    const onExit = (name: string, reason: string) => fixture.onLoss(`${name} ended: ${reason}`);
    const child = await startChild({ ...of, folder, onExit });
    await closers.add(() => child.stop('SIGTERM'));
    return child;
  };
  const entry = kind === 'stub' ? entries.stubProvider : 'sandbox/src/main.ts';
  const env = { ...providerEnvironment, SANDBOX_PORT: String(providerPort) };
  const provider = await run({ name: label, entry, env });
  const providerUrl = `http://127.0.0.1:${providerPort}`;

  const account = kind === 'sandbox' ? await openSandboxAccount(providerUrl) : null;
  if (account) await closers.add(() => account.close());
  if (limits) await account?.allowRawCards();
  const kek = randomBytes(32);
  const merchant = await registerMerchant(database, { kek, account });
  const sharedKey = randomBytes(32).toString('base64');
  const form = limits && (await planCardForm(database.vaultUrl, { providerUrl, sharedKey }));
  if (form) await run(form.plan);
  if (limits) await tellLimits(database, limits);
  const settings = {
    ...{ SVC_VAULT_SHARED_KEY: sharedKey, SVC_LIMITS: limits ? 'on' : 'off' },
    ...form?.settings,
  };
  const environment = serviceEnvironment({ database, kek, providerUrl, settings });
  const service = await run({
    name: `service-${label}`,
    entry: 'service/src/main.ts',
    env: { ...environment(port), SVC_PROCESSES: String(processes) },
  });
  const { clientId, gatewayId, apiToken } = merchant;
  return {
    origin: `http://127.0.0.1:${port}`,
    service,
    provider,
    providerUrl,
    authorization: `Basic ${Buffer.from(`${clientId}:${apiToken}`).toString('base64')}`,
    clientId,
    gatewayId,
    productCode: merchant.productCode,
    buyerId: merchant.userId,
    async seed(rows) {
      const intents = account && (await holdIntents(account, rows.count));
      await database.withAdmin((admin) =>
        seedHolds(admin, { ...rows, clientId, gatewayId, intents }),
      );
    },
    async audit() {
      const [found, asked] = await Promise.all([
        database.withAdmin(auditCaptures),
        account ? readLedgerCount(providerUrl, account) : countStubCalls(providerUrl),
      ]);
      return { ...found, asked };
    },
    startUnchecked: () => startUnchecked({ run, environment, processes }, { kind, clientId }),
    environment,
    database,
    sealWebhookSecret: (endpointId) => sealWebhookSecret({ database, kek }, clientId, endpointId),
  };
}

const tellLimits = (database: BenchDatabase, limits: AccountLimits) =>
  database.withAdmin((admin) =>
    admin.query('update gateways set requests_per_second = $1, endpoint_requests_per_second = $2', [
      limits.perSecond,
      limits.endpointPerSecond,
    ]),
  );

type Starter = {
  readonly run: (plan: Omit<ChildPlan, 'folder' | 'onExit'>) => Promise<Child>;
  readonly environment: Product['environment'];
  readonly processes: number;
};

async function startUnchecked(
  { run, environment, processes }: Starter,
  { kind, clientId }: { readonly kind: ProviderKind; readonly clientId: string },
) {
  const port = await freePort();
  const env = {
    ...{ ...environment(port), SVC_PROCESSES: String(processes) },
    BENCH_CLIENT: clientId,
  };
  const { pid } = await run({ name: `unchecked-${kind}`, entry: entries.uncheckedRead, env });
  return { origin: `http://127.0.0.1:${port}`, pid };
}

async function sealWebhookSecret(
  { database, kek }: { readonly database: BenchDatabase; readonly kek: Buffer },
  clientId: string,
  endpointId: string,
): Promise<{ secret: string; sealed: Buffer }> {
  const storage = openDatabase({ url: database.serviceUrl, poolSize: 1 });
  try {
    const { seal } = openSealed({ database: storage, kek, randomBytes });
    const secret = newWebhookSecret(randomBytes(32));
    return { secret, sealed: await seal(webhookSecretPlace(clientId, endpointId), secret) };
  } finally {
    await storage.close();
  }
}

async function registerMerchant(
  database: BenchDatabase,
  { kek, account }: { kek: Buffer; account: SandboxAccount | null },
) {
  const storage = openDatabase({ url: database.serviceUrl, poolSize: 2 });
  try {
    const sealed = openSealed({ database: storage, kek, randomBytes });
    const newId = idSource(Date.now, randomBytes);
    const merchant = await seedDemo(
      { database: storage, sealed, newId, randomBytes },
      {
        accountId: account?.accountId ?? 'acct_stub',
        publishableKey: account?.publishableKey ?? 'pk_test_stub',
        secretKey: account?.secretKey ?? 'sk_test_stub',
        noticeSecret: randomBytes(24).toString('base64url'),
        webhookUrl: 'http://127.0.0.1:9/webhooks',
        allowedOrigins: [],
        apiToken: null,
        webhookSecret: null,
        wallet: null,
      },
    );
    // Disables the endpoints: deliveries are separate work, done at any time after the capture.
    await database.withAdmin((admin) =>
      admin.query('update webhook_endpoints set is_enabled = false'),
    );
    return merchant;
  } finally {
    await storage.close();
  }
}

type ServiceOptions = {
  readonly database: BenchDatabase;
  readonly kek: Buffer;
  readonly providerUrl: string;
  readonly settings: Readonly<Record<string, string>>;
};

const providerEnvironment = { SANDBOX_HOST: '127.0.0.1', SANDBOX_LIMITS: 'off' };

function serviceEnvironment({ database, kek, providerUrl, settings }: ServiceOptions) {
  const key = () => randomBytes(32).toString('base64');
  const common = {
    SVC_MODE: 'sandbox',
    SVC_HOST: '127.0.0.1',
    DATABASE_URL: database.serviceUrl,
    DATABASE_OWNER_URL: database.ownerUrl,
    SVC_KEY: kek.toString('base64'),
    // Where nobody buys no card is entered, so the vault's address is set but never called.
    SVC_VAULT_ORIGIN: 'http://127.0.0.1:9',
    SVC_VAULT_INTERNAL_URL: 'http://127.0.0.1:9',
    SVC_PROVIDER_URL: providerUrl,
    SVC_SANDBOX_KEY: key(),
    ...settings,
  };
  return (port: number) => ({ ...common, SVC_PORT: String(port) });
}

async function holdIntents(account: SandboxAccount, count: number): Promise<string[]> {
  const intents: string[] = [];
  const lane = async () => {
    for (let next = intents.push('') - 1; next < count; next = intents.push('') - 1) {
      intents[next] = await account.holdIntent();
    }
  };
  await Promise.all(Array.from({ length: Math.min(count, 16) }, lane));
  return intents.slice(0, count);
}

async function countStubCalls(url: string): Promise<number> {
  const answer = await fetch(`${url}/counted`);
  const { calls, intents } = (await answer.json()) as { calls: number; intents: number };
  if (calls !== intents)
    throw new Error(`the stub was asked ${calls} times for ${intents} intents`);
  return calls;
}

async function readLedgerCount(url: string, { accountId }: SandboxAccount): Promise<number> {
  const answer = await fetch(`${url}/_control/ledger?account=${accountId}`);
  const { entries } = (await answer.json()) as { entries: { kind: string }[] };
  return entries.filter(({ kind }) => kind === 'capture').length;
}

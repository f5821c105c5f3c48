// Entry and environment of each process.

import { join } from 'node:path';
import type { ChildPlan } from './children.ts';
import type { StartedDatabase } from './database.ts';
import { type Keys, type Merchant, sandboxFile } from './keys.ts';
import type { Account } from './merchant.ts';
import type { CardDriver } from './options.ts';
import type { Ports } from './ports.ts';

type Plan = Omit<ChildPlan, 'folder' | 'onExit'>;
type PlanOptions = {
  readonly ports: Ports;
  readonly keys: Keys;
  readonly folder: string;
  readonly database: StartedDatabase;
};

const api = ({ ports }: { ports: Ports }) => `http://localhost:${ports.api}`;

export const plans = {
  sandbox: ({ ports, keys, folder }: Omit<PlanOptions, 'database'>): Plan => ({
    name: 'sandbox',
    entry: 'sandbox/src/main.ts',
    env: {
      SANDBOX_HOST: '127.0.0.1',
      SANDBOX_PORT: String(ports.sandbox),
      SANDBOX_FILE: join(folder, sandboxFile),
      SANDBOX_CLOCK_LISTENER_URL: `http://127.0.0.1:${ports.api}/internal/sandbox/clock`,
      SANDBOX_CLOCK_LISTENER_SECRET: keys.sandboxKey,
      SANDBOX_SEED: keys.sandboxSeed,
      // With the limits of the service those of the provider are off too.
      ...(process.env.SVC_LIMITS === 'off' ? { SANDBOX_LIMITS: 'off' } : {}),
    },
  }),

  service: ({ ports, keys, database }: PlanOptions): Plan => ({
    name: 'service',
    entry: 'service/src/main.ts',
    env: {
      SVC_MODE: 'sandbox',
      SVC_HOST: 'localhost',
      SVC_PORT: String(ports.api),
      DATABASE_URL: database.serviceUrl,
      SVC_KEY: keys.serviceKey,
      SVC_VAULT_SHARED_KEY: keys.sharedKey,
      SVC_VAULT_ORIGIN: `http://127.0.0.1:${ports.cardForm}`,
      SVC_VAULT_INTERNAL_URL: `http://127.0.0.1:${ports.vaultInternal}`,
      SVC_PROVIDER_URL: `http://127.0.0.1:${ports.sandbox}`,
      SVC_SANDBOX_KEY: keys.sandboxKey,
      // While everything starts on a slow machine, the start's own calls wait longest.
      SVC_SHED_MS: '0',
    },
  }),

  vault: ({ ports, keys, database, driver }: PlanOptions & { driver?: CardDriver }): Plan => ({
    name: 'vault',
    entry: 'vault/src/main.ts',
    env: {
      VAULT_MODE: 'sandbox',
      VAULT_HOST: '127.0.0.1',
      VAULT_PORT: String(ports.cardForm),
      VAULT_INTERNAL_PORT: String(ports.vaultInternal),
      VAULT_ORIGIN: `http://127.0.0.1:${ports.cardForm}`,
      VAULT_DATABASE_URL: database.vaultUrl,
      VAULT_KEY: keys.vaultKey,
      VAULT_SHARED_KEY: keys.sharedKey,
      VAULT_DRIVER: driver ?? 'own-vault',
      VAULT_PROVIDER_URL: `http://127.0.0.1:${ports.sandbox}`,
    },
  }),

  demoShop: (facts: PlanOptions & { merchant: Merchant; account: Account }): Plan => ({
    name: 'demo-shop',
    entry: 'examples/demo-shop/src/main.ts',
    env: {
      HOST: '127.0.0.1',
      PORT: String(facts.ports.demoShop),
      SVC_API_URL: api(facts),
      SVC_CHECKOUT_URL: api(facts),
      SVC_CLIENT_ID: facts.merchant.clientId,
      SVC_API_TOKEN: facts.merchant.apiToken,
      SVC_PROVIDER_SECRET_KEY: facts.account.secretKey,
      SVC_WEBHOOK_SECRET: facts.merchant.webhookSecret,
      SVC_USER_ID: facts.merchant.userId,
      DATA: join(facts.folder, 'demo-shop.json'),
    },
  }),
};

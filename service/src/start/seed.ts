// The demo merchant of a sandbox: everything that a first payment needs. Repeatable: existing rows
// keep their ids, and the values of an earlier run (token, webhook secret) stay valid. What a person
// deleted or switched off and the payment needs is made again or switched on.

import { createHash } from 'node:crypto';
import { apiVersion } from '@svc/contract/rows/versions';
import { newApiToken, parseApiToken } from '../domain/people/api-token.ts';
import type { Ports } from '../engine/ports.ts';
import { parseAllowedOrigin } from '../engine/steps/clients/allowed-origin.ts';
import { hashPassword, verifyPassword } from '../engine/steps/people/password-hash.ts';
import { everyClient, type Tx } from '../storage/database/database.ts';
import * as storage from '../storage/database/seed.ts';
import { demoEndpointName } from '../storage/webhooks/events.ts';
import { webhookSecretPlace } from '../storage/webhooks/webhook-endpoints.ts';

/** The account's app at the sandbox's wallet. */
export type DemoWallet = {
  readonly clientId: string;
  readonly clientSecret: string;
  readonly merchantId: string;
  /** The id of the wallet's webhook that points at the service: its notices are verified with it. */
  readonly webhookId: string;
};

export type DemoInput = {
  /** The id of the account at the sandbox's card provider. */
  readonly accountId: string;
  readonly publishableKey: string;
  readonly secretKey: string;
  /** The secret that signs the provider's notices. */
  readonly noticeSecret: string;
  readonly webhookUrl: string;
  readonly allowedOrigins: readonly string[];
  /** The value that an earlier run printed; null when it was not kept. `webhookSecret` likewise. */
  readonly apiToken: string | null;
  readonly webhookSecret: string | null;
  /** Null when the merchant takes cards only. */
  readonly wallet: DemoWallet | null;
};

export type DemoMerchant = {
  readonly clientId: string;
  readonly apiToken: string;
  /** The id of the demo buyer. */
  readonly userId: string;
  readonly ownerUserId: string;
  readonly gatewayId: string;
  readonly walletGatewayId: string | null;
  readonly productCode: string;
  readonly webhookSecret: string;
};

type Seeding = Pick<Ports, 'database' | 'sealed' | 'newId' | 'randomBytes'>;

/** The buyer of the demo shop. */
export const demoBuyerEmail = 'ada@example.com';
export const demoOwnerEmail = 'owner@demo.example';
const tokenName = 'Demo';

/** Amounts in minor units. */
const products = [
  { code: 'coffee-beans', name: 'Coffee beans', interval: null, prices: { EUR: 1490, USD: 1690 } },
  { code: 'mug', name: 'Mug', interval: null, prices: { EUR: 1990, USD: 2190 } },
  { code: 'grinder', name: 'Grinder', interval: null, prices: { EUR: 8900, USD: 9500 } },
  { code: 'poster', name: 'Poster', interval: null, prices: { JPY: 2500, EUR: 1200 } },
] as const;

/** The price at which a start buys. */
const sold = { code: products[0].code, currency: 'EUR', amountMinor: products[0].prices.EUR };

const coupon = { code: 'WELCOME10', percentOffBasisPoints: 1000 } as const;

/** Throws for a database whose merchants use the real provider. */
async function assertSandbox(database: Seeding['database']): Promise<void> {
  const mode = await storage.findRealMode(database);
  if (mode !== null) throw new Error(`A database of ${mode} mode gets no demo merchant.`);
}

/** Creates or completes the demo merchant. Throws for a database of test or live mode. */
export async function seedDemo(seeding: Seeding, input: DemoInput): Promise<DemoMerchant> {
  const { database } = seeding;
  await assertSandbox(database);
  const allowedOrigins = input.allowedOrigins.map(readOrigin);
  // Secrets are sealed to their rows under a key of the client, so the rows are committed first,
  // inactive; the next run repairs a crash in between.
  const draft = await database.transaction(everyClient, (tx) => draftRows(tx, seeding, input));
  const secrets = await sealSecrets(seeding, input, draft);
  const apiToken = await database.transaction(draft.clientId, async (tx) => {
    await lockOwner(tx, seeding);
    await storage.addAllowedOrigins(tx, draft.clientId, allowedOrigins);
    for (const gateway of secrets.gateways) await storage.openDemoGateway(tx, gateway);
    const { secretSealed } = secrets;
    const endpoint = { clientId: draft.clientId, id: draft.endpoint.id, url: input.webhookUrl };
    await storage.openDemoEndpoint(tx, {
      ...endpoint,
      secretSealed,
      description: demoEndpointName,
    });
    await storage.openDemoProduct(tx, draft.clientId, sold);
    return ensureToken(tx, seeding, { ...draft, saved: input.apiToken });
  });
  return {
    clientId: draft.clientId,
    apiToken,
    userId: draft.userId,
    ownerUserId: draft.ownerUserId,
    gatewayId: draft.gatewayId,
    walletGatewayId: draft.walletGatewayId,
    productCode: products[0].code,
    webhookSecret: secrets.webhookSecret,
  };
}

/**
 * Lets the demo owner sign in with this password, unless one was set before. Returns null when the
 * owner has chosen another, which is not known here.
 */
export async function seedOwnerPassword(
  seeding: Pick<Seeding, 'database' | 'randomBytes'>,
  password: string,
): Promise<string | null> {
  const { database } = seeding;
  await assertSandbox(database);
  const stored = await storage.findPasswordHash(database, demoOwnerEmail);
  if (stored !== null) {
    return (await verifyPassword(password, { stored, ports: {} })) ? password : null;
  }
  const passwordHash = await hashPassword(password, seeding);
  const isSet = await storage.setFirstPassword(database, demoOwnerEmail, passwordHash);
  return isSet ? password : null;
}

function readOrigin(text: string): string {
  const result = parseAllowedOrigin(text);
  if ('problem' in result)
    throw new Error(`The origin ${text} cannot be allowed. ${result.problem}`);
  return result.origin;
}

const lockOwner = (tx: Tx, seeding: Seeding): Promise<string> =>
  storage.lockDemoUser(tx, {
    newId: seeding.newId(),
    email: demoOwnerEmail,
    name: 'Demo owner',
  });

type Draft = Awaited<ReturnType<typeof draftRows>>;

async function draftRows(tx: Tx, seeding: Seeding, input: DemoInput) {
  const { newId } = seeding;
  const ownerUserId = await lockOwner(tx, seeding);
  const client = { newId: newId(), ownerUserId, name: 'Demo coffee shop', apiVersion };
  const clientId = await storage.ensureDemoClient(tx, client);
  const { accountId, publishableKey, wallet, webhookUrl } = input;
  const gatewayId = await storage.ensureDemoGateway(tx, {
    newId: newId(),
    clientId,
    provider: 'cardprovider',
    accountId,
    publishableKey,
  });
  const walletGatewayId =
    wallet &&
    (await storage.ensureDemoGateway(tx, {
      newId: newId(),
      clientId,
      provider: 'wallet',
      accountId: wallet.merchantId,
      publishableKey: wallet.clientId,
    }));
  const buyer = { newId: newId(), clientId, email: demoBuyerEmail, name: 'Ada Demo' };
  const userId = await storage.ensureDemoCustomer(tx, buyer);
  for (const product of products) await storage.ensureDemoProduct(tx, clientId, product);
  await storage.ensureDemoCoupon(tx, clientId, coupon);
  const description = demoEndpointName;
  const endpoint = { newId: newId(), clientId, url: webhookUrl, apiVersion, description };
  return {
    clientId,
    ownerUserId,
    userId,
    gatewayId,
    walletGatewayId,
    endpoint: await storage.ensureDemoEndpoint(tx, endpoint),
  };
}

async function sealSecrets(seeding: Seeding, input: DemoInput, draft: Draft) {
  const { sealed } = seeding;
  const { clientId, endpoint } = draft;
  const place = webhookSecretPlace(clientId, endpoint.id);
  const webhookSecret =
    input.webhookSecret ??
    (endpoint.secretSealed
      ? await sealed.open(place, endpoint.secretSealed)
      : `svc_whsec_${seeding.randomBytes(32).toString('base64')}`);
  return {
    webhookSecret,
    secretSealed: await sealed.seal(place, webhookSecret),
    gateways: await Promise.all(
      accountsOf(input, draft).map(async ({ secretKey, noticeSecret, ...gateway }) => {
        const ofGateway = { clientId, table: 'gateways', rowId: gateway.id };
        return {
          ...gateway,
          clientId,
          secretKeySealed: await sealed.seal({ ...ofGateway, field: 'secret_key' }, secretKey),
          noticeSecretSealed: await sealed.seal(
            { ...ofGateway, field: 'notice_secret' },
            noticeSecret,
          ),
        };
      }),
    ),
  };
}

/** Returns the accounts behind the gateways, with the wallet's values under a gateway's field names. */
function accountsOf(input: DemoInput, { gatewayId, walletGatewayId }: Draft) {
  const { accountId, publishableKey, secretKey, noticeSecret, wallet } = input;
  const card = { id: gatewayId, accountId, publishableKey, secretKey, noticeSecret };
  if (!wallet || !walletGatewayId) return [card];
  return [
    card,
    {
      id: walletGatewayId,
      accountId: wallet.merchantId,
      publishableKey: wallet.clientId,
      secretKey: wallet.clientSecret,
      noticeSecret: wallet.webhookId,
    },
  ];
}

/** Returns the saved token when it is still valid, else a new one: a token's value cannot be read again. */
async function ensureToken(
  tx: Tx,
  seeding: Seeding,
  owner: { clientId: string; ownerUserId: string; saved: string | null },
): Promise<string> {
  const { clientId, ownerUserId: userId } = owner;
  const ensure = (token: string): Promise<boolean> =>
    storage.ensureDemoToken(tx, {
      newId: seeding.newId(),
      clientId,
      userId,
      name: tokenName,
      sha256: createHash('sha256').update(token).digest(),
    });
  const saved = owner.saved === null ? undefined : parseApiToken(owner.saved);
  if (saved !== undefined && (await ensure(saved))) return saved;
  const fresh = newApiToken(seeding.randomBytes(32));
  await ensure(fresh);
  return fresh;
}

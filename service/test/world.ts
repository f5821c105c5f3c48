// A whole merchant for tests of money: database, sandbox provider and vault, all real, with a client
// that can be paid. One world per test file.

import { randomBytes } from 'node:crypto';
import { type SandboxOptions, startSandbox } from '@svc/sandbox';
import { watchCard } from '@svc/sandbox/official/watch';
import { scaled } from '@svc/tools/machine';
import { startVault } from '@svc/vault';
import { guardPorts } from '../src/engine/guard-ports.ts';
import { refuse } from '../src/engine/implement.ts';
import type { Caller, Ports } from '../src/engine/ports.ts';
import { operations } from '../src/operations/index.ts';
import { openProviders, type ProviderSettings } from '../src/providers/registry.ts';
import { openSandboxControl } from '../src/providers/sandbox-control.ts';
import { openVault } from '../src/providers/vault.ts';
import { openSealed } from '../src/storage/database/sealed.ts';
import {
  aClient,
  aGateway,
  aProduct,
  aToken,
  callerOf,
  freshDatabase,
  newId,
  portsFor,
  sessionCaller,
  type TestToken,
} from './harness.ts';

type Providers = ReturnType<typeof openProviders>;

/**
 * Time limits for a provider that falls silent. Other calls do without: on a busy machine an ordinary answer may come
 * later, and its call would be in doubt.
 */
const shortLimits: Partial<ProviderSettings> = {
  budgetMs: scaled(1500),
  resendMs: scaled(300),
  answerMs: scaled(400),
};

export type LedgerEntry = {
  readonly kind: string;
  readonly intent: string;
  readonly amount: number;
  readonly idempotencyKey: string | null;
};

/** The account's app at the wallet. */
export type WalletApp = {
  readonly clientId: string;
  readonly clientSecret: string;
  readonly merchantId: string;
};

export type World = Awaited<ReturnType<typeof startWorld>>;

/** The world, for calls to which the provider does not answer. */
export const impatient = (world: World): World => ({ ...world, ports: world.impatientPorts });

export async function startWorld(
  given: {
    sandbox?: SandboxOptions;
    provider?: Partial<ProviderSettings>;
    driver?: 'own-vault' | 'provider-fields';
  } = {},
) {
  const db = await freshDatabase();
  const watch = watchCard();
  const sandbox = await startSandbox({
    limits: null,
    ...given.sandbox,
    onCardExchange: watch.onCardExchange,
  });
  const sharedKey = randomBytes(32);
  const vault = await startVault(
    {
      host: '127.0.0.1',
      port: 0,
      internalPort: 0,
      origin: undefined,
      databaseUrl: db.vaultUrl,
      key: randomBytes(32),
      sharedKey,
      providerUrl: sandbox.url,
      trustedProxies: 0,
      drainMs: 0,
      mode: 'sandbox',
      driver: given.driver ?? 'own-vault',
      providerScriptUrl: `${sandbox.url}/v3/`,
    },
    { write: () => undefined },
  );
  const account = (await control(sandbox.url, 'POST', '/_control/accounts', { name: 'shop' })) as {
    accountId: string;
    secretKey: string;
    publishableKey: string;
    wallet: WalletApp;
  };
  const sealed = openSealed({
    database: db.database,
    kek: randomBytes(32),
    randomBytes,
  });
  const client = await aClient(db.database, { name: 'A shop' });
  const token = await aToken(db.database, client);
  const { gatewayId, noticeSecret } = await insertGateway(db, { client, account, sealed });
  await aProduct(db.database, client, {
    code: 'mug',
    name: 'Mug',
    prices: { EUR: 1990, JPY: 2500 },
  });
  await aProduct(db.database, client, {
    code: 'club',
    kind: 'subscription',
    prices: { EUR: 2400 },
  });
  const openLimited = (limits: Partial<ProviderSettings> = {}) =>
    openProviders({
      pauseMs: 20,
      ...given.provider,
      ...limits,
      cardUrl: sandbox.url,
      walletUrl: sandbox.url,
    });
  const providers = openLimited();
  const silent = openLimited(shortLimits);
  const link = openVault({
    formOrigin: vault.url,
    internalUrl: vault.internalUrl,
    sharedKey,
    mode: 'sandbox',
    checkoutOrigin: 'http://localhost:4000',
  });
  const nudged: string[] = [];
  const portsOver = ({ provider, methodKeeper, prepareOrder, parseNotice, accounts }: Providers) =>
    guardPorts(
      portsFor(db.database, {
        sealed,
        vault: link,
        ...{ provider, methodKeeper, prepareOrder, parseNotice, accounts },
        sandbox: openSandboxControl(sandbox.url),
        nudge: (worker) => void nudged.push(worker),
      }),
    );
  const ports: Ports = portsOver(providers);

  const world = {
    ...db,
    sandbox,
    vault,
    account,
    client,
    token,
    gatewayId,
    noticeSecret,
    ports,
    nudged,
    /** For calls to which the provider does not answer. */
    impatientPorts: portsOver(silent),
    /** Returns the provider's ledger, which decides in every test. */
    async ledger(intent?: string): Promise<LedgerEntry[]> {
      const query = `account=${account.accountId}${intent ? `&intent=${intent}` : ''}`;
      const found = await control(sandbox.url, 'GET', `/_control/ledger?${query}`);
      return (found as { entries: LedgerEntry[] }).entries;
    },
    control: (method: string, path: string, body?: object) =>
      control(sandbox.url, method, path, body),
    /** Adds a fault for the next matching call of the provider. */
    fault: (match: object, action: string, more: object = {}) =>
      control(sandbox.url, 'POST', '/_control/faults', { match, action, ...more }),
    async close() {
      await Promise.all([link.close(), providers.close(), silent.close()]);
      await vault.close();
      await sandbox.close();
      await db.close();
      watch.assertClean();
    },
  };
  return world;
}

export async function insertGateway(
  db: { readonly database: Ports['database'] },
  {
    client,
    account,
    sealed,
  }: { client: { id: string }; account: Account; sealed: Ports['sealed'] },
) {
  const gatewayId = newId();
  const noticeSecret = `whsec_${randomBytes(24).toString('base64url')}`;
  const place = { clientId: client.id, table: 'gateways', rowId: gatewayId };
  await aGateway(db.database, client, {
    id: gatewayId,
    accountId: account.accountId,
    publishableKey: account.publishableKey,
    secretKeySealed: await sealed.seal({ ...place, field: 'secret_key' }, account.secretKey),
    noticeSecretSealed: await sealed.seal({ ...place, field: 'notice_secret' }, noticeSecret),
  });
  return { gatewayId, noticeSecret };
}

type Account = { accountId: string; publishableKey: string; secretKey: string };

async function control(base: string, method: string, path: string, body?: object) {
  const response = await fetch(base + path, {
    method,
    headers: body ? { 'content-type': 'application/json' } : {},
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  return response.json();
}

export const cards = {
  approved: '4242424242424242',
  declined: '4000000000000002',
  poor: '4000000000009995',
  lost: '4000000000009987',
  needs3ds: '4000002760003184',
} as const;

export type Checkout = { sessionId: string; nonce: string; mountToken: string; userId: string };

/**
 * Returns what the card form reads from its own address; the request for a token names the same.
 */
export const parentsOf = (mountToken: string): string => {
  const claims = mountToken.replace('svcm_', '').split('.')[0] ?? '';
  return (JSON.parse(Buffer.from(claims, 'base64url').toString()) as { parents: string }).parents;
};

export const buyerEmail = 'buyer@example.test';

/** Opens a session of the world's client for one mug. */
export async function aSession(
  world: World,
  given: {
    captureMethod?: 'automatic' | 'manual';
    currency?: string;
    /** The code of the one product. */
    product?: string;
    quantity?: number;
    userId?: string;
    email?: string;
    /** Only the merchant's server may send these. */
    metadata?: Record<string, string>;
    reference?: string;
    replaces?: boolean;
  } = {},
): Promise<Checkout> {
  const { metadata, reference, replaces } = given;
  const isMerchants = metadata !== undefined || reference !== undefined;
  const userId = given.userId ?? newId();
  const answer = await operations.createCheckoutSession(
    {
      body: {
        clientId: world.client.id,
        captureMethod: given.captureMethod ?? 'manual',
        currency: given.currency ?? 'EUR',
        products: [{ code: given.product ?? 'mug', quantity: given.quantity ?? 1 }],
        accountData: { userId, email: given.email ?? buyerEmail },
        ...(metadata ? { metadata } : {}),
        ...(reference === undefined ? {} : { reference }),
        ...(replaces ? { replaces } : {}),
      },
    },
    isMerchants
      ? callerOf(world.token)
      : { kind: 'anonymous', requestId: 'req_test', origin: null },
    world.ports,
    refuse,
  );
  if (!('body' in answer)) throw new Error('a session has a body');
  const { id, nonce, vault } = answer.body;
  return { sessionId: id, nonce, userId, mountToken: vault?.mountToken ?? '' };
}

/** A card token, made by the vault as the hosted form makes it. */
export async function aCardToken(world: World, session: Checkout, number: string): Promise<string> {
  const response = await fetch(`${world.vault.url}/form/tokens`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: world.vault.url },
    body: JSON.stringify({
      mountToken: session.mountToken,
      parents: parentsOf(session.mountToken),
      number,
      expiryMonth: 12,
      expiryYear: 2034,
      // American Express has four digits.
      cvc: /^3[47]/.test(number) ? '1234' : '123',
    }),
  });
  const body = (await response.json()) as { token?: string };
  if (!body.token) throw new Error(`no card token: ${response.status} ${JSON.stringify(body)}`);
  return body.token;
}

export async function pay(
  world: World,
  session: Checkout,
  number: string = cards.approved,
  email = buyerEmail,
) {
  return payWith(world, session, await aCardToken(world, session, number), email);
}

export function payWith(world: World, session: Checkout, token: string, email = buyerEmail) {
  return operations.processCheckoutSession(
    {
      sessionId: session.sessionId,
      'x-user-id': session.userId,
      body: {
        sessionId: session.sessionId,
        tokenizedData: { provider: 'cardprovider', type: 'card', token },
        accountData: { userId: session.userId, email },
      },
    },
    sessionCaller(session.nonce),
    world.ports,
    refuse,
  );
}

/** A payment with a hold that can be captured. */
export async function aHold(world: World): Promise<{ paymentId: string; sessionId: string }> {
  const session = await aSession(world, { captureMethod: 'manual' });
  const answer = await pay(world, session);
  if (!('body' in answer)) throw new Error('process has a body');
  return { paymentId: answer.body.paymentId ?? '', sessionId: session.sessionId };
}

/** Captures or cancels with a key, as the merchant's server. */
export function moveHold(
  world: World,
  kind: 'capturePayment' | 'cancelPayment',
  given: { paymentId: string; key: string; body?: string; token?: TestToken; caller?: Caller },
) {
  const digest = Buffer.from(given.body ?? '{}')
    .toString('hex')
    .padEnd(64, '0')
    .slice(0, 64);
  return operations[kind](
    {
      paymentId: given.paymentId,
      body: {},
      idempotencyKey: given.key,
      rawSha256: Buffer.from(digest, 'hex'),
      canonSha256: Buffer.from(digest, 'hex'),
    },
    given.caller ?? callerOf(given.token ?? world.token),
    world.ports,
    refuse,
  );
}

// A vault as in production for tests: real database, real sandbox provider, with its log lines kept. The
// sandbox replaces the card provider; nothing of the vault is replaced.
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { startSandbox } from '@svc/sandbox';
import { watchCard } from '@svc/sandbox/official/watch';
import { cloneDatabase, createTemplate } from '@svc/tools/test-database/index';
import pg from 'pg';
import { buildForm } from '../build.ts';
import { type DatabaseLimits, migrate } from '../src/database.ts';
import { type Settings, startVault } from '../src/index.ts';
import { signInternalCall, signMountToken, signParents } from '../src/signatures.ts';

const template = 'svc_vault_template_3';

/** Makes a migrated database of the caller's own. */
export async function vaultDatabase() {
  await createTemplate(template, async (_, urls) => migrate(urls.svc_vault));
  const database = await cloneDatabase(template);
  return {
    url: database.url('svc_vault'),
    adminUrl: database.url('postgres'),
    drop: database.drop,
  };
}

export type TestVault = Awaited<ReturnType<typeof startTestVault>>;

type Overrides = Partial<Settings>;

/** Starts vault and provider. `close` ends both and drops the database. */
export async function startTestVault(overrides: Overrides = {}, limits?: DatabaseLimits) {
  await buildForm();
  const database = await vaultDatabase();
  const watch = watchCard();
  const sandbox = await startSandbox({ limits: null, onCardExchange: watch.onCardExchange });
  const account = await newAccount(sandbox.url);
  const sharedKey = randomBytes(32);
  const lines: string[] = [];
  const settings: Settings = {
    host: '127.0.0.1',
    port: 0,
    internalPort: 0,
    origin: undefined,
    databaseUrl: database.url,
    key: randomBytes(32),
    sharedKey,
    providerUrl: sandbox.url,
    trustedProxies: 0,
    drainMs: 0,
    mode: 'sandbox',
    driver: 'own-vault',
    providerScriptUrl: `${sandbox.url}/v3/`,
    ...overrides,
  };
  const vault = await startVault(settings, { write: (line) => lines.push(line) }, limits);
  let embedding: readonly string[] = ['https://shop.example'];
  const parents = () => signParents(embedding, sharedKey).split('.')[1] ?? '';
  const claims = (sessionId: string = randomUUID()) => ({
    sessionId,
    clientId: randomUUID(),
    publishableKey: account.publishableKey,
    livemode: false,
    parents: parents(),
    expiresAt: Math.floor(Date.now() / 1000) + 600,
  });
  return {
    ...vault,
    settings,
    account,
    claims,
    database,
    lines,
    sandbox,
    sharedKey,
    /** Sets the pages for which mount tokens are made from now on. */
    embedIn: (origins: readonly string[]) => {
      embedding = origins;
    },
    parents,
    mountToken: (given = claims()) => signMountToken(given, sharedKey),
    formUrl: (parents: readonly string[], version = 1) =>
      `${vault.url}/form/${version}?parents=${signParents(parents, sharedKey)}`,
    dump: () => dumpRows(database.adminUrl),
    close: async () => {
      await vault.close();
      await sandbox.close();
      await database.drop();
      watch.assertClean();
    },
  };
}

/** Returns every row that the vault stores, as text. */
async function dumpRows(adminUrl: string): Promise<string> {
  const admin = new pg.Client({ connectionString: adminUrl });
  await admin.connect();
  try {
    const { rows } = await admin.query(
      `select t::text from vault.card_tokens t union all select a::text from vault.session_attempts a`,
    );
    return JSON.stringify(rows);
  } finally {
    await admin.end();
  }
}

export type Account = { accountId: string; secretKey: string; publishableKey: string };

async function newAccount(sandboxUrl: string): Promise<Account> {
  const answer = await fetch(`${sandboxUrl}/_control/accounts`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'vault-tests' }),
  });
  return (await answer.json()) as Account;
}

export type VaultAnswer = {
  status: number;
  headers: Headers;
  body: Record<string, unknown>;
};

const answerOf = async (response: Response): Promise<VaultAnswer> => ({
  status: response.status,
  headers: response.headers,
  body: (await response.json()) as Record<string, unknown>,
});

/** Posts a card as the form does. `fields` replace those of a valid card. */
export async function postCard(
  vault: TestVault,
  fields: Record<string, unknown> = {},
  headers: Record<string, string> = {},
): Promise<VaultAnswer> {
  const card = {
    mountToken: vault.mountToken(),
    parents: vault.parents(),
    number: '4242424242424242',
    expiryMonth: 12,
    expiryYear: 2040,
    cvc: '123',
    ...fields,
  };
  return answerOf(
    await fetch(`${vault.url}/form/tokens`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: vault.url, ...headers },
      body: JSON.stringify(card),
    }),
  );
}

/**
 * Posts a method of the provider as the form with its fields does. `fields` replace those of a valid one.
 */
export async function postMethod(
  vault: TestVault,
  fields: Record<string, unknown> = {},
  headers: Record<string, string> = {},
): Promise<VaultAnswer> {
  const method = {
    mountToken: vault.mountToken(),
    parents: vault.parents(),
    paymentMethodId: 'pm_1',
    ...fields,
  };
  return answerOf(
    await fetch(`${vault.url}/form/tokens`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: vault.url, ...headers },
      body: JSON.stringify(method),
    }),
  );
}

const redeemPath = '/internal/card-tokens/redeem';

/** Redeems a token as the service does. */
export const redeem = (vault: TestVault, body: unknown, header?: string): Promise<VaultAnswer> =>
  callSigned(vault, { path: redeemPath, body, ...(header === undefined ? {} : { header }) });

type InsideCall = { readonly path: string; readonly body: unknown; readonly header?: string };

/** Makes any signed call of the service. `header` replaces the right signature. */
export async function callSigned(
  vault: TestVault,
  { path, body, header }: InsideCall,
): Promise<VaultAnswer> {
  const text = JSON.stringify(body);
  const call = { method: 'POST', path, body: text };
  const signature = header ?? signInternalCall(call, vault.sharedKey, Date.now());
  return answerOf(
    await fetch(vault.internalUrl + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'svc-internal': signature },
      body: text,
    }),
  );
}

/** Returns the hash by which the service names a token to the vault. */
export const sha256 = (text: unknown): string =>
  createHash('sha256').update(String(text)).digest('hex');

// The vault's settings: one table, read and checked as a whole, so that all problems are reported at once.
// Contract §4.

import { readFileSync } from 'node:fs';
import { asLibpqReads } from '@svc/contract/servers/database-address';
import { readDatabaseHosts } from '@svc/contract/servers/database-hosts';
import { cardProviderUrl, type Mode, modes } from '@svc/contract/servers/modes';
import { isLoopbackOrigin } from '@svc/contract/servers/origins';

export type { Mode } from '@svc/contract/servers/modes';

export type Settings = {
  readonly host: string;
  /** Public port of the form and of tokenising; 0 uses a free port. */
  readonly port: number;
  /** Port of the service's signed calls, on loopback; 0 uses a free port. */
  readonly internalPort: number;
  /** Public origin of the form; undefined means the listening address. */
  readonly origin: string | undefined;
  readonly databaseUrl: string;
  /** The vault's own key for fingerprints, 32 bytes. */
  readonly key: Buffer;
  /** The key shared with the service, 32 bytes. */
  readonly sharedKey: Buffer;
  readonly providerUrl: string;
  /** How many proxies in front of the form are trusted to report the caller's address. */
  readonly trustedProxies: number;
  /** Time from SIGTERM to the end of listening, in milliseconds. */
  readonly drainMs: number;
  readonly mode: Mode;
  readonly driver: Driver;
  /** Address of the provider's browser library, used only by the driver `provider-fields`. */
  readonly providerScriptUrl: string;
  /** Where `/metrics` is served; absent: nowhere. */
  readonly metrics?: { readonly host: string; readonly port: number } | undefined;
};

/** What takes the card's number: our own inputs, or the provider's hosted fields in our form. */
export type Driver = 'own-vault' | 'provider-fields';

type Environment = Readonly<Record<string, string | undefined>>;

/** Throws a sentence that states what is wrong; the caller adds the setting's name. */
type ReadSetting<T> = (text: string) => T;

const wrong = (sentence: string): never => {
  throw new Error(sentence);
};

const port: ReadSetting<number> = (text) =>
  /^\d{1,5}$/.test(text) && Number(text) <= 65535
    ? Number(text)
    : wrong('must be a port from 0 to 65535');

const proxies: ReadSetting<number> = (text) =>
  /^(\d|10)$/.test(text) ? Number(text) : wrong('must be a whole number from 0 to 10');

const drain: ReadSetting<number> = (text) =>
  /^\d{1,5}$/.test(text) && Number(text) <= 15_000
    ? Number(text)
    : wrong('must be milliseconds from 0 to 15000');

const key: ReadSetting<Buffer> = (text) => {
  const bytes = Buffer.from(text, 'base64');
  const isKey = bytes.length === 32 && /^[A-Za-z0-9+/]{43}=$/.test(text);
  return isKey ? bytes : wrong('must be 32 bytes in base64 (openssl rand -base64 32)');
};

const httpUrl: ReadSetting<string> = (text) => {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isHttp = url?.protocol === 'http:' || url?.protocol === 'https:';
  if (!url || !isHttp || url.username || url.search || url.hash) {
    return wrong('must be an http or https address without credentials, query or fragment');
  }
  return url.href.replace(/\/$/, '');
};

/** Kept exactly as written: the provider distinguishes its libraries by the end of the path. */
const scriptUrl: ReadSetting<string> = (text) => {
  const isPlain = httpUrl(text) !== '' && /^[\w:/.[\]-]+$/.test(text);
  return isPlain ? text : wrong('must be a plain http or https address');
};

const origin: ReadSetting<string> = (text) =>
  URL.canParse(text) && new URL(text).origin === text
    ? httpUrl(text)
    : wrong('must be an origin such as https://card.example.com');

const databaseUrl: ReadSetting<string> = (text) =>
  readDatabaseHosts(text)
    ? asLibpqReads(text)
    : wrong(
        'must begin with postgres://, with as many ports as hosts, or one; target_session_attrs is any, ' +
          'read-write or primary',
      );

const choice =
  <const T extends string>(...values: readonly T[]): ReadSetting<T> =>
  (text) =>
    values.find((value) => value === text) ?? wrong(`must be one of: ${values.join(', ')}`);

const readAnyText: ReadSetting<string> = (text) => text;

const scriptAddress = 'https://js.stripe.com/v3/';

/** The default library: that of the replacement provider in a sandbox, else the provider's own. */
const usualScript = (mode: Mode | undefined, providerUrl: string | undefined): string =>
  mode === 'sandbox' && providerUrl ? `${new URL(providerUrl).origin}/v3/` : scriptAddress;

/** What may stand in a file that `<name>_FILE` names, as for the service. */
const secrets = ['VAULT_DATABASE_URL', 'VAULT_KEY', 'VAULT_SHARED_KEY'];

/** Collects all problems and does not stop at the first. */
class Reader {
  readonly problems: string[] = [];
  readonly #environment: Environment;

  constructor(environment: Environment) {
    this.#environment = environment;
  }

  read<T>(name: string, read: ReadSetting<T>, fallback?: T): T | undefined {
    const text = this.#attempt(name, () => this.#textOf(name));
    if (text === undefined) return undefined;
    if (text === '') {
      if (fallback === undefined) this.problems.push(`${name} is required`);
      return fallback;
    }
    return this.#attempt(name, () => read(text));
  }

  #textOf(name: string): string {
    const text = this.#environment[name] ?? '';
    const file = secrets.includes(name) ? this.#environment[`${name}_FILE`] : undefined;
    if (!file) return text;
    if (text) return wrong(`and ${name}_FILE are both given: leave one out`);
    try {
      return readFileSync(file, 'utf8').trim();
    } catch (error) {
      return wrong(`cannot be read from ${name}_FILE: ${(error as Error).message}`);
    }
  }

  optional<T>(name: string, read: ReadSetting<T>): T | undefined {
    const text = this.#environment[name];
    return text ? this.#attempt(name, () => read(text)) : undefined;
  }

  #attempt<T>(name: string, read: () => T): T | undefined {
    try {
      return read();
    } catch (error) {
      this.problems.push(`${name} ${error instanceof Error ? error.message : 'is wrong'}`);
      return undefined;
    }
  }
}

const isOfThisMachine = (url: string): boolean => isLoopbackOrigin(new URL(url).origin);

/** Checks what test and live mode require beyond the sandbox. */
function checkReal(mode: 'test' | 'live', values: Partial<Settings>, problems: string[]): void {
  const { origin: formOrigin, providerUrl, providerScriptUrl } = values;
  if (mode === 'live' && formOrigin === undefined) {
    problems.push('VAULT_ORIGIN is required in live mode');
  }
  if (formOrigin?.startsWith('http:') && (mode === 'live' || !isOfThisMachine(formOrigin))) {
    problems.push(`VAULT_ORIGIN must use https in ${mode} mode`);
  }
  if (providerUrl?.startsWith('http:')) {
    problems.push(`VAULT_PROVIDER_URL must use https in ${mode} mode`);
  }
  if (providerScriptUrl?.startsWith('http:')) {
    problems.push(`VAULT_PROVIDER_SCRIPT_URL must use https in ${mode} mode`);
  }
}

/** Returns the settings, or every problem with them, by name. */
export function readSettings(
  environment: Environment,
): { settings: Settings } | { problems: readonly string[] } {
  const reader = new Reader(environment);
  const mode = reader.read('VAULT_MODE', choice(...modes), 'sandbox');
  const driver =
    reader.optional('VAULT_DRIVER', choice('own-vault', 'provider-fields')) ??
    (mode === 'sandbox' ? 'own-vault' : 'provider-fields');
  const values = {
    host: reader.read('VAULT_HOST', readAnyText, '127.0.0.1'),
    port: reader.read('VAULT_PORT', port),
    internalPort: reader.read('VAULT_INTERNAL_PORT', port),
    databaseUrl: reader.read('VAULT_DATABASE_URL', databaseUrl),
    key: reader.read('VAULT_KEY', key),
    sharedKey: reader.read('VAULT_SHARED_KEY', key),
    providerUrl: reader.read(
      'VAULT_PROVIDER_URL',
      httpUrl,
      mode === 'sandbox' ? undefined : cardProviderUrl,
    ),
    trustedProxies: reader.read('VAULT_TRUSTED_PROXIES', proxies, 0),
    drainMs: reader.read('VAULT_DRAIN_MS', drain, mode === 'sandbox' ? 0 : 5_000),
  };
  const formOrigin = reader.optional('VAULT_ORIGIN', origin);
  const providerScriptUrl =
    reader.optional('VAULT_PROVIDER_SCRIPT_URL', scriptUrl) ??
    usualScript(mode, values.providerUrl);
  const metricsHost = reader.read('VAULT_METRICS_HOST', readAnyText, '127.0.0.1');
  const metricsPort = reader.optional('VAULT_METRICS_PORT', port);
  const metrics =
    metricsPort === undefined ? {} : { metrics: { host: metricsHost, port: metricsPort } };
  const { problems } = reader;
  if (values.key && values.sharedKey?.equals(values.key)) {
    problems.push('VAULT_KEY must differ from VAULT_SHARED_KEY: the service knows the second');
  }
  if (mode === 'test' || mode === 'live') {
    checkReal(
      mode,
      {
        providerScriptUrl,
        ...(formOrigin && { origin: formOrigin }),
        ...(values.providerUrl && { providerUrl: values.providerUrl }),
      },
      problems,
    );
  }
  if (problems.length > 0) return { problems };
  const settings = { ...values, mode, driver, providerScriptUrl, origin: formOrigin, ...metrics };
  return { settings: settings as Settings };
}

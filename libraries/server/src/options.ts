// What `new Svc(key, options)` accepts. The constructor checks every option by name, so that a misspelt
// option never silently becomes a default.

import { isDay } from '@svc/contract/values/instants';
import { SvcAuthenticationError, SvcValidationError } from './errors.ts';
import { Listeners, type Logger } from './listeners.ts';

/** Tested versions of the card provider's API. Any other dated version is accepted too. */
export type ApiVersion = '2026-10-28.endive' | (string & {});

export type SvcOptions = {
  /** The card provider's API version, a dated string. Contract §11. */
  apiVersion?: ApiVersion | undefined;
  /** The card provider's secret key; if it is the first argument too, it must equal that. */
  providerSecretKey?: string | undefined;
  /** Client Basic: user name. Also the default `clientId` of new sessions. */
  clientId?: string | undefined;
  /** Client Basic: password. Stays on the server. */
  apiToken?: string | undefined;
  /** OAuth Bearer: a token that a person granted. `apiTokens` needs one; other calls prefer `apiToken`. */
  accessToken?: string | undefined;
  /** Address of the service, for example https://pay.example.com. */
  baseUrl?: string | undefined;
  /** Address of the card provider's API, when it is not the provider's own: a sandbox or a proxy. */
  providerBaseUrl?: string | undefined;
  /** Milliseconds per attempt. Default 60 000. */
  timeout?: number | undefined;
  /** Repeats after the first attempt. Default 2. */
  maxNetworkRetries?: number | undefined;
  fetch?: ((url: string, init: RequestInit) => Promise<Response>) | undefined;
  /** Added to the `User-Agent` of each call. */
  appInfo?: { name: string; version?: string; url?: string } | undefined;
  /** Receives every attempt, but never bodies or credentials. */
  logger?: Logger | undefined;
};

export type Settings = {
  readonly apiVersion: string;
  readonly clientId: string | undefined;
  /** Values of the `Authorization` header, by scheme. */
  readonly basic: string | undefined;
  readonly bearer: string | undefined;
  readonly baseUrl: string | undefined;
  /** Undefined where no call goes to the provider. */
  readonly providerSecretKey: string | undefined;
  readonly providerBaseUrl: string;
  readonly timeoutMs: number;
  readonly maxRetries: number;
  /** About how long a call waits before its first repeat. */
  readonly firstWaitMs: number;
  readonly fetch: (url: string, init: RequestInit) => Promise<Response>;
  readonly userAgent: string;
  readonly appInfo: SvcOptions['appInfo'];
  readonly logger: Logger;
  readonly listeners: Listeners;
};

const libraryVersion = '0.1.0';
const defaultApiVersion = '2026-10-28.endive';
const defaultProvider = 'https://api.stripe.com';

const known = new Set([
  'apiVersion',
  'providerSecretKey',
  'clientId',
  'apiToken',
  'accessToken',
  'baseUrl',
  'providerBaseUrl',
  'timeout',
  'maxNetworkRetries',
  'fetch',
  'appInfo',
  'logger',
]);

/** `new Svc(key, options)`, or `new Svc(options)` where no call goes to the provider. */
export function parseArguments(
  first: string | SvcOptions,
  options: SvcOptions | undefined,
): Omit<Settings, 'firstWaitMs'> {
  const isAlone = typeof first === 'object' && first !== null && options === undefined;
  if (!isAlone) return parseOptions(first as string, options === undefined ? {} : options);
  const { providerSecretKey } = first;
  return providerSecretKey === undefined
    ? parseKnown(undefined, first)
    : parseOptions(providerSecretKey, first);
}

/**
 * Throws, in this order, for an empty key, an unknown option, a differing key, and each invalid option by
 * name.
 */
function parseOptions(key: string, options: SvcOptions): Omit<Settings, 'firstWaitMs'> {
  if (typeof key !== 'string' || key.trim() === '') {
    throw new SvcAuthenticationError(
      'The provider secret key is empty: new Svc("<PROVIDER_SECRET_KEY>", options).',
      { code: 'ProviderSecretKeyRequired' },
    );
  }
  return parseKnown(key, options);
}

function parseKnown(key: string | undefined, options: SvcOptions): Omit<Settings, 'firstWaitMs'> {
  if (typeof options !== 'object' || options === null)
    throw wrongOption('options', 'must be an object');
  for (const name of Object.keys(options)) {
    if (!known.has(name))
      throw wrongOption(name, `is not known; known are ${[...known].join(', ')}`);
  }
  if (options.providerSecretKey !== undefined && options.providerSecretKey !== key) {
    throw new SvcAuthenticationError(
      'Option providerSecretKey differs from the first argument: give one of the two.',
      { code: 'ProviderSecretKeyMismatch' },
    );
  }
  if (key?.startsWith('svc_')) {
    throw new SvcAuthenticationError(
      'The first argument is a secret of this service (it starts with svc_), not the secret key of your card provider: new Svc("<PROVIDER_SECRET_KEY>", { clientId, apiToken }).',
      { code: 'ProviderSecretKeyInvalid' },
    );
  }
  // fetch would quote a key that contains a line end, for example one read from a file, in its error.
  assertPrintable({ providerSecretKey: key });
  const { clientId, apiToken, baseUrl, providerBaseUrl = defaultProvider } = options;
  const logger = parseLogger(options.logger);
  return {
    apiVersion: parseApiVersion(options.apiVersion ?? defaultApiVersion),
    clientId,
    basic: parseBasic(clientId, apiToken),
    bearer: parseBearer(options.accessToken),
    baseUrl: baseUrl === undefined ? undefined : parseBaseUrl('baseUrl', baseUrl),
    providerSecretKey: key,
    providerBaseUrl: parseBaseUrl('providerBaseUrl', providerBaseUrl),
    timeoutMs: parseInteger('timeout', options.timeout ?? 60_000, { min: 1, max: 600_000 }),
    maxRetries: parseInteger('maxNetworkRetries', options.maxNetworkRetries ?? 2, {
      min: 0,
      max: 10,
    }),
    fetch: parseFetch(options.fetch),
    userAgent: parseUserAgent(options.appInfo),
    appInfo: options.appInfo,
    logger,
    listeners: new Listeners(logger),
  };
}

/**
 * Checks for an http or https address without credentials, query, fragment or /v1. Trailing slashes are removed.
 */
export function parseBaseUrl(name: string, value: string): string {
  const url = typeof value === 'string' && URL.canParse(value) ? new URL(value) : undefined;
  if (!url || !/^https?:$/.test(url.protocol)) {
    throw wrongOption(
      name,
      'must be an http or https address, for example https://pay.example.com',
    );
  }
  if (url.username || url.password || url.search || url.hash) {
    throw wrongOption(name, 'must carry no credentials, query or fragment');
  }
  const address = url.href.replace(/\/+$/, '');
  if (address.endsWith('/v1')) {
    throw wrongOption(name, `must be the address without /v1: ${address.slice(0, -3)}`);
  }
  return address;
}

/** Returns a whole number within bounds; throws otherwise, naming the option. */
export function parseInteger(
  name: string,
  value: number,
  bounds: { min: number; max: number },
): number {
  if (!Number.isInteger(value) || value < bounds.min || value > bounds.max) {
    throw wrongOption(name, `must be a whole number from ${bounds.min} to ${bounds.max}`);
  }
  return value;
}

function parseApiVersion(value: string): string {
  const [, date = ''] = /^(\d{4}-\d{2}-\d{2})(?:\.[a-z]+)?$/.exec(String(value)) ?? [];
  if (!isDay(date)) {
    throw wrongOption(
      'apiVersion',
      'must be a dated version such as 2026-10-28 or 2026-10-28.endive',
    );
  }
  return value;
}

function parseBasic(
  clientId: string | undefined,
  apiToken: string | undefined,
): string | undefined {
  assertPrintable({ clientId, apiToken });
  if (clientId?.includes(':')) throw wrongOption('clientId', 'must not contain a colon');
  if (apiToken === undefined) return undefined;
  if (clientId === undefined) throw wrongOption('apiToken', 'needs clientId beside it');
  return `Basic ${btoa(`${clientId}:${apiToken}`)}`;
}

/** Makes the header of an access token. Throws when the token cannot be sent in a header. */
export function parseBearer(accessToken: string | undefined): string | undefined {
  assertPrintable({ accessToken });
  return accessToken === undefined ? undefined : `Bearer ${accessToken}`;
}

function assertPrintable(values: Readonly<Record<string, unknown>>): void {
  for (const [name, value] of Object.entries(values)) {
    if (value !== undefined && (typeof value !== 'string' || !/^[!-~]+$/.test(value))) {
      throw wrongOption(name, 'must be a string of printable characters without spaces');
    }
  }
}

function parseFetch(value: SvcOptions['fetch']): Settings['fetch'] {
  // Looked up at each call, so that a later replacement of the global (a proxy, a tracer) is used.
  if (value === undefined) return (url, init) => globalThis.fetch(url, init);
  if (typeof value !== 'function') throw wrongOption('fetch', 'must be a function');
  return value;
}

function parseUserAgent(appInfo: SvcOptions['appInfo']): string {
  // Workers have no `process`, or one without versions.
  const node = typeof process === 'object' ? process.versions?.node : undefined;
  const own = `svc-server/${libraryVersion} ${node ? `node/${node}` : 'worker'}`;
  if (appInfo === undefined) return own;
  if (typeof appInfo !== 'object' || appInfo === null)
    throw wrongOption('appInfo', 'must be an object');
  const { name, version, url } = appInfo;
  for (const part of [name, version, url]) {
    if (part !== undefined && !/^[!-~]{1,100}$/.test(String(part))) {
      throw wrongOption(
        'appInfo',
        'must hold printable characters without spaces, at most 100 each',
      );
    }
  }
  if (name === undefined) throw wrongOption('appInfo', 'must have a name');
  return `${own} ${name}${version ? `/${version}` : ''}${url ? ` (${url})` : ''}`;
}

function parseLogger(value: SvcOptions['logger']): Logger {
  if (value === undefined) return {};
  if (typeof value !== 'object' || value === null) {
    throw wrongOption('logger', 'must be an object with debug, warn or error functions');
  }
  return value;
}

function wrongOption(name: string, claim: string): SvcValidationError {
  return new SvcValidationError(`Option ${name} ${claim}.`, {
    code: 'InvalidOption',
    param: name,
  });
}

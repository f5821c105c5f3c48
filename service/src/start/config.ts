// The configuration: the environment, checked against the table of settings and completed. All
// problems are reported at once.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { cardProviderUrl } from '@svc/contract/servers/modes';
import { isLoopbackOrigin } from '@svc/contract/servers/origins';
import { nearestName } from '../domain/protocol/edit-distance.ts';
import type { KeepDays } from '../domain/protocol/retention.ts';
import { contractLimits, type LimitSettings } from '../http/limits/limits.ts';
import type { LogLevel } from '../http/wire/log.ts';
import { database, type Setting } from './setting-kinds.ts';
import { settings } from './settings.ts';

type Table = typeof settings;
type ParsedValue<S> = S extends { parse(text: string): infer T } ? Exclude<T, undefined> : never;
type Values = {
  readonly [K in keyof Table]: Table[K] extends { isRequired: true } | { fallback: string }
    ? ParsedValue<Table[K]>
    : ParsedValue<Table[K]> | null;
};

export type Config = Omit<
  Values,
  | 'limits'
  | keyof LimitSettings
  | 'baseUrl'
  | 'checkoutUrl'
  | 'databaseOwnerUrl'
  | 'webhookAllow'
  | 'drainDelayMs'
  | 'pagesDir'
  | 'providerUrl'
  | 'smtpUrl'
  | 'mailFrom'
> & {
  readonly keepDays: KeepDays;
  readonly isLive: boolean;
  readonly baseUrl: string;
  readonly checkoutUrl: string;
  /** True when SVC_BASE_URL was not given: the base URL then uses the port. */
  readonly isBaseUrlDerived: boolean;
  readonly databaseOwnerUrl: string;
  readonly providerUrl: string;
  readonly webhookAllow: readonly string[];
  readonly drainDelayMs: number;
  readonly pagesDir: string;
  /** Null when mails are not sent. */
  readonly mail: { readonly url: string; readonly from: string } | null;
  readonly logLevel: LogLevel;
  /** Null when rate limits are switched off. */
  readonly limits: LimitSettings | null;
};

/** Lists all problems of the settings at once. */
export class ConfigInvalid extends Error {
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(problems.join('\n'));
    this.name = 'ConfigInvalid';
    this.problems = problems;
  }
}

type Env = Readonly<Record<string, string | undefined>>;
const all: readonly Setting<unknown>[] = Object.values(settings);

/** Reads the configuration of an environment. Throws ConfigInvalid, which never contains a secret. */
export function readConfig(env: Env): { config: Config; warnings: string[] } {
  const problems: string[] = [];
  const entries = Object.entries(settings).map(
    ([field, setting]) => [field, readSetting(setting as Setting<unknown>, env, problems)] as const,
  );
  const values = Object.fromEntries(entries) as Values;
  problems.push(...findContradictions(values));
  if (problems.length > 0) throw new ConfigInvalid(problems);
  return { config: complete(values), warnings: [...oddSettings(values), ...unknownNames(env)] };
}

/** Warns about settings that are allowed but seldom intended. */
const oddSettings = ({ mode, providerUrl }: Values): string[] =>
  mode === 'sandbox' && providerUrl?.startsWith(cardProviderUrl)
    ? ['SVC_PROVIDER_URL is the real card provider and SVC_MODE is sandbox; set SVC_MODE=test']
    : [];

/** Reads one setting, for a command that needs no other. Throws ConfigInvalid. */
export function readDatabaseUrl(env: Env): string {
  const problems: string[] = [];
  const url = readSetting(settings.databaseUrl, env, problems);
  if (typeof url !== 'string') throw new ConfigInvalid(problems);
  return url;
}

/**
 * Returns the URL of the role that migrates: the owner of the tables, or else the role that serves.
 * Throws ConfigInvalid.
 */
export function readOwnerUrl(env: Env): string {
  const problems: string[] = [];
  const url = readSetting(settings.databaseOwnerUrl, env, problems);
  if (problems.length > 0) throw new ConfigInvalid(problems);
  return typeof url === 'string' ? url : readDatabaseUrl(env);
}

/** Returns an address that commands alone read; undefined when it is not given. Throws ConfigInvalid. */
export function readAddress(
  name: 'DATABASE_ADMIN_URL' | 'VAULT_DATABASE_URL',
  env: Env,
): string | undefined {
  const problems: string[] = [];
  const url = readSetting(database({ name, doc: '', isSecret: true }), env, problems);
  if (problems.length > 0) throw new ConfigInvalid(problems);
  return typeof url === 'string' ? url : undefined;
}

/** Returns SVC_KEY and its former values, as far as they are given. Throws ConfigInvalid. */
export function readKeys(env: Env): Buffer[] {
  const problems: string[] = [];
  const { isRequired: _, ...current } = settings.key;
  const found = [current, settings.formerKeys].map((one) => readSetting(one, env, problems));
  if (problems.length > 0) throw new ConfigInvalid(problems);
  return found.flat().filter((one) => Buffer.isBuffer(one));
}

function readSetting(setting: Setting<unknown>, env: Env, problems: string[]): unknown {
  const { name, kind, fallback, isRequired, isSecret } = setting;
  try {
    const given = isSecret ? readSecret(name, env) : env[name]?.trim();
    const written = given || fallback;
    if (written === undefined) {
      if (isRequired) problems.push(`${name} is missing: ${setting.doc}`);
      return null;
    }
    const value = setting.parse(written);
    if (value !== undefined) return value;
    problems.push(`${name} is not ${kind}${isSecret ? '' : `: ${written.slice(0, 100)}`}`);
  } catch (error) {
    problems.push((error as Error).message);
  }
  return null;
}

function readSecret(name: string, env: Env): string | undefined {
  const file = env[`${name}_FILE`];
  if (!file) return env[name]?.trim();
  if (env[name]) throw new Error(`${name} and ${name}_FILE are both given; leave one out`);
  try {
    return readFileSync(file, 'utf8').trim();
  } catch (error) {
    throw new Error(`${name}_FILE cannot be read: ${(error as Error).message}`);
  }
}

function findContradictions(values: Values): string[] {
  const { mode, providerUrl, sandboxKey, baseUrl, checkoutUrl, vaultOrigin, limits } = values;
  const { smtpUrl, mailFrom, alertUrl, alertSecret } = values;
  const problems: string[] = [];
  if (mode === 'sandbox' && providerUrl === null) {
    problems.push(
      'SVC_PROVIDER_URL is missing: in sandbox mode the real card provider is never called',
    );
  }
  if (sandboxKey !== null && sandboxKey.length < 16)
    problems.push('SVC_SANDBOX_KEY is shorter than 16 characters');
  if (vaultOrigin && new URL(vaultOrigin).origin !== vaultOrigin)
    problems.push('SVC_VAULT_ORIGIN has a path');
  if ((alertUrl === null) !== (alertSecret === null))
    problems.push('SVC_ALERT_URL and SVC_ALERT_SECRET are given together, or neither');
  if ((smtpUrl === null) !== (mailFrom === null))
    problems.push('SVC_SMTP_URL and SVC_MAIL_FROM are given together, or neither');
  if (mode === 'sandbox') return problems;
  if (sandboxKey !== null) problems.push('SVC_SANDBOX_KEY is for sandbox mode only');
  if (mode === 'live' && limits === 'off') problems.push('SVC_LIMITS cannot be off in live mode');
  if (!isHttps(providerUrl ?? cardProviderUrl))
    problems.push(`SVC_PROVIDER_URL must be an https address in ${mode} mode`);
  const addresses = {
    SVC_BASE_URL: baseUrl ?? 'http://localhost',
    SVC_CHECKOUT_URL: checkoutUrl ?? baseUrl ?? 'http://localhost',
    SVC_VAULT_ORIGIN: vaultOrigin,
  };
  for (const [name, address] of Object.entries(addresses)) {
    if (address && !isOpenIn(mode, address)) problems.push(`${name} ${neededIn[mode]}`);
  }
  return problems;
}

const isHttps = (address: string): boolean => address.startsWith('https://');

/** Returns whether browsers may be sent to the address: in test mode also to this machine, without TLS. */
const isOpenIn = (mode: 'test' | 'live', address: string): boolean =>
  isHttps(address) || (mode === 'test' && isLoopbackOrigin(new URL(address).origin));

const neededIn = {
  test: 'must be an https address, or one of this machine, in test mode',
  live: 'must be an https address in live mode',
};

/** Two rounds of a proxy's usual checks on /readyz, and a little more. */
const drainMs = 5_000;

const loopback = ['127.0.0.0/8', '::1/128'];

/** Developers of a checkout test it from one address, so the limit is higher outside live mode. */
const attemptsPerAddress = (isLive: boolean): number =>
  isLive ? contractLimits.processPerAddressHour : 1000;

const nullWhenOff = <T>(isOn: 'on' | 'off', limits: T): T | null =>
  isOn === 'off' ? null : limits;

const keepDaysOf = (values: Values): KeepDays => ({
  answers: values.keepAnswers,
  attempts: values.keepAttempts,
  deliveries: values.keepAttempts,
  events: values.keepEvents,
  notices: values.keepNotices,
  sessions: values.keepSessions,
});

function complete(values: Values): Config {
  const {
    limits,
    clientPerSecond,
    moneyPerSecond,
    moneyBurst,
    sessionPerMinute,
    sessionReadsPerMinute,
    processPerMinute,
    processPerHour,
    processPauseMinutes,
    sessionDeclines,
    setupsPerHour,
    tokensPerHour,
    processPerAddressHour,
    openPerAddress,
    pagesPerMinute,
    sessionCreatePerMinute,
    wrongSessionPerMinute,
    failedBasicPerMinute,
    signInPerMinute,
    personPerMinute,
    smtpUrl,
    mailFrom,
    ...rest
  } = values;
  const isLive = values.mode === 'live';
  const baseUrl = values.baseUrl ?? `http://localhost:${values.port}`;
  return {
    ...rest,
    isLive,
    baseUrl,
    checkoutUrl: values.checkoutUrl ?? baseUrl,
    isBaseUrlDerived: values.baseUrl === null,
    databaseOwnerUrl: values.databaseOwnerUrl ?? values.databaseUrl,
    providerUrl: values.providerUrl ?? cardProviderUrl,
    drainDelayMs: values.drainDelayMs ?? (values.mode === 'sandbox' ? 0 : drainMs),
    walletUrl: values.walletUrl ?? (values.mode === 'sandbox' ? values.providerUrl : null),
    webhookAllow: values.webhookAllow ?? (isLive ? [] : loopback),
    mail: smtpUrl !== null && mailFrom !== null ? { url: smtpUrl, from: mailFrom } : null,
    keepDays: keepDaysOf(values),
    pagesDir: values.pagesDir ?? join(import.meta.dirname, '../../../pages/dist'),
    limits: nullWhenOff(limits, {
      clientPerSecond,
      moneyPerSecond,
      moneyBurst,
      sessionPerMinute,
      sessionReadsPerMinute,
      processPerMinute,
      processPerHour,
      processPauseMinutes,
      sessionDeclines,
      setupsPerHour,
      tokensPerHour,
      processPerAddressHour: processPerAddressHour ?? attemptsPerAddress(isLive),
      openPerAddress,
      pagesPerMinute,
      sessionCreatePerMinute,
      wrongSessionPerMinute,
      failedBasicPerMinute,
      signInPerMinute,
      personPerMinute,
    }),
  };
}

/** Returns every variable that `readConfig` reads. */
export const settingNames = (): string[] =>
  all.flatMap(({ name, isSecret }) => (isSecret ? [name, `${name}_FILE`] : [name]));

/** The settings that were given, for the log: of secrets the name alone. */
export function shownSettings(env: Env): string {
  return all
    .filter(({ name }) => env[name] || env[`${name}_FILE`])
    .map(({ name, isSecret }) => (isSecret ? name : `${name}=${env[name]}`))
    .join(' ');
}

function unknownNames(env: Env): string[] {
  const known = settingNames();
  return Object.keys(env)
    .filter((name) => name.startsWith('SVC_') && !known.includes(name))
    .map((name) => {
      const nearest = nearestName(name, known);
      const guess = nearest ? `; did you mean ${nearest}?` : '';
      return `${name} is no setting${guess}`;
    });
}

/** Returns the text of `.env.example`. */
export function envExample(): string {
  const blocks = all.map(({ name, doc, kind, fallback, isRequired, isSecret }) => {
    const notes = [kind, isRequired ? 'required' : '', isSecret ? `or ${name}_FILE` : ''];
    const line = isRequired ? `${name}=` : `# ${name}=${fallback ?? ''}`;
    return `# ${doc}\n# (${notes.filter(Boolean).join('; ')})\n${line}\n`;
  });
  return `# Settings of the service. Those behind a # show their default.\n\n${blocks.join('\n')}`;
}

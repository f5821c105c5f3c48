import { readFileSync } from 'node:fs';
import { keyWordOf } from '@svc/contract/servers/modes';
import { oneLine } from '@svc/contract/servers/plain-text';
import { publishedPace } from '../../domain/protocol/provider-pace.ts';
import type { Ports } from '../../engine/ports.ts';
import { makeWebhook, storedKey } from '../../engine/runs/operator/check-gateways.ts';
import {
  type AccountHoldup,
  changeGateway,
  createGateway,
  findGateways,
  findHoldups,
  type GatewayKeys,
  type GatewayView,
  gatewayOf,
  type KeyRefusal,
  type MadeGateway,
} from '../../engine/runs/operator/gateways.ts';
import { countRefusals } from '../../engine/steps/notices/refused-notices.ts';
import type { Surroundings } from '../line/command.ts';
import { readId, UsageError } from '../line/flags.ts';
import { table } from '../line/report.ts';
import { type FlagReader, operatorCommand, type VerbWork } from '../line/verbs.ts';
import { check, mayStore } from './gateways-check.ts';

const help = `svc gateways: merchants' accounts at the card provider and the wallet

  svc gateways list [--client ID]
                  every gateway with its countries, its pace towards the provider, the calls that wait
                  for their turn, and when the provider last refused its key; never a secret
  svc gateways check [--gateway ID]
                  tries every gateway in use at the card provider, or this one: account, both keys, each
                  right that a restricted key needs, the webhook; ends with 1 where something is wrong.
                  A wallet is tried by svc doctor
  svc gateways create --client ID --provider cardprovider|wallet --account ID
                      --publishable-key KEY --keys FILE [--countries LIST]
                      [--webhook create] [--unchecked]
                  makes one, and prints where the provider has to send its notices; the same
                  again prints the one that is there
  svc gateways change --gateway ID [--account ID] [--publishable-key KEY] [--keys FILE]
                      [--countries LIST] [--active yes|no] [--webhook create] [--unchecked]
                      [--requests-per-second N|default] [--endpoint-requests-per-second N|default]
                  changes what is given; new keys are in force within half a minute

A session goes to the gateway that names its buyer's country, else to one that names none.
Keys of the card provider are tried before they are stored, as by check, and refused where something is
wrong; --unchecked stores them all the same. --webhook create makes the webhook endpoint at the provider
and stores its secret.
Secrets never stand on a command line: FILE is JSON, { "secretKey": "…", "noticeSecret": "…" }, and may
be /dev/stdin. The notice secret is known once the provider has the address: give it with change. Of a
wallet: account is the merchant's id, publishable key the client id, secretKey the client secret,
noticeSecret the id of the webhook. It needs the settings of the service.

  --requests-per-second N, --endpoint-requests-per-second N
                    what the provider takes of the account in all, and of one operation of its API;
                    default: as it publishes, see docs/guides/provider-limits.md
  --countries LIST  ISO 3166-1, as DE,AT,CH; any: every country that no other names
  --database URL    the database; overrides DATABASE_URL
  --data DIR        the data folder of npm start (default .svc); overrides environment variables
`;

const flags = [
  'client',
  'gateway',
  'provider',
  'account',
  'publishable-key',
  'keys',
  'countries',
  'active',
  'webhook',
  'requests-per-second',
  'endpoint-requests-per-second',
] as const;
const switches = ['unchecked'] as const;

type Text = FlagReader<(typeof flags)[number] | (typeof switches)[number]>;

export const gatewaysCommand = operatorCommand<(typeof flags)[number] | (typeof switches)[number]>({
  name: 'gateways',
  summary: 'list, create and change accounts at providers',
  help,
  flags,
  switches,
  verbs: { list, check, create, change },
});

function list(text: Text, { out }: Surroundings): VerbWork {
  const clientId = text('client') === undefined ? null : readId('client', text('client'));
  return async (ports) => {
    const holdups = await findHoldups(ports);
    const lines = (await findGateways(clientId, ports)).map((one) => [
      one.id,
      `${one.clientId} (${oneLine(one.clientName)})`,
      one.isLive ? 'live' : ports.settings.mode === 'test' ? 'test' : 'sandbox',
      one.provider,
      one.accountId,
      one.countries.join(',') || 'any',
      one.isActive ? 'in use' : 'off',
      ...(one.provider === 'cardprovider'
        ? [describePace(one, ports), describeHoldup(holdups.get(one.accountId))]
        : ['', '']),
      describeNotices(one),
      one.keyRefused ? describeRefusal(one.keyRefused) : 'not refused',
    ]);
    const titles = [
      'gateway',
      'client',
      'mode',
      'provider',
      'account',
      'countries',
      'state',
      'pace',
      'waiting',
    ];
    out.write(table([[...titles, 'notices', 'key'], ...lines]));
    return 0;
  };
}

function describeNotices({ noticesRefused, hasNoticeSecret }: GatewayView): string {
  if (noticesRefused) return `${countRefusals(noticesRefused)}: ${noticesRefused.fault}`;
  return hasNoticeSecret ? 'secret stored' : 'no secret yet';
}

function describePace(one: GatewayView, { settings }: Ports): string {
  const { perSecond, endpointPerSecond } = publishedPace(settings.isLive);
  const all = one.requestsPerSecond ?? perSecond;
  return `${all}/s, ${Math.min(all, one.endpointRequestsPerSecond ?? endpointPerSecond)}/s an operation`;
}

/** The calls to an account that wait for their turn. */
function describeHoldup(holdup: AccountHoldup | undefined): string {
  const count = (holdup?.waiting ?? 0) + (holdup?.postponed ?? 0);
  if (!holdup || count === 0) {
    const { toldAt } = holdup ?? {};
    return toldAt ? `none since ${toldAt.toISOString().slice(0, 16)}Z` : 'none';
  }
  return `${count}, up to ${(holdup.longestMs / 1000).toFixed(1)} s`;
}

function create(text: Text, { out, err }: Surroundings): VerbWork {
  const clientId = readId('client', text('client'));
  const provider = readProvider(text('provider'));
  const accountId = readPlainWord('account', text('account'));
  const publishableKey = readPlainWord('publishable-key', text('publishable-key'));
  const countries = readCountries(text('countries') ?? 'any');
  const keys = readKeys(text('keys'));
  if (!keys.secretKey) throw new UsageError('--keys is missing: a JSON file with "secretKey"');
  const wants = readWants(text, provider);
  return async (ports) => {
    checkMode(provider, { publishableKey, ...keys }, ports);
    const tried = { provider, accountId, publishableKey, secretKey: keys.secretKey ?? '' };
    if (!wants.isUnchecked && !(await mayStore({ clientId, ...tried }, { ports, err }))) return 1;
    const pace = { requestsPerSecond: null, endpointRequestsPerSecond: null };
    const wish = { clientId, provider, accountId, publishableKey, countries, keys, ...pace };
    const made = await createGateway(wish, ports);
    if (made && !made.isNew) {
      err.write('svc gateways: it was there already, and its keys stay: see svc gateways change\n');
    }
    if (made) return finishCreation(made, wants, { ports, out, err });
    err.write(`svc gateways: there is no client ${clientId}\n`);
    return 1;
  };
}

function change(text: Text, { out, err }: Surroundings): VerbWork {
  const id = readId('gateway', text('gateway'));
  const readGiven = <T>(name: (typeof flags)[number], read: (text: string) => T): T | undefined => {
    const value = text(name);
    return value === undefined ? undefined : read(value);
  };
  const accountId = readGiven('account', (value) => readPlainWord('account', value));
  const publishableKey = readGiven('publishable-key', (value) =>
    readPlainWord('publishable-key', value),
  );
  const countries = readGiven('countries', readCountries);
  const isActive = readGiven('active', readActive);
  const keys = readGiven('keys', readKeys) ?? {};
  const requestsPerSecond = readGiven('requests-per-second', readRate);
  const endpointRequestsPerSecond = readGiven('endpoint-requests-per-second', readRate);
  const facts = {
    ...(requestsPerSecond === undefined ? {} : { requestsPerSecond }),
    ...(endpointRequestsPerSecond === undefined ? {} : { endpointRequestsPerSecond }),
    ...(accountId === undefined ? {} : { accountId }),
    ...(publishableKey === undefined ? {} : { publishableKey }),
    ...(countries === undefined ? {} : { countries }),
    ...(isActive === undefined ? {} : { isActive }),
  };
  const wants = readWants(text, 'cardprovider');
  if (Object.keys({ ...facts, ...keys }).length === 0 && !wants.isWebhookMade) {
    throw new UsageError('nothing is to be changed: give --countries, --active, --keys or another');
  }
  return async (ports) => {
    const found = await gatewayOf(id, ports);
    if (found) checkMode(found.provider, { publishableKey, ...keys }, ports);
    // A wallet's secret must never be sent to the card provider.
    if (found && wants.isWebhookMade && found.provider !== 'cardprovider') {
      throw new UsageError('--webhook create is for the card provider alone');
    }
    const isTried = keys.secretKey ?? accountId ?? publishableKey ?? (isActive || undefined);
    if (found && isTried !== undefined && !wants.isUnchecked) {
      const tried = {
        ...found,
        ...facts,
        secretKey: keys.secretKey ?? (await storedKey(found, ports)),
      };
      if (!(await mayStore(tried, { ports, err }))) return 1;
    }
    const made = await changeGateway({ ...facts, id, keys }, ports);
    if (made) return finishCreation(made, wants, { ports, out, err });
    err.write(`svc gateways: there is no gateway ${id}\n`);
    return 1;
  };
}

type GatewayChoices = { readonly isUnchecked: boolean; readonly isWebhookMade: boolean };

function readWants(text: Text, provider: GatewayView['provider']): GatewayChoices {
  const webhook = text('webhook');
  if (webhook !== undefined && webhook !== 'create') {
    throw new UsageError(
      '--webhook takes one value, create: it makes the endpoint at the card provider',
    );
  }
  if (webhook !== undefined && provider !== 'cardprovider') {
    throw new UsageError('--webhook create is for the card provider alone');
  }
  return { isUnchecked: text('unchecked') === 'yes', isWebhookMade: webhook === 'create' };
}

/** Prints the created gateway, with its webhook when one was asked for. */
async function finishCreation(
  made: MadeGateway,
  { isWebhookMade }: GatewayChoices,
  { ports, out, err }: { ports: Ports } & Pick<Surroundings, 'out' | 'err'>,
): Promise<number> {
  print(made, out);
  if (!isWebhookMade) return 0;
  const trouble = await makeWebhook(made, ports);
  if (trouble === undefined) out.write('webhook  made at the provider, and its secret stored\n');
  else err.write(noWebhook(made.id, trouble));
  return trouble === undefined ? 0 : 1;
}

const noWebhook = (id: string, trouble: string): string =>
  `svc gateways: the gateway is stored, but no webhook was made: ${trouble}\n` +
  `once that is mended: svc gateways change --gateway ${id} --webhook create\n`;

const describeRefusal = ({ at, status, requestId }: KeyRefusal): string =>
  `refused ${at.toISOString().slice(0, 16)}Z (${status}${requestId ? `, ${requestId}` : ''})`;

function print({ id, noticeUrl }: MadeGateway, out: Surroundings['out']): number {
  out.write(`gateway  ${id}\nnotices  ${noticeUrl}\n`);
  return 0;
}

/** Checks that the card provider's keys, which name their mode, fit this installation. */
function checkMode(
  provider: 'cardprovider' | 'wallet',
  keys: GatewayKeys & { readonly publishableKey?: string | undefined },
  { settings }: Ports,
): void {
  if (provider !== 'cardprovider') return;
  const word = keyWordOf(settings.mode);
  const other = word === 'live' ? 'test' : 'live';
  const here = `this installation is of ${settings.mode} mode (SVC_MODE)`;
  const { publishableKey, secretKey } = keys;
  if (publishableKey !== undefined && !publishableKey.startsWith(`pk_${word}_`)) {
    const is = publishableKey.startsWith(`pk_${other}_`)
      ? `is of ${other} mode, and ${here}`
      : `is no such key, and ${here}`;
    throw new UsageError(`--publishable-key ${is}: give one that begins with pk_${word}_`);
  }
  if (secretKey !== undefined && !new RegExp(`^[sr]k_${word}_`).test(secretKey)) {
    const is = /^[sr]k_/.test(secretKey)
      ? `is of ${other} mode, and ${here}`
      : `is no such key, and ${here}`;
    throw new UsageError(`secretKey ${is}: give one that begins with sk_${word}_ or rk_${word}_`);
  }
}

function readProvider(text: string | undefined): 'cardprovider' | 'wallet' {
  if (text === 'cardprovider' || text === 'wallet') return text;
  throw new UsageError('--provider is missing: cardprovider or wallet');
}

function readPlainWord(flag: string, text: string | undefined): string {
  if (/^[\x21-\x7e]{1,255}$/.test(text ?? '')) return text as string;
  throw new UsageError(`--${flag} is missing: up to 255 characters without spaces`);
}

function readCountries(text: string): string[] {
  if (text === 'any') return [];
  const countries = [...new Set(text.split(',').map((one) => one.trim()))];
  const wrong = countries.find((one) => !/^[A-Z]{2}$/.test(one));
  if (wrong === undefined) return countries;
  const words = 'give two capital letters for each, with commas between them, or any';
  throw new UsageError(`--countries: '${wrong}' is no country; ${words}`);
}

/** Null: as the provider publishes. */
function readRate(text: string): number | null {
  if (text === 'default') return null;
  const rate = /^\d{1,6}$/.test(text) ? Number(text) : 0;
  if (rate >= 1 && rate <= 100_000) return rate;
  throw new UsageError(`'${text}' is no rate: give requests a second, 1 to 100000, or default`);
}

function readActive(text: string): boolean {
  if (text === 'yes' || text === 'no') return text === 'yes';
  throw new UsageError('--active is yes or no');
}

/** Error messages never contain the file's content. */
function readKeys(file: string | undefined): GatewayKeys {
  if (file === undefined) return {};
  let content: unknown;
  try {
    content = JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new UsageError(`--keys: ${file} ${code ? `cannot be read (${code})` : 'is no JSON'}`);
  }
  const { secretKey, noticeSecret, ...others } = Object(content) as Record<string, unknown>;
  const keys = { secretKey, noticeSecret };
  const isPlainValue = (value: unknown) =>
    value === undefined || (typeof value === 'string' && /^[\x21-\x7e]{1,500}$/.test(value));
  if (Object.keys(others).length > 0 || !Object.values(keys).every(isPlainValue)) {
    throw new UsageError(
      '--keys: the file holds "secretKey" and "noticeSecret", texts, and no more',
    );
  }
  return Object.fromEntries(Object.entries(keys).filter(([, value]) => value !== undefined));
}

import { readFileSync } from 'node:fs';
import type { Ports } from '../../engine/ports.ts';
import {
  changeGateway,
  createGateway,
  findGateways,
  type GatewayKeys,
  gatewayOf,
  type MadeGateway,
} from '../../engine/runs/operator/gateways.ts';
import type { Surroundings } from '../line/command.ts';
import { readId, UsageError } from '../line/flags.ts';
import { table } from '../line/report.ts';
import { operatorCommand, type Typed, type Work } from '../line/verbs.ts';

const help = `svc gateways: merchants' accounts at the card provider and the wallet

  svc gateways list [--client ID]
                  every gateway with its countries; never a secret
  svc gateways create --client ID --provider cardprovider|wallet --account ID
                      --publishable-key KEY --keys FILE [--countries LIST]
                  makes one, and prints where the provider has to send its notices; the same
                  again prints the one that is there
  svc gateways change --gateway ID [--account ID] [--publishable-key KEY] [--keys FILE]
                      [--countries LIST] [--active yes|no]
                  changes what is given; new keys are in force within half a minute

A session goes to the gateway that names its buyer's country, else to one that names none.
Secrets never stand on a command line: FILE is JSON, { "secretKey": "…", "noticeSecret": "…" }, and may
be /dev/stdin. The notice secret is known once the provider has the address: give it with change. Of a
wallet: account is the merchant's id, publishable key the client id, secretKey the client secret,
noticeSecret the id of the webhook. It needs the settings of the service.

  --countries LIST  ISO 3166-1, as DE,AT,CH; any: every country that no other names
  --database URL    instead of DATABASE_URL
  --data DIR        the data folder of a start (default .svc); named, it goes before variables
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
] as const;

type Text = Typed<(typeof flags)[number]>;

export const gatewaysCommand = operatorCommand({
  name: 'gateways',
  summary: 'list, make and change accounts at providers',
  help,
  flags,
  verbs: { list, create, change },
});

function list(text: Text, { out }: Surroundings): Work {
  const clientId = text('client') === undefined ? null : readId('client', text('client'));
  return async (ports) => {
    const lines = (await findGateways(clientId, ports)).map((one) => [
      one.id,
      `${one.clientId} (${one.clientName.replace(/\p{Cc}/gu, ' ')})`,
      one.isLive ? 'live' : 'sandbox',
      one.provider,
      one.accountId,
      one.countries.join(',') || 'any',
      one.isActive ? 'in use' : 'off',
      one.hasNoticeSecret ? 'verified' : 'no secret yet',
    ]);
    const titles = ['gateway', 'client', 'mode', 'provider', 'account', 'countries', 'state'];
    out.write(table([[...titles, 'notices'], ...lines]));
    return 0;
  };
}

function create(text: Text, { out, err }: Surroundings): Work {
  const clientId = readId('client', text('client'));
  const provider = readProvider(text('provider'));
  const accountId = readWord('account', text('account'));
  const publishableKey = readWord('publishable-key', text('publishable-key'));
  const countries = readCountries(text('countries') ?? 'any');
  const keys = readKeys(text('keys'));
  if (!keys.secretKey) throw new UsageError('--keys is missing: a JSON file with "secretKey"');
  return async (ports) => {
    checkMode(provider, { publishableKey, ...keys }, ports);
    const wish = { clientId, provider, accountId, publishableKey, countries, keys };
    const made = await createGateway(wish, ports);
    if (made && !made.isNew) {
      err.write('svc gateways: it was there already, and its keys stay: see svc gateways change\n');
    }
    if (made) return print(made, out);
    err.write(`svc gateways: there is no client ${clientId}\n`);
    return 1;
  };
}

function change(text: Text, { out, err }: Surroundings): Work {
  const id = readId('gateway', text('gateway'));
  const given = <T>(name: (typeof flags)[number], read: (text: string) => T): T | undefined => {
    const value = text(name);
    return value === undefined ? undefined : read(value);
  };
  const accountId = given('account', (value) => readWord('account', value));
  const publishableKey = given('publishable-key', (value) => readWord('publishable-key', value));
  const countries = given('countries', readCountries);
  const isActive = given('active', readActive);
  const keys = given('keys', readKeys) ?? {};
  const facts = {
    ...(accountId === undefined ? {} : { accountId }),
    ...(publishableKey === undefined ? {} : { publishableKey }),
    ...(countries === undefined ? {} : { countries }),
    ...(isActive === undefined ? {} : { isActive }),
  };
  if (Object.keys({ ...facts, ...keys }).length === 0) {
    throw new UsageError('nothing is to be changed: give --countries, --active, --keys or another');
  }
  return async (ports) => {
    const found = await gatewayOf(id, ports);
    if (found) checkMode(found.provider, { publishableKey, ...keys }, ports);
    const made = await changeGateway({ ...facts, id, keys }, ports);
    if (made) return print(made, out);
    err.write(`svc gateways: there is no gateway ${id}\n`);
    return 1;
  };
}

function print({ id, noticeUrl }: MadeGateway, out: Surroundings['out']): number {
  out.write(`gateway  ${id}\nnotices  ${noticeUrl}\n`);
  return 0;
}

/** The card provider's keys say which mode they are of. */
function checkMode(
  provider: 'cardprovider' | 'wallet',
  keys: GatewayKeys & { readonly publishableKey?: string | undefined },
  { settings }: Ports,
): void {
  if (provider !== 'cardprovider') return;
  const mode = settings.isLive ? 'live' : 'test';
  const { publishableKey, secretKey } = keys;
  if (publishableKey !== undefined && !publishableKey.startsWith(`pk_${mode}_`)) {
    throw new UsageError(`--publishable-key of this mode begins with pk_${mode}_`);
  }
  if (secretKey !== undefined && !new RegExp(`^[sr]k_${mode}_`).test(secretKey)) {
    throw new UsageError(`secretKey of this mode begins with sk_${mode}_ or rk_${mode}_`);
  }
}

function readProvider(text: string | undefined): 'cardprovider' | 'wallet' {
  if (text === 'cardprovider' || text === 'wallet') return text;
  throw new UsageError('--provider is missing: cardprovider or wallet');
}

function readWord(flag: string, text: string | undefined): string {
  if (/^[\x21-\x7e]{1,255}$/.test(text ?? '')) return text as string;
  throw new UsageError(`--${flag} is missing: up to 255 characters without spaces`);
}

function readCountries(text: string): string[] {
  if (text === 'any') return [];
  const countries = [...new Set(text.split(',').map((one) => one.trim()))];
  const wrong = countries.find((one) => !/^[A-Z]{2}$/.test(one));
  if (wrong === undefined) return countries;
  throw new UsageError(`--countries: '${wrong}' is no country; two capital letters each, or any`);
}

function readActive(text: string): boolean {
  if (text === 'yes' || text === 'no') return text === 'yes';
  throw new UsageError('--active is yes or no');
}

/** Never tells what stands in the file. */
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
  const isRight = (value: unknown) =>
    value === undefined || (typeof value === 'string' && /^[\x21-\x7e]{1,500}$/.test(value));
  if (Object.keys(others).length > 0 || !Object.values(keys).every(isRight)) {
    throw new UsageError(
      '--keys: the file holds "secretKey" and "noticeSecret", texts, and no more',
    );
  }
  return Object.fromEntries(Object.entries(keys).filter(([, value]) => value !== undefined));
}

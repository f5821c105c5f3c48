import { isEmail } from '@svc/contract/rows/schema';
import { isOneLine, isVisible } from '@svc/contract/servers/plain-text';
import { countCharacters } from '@svc/contract/values/characters';
import {
  type MerchantProfile,
  type ProfileName,
  parseProfile,
} from '../../domain/people/merchant-profile.ts';
import {
  createClient,
  createOwnerLink,
  findClients,
  findOneClient,
  updateProfile,
} from '../../engine/runs/operator/clients.ts';
import type { Surroundings } from '../line/command.ts';
import { readId, UsageError } from '../line/flags.ts';
import { table } from '../line/report.ts';
import { type FlagReader, operatorCommand, type VerbWork } from '../line/verbs.ts';

const help = `svc clients: merchants of this installation

  svc clients create --name NAME --owner ADDRESS
                  makes a merchant, and prints the one-time link of its first owner; takes the
                  flags of update too
  svc clients update --client ID [--business-name NAME] [--logo-url URL] [--support-email ADDRESS]
                  [--terms-url URL] [--brand-color '#rrggbb'] [--business-address TEXT]
                  [--tax-number NUMBER]
                  changes what buyers see of a merchant on the hosted pages and on receipts; an
                  empty value takes it away; an address has several lines: $'1 Bean Street\\nBerlin'
  svc clients show --client ID
                  prints the settings of one merchant
  svc clients invite-owner --client ID --owner ADDRESS
                  prints a link for a new owner of a merchant whose owners cannot be reached
  svc clients list
                  every merchant with its owners

A link works once and for seven days; whoever opens it becomes an owner. Give it to nobody else. It
needs the settings of the service.

  --database URL  the database; overrides DATABASE_URL
  --data DIR      the data folder of npm start (default .svc); overrides environment variables
`;

/** The profile's fields, by flag. */
const profileFlags = {
  'business-name': 'businessName',
  'logo-url': 'logoUrl',
  'support-email': 'supportEmail',
  'terms-url': 'termsUrl',
  'brand-color': 'brandColor',
  'business-address': 'businessAddress',
  'tax-number': 'taxNumber',
} as const satisfies Readonly<Record<string, ProfileName>>;
type ProfileFlag = keyof typeof profileFlags;
const profileFlagNames = Object.keys(profileFlags) as ProfileFlag[];

const flags = ['name', 'owner', 'client', ...profileFlagNames] as const;

type Text = FlagReader<(typeof flags)[number]>;

export const clientsCommand = operatorCommand({
  name: 'clients',
  summary: 'create and list merchants',
  help,
  flags,
  verbs: { create, 'invite-owner': inviteOwner, list, update, show: showClient },
});

function create(text: Text, around: Surroundings): VerbWork {
  const wish = {
    name: readName(text('name')),
    ownerEmail: readAddress(text('owner')),
    profile: readProfile(text),
  };
  return async (ports) => {
    const { clientId, ...link } = await createClient(wish, ports);
    around.out.write(`client  ${clientId}\n`);
    return printLink(link, around);
  };
}

function update(text: Text, around: Surroundings): VerbWork {
  const clientId = readId('client', text('client'));
  const profile = readProfile(text);
  if (Object.keys(profile).length === 0)
    throw new UsageError(`say what to change: --${profileFlagNames.join(', --')}`);
  return async (ports) =>
    printClient(clientId, await updateProfile({ clientId, profile }, ports), around);
}

function showClient(text: Text, around: Surroundings): VerbWork {
  const clientId = readId('client', text('client'));
  return async (ports) => printClient(clientId, await findOneClient(clientId, ports), around);
}

function inviteOwner(text: Text, around: Surroundings): VerbWork {
  const clientId = readId('client', text('client'));
  const ownerEmail = readAddress(text('owner'));
  return async (ports) => {
    const link = await createOwnerLink({ clientId, ownerEmail }, ports);
    return link ? printLink(link, around) : reportMissing(clientId, around);
  };
}

function list(_: Text, around: Surroundings): VerbWork {
  return async (ports) => printClients(await findClients(ports), around);
}

function readName(text: string | undefined): string {
  const name = text?.trim() ?? '';
  if (!isVisible(name) || countCharacters(name) > 100 || !isOneLine(name))
    throw new UsageError('--name is missing: 1 to 100 characters');
  return name;
}

/** Returns the profile fields that are set; an empty value removes a field. */
function readProfile(text: Text): Partial<MerchantProfile> {
  const given = profileFlagNames.flatMap((flag) => {
    const value = text(flag);
    return value === undefined ? [] : [[profileFlags[flag], value === '' ? null : value] as const];
  });
  const { changes, problems } = parseProfile(Object.fromEntries(given));
  const [first] = problems;
  if (!first) return changes;
  const flag = profileFlagNames.find((one) => profileFlags[one] === first.path);
  throw new UsageError(`--${flag}: ${first.message}`);
}

function readAddress(text: string | undefined): string {
  if (text === undefined || !isEmail(text, 254))
    throw new UsageError('--owner is missing: the mail address of the owner');
  return text;
}

function printLink(
  { url, expiresAt }: { readonly url: string; readonly expiresAt: Date },
  { out }: Surroundings,
): number {
  out.write(`owner   ${url}\n        opens once, until ${expiresAt.toISOString()}\n`);
  return 0;
}

function reportMissing(clientId: string, { err }: Surroundings): number {
  err.write(`svc clients: there is no client ${clientId}\n`);
  return 1;
}

function printClient(
  clientId: string,
  client: Awaited<ReturnType<typeof findOneClient>>,
  around: Surroundings,
): number {
  if (!client) return reportMissing(clientId, around);
  const profile = profileFlagNames.map((flag) => [
    flag,
    client[profileFlags[flag]]?.replaceAll('\n', ', ') ?? 'not set',
  ]);
  const origins = client.allowedOrigins.join(', ') || 'none';
  around.out.write(
    table([
      ['client', client.id],
      ['name', client.name],
      ['mode', client.isLive ? 'live' : 'sandbox'],
      ['allowed-origins', origins],
      ...profile,
    ]),
  );
  return 0;
}

function printClients(
  clients: Awaited<ReturnType<typeof findClients>>,
  { out }: Surroundings,
): number {
  const lines = clients.map(({ id, name, isLive, owners, people }) => [
    id,
    name,
    isLive ? 'live' : 'sandbox',
    String(people),
    owners.join(', ') || 'none yet',
  ]);
  out.write(table([['client', 'name', 'mode', 'people', 'owners'], ...lines]));
  return 0;
}

import { isPlainAddress } from '../domain/mail.ts';
import { createClient, createOwnerLink, findClients } from '../operations/operator/clients.ts';
import type { Surroundings } from './command.ts';
import { readId, UsageError } from './flags.ts';
import { table } from './report.ts';
import { operatorCommand, type Typed, type Work } from './verbs.ts';

const help = `svc clients: merchants of this installation

  svc clients create --name NAME --owner ADDRESS
                  makes a merchant, and prints the one-time link of its first owner
  svc clients invite-owner --client ID --owner ADDRESS
                  prints such a link for a merchant that is there: its owners are out of reach
  svc clients list
                  every merchant with its owners

A link works once and for seven days; whoever opens it becomes an owner. Give it to nobody else. It
needs the settings of the service.

  --database URL  instead of DATABASE_URL
`;

const flags = ['name', 'owner', 'client'] as const;

type Text = Typed<(typeof flags)[number]>;

export const clientsCommand = operatorCommand({
  name: 'clients',
  summary: 'make and list merchants',
  help,
  flags,
  verbs: { create, 'invite-owner': inviteOwner, list },
});

function create(text: Text, around: Surroundings): Work {
  const wish = { name: readName(text('name')), ownerEmail: readAddress(text('owner')) };
  return async (ports) => {
    const { clientId, ...link } = await createClient(wish, ports);
    around.out.write(`client  ${clientId}\n`);
    return printLink(link, around);
  };
}

function inviteOwner(text: Text, around: Surroundings): Work {
  const clientId = readId('client', text('client'));
  const ownerEmail = readAddress(text('owner'));
  return async (ports) => {
    const link = await createOwnerLink({ clientId, ownerEmail }, ports);
    if (link) return printLink(link, around);
    around.err.write(`svc clients: there is no client ${clientId}\n`);
    return 1;
  };
}

function list(_: Text, around: Surroundings): Work {
  return async (ports) => printClients(await findClients(ports), around);
}

function readName(text: string | undefined): string {
  const name = text?.trim() ?? '';
  if (name.length < 1 || name.length > 100 || /\p{Cc}/u.test(name))
    throw new UsageError('--name is missing: 1 to 100 characters');
  return name;
}

function readAddress(text: string | undefined): string {
  if (text === undefined || text.length > 254 || !isPlainAddress(text))
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

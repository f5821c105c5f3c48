import { isPlainAddress } from '../domain/mail.ts';
import { createClient, createOwnerLink, findClients } from '../operations/operator/clients.ts';
import type { Command, Surroundings } from './command.ts';
import { readFlags, UsageError } from './flags.ts';
import { table } from './report.ts';
import { readVerb } from './verbs.ts';

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

const flagTable = {
  name: { type: 'string' },
  owner: { type: 'string' },
  client: { type: 'string' },
  database: { type: 'string' },
} as const;

const verbs = ['create', 'invite-owner', 'list'] as const;

export const clientsCommand: Command = {
  name: 'clients',
  summary: 'make and list merchants',
  help,
  async run(args, around) {
    const { verb, rest } = readVerb('clients', verbs, args);
    const flags = readFlags(rest, flagTable);
    const text = (name: keyof typeof flagTable) => flags[name] as string | undefined;
    const wish =
      verb === 'create'
        ? { verb, name: readName(text('name')), ownerEmail: readAddress(text('owner')) }
        : verb === 'list'
          ? { verb }
          : { verb, clientId: readId(text('client')), ownerEmail: readAddress(text('owner')) };
    const { ports, close } = around.openPorts(text('database'));
    try {
      if (wish.verb === 'list') return printClients(await findClients(ports), around);
      if (wish.verb === 'create') {
        const { clientId, ...link } = await createClient(wish, ports);
        around.out.write(`client  ${clientId}\n`);
        return printLink(link, around);
      }
      const link = await createOwnerLink(wish, ports);
      if (link) return printLink(link, around);
      around.err.write(`svc clients: there is no client ${wish.clientId}\n`);
      return 1;
    } finally {
      await close();
    }
  },
};

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

function readId(text: string | undefined): string {
  if (!/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text ?? ''))
    throw new UsageError('--client is missing: the id of the merchant, see svc clients list');
  return text as string;
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

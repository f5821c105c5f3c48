import { quotedName } from '../../domain/people/mail.ts';
import type { Ports } from '../../engine/ports.ts';
import {
  createPasswordLink,
  disablePerson,
  enablePerson,
  findPeople,
} from '../../engine/runs/operator/people.ts';
import type { Surroundings } from '../line/command.ts';
import { UsageError } from '../line/flags.ts';
import { countedNoun, table } from '../line/report.ts';
import { operatorCommand, type VerbWork } from '../line/verbs.ts';

const help = `svc people: accounts of this installation

  svc people list                    everybody, with their merchants
  svc people disable ADDRESS         ends every sign-in and API token of the person, and lets
                                     nobody sign in to the account; programs that run with one
                                     of these tokens stop, see svc tokens list
  svc people enable ADDRESS          lets the person sign in again
  svc people reset-password ADDRESS  prints a one-time link that sets a new password

It needs the settings of the service.

  --database URL  the database; overrides DATABASE_URL
  --data DIR      the data folder of npm start (default .svc); overrides environment variables
`;

type Action = (address: string, ports: Ports, around: Surroundings) => Promise<boolean>;

function actOnAddress(act: Action) {
  return (_: unknown, around: Surroundings, address: string): VerbWork => {
    if (!address.includes('@'))
      throw new UsageError('the mail address is missing, see svc people list');
    return async (ports) => {
      if (await act(address, ports, around)) return 0;
      around.err.write(`svc people: nobody has the address ${address}\n`);
      return 1;
    };
  };
}

const actions = {
  disable: actOnAddress(async (address, ports, { out }) => {
    const done = await disablePerson(address, ports);
    if (!done) return false;
    const { endedSignIns, revokedTokens, soleOwnerOf } = done;
    out.write(`${address} cannot sign in; ${countedNoun(endedSignIns, 'sign-in')} ended\n`);
    if (revokedTokens > 0)
      out.write(`${countedNoun(revokedTokens, 'API token')} revoked, for good\n`);
    for (const name of soleOwnerOf)
      out.write(`${name} has no other owner: svc clients invite-owner\n`);
    return true;
  }),
  enable: actOnAddress(async (address, ports, { out }) => {
    const isKnown = await enablePerson(address, ports);
    if (isKnown) out.write(`${address} can sign in\n`);
    return isKnown;
  }),
  'reset-password': actOnAddress(async (address, ports, { out }) => {
    const link = await createPasswordLink(address, ports);
    if (link) out.write(`${link.url}\nopens once, until ${link.expiresAt.toISOString()}\n`);
    return link !== undefined;
  }),
};

export const peopleCommand = operatorCommand({
  name: 'people',
  summary: 'list, disable and enable accounts; reset a password',
  help,
  flags: [],
  verbs: {
    list: (_, around) => async (ports) => printPeople(await findPeople(ports), around),
    ...actions,
  },
  takesWord: Object.keys(actions),
});

function printPeople(
  people: Awaited<ReturnType<typeof findPeople>>,
  { out }: Surroundings,
): number {
  const lines = people.map(({ email, name, isDisabled, clients, lastSeenAt }) => [
    email,
    quotedName(name ?? ''),
    isDisabled ? 'disabled' : 'active',
    lastSeenAt?.toISOString() ?? 'never',
    quotedName(clients.join(', ')),
  ]);
  out.write(table([['address', 'name', 'state', 'last seen', 'merchants'], ...lines]));
  return 0;
}

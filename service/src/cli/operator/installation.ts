// `svc installation`: which installations have written the database. docs/operating/running.md.

import {
  decideInstallation,
  findInstallations,
  type Installation,
} from '../../engine/runs/operator/installations.ts';
import type { Surroundings } from '../line/command.ts';
import { table } from '../line/report.ts';
import { type FlagReader, operatorCommand, type VerbWork } from '../line/verbs.ts';

const help = `svc installation: whose marks this service puts on what it makes at the providers

  svc installation list   the installations that have written this database
  svc installation new    this database is a copy, and the other installation goes on: what that one makes is
                          never offered, adopted, refunded or renewed here
  svc installation keep   this database takes the place of the former one, as after a restore or a move to
                          another server: what that one made since is offered by svc reconcile

A service that finds its database copied takes a new id by itself and asks for one of the two. A copy of
the server's files, or a restore by them, cannot be seen: say new there, before the service starts.

  --database URL    the database; overrides DATABASE_URL
  --data DIR        the data folder of npm start (default .svc); overrides environment variables
`;

export const installationCommand = operatorCommand({
  name: 'installation',
  summary: 'say whether this database is a copy or a replacement',
  help,
  flags: [],
  verbs: {
    list: (_: FlagReader<never>, around) => async (ports) => {
      printAll(await findInstallations(ports), around);
      return 0;
    },
    new: decideBy('new'),
    keep: decideBy('keep'),
  },
});

const words: Readonly<Record<Installation['status'], string>> = {
  current: 'this one',
  undecided: 'undecided: svc installation new if it goes on, keep if this one takes its place',
  elsewhere: 'goes on elsewhere',
  ours: 'this one has taken its place',
};

const printAll = (known: readonly Installation[], { out }: Surroundings): void =>
  void out.write(
    table(
      known.map(({ id, status, madeAt }) => [id, `since ${madeAt.toISOString()}`, words[status]]),
    ),
  );

function decideBy(word: 'new' | 'keep') {
  return (_: FlagReader<never>, around: Surroundings): VerbWork =>
    async (ports) => {
      const decided = await decideInstallation(word, ports);
      if (decided.length === 0) {
        around.err.write('svc installation: nothing to decide: this database was not copied\n');
        return 1;
      }
      printAll(await findInstallations(ports), around);
      return 0;
    };
}

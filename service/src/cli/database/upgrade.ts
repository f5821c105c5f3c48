// `svc upgrade --check`: what an upgrade would do to the database. docs/operating/installing.md

import { version } from '@svc/contract/version';
import {
  type Pending,
  planUpgrades,
  type UpgradePlan,
} from '../../engine/runs/operator/plan-upgrade.ts';
import type { OperatorCommand } from '../line/command.ts';
import { readFlags, UsageError } from '../line/flags.ts';
import { countedNoun, table } from '../line/report.ts';

const help = `svc upgrade --check: what this version would do to the database, before it is started on it

  svc upgrade --check

Run it by the new version, with the settings of the installed one. It lists the migrations that would run,
with the tables that each makes and changes, and refuses in a sentence a database of a later version or of
another program. It needs DATABASE_URL only; with VAULT_DATABASE_URL it looks at the vault's tables too. It
changes nothing, and exits with 0 when the upgrade can be made, with 1 when it cannot.

  --database URL  the database; overrides DATABASE_URL
  --data DIR      the data folder of npm start (default .svc); overrides environment variables
`;

export const upgradeCommand: OperatorCommand = {
  name: 'upgrade',
  summary: 'show what an upgrade will migrate',
  help,
  async run(args, around) {
    const { database, check } = readFlags(args, {
      check: { type: 'boolean' },
      database: { type: 'string' },
    });
    if (check !== true) throw new UsageError('svc upgrade only checks yet: svc upgrade --check');
    const url = around.databaseUrl(database as string | undefined);
    const { service, vault } = await planUpgrades(url, around.vaultDatabaseUrl());
    around.out.write(
      table([
        ['this version', version],
        ['database', `${service.database} of PostgreSQL ${service.server}`],
        ...rowsOf('service', service),
        ...(vault ? rowsOf('vault', vault) : [['vault', 'not looked at: no VAULT_DATABASE_URL']]),
      ]),
    );
    const refusals = [service, vault].flatMap((one) => (one ? refusalOf(one) : []));
    for (const said of refusals) around.err.write(`svc upgrade: ${said}\n`);
    const count = service.pending.length + (vault?.pending.length ?? 0);
    if (refusals.length === 0) {
      const said =
        count === 0
          ? 'there is nothing to migrate'
          : `the upgrade runs ${countedNoun(count, 'migration')}`;
      around.out.write(`${said}; nothing was changed\n`);
    }
    return refusals.length > 0 ? 1 : 0;
  },
};

const rowsOf = (part: string, { applied, pending }: UpgradePlan): string[][] => [
  [part, applied.length === 0 ? 'no migration yet' : `migrated to ${applied.at(-1)}`],
  ...pending.map((one) => [`${part} will run`, describe(one)]),
];

function describe({ name, makes, changes }: Pending): string {
  // A first start makes a hundred.
  const made = makes.length > 5 ? `${makes.length} tables` : makes.join(', ');
  const changed = changes.map(({ table: one, rows }) => `${one} (some ${rows} rows)`).join(', ');
  const parts = [made && `makes ${made}`, changed && `changes ${changed}`].filter(Boolean);
  return `${name}: ${parts.join('; ') || 'no table is made or changed'}`;
}

/** A code and a sentence where this version cannot be started on the database. */
function refusalOf({ state, database, unknown }: UpgradePlan): string[] {
  if (state === 'newer') {
    return [
      `database_newer: ${database} was migrated by a later version than ${version} (${unknown.join(', ')}): ` +
        'install that one, or restore a backup of before',
    ];
  }
  if (state === 'foreign') {
    return [`database_foreign: ${database} has the tables of another program: name an empty one`];
  }
  if (state !== 'older') return [];
  return [
    `database_older: the tables of ${database} were made before version 0.1.0 and cannot be migrated: ` +
      'name an empty database',
  ];
}

// All commands, for a machine where the service is installed.

import { backupCommand } from './database/backup.ts';
import { benchCommand } from './database/bench.ts';
import { breakCommand } from './database/break.ts';
import { migrateCommand } from './database/migrate.ts';
import { restoreCommand } from './database/restore.ts';
import { upgradeCommand } from './database/upgrade.ts';
import type { OperatorCommand, OperatorSurroundings } from './line/command.ts';
import { merchantCommands } from './merchant-commands.ts';
import { auditCommand } from './operator/audit.ts';
import { auditLogCommand } from './operator/audit-log.ts';
import { clientsCommand } from './operator/clients.ts';
import { customersCommand } from './operator/customers.ts';
import { doctorCommand } from './operator/doctor.ts';
import { gatewaysCommand } from './operator/gateways.ts';
import { importProductsCommand } from './operator/import-products.ts';
import { installationCommand } from './operator/installation.ts';
import { keysCommand } from './operator/keys.ts';
import { mailsCommand } from './operator/mails.ts';
import { operationsCommand } from './operator/operations.ts';
import { operatorTokens } from './operator/operator-tokens.ts';
import { peopleCommand } from './operator/people.ts';
import { reconcileCommand } from './operator/reconcile.ts';
import { retentionCommand } from './operator/retention.ts';
import { showCommand } from './operator/show.ts';
import { tokensCommand } from './operator/tokens.ts';
import { type OperatorName, operatorNames } from './operator-names.ts';
import { type Program, runLine } from './run-line.ts';

const operatorCommands: Readonly<Record<OperatorName, OperatorCommand>> = {
  audit: auditCommand,
  'audit-log': auditLogCommand,
  reconcile: reconcileCommand,
  operations: operationsCommand,
  show: showCommand,
  'import-products': importProductsCommand,
  clients: clientsCommand,
  customers: customersCommand,
  keys: keysCommand,
  migrate: migrateCommand,
  upgrade: upgradeCommand,
  backup: backupCommand,
  restore: restoreCommand,
  retention: retentionCommand,
  bench: benchCommand,
  break: breakCommand,
  doctor: doctorCommand,
  gateways: gatewaysCommand,
  installation: installationCommand,
  people: peopleCommand,
  tokens: tokensCommand,
  mails: mailsCommand,
};

const program: Program<OperatorSurroundings> = {
  about: 'commands of the service',
  commands: [...merchantCommands, ...operatorNames.map((name) => operatorCommands[name])],
  footer: `Typed as npm run -s svc -- <command>; svc <command> --help says more. Settings are those of the
service (see .env.example), and --env FILE reads them from a file: a flag counts before the file, and the
file before the environment. Where none are given, those of the npm start in this folder, and with --data
DIR those of a start with that data folder. svc --version prints the version.
`,
  elsewhere: { names: [], describe: (name) => name },
};

/** What the service's entry point passes to its commands. */
export type RunOptions = Omit<OperatorSurroundings, 'tokens'>;

/** Runs a command line. Returns its exit code: 0 all is well, 1 something was found, 2 it could not run. */
export const runCommand = (args: readonly string[], given: RunOptions): Promise<number> =>
  runLine(args, { ...given, tokens: operatorTokens(given) }, program);

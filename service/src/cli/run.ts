// Finds the command that was typed, and answers what was not understood.

import { nearestName } from '../domain/edit-distance.ts';
import { auditCommand } from './audit.ts';
import { auditLogCommand } from './audit-log.ts';
import { clientsCommand } from './clients.ts';
import { type Command, interrupted, type Surroundings, Trouble } from './command.ts';
import { eventsCommand } from './events.ts';
import { UsageError } from './flags.ts';
import { gatewaysCommand } from './gateways.ts';
import { importProductsCommand } from './import-products.ts';
import { keysCommand } from './keys.ts';
import { listenCommand } from './listen.ts';
import { mailsCommand } from './mails.ts';
import { migrateCommand } from './migrate.ts';
import { operationsCommand } from './operations.ts';
import { peopleCommand } from './people.ts';
import { printing } from './progress.ts';
import { reconcileCommand } from './reconcile.ts';
import { tokensCommand } from './tokens.ts';
import { triggerCommand } from './trigger.ts';
import { webhooksCommand } from './webhooks.ts';

const commands: readonly Command[] = [
  listenCommand,
  triggerCommand,
  eventsCommand,
  webhooksCommand,
  auditCommand,
  auditLogCommand,
  reconcileCommand,
  operationsCommand,
  importProductsCommand,
  clientsCommand,
  keysCommand,
  migrateCommand,
  gatewaysCommand,
  peopleCommand,
  tokensCommand,
  mailsCommand,
];

const help = `svc: commands of the service

${commands.map(({ name, summary }) => `  svc ${name.padEnd(16)} ${summary}`).join('\n')}

Typed as npm run -s svc -- <command>; svc <command> --help says more. Settings are those of the
service (see .env.example); where none are given, those of the npm start in this folder, and with
--data DIR those of a start with that data folder.
`;

/** As a shell counts a command that was typed wrongly or cannot work. */
const misused = 2;
const isHelpFlag = (arg: string | undefined) => arg === '--help' || arg === '-h';
const isHelp = (arg: string | undefined) => isHelpFlag(arg) || arg === 'help';

/** Runs a command line. Answers its exit code: 0 well, 1 found something, 2 could not run. */
export async function runCommand(
  args: readonly string[],
  surroundings: Surroundings,
): Promise<number> {
  const { out, err } = surroundings;
  const around = { ...surroundings, out: printing(out), err: printing(err) };
  const [name, ...rest] = args;
  if (name === undefined || isHelp(name)) {
    around.out.write(help);
    return name === undefined ? misused : 0;
  }
  const command = commands.find((one) => one.name === name);
  if (!command) {
    const nearest = nearestName(
      name,
      commands.map((one) => one.name),
    );
    const guess = nearest ? `did you mean ${nearest}?` : 'see svc --help';
    around.err.write(`svc: ${name} is no command; ${guess}\n`);
    return misused;
  }
  // Elsewhere the word may be a name or a reason.
  if (isHelp(rest[0]) || rest.some(isHelpFlag)) {
    around.out.write(command.help);
    return 0;
  }
  try {
    return await command.run(rest, around);
  } catch (error) {
    // A call that was under way ended by it; what was done before has been said.
    if (around.signal.aborted && (error as Error).name === 'AbortError') {
      around.err.write(`svc ${name}: broken off\n`);
      return interrupted;
    }
    const isUsage = error instanceof UsageError;
    const isPlain = isUsage || error instanceof Trouble;
    const line = isPlain ? error.message : around.describeError(error);
    if (line === undefined) throw error;
    for (const each of line.split('\n')) around.err.write(`svc ${name}: ${each}\n`);
    if (isUsage) around.err.write(`see svc ${name} --help\n`);
    return misused;
  }
}

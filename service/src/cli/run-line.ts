// Finds the command that was typed, and explains what was not understood.

import { nearestName } from '../domain/protocol/edit-distance.ts';
import {
  CommandError,
  type CommandIn,
  interruptedCode,
  type Surroundings,
} from './line/command.ts';
import { entryFlags, UsageError } from './line/flags.ts';
import { printing } from './line/progress.ts';

export type Program<S extends Surroundings> = {
  readonly about: string;
  readonly commands: readonly CommandIn<S>[];
  /** The last part of the help. */
  readonly footer: string;
  /** Names of commands that only another program has, and the message for them. */
  readonly elsewhere: { readonly names: readonly string[]; describe(name: string): string };
};

/** The exit code of a command with wrong arguments or one that cannot run. */
const misused = 2;
const isHelpFlag = (arg: string | undefined) => arg === '--help' || arg === '-h';
const isHelp = (arg: string | undefined) => isHelpFlag(arg) || arg === 'help';

const helpOf = <S extends Surroundings>({ about, commands, footer }: Program<S>): string =>
  `svc: ${about}

${commands.map(({ name, summary }) => `  svc ${name.padEnd(16)} ${summary}`).join('\n')}

${footer}`;

/** Runs a command line. Returns its exit code: 0 all is well, 1 something was found, 2 it could not run. */
export async function runLine<S extends Surroundings>(
  args: readonly string[],
  surroundings: S,
  program: Program<S>,
): Promise<number> {
  const { out, err } = surroundings;
  const around = { ...surroundings, out: printing(out), err: printing(err) };
  const [name, ...rest] = moveEntryFlags(args);
  if (name === undefined || isHelp(name)) {
    around.out.write(helpOf(program));
    return name === undefined ? misused : 0;
  }
  const command = program.commands.find((one) => one.name === name);
  if (!command) {
    around.err.write(`svc: ${elsewhereHint(name, program)}\n`);
    return misused;
  }
  // In another position the word `help` may be a name or a reason.
  if (isHelp(rest[0]) || rest.some(isHelpFlag)) {
    around.out.write(command.help);
    return 0;
  }
  try {
    return await command.run(rest, around);
  } catch (error) {
    // Ctrl-C ended the call that was under way; earlier results have been printed.
    if (around.signal.aborted && (error as Error).name === 'AbortError') {
      around.err.write(`svc ${name}: broken off\n`);
      return interruptedCode;
    }
    const isUsage = error instanceof UsageError;
    const isPlain = isUsage || error instanceof CommandError;
    const line = isPlain ? error.message : around.describeError(error);
    if (line === undefined) throw error;
    for (const each of line.split('\n')) around.err.write(`svc ${name}: ${each}\n`);
    if (isUsage) around.err.write(`see svc ${name} --help\n`);
    return misused;
  }
}

const entryFlag = new RegExp(`^--(${Object.keys(entryFlags).join('|')})(=|$)`);

/**
 * Moves what the entry point reads from before the command to behind it. Of two, the later one counts, as it does
 * for the entry point.
 */
function moveEntryFlags(args: readonly string[]): readonly string[] {
  let moved: readonly string[] = [];
  let at = 0;
  for (; entryFlag.test(args[at] ?? ''); at += moved.length) {
    moved = args.slice(at, at + (args[at]?.includes('=') ? 1 : 2));
  }
  const line = args.slice(at);
  return line.length === 0 || line.some((arg) => entryFlag.test(arg)) ? line : [...line, ...moved];
}

function elsewhereHint<S extends Surroundings>(
  name: string,
  { commands, elsewhere }: Program<S>,
): string {
  if (name.startsWith('-')) {
    return `options come after the command: svc <command> ${name.split('=')[0]} …; see svc --help`;
  }
  if (elsewhere.names.includes(name)) return elsewhere.describe(name);
  const nearest = nearestName(name, [...commands.map((one) => one.name), ...elsewhere.names]);
  return `${name} is no command; ${nearest ? `did you mean ${nearest}?` : 'see svc --help'}`;
}

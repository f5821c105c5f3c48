// Commands with several verbs, such as `svc people list`.

import { nearestName } from '../../domain/protocol/edit-distance.ts';
import type { Ports } from '../../engine/ports.ts';
import type { OperatorCommand, Surroundings } from './command.ts';
import { readLine, UsageError } from './flags.ts';

/** Returns the verb and the arguments after it. Throws UsageError. */
export function readVerb<const V extends string>(
  command: string,
  verbs: readonly V[],
  args: readonly string[],
): { readonly verb: V; readonly rest: readonly string[] } {
  const [given, ...rest] = args;
  const verb = verbs.find((one) => one === given);
  if (verb !== undefined) return { verb, rest };
  if (given === undefined || given.startsWith('-'))
    throw new UsageError(
      `say what to do: ${verbs.map((one) => `svc ${command} ${one}`).join(', ')}`,
    );
  const nearest = nearestName(given, verbs);
  throw new UsageError(
    `svc ${command} has no command ${given}${nearest ? `; did you mean ${nearest}?` : ''}`,
  );
}

/** Returns a flag's value as it was typed. */
export type FlagReader<F extends string> = (flag: F) => string | undefined;

/** Work on open ports; it resolves to the exit code. */
export type VerbWork = (ports: Ports) => Promise<number>;

/**
 * Checks the arguments and returns the work; `word` is the argument after the verb, empty when
 * there is none.
 */
type Verb<F extends string> = (
  typed: FlagReader<F>,
  around: Surroundings,
  word: string,
) => VerbWork;

/**
 * Makes an operator command whose verbs work on the database; a usage error is reported before the
 * database is opened.
 */
export function operatorCommand<const F extends string>({
  flags,
  verbs,
  takesWord = [],
  switches = [],
  ...about
}: Omit<OperatorCommand, 'run'> & {
  readonly flags: readonly F[];
  /** Flags without a value; a flag that is set has the value 'yes'. */
  readonly switches?: readonly F[];
  readonly verbs: Readonly<Record<string, Verb<F>>>;
  /** Verbs that may be followed by a word. */
  readonly takesWord?: readonly string[];
}): OperatorCommand {
  const options = Object.fromEntries([
    ...[...flags, 'database'].map((flag) => [flag, { type: 'string' } as const]),
    ...switches.map((flag) => [flag, { type: 'boolean' } as const]),
  ]);
  return {
    ...about,
    async run(args, around) {
      const { verb, rest } = readVerb(about.name, Object.keys(verbs), args);
      const line = readLine(rest, options);
      const given = Object.fromEntries(
        Object.entries(line.flags).map(([flag, value]) => [flag, value === true ? 'yes' : value]),
      ) as Readonly<Record<string, string | undefined>>;
      const [word = '', odd] = takesWord.includes(verb) ? line.words : ['', ...line.words];
      if (odd !== undefined) throw new UsageError(`Unexpected argument '${odd}'`);
      const work = verbs[verb]?.((flag) => given[flag], around, word);
      const { ports, close } = await around.openPorts(given.database);
      try {
        return (await work?.(ports)) ?? 0;
      } finally {
        await close();
      }
    },
  };
}

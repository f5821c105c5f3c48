// Commands of several verbs: `svc people list`.

import { nearestName } from '../domain/edit-distance.ts';
import { UsageError } from './flags.ts';

/** The verb and what follows it. Throws UsageError. */
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
    `${given} is no word of svc ${command}${nearest ? `; did you mean ${nearest}?` : ''}`,
  );
}

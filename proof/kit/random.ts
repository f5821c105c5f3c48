// Random numbers that are repeatable: the same seed gives the same run.

import type { Random } from '@svc/service/start/break/random';

export { type Random, seeded } from '@svc/service/start/break/random';

/**
 * Draws one of these, each with its probability, by one random number: so a probability of 1 always
 * wins. Returns undefined when the number is beyond all of them.
 */
export function drawByRate<Name extends string>(
  random: Random,
  names: readonly Name[],
  rates: Readonly<Partial<Record<Name, number>>>,
): Name | undefined {
  let left = random.next();
  return names.find((name) => {
    left -= rates[name] ?? 0;
    return left < 0;
  });
}

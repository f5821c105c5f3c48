// The probability of each fault, drawn for each seed: some seeds have only one kind of fault,
// often.

import type { Random } from '../kit/random.ts';

const bounds = {
  /** The process dies before or after a step. */
  crash: 0.06,
  /** The connection to the database is lost, before the commit or after it. */
  lostCommit: 0.08,
  refused: 0.2,
  /** A detach is rejected before anything was executed. */
  notDone: 0.2,
  lostBefore: 0.2,
  lostAfter: 0.2,
  late: 0.2,
  unread: 0.15,
  stale: 0.3,
  hollow: 0.2,
  /** The vault does not answer, before or after it has deleted the card. */
  vault: 0.2,
} as const;

export type Rates = { readonly [K in keyof typeof bounds]: number };

const names = Object.keys(bounds) as (keyof typeof bounds)[];

export function drawRates(random: Random): Rates {
  const alone = random.chance(0.4) ? random.pick(names) : null;
  const drawn = names.map((name) => {
    const rate = random.chance(0.5) ? 0 : random.next() * bounds[name];
    if (alone === null) return [name, rate] as const;
    return [name, name === alone ? Math.min(1, bounds[name] * 3) : 0] as const;
  });
  return Object.fromEntries(drawn) as Rates;
}

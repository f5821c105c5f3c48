// How often what goes wrong, drawn for each seed: some seeds have one trouble alone, often. Reliability
// §3.2.

import type { Random } from '../chaos/random.ts';

const bounds = {
  /** The process dies: before it does something, or after it was done. */
  crash: 0.06,
  /** The connection to the database is lost, before the commit or after it. */
  lostCommit: 0.08,
  refused: 0.2,
  /** A detach is turned away before anything ran. */
  notDone: 0.2,
  lostBefore: 0.2,
  lostAfter: 0.2,
  late: 0.2,
  unread: 0.15,
  stale: 0.3,
  hollow: 0.2,
  /** The vault does not answer, before or after it has forgotten. */
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

// What meets in one race: two removals, payments, a renewal, a change of the default, a set-up. Drawn
// from its seed.

import type { Random } from '../chaos/random.ts';

export type RacePlan = {
  readonly cards: number;
  /** Which card each call removes; the same one several times, too. */
  readonly removals: readonly number[];
  /** Which card each payment pays with. */
  readonly payments: readonly number[];
  /** A subscription on this card whose period is due, and how often the worker comes by. */
  readonly renewal: number | null;
  readonly renewalPasses: number;
  /** A subscription that only has to be kept. */
  readonly funds: number | null;
  readonly newDefault: number | 'none' | null;
  readonly setup: 'approved' | 'declined' | null;
  /** The pending card of the set-up is removed as well. */
  readonly removesPending: boolean;
  /** Holders are taken for dead in the middle of their work, and the workers take over. */
  readonly losesLeases: boolean;
  /** The provider's answer to a detach is lost once. */
  readonly losesDetach: boolean;
};

export function drawRace(random: Random): RacePlan {
  const cards = random.whole(1, 3);
  const card = () => random.whole(0, cards - 1);
  const some = (low: number, high: number) => Array.from({ length: random.whole(low, high) }, card);
  const hasSetup = random.chance(0.25);
  return {
    cards,
    removals: [0, ...some(0, 2)],
    payments: some(0, 2),
    renewal: random.chance(0.35) ? card() : null,
    renewalPasses: random.whole(1, 2),
    funds: random.chance(0.4) ? card() : null,
    newDefault: random.chance(0.3) ? random.pick([card(), card(), 'none' as const]) : null,
    setup: hasSetup ? random.pick(['approved', 'approved', 'declined'] as const) : null,
    removesPending: hasSetup && random.chance(0.7),
    losesLeases: random.chance(0.3),
    losesDetach: random.chance(0.25),
  };
}

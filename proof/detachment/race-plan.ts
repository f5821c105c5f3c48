// The plan of one race, drawn from its seed: two detachments, payments, a renewal, a change of the
// default, a set-up.

import type { Random } from '../kit/random.ts';

export type RacePlan = {
  readonly cards: number;
  /** The card that each call removes; several calls may remove the same one. */
  readonly detachments: readonly number[];
  /** The card of each payment. */
  readonly payments: readonly number[];
  /** The card of a subscription whose period is due, and how often the worker runs. */
  readonly renewal: number | null;
  readonly renewalPasses: number;
  /** The card of a subscription that must only be kept. */
  readonly funds: number | null;
  readonly newDefault: number | 'none' | null;
  readonly setup: 'approved' | 'declined' | null;
  /** True when the pending card of the set-up is removed too. */
  readonly removesPending: boolean;
  /** True when leases end while their holders still work, so that workers take over. */
  readonly losesLeases: boolean;
  /** True when the provider's response to a detach is lost once. */
  readonly losesDetach: boolean;
};

export function drawRace(random: Random): RacePlan {
  const cards = random.whole(1, 3);
  const card = () => random.whole(0, cards - 1);
  const drawCards = (low: number, high: number) =>
    Array.from({ length: random.whole(low, high) }, card);
  const hasSetup = random.chance(0.25);
  return {
    cards,
    detachments: [0, ...drawCards(0, 2)],
    payments: drawCards(0, 2),
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

// What meets in one race: moves of money by one credential, and the end of that credential. Drawn from
// its seed.

import type { Random } from '../chaos/random.ts';

export const ends = ['token', 'membership', 'role', 'sign-in', 'consent'] as const;
/** What is taken away. */
export type End = (typeof ends)[number];
export type Via = 'token' | 'oauth' | 'person';

export type Move = {
  readonly kind: 'capture' | 'cancel';
  /**
   * `early` begins around the revocation. `stalled` was admitted before it and is held up right before
   * its claim until it was answered. `late` begins after its answer.
   */
  readonly when: 'early' | 'stalled' | 'late';
  readonly delayMs: number;
  /** Which of the servers is asked; a stalled one has a server of its own. */
  readonly server: number;
};

export type RevocationPlan = {
  readonly end: End;
  readonly via: Via;
  readonly moves: readonly Move[];
  readonly revokesAfterMs: number;
  readonly revokesAt: number;
};

export const servers = 2;

const viaOf: Readonly<Record<End, readonly Via[]>> = {
  token: ['token'],
  membership: ['token', 'oauth', 'person'],
  role: ['token', 'oauth', 'person'],
  'sign-in': ['person'],
  consent: ['oauth'],
};

export function drawRevocation(random: Random): RevocationPlan {
  const end = random.pick(ends);
  const move = (when: Move['when']): Move => ({
    kind: random.chance(0.8) ? 'capture' : 'cancel',
    when,
    delayMs: when === 'early' ? random.whole(0, 12) : 0,
    server: random.whole(0, servers - 1),
  });
  const some = (when: Move['when'], low: number, high: number) =>
    Array.from({ length: random.whole(low, high) }, () => move(when));
  return {
    end,
    via: random.pick(viaOf[end]),
    moves: [...some('early', 1, 3), ...some('stalled', 0, 1), ...some('late', 1, 1)],
    revokesAfterMs: random.whole(0, 10),
    revokesAt: random.whole(0, servers - 1),
  };
}

// The plan of one race, drawn from its seed: requests that move money with one credential, and the
// end of that credential.

import type { Random } from '../kit/random.ts';

export const credentialEnds = ['token', 'membership', 'role', 'sign-in', 'consent'] as const;
/** The way in which the credential ends. */
export type End = (typeof credentialEnds)[number];
export type CredentialKind = 'token' | 'oauth' | 'person';

export type Move = {
  readonly kind: 'capture' | 'cancel';
  /**
   * `early` begins before, during or soon after the revocation. `stalled` was accepted before the
   * revocation and waits right before its claim until the revocation has returned. `late` begins
   * after the revocation has returned.
   */
  readonly when: 'early' | 'stalled' | 'late';
  readonly delayMs: number;
  /** The server that gets the request; a stalled request has a server of its own. */
  readonly server: number;
};

export type RevocationPlan = {
  readonly end: End;
  readonly via: CredentialKind;
  readonly moves: readonly Move[];
  readonly revokesAfterMs: number;
  readonly revokesAt: number;
};

export const servers = 2;

const viaOf: Readonly<Record<End, readonly CredentialKind[]>> = {
  token: ['token'],
  membership: ['token', 'oauth', 'person'],
  role: ['token', 'oauth', 'person'],
  'sign-in': ['person'],
  consent: ['oauth'],
};

export function drawRevocation(random: Random): RevocationPlan {
  const end = random.pick(credentialEnds);
  const move = (when: Move['when']): Move => ({
    kind: random.chance(0.8) ? 'capture' : 'cancel',
    when,
    // Up to long after a revocation that begins at once, so that even a slow one has ended before some.
    delayMs: when === 'early' ? random.whole(0, 40) : 0,
    server: random.whole(0, servers - 1),
  });
  const drawMoves = (when: Move['when'], low: number, high: number) =>
    Array.from({ length: random.whole(low, high) }, () => move(when));
  return {
    end,
    via: random.pick(viaOf[end]),
    moves: [...drawMoves('early', 1, 3), ...drawMoves('stalled', 0, 1), ...drawMoves('late', 1, 1)],
    revokesAfterMs: random.whole(0, 10),
    revokesAt: random.whole(0, servers - 1),
  };
}

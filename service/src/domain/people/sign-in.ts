// How long a browser stays signed in, and what the pages ask for before money and credentials.
// Contract §6.

const minute = 60 * 1000;
const hour = 60 * minute;
const day = 24 * hour;

export const signInLife = {
  /** Without use. */
  idleMs: 12 * hour,
  /** However much it is used. */
  mostMs: 30 * day,
  /** Use is written at most this often. */
  touchMs: 5 * minute,
  /** For the second factor after the first. */
  secondFactorMs: 10 * minute,
  /** What is over is kept this long, then deleted when its owner signs in. */
  keptMs: 90 * day,
} as const;

/** Money and credentials ask a browser for a proof this young. */
export const recentProofMs = 15 * minute;

/** Such a password link works this long. */
export const passwordLinkLifeMs = 30 * minute;

/** An authenticator's challenge works this long. */
export const challengeLifeMs = 5 * minute;

/** How somebody proved to be the person. */
export type SignInMethod =
  | 'password'
  | 'password_totp'
  | 'password_recovery_code'
  | 'passkey'
  | 'link';

/** Where a person sets a new password; the link's secret comes in the fragment. */
export const passwordPageAt = (baseUrl: string): string => `${baseUrl}/account/reset`;

// How long a browser stays signed in, and how recent the proof must be before money and
// credentials. Contract §6.

const minute = 60 * 1000;
const hour = 60 * minute;
const day = 24 * hour;

export const signInLife = {
  /** After this time without use, a sign-in ends. */
  idleMs: 12 * hour,
  /** After this time, a sign-in ends even if it is used. */
  mostMs: 30 * day,
  /** The least time between two writes of the last use. */
  touchMs: 5 * minute,
  /** The time for the second factor after the first. */
  secondFactorMs: 10 * minute,
  /** How long an ended sign-in is kept; it is deleted when its owner signs in after that. */
  keptMs: 90 * day,
} as const;

/** For money and credentials, a browser's last proof may not be older than this. */
export const recentProofMs = 15 * minute;

/** Whether a proof that is so old, null for none, is recent. */
export const isRecentProof = (ms: number | null): boolean =>
  ms !== null && ms >= 0 && ms <= recentProofMs;

/** How long a link for setting a password is valid. */
export const passwordLinkLifeMs = 30 * minute;

/** How long the challenge of a passkey is valid. */
export const challengeLifeMs = 5 * minute;

/** How the person proved the identity. */
export type SignInMethod =
  | 'password'
  | 'password_totp'
  | 'password_recovery_code'
  | 'passkey'
  | 'link';

/** The page on which a person sets a new password; the link's secret is in the fragment. */
export const passwordPageAt = (baseUrl: string): string => `${baseUrl}/account/reset`;

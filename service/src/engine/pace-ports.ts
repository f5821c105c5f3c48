// The pace towards a provider, as types only. Rooms that implement it import `ports.ts`, which
// exports all of them. docs/decisions/pace.md.

/**
 * The order in which waiting calls are sent: `buyer` first, while somebody pays; then `money`, the
 * captures, releases and refunds; then `upkeep`, lists and comparisons in the background.
 */
export type Urgency = 'buyer' | 'money' | 'upkeep';

/** The most requests a second that a provider account may send. */
export type PaceLimits = {
  /** All requests of the account. */
  readonly perSecond: number;
  /** Requests of one operation of its API, whatever the ids in their paths. */
  readonly endpointPerSecond: number;
};

/** A question for turns of one limit, which all processes count together. */
export type PaceWish = {
  readonly accountId: string;
  /** Empty: the requests of the account in all. */
  readonly endpoint: string;
  readonly count: number;
  /** The time between two turns. */
  readonly gapMs: number;
  /** How much unused time counts: turns of a quiet time may be used at once. */
  readonly burstMs: number;
  /** How far in the future a turn may be; negative leaves turns to others. */
  readonly aheadMs: number;
  /** Moves all further turns of all processes into the future. */
  readonly pauseMs?: number;
};

export type PaceShare = {
  readonly count: number;
  /** From now to the first turn; negative where it has come already. */
  readonly inMs: number;
  /** From now to when there are turns again; where `count` is 0. */
  readonly againMs: number;
};

export type TakePaceShare = (wish: PaceWish) => Promise<PaceShare>;

/** What one process says of the calls to one account that it holds back. */
export type Holdup = {
  readonly accountId: string;
  /** The calls that wait now, and how long the first of them has waited. */
  readonly waiting: number;
  readonly longestMs: number;
  /** The share of the rate that is used: below 1 after refusals of the provider. */
  readonly factor: number;
  /** How often the provider refused a call because of its rate, since the last line of the log. */
  readonly refused: number;
};

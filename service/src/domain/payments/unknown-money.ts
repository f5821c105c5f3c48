// What carries our marks at a provider and has no payment here. Pure.

/** Which merchant's call made it, by the words that we write onto everything that we make. */
export type Marks = {
  readonly paymentId: string;
  readonly sessionId: string | null;
};

export type UnknownStatus =
  /** No money has moved yet. */
  | 'watched'
  /** Money that somebody has to decide about. */
  | 'open'
  | 'adopting'
  | 'releasing'
  | 'refunding'
  | 'adopted'
  | 'released'
  | 'refunded'
  /** Nothing is left of it, without a decision. */
  | 'settled';

export type Decision = 'adopt' | 'release' | 'refund';

export const underWay = { adopt: 'adopting', release: 'releasing', refund: 'refunding' } as const;
export const done = { adopt: 'adopted', release: 'released', refund: 'refunded' } as const;

/** The decision that is under way; undefined where none is. */
export const decisionOf = (status: UnknownStatus): Decision | undefined =>
  (['adopt', 'release', 'refund'] as const).find((one) => underWay[one] === status);

type Said = {
  readonly state: 'new' | 'requires_action' | 'processing' | 'authorized' | 'captured' | 'released';
  readonly amountMinor: number;
  readonly refundedMinor?: number;
  readonly isTakenBack?: boolean;
};

/** How it stands by the provider's word alone. */
export function judgeUnknown(said: Said): 'watched' | 'open' | 'settled' {
  if (said.state === 'new' || said.state === 'requires_action') return 'watched';
  if (said.state === 'released' || said.isTakenBack) return 'settled';
  const isGivenBack = said.state === 'captured' && leftOf(said) === 0;
  return isGivenBack ? 'settled' : 'open';
}

/** What was captured and not given back, in minor units. */
export const leftOf = ({ amountMinor, refundedMinor = 0 }: Said): number =>
  Math.max(0, amountMinor - refundedMinor);

export type CredentialRefusal =
  /** Nothing was paid there. */
  | 'not_paid'
  /** It was released, given back or taken back at the provider. */
  | 'nothing_left'
  /** The provider has not ended it: wait. */
  | 'still_open_at_provider'
  /** Only a hold can be let go of. */
  | 'not_a_hold'
  /** A hold is let go of: nothing was captured. */
  | 'not_captured';

/** Why a decision does not fit what the provider has; null when it does. */
export function refuseDecision(decision: Decision, said: Said): CredentialRefusal | null {
  const stands = judgeUnknown(said);
  if (stands === 'watched') return 'not_paid';
  if (stands === 'settled') return 'nothing_left';
  if (said.state === 'processing') return 'still_open_at_provider';
  if (decision === 'release') return said.state === 'authorized' ? null : 'not_a_hold';
  if (decision === 'refund') return said.state === 'captured' ? null : 'not_captured';
  return null;
}

const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Null unless both ids are ours by their form: other software names its things otherwise. */
export function readMarks(said: {
  readonly paymentId: unknown;
  readonly operationId: unknown;
  readonly sessionId?: unknown;
}): Marks | null {
  const { paymentId, operationId, sessionId } = said;
  if (typeof paymentId !== 'string' || !uuid.test(paymentId)) return null;
  if (typeof operationId !== 'string' || !uuid.test(operationId)) return null;
  const isSession = typeof sessionId === 'string' && uuid.test(sessionId);
  return { paymentId, sessionId: isSession ? sessionId : null };
}

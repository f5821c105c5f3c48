// Money at a provider that carries our marks and has no payment here. Pure.

export type UnknownStatus =
  /** No money has moved yet. */
  | 'watched'
  /** Somebody has to decide about the money. */
  | 'open'
  | 'adopting'
  | 'releasing'
  | 'refunding'
  | 'adopted'
  | 'released'
  | 'refunded'
  /** Nothing is left of it, and nobody had to decide. */
  | 'settled';

export type Decision = 'adopt' | 'release' | 'refund';

export const runningStates = {
  adopt: 'adopting',
  release: 'releasing',
  refund: 'refunding',
} as const;
export const endedStates = { adopt: 'adopted', release: 'released', refund: 'refunded' } as const;

/** The decision that is under way; undefined where none is. */
export const decisionOf = (status: UnknownStatus): Decision | undefined =>
  (['adopt', 'release', 'refund'] as const).find((one) => runningStates[one] === status);

type ProviderReport = {
  readonly state: 'new' | 'requires_action' | 'processing' | 'authorized' | 'captured' | 'released';
  readonly amountMinor: number;
  readonly refundedMinor?: number;
  readonly isTakenBack?: boolean;
};

/** The status by the provider's reading alone. */
export function judgeUnknown(said: ProviderReport): 'watched' | 'open' | 'settled' {
  if (said.state === 'new' || said.state === 'requires_action') return 'watched';
  if (said.state === 'released' || said.isTakenBack) return 'settled';
  const isGivenBack = said.state === 'captured' && remainingAmount(said) === 0;
  return isGivenBack ? 'settled' : 'open';
}

/** The amount that was captured and not refunded, in minor units. */
export const remainingAmount = ({ amountMinor, refundedMinor = 0 }: ProviderReport): number =>
  Math.max(0, amountMinor - refundedMinor);

export type CredentialRefusal =
  /** Nothing was paid there. */
  | 'not_paid'
  /** The money was released, refunded or taken back at the provider. */
  | 'nothing_left'
  /** The provider still works on it: the decision has to wait. */
  | 'still_open_at_provider'
  /** Only a hold can be released. */
  | 'not_a_hold'
  /** Nothing was captured: a hold is released, not refunded. */
  | 'not_captured';

/** Why the decision does not fit the provider's state; null when it does. */
export function refuseDecision(decision: Decision, said: ProviderReport): CredentialRefusal | null {
  const stands = judgeUnknown(said);
  if (stands === 'watched') return 'not_paid';
  if (stands === 'settled') return 'nothing_left';
  if (said.state === 'processing') return 'still_open_at_provider';
  if (decision === 'release') return said.state === 'authorized' ? null : 'not_a_hold';
  if (decision === 'refund') return said.state === 'captured' ? null : 'not_captured';
  return null;
}

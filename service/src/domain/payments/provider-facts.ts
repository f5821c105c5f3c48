import type { PaidWith } from './payment.ts';

export type ProviderFacts = {
  readonly state: 'new' | 'requires_action' | 'processing' | 'authorized' | 'captured' | 'released';
  readonly releasedBecause: 'expired' | 'canceled' | null;
  readonly amountMinor: number;
  readonly currency: string;
  readonly chargeId: string | null;
  readonly captureBefore: Date | null;
  readonly effectiveAt: Date | null;
  /** It was captured, and the provider took the money back later. */
  readonly isTakenBack?: boolean;
  readonly paidWith?: PaidWith;
};

import type { Balance, ReportedReversal } from './balance.ts';
import type { PaidWith } from './payment.ts';

export type ProviderFacts = {
  readonly state: 'new' | 'requires_action' | 'processing' | 'authorized' | 'captured' | 'released';
  readonly releasedBecause: 'expired' | 'canceled' | null;
  readonly amountMinor: number;
  readonly currency: string;
  readonly chargeId: string | null;
  /** The provider's own capture deadline. */
  readonly captureBefore: Date | null;
  /** `created` of the balance transaction; null when the provider gave none. Contract §2. */
  readonly effectiveAt: Date | null;
  /** Absent where the provider reports no fee. */
  readonly balance?: Balance | null;
  /** The balance record of a capture that was taken back. */
  readonly reversal?: ReportedReversal | null;
  /** The payment was captured, and the provider took the money back later. */
  readonly isTakenBack?: boolean;
  /** Absent where the provider does not report the card. */
  readonly paidWith?: PaidWith;
};

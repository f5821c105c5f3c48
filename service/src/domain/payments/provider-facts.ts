import type { ReportedReversal } from './balance.ts';
import type { ChargeFacts, PaidWith } from './payment.ts';

export type ProviderFacts = ChargeFacts & {
  readonly state: 'new' | 'requires_action' | 'processing' | 'authorized' | 'captured' | 'released';
  readonly releasedBecause: 'expired' | 'canceled' | null;
  /** How the intent was confirmed; absent where the provider has no such choice. */
  readonly captureMethod?: 'automatic' | 'manual';
  readonly amountMinor: number;
  readonly currency: string;
  /** The balance record of a capture that was taken back. */
  readonly reversal?: ReportedReversal | null;
  /** The payment was captured, and the provider took the money back later. */
  readonly isTakenBack?: boolean;
  /** Absent where the provider does not report the card. */
  readonly paidWith?: PaidWith;
};

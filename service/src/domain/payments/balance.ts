// The provider's balance record of a movement of money. Additions §2, `balance`.

export type Balance = {
  readonly transactionId: string;
  /** In minor units of `currency`. */
  readonly feeMinor: number;
  /** The change of the provider's balance, in minor units; negative when money leaves it. */
  readonly netMinor: number;
  /** The currency of the balance, which may differ from the payment's. */
  readonly currency: string;
  /** The rate from the payment's currency to the balance's; null where they are the same. */
  readonly exchangeRate: number | null;
  readonly availableAt: Date | null;
};

/**
 * A booked movement that the provider booked back: a refund that failed, or a capture that was
 * taken back.
 */
export type Reversal = {
  /** When the movement itself was booked. */
  readonly bookedAt: Date;
  readonly reversedAt: Date;
  /** Null where the provider reported none. */
  readonly balance: Balance | null;
};

/** The provider's report of a movement that it booked back. */
export type ReportedReversal = { readonly at: Date; readonly balance: Balance | null };

/** Returns the balance; null unless its amounts are whole minor units that can be stored. */
export const wholeBalance = (balance: Balance): Balance | null =>
  Number.isSafeInteger(balance.feeMinor) && Number.isSafeInteger(balance.netMinor) ? balance : null;

/**
 * The reversal of a movement that was undone at the provider. Null where the movement was never
 * booked. Without a record of the provider it has our own time.
 */
export function reversalOf(
  movement: { readonly financialEffectiveAt: Date | null },
  said: { readonly reversal?: ReportedReversal | null; readonly effectiveAt: Date | null } | null,
  now: Date,
): Reversal | null {
  const reversal = said?.reversal ?? null;
  const bookedAt = movement.financialEffectiveAt ?? (reversal && said ? said.effectiveAt : null);
  if (!bookedAt) return null;
  return { bookedAt, reversedAt: reversal?.at ?? now, balance: reversal?.balance ?? null };
}

// The provider's balance record of a movement of money. Additions §2, `balance`.

export type Balance = {
  readonly transactionId: string;
  /** Minor units of `currency`, as `netMinor`. */
  readonly feeMinor: number;
  /** What the movement changed the provider's balance by: out of it is negative. */
  readonly netMinor: number;
  /** The currency of the balance, which may be another one than the payment's. */
  readonly currency: string;
  /** From the payment's currency to the balance's; null where they are one. */
  readonly exchangeRate: number | null;
  readonly availableAt: Date | null;
};

/** A booked movement that the provider booked back: a refund that failed, a capture that was taken back. */
export type Reversal = {
  /** When the movement itself was booked. */
  readonly bookedAt: Date;
  readonly reversedAt: Date;
  /** Null where the provider told none. */
  readonly balance: Balance | null;
};

/** The provider's word of a movement that it booked back. */
export type SaidReversal = { readonly at: Date; readonly balance: Balance | null };

/** Null unless its amounts are whole minor units that can be stored. */
export const wholeBalance = (balance: Balance): Balance | null =>
  Number.isSafeInteger(balance.feeMinor) && Number.isSafeInteger(balance.netMinor) ? balance : null;

/**
 * What it means for a movement that it was undone at the provider. Null where it was never booked; by our
 * own clock where the provider tells no record of it.
 */
export function reversalOf(
  movement: { readonly financialEffectiveAt: Date | null },
  said: { readonly reversal?: SaidReversal | null; readonly effectiveAt: Date | null } | null,
  now: Date,
): Reversal | null {
  const reversal = said?.reversal ?? null;
  const bookedAt = movement.financialEffectiveAt ?? (reversal && said ? said.effectiveAt : null);
  if (!bookedAt) return null;
  return { bookedAt, reversedAt: reversal?.at ?? now, balance: reversal?.balance ?? null };
}

// The record of a provider's refusals and failures.

/** One call that failed, or whose outcome is still open. */
export type ProviderTrouble = {
  /** Null when there was no answer, or none from the provider itself. */
  readonly status: number | null;
  readonly code: string | null;
  /** The provider's own request id. */
  readonly requestId: string | null;
  /** The provider's own message without card data, or the connection's error. */
  readonly said: string | null;
  /** True for an ordinary refusal: of a bank, or of a reading that finds nothing. */
  readonly isUsual: boolean;
};

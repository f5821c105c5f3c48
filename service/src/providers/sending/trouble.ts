// What a provider's refusals and failures are called, and who hears of them.

/** One call that came to nothing, or not yet to anything. */
export type Trouble = {
  /** Null: no answer, or none that is the provider's. */
  readonly status: number | null;
  readonly code: string | null;
  /** The provider's own. */
  readonly requestId: string | null;
  /** The provider's own sentence without card data, or what the connection met. */
  readonly said: string | null;
  /** An ordinary no: of a bank, or of a reading that finds nothing. */
  readonly isUsual: boolean;
};

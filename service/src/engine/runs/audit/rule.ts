/**
 * A rule of the audit: one statement that returns the rows which break it, with `subject`, an id,
 * and `found`, the wrong state. `:now` is the snapshot's svc_clock().
 */
export type Rule = {
  readonly id: string;
  readonly says: string;
  /** `span`: run for each span of ids in (:after, :until]; `whole`: run once, over everything. */
  readonly over: 'span' | 'whole';
  readonly sql: string;
  /**
   * For checks that SQL cannot make: returns what is wrong with a row of `sql`; undefined for a
   * correct row.
   */
  readonly judge?: (row: Readonly<Record<string, unknown>>) => string | undefined;
};

/** Statuses of a purchase whose money was taken; a refund later leaves it captured. */
export const capturedStates = `('succeeded', 'partially_refunded', 'refunded')`;
/** The states of an operation that is not finished. */
export const openStates = `('active', 'in_doubt', 'awaiting_customer', 'manual')`;

export const isInSpan = (column: string): string => `${column} > :after and ${column} <= :until`;

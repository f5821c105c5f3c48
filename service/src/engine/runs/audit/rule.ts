/**
 * What must hold, as one statement that returns the rows which break it: `subject`, an id, and
 * `found`, what is there instead. `:now` is the snapshot's svc_clock().
 */
export type Rule = {
  readonly id: string;
  readonly says: string;
  /** `span`: run span by span, over ids in (:after, :until]; `whole`: once, over everything. */
  readonly over: 'span' | 'whole';
  readonly sql: string;
  /** For what SQL cannot read: what is wrong with a row of `sql`, undefined for a good one. */
  readonly judge?: (row: Readonly<Record<string, unknown>>) => string | undefined;
};

/** Statuses of a purchase whose money was taken; a refund later leaves it captured. */
export const captured = `('succeeded', 'partially_refunded', 'refunded')`;
/** States of an operation that is not finished. */
export const open = `('active', 'in_doubt', 'awaiting_customer', 'manual')`;

export const inSpan = (column: string): string => `${column} > :after and ${column} <= :until`;

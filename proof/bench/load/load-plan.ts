// The messages between the bench and its load process.

export type SingleUseRows = {
  /** Rows `first` to `first + count - 1`, each used once. */
  readonly first: number;
  readonly count: number;
};

export type HttpLoad = {
  readonly kind: 'http';
  readonly origin: string;
  readonly call: 'capture' | 'session' | 'read' | 'unchecked-read';
  /** The merchant's credential. Sessions are opened without it, as browsers do. */
  readonly authorization: string;
  /** The body as JSON; only sessions have one. */
  readonly body: string;
  readonly rows: SingleUseRows;
  readonly inFlight: number;
  readonly ms: number;
};

export type SqlLoad = {
  readonly kind: 'sql';
  readonly url: string;
  readonly call: 'capture' | 'session' | 'read';
  readonly rows: SingleUseRows;
  readonly inFlight: number;
  readonly ms: number;
};

/** Captures that start on a schedule, whether or not earlier ones have ended. */
export type OpenLoad = {
  readonly kind: 'open';
  readonly origin: string;
  readonly authorization: string;
  readonly rows: SingleUseRows;
  readonly perSecond: number;
  readonly ms: number;
};

/**
 * The same captures on the same schedule, with the limit's two statements and the provider alone.
 */
export type OpenLimitLoad = Omit<OpenLoad, 'kind' | 'origin' | 'authorization'> & {
  readonly kind: 'open-limit';
  readonly url: string;
  readonly providerUrl: string;
};

export type Load = HttpLoad | SqlLoad | OpenLoad | OpenLimitLoad;

export type LoadResult = {
  /** The number of operations that succeeded, including those that ended after the time was up. */
  readonly succeeded: number;
  readonly failed: number;
  /** The text of the first failure. */
  readonly firstFailure: string | null;
  /** The number of rows that were used, counted from the first one. */
  readonly used: number;
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Only for an open loop: every row that succeeded, with its duration from its scheduled time. */
  readonly timed?: readonly (readonly [row: number, ms: number])[];
};

// What the load process is asked and what it answers.

export type Once = {
  /** Rows `first` to `first + count - 1`, each used once. */
  readonly first: number;
  readonly count: number;
};

export type HttpLoad = {
  readonly kind: 'http';
  readonly origin: string;
  readonly call: 'capture' | 'session' | 'read' | 'unchecked-read';
  /** Of the merchant; sessions are opened without it, as browsers do. */
  readonly authorization: string;
  /** JSON; only sessions have one. */
  readonly body: string;
  readonly rows: Once;
  readonly inFlight: number;
  readonly ms: number;
};

export type SqlLoad = {
  readonly kind: 'sql';
  readonly url: string;
  readonly call: 'capture' | 'session' | 'read';
  readonly rows: Once;
  readonly inFlight: number;
  readonly ms: number;
};

/** Captures that come on a schedule, whatever has become of the earlier ones. */
export type OpenLoad = {
  readonly kind: 'open';
  readonly origin: string;
  readonly authorization: string;
  readonly rows: Once;
  readonly perSecond: number;
  readonly ms: number;
};

/** The same captures on the same schedule, by the limit's two statements and the provider alone. */
export type OpenLimitLoad = Omit<OpenLoad, 'kind' | 'origin' | 'authorization'> & {
  readonly kind: 'open-limit';
  readonly url: string;
  readonly providerUrl: string;
};

export type Load = HttpLoad | SqlLoad | OpenLoad | OpenLimitLoad;

export type LoadResult = {
  /** Operations that succeeded in all, the last ones after the time was up. */
  readonly succeeded: number;
  readonly failed: number;
  /** How the first failure read. */
  readonly firstFailure: string | null;
  /** Rows that were used, from the first on. */
  readonly used: number;
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Of an open loop: every row that succeeded and what it took from its scheduled time. */
  readonly timed?: readonly (readonly [row: number, ms: number])[];
};

// The parts of a request that reached a process through its proxies. `/readyz` of the service and the vault
// returns them to `svc doctor`, which asks for them with a header.

/** The request header with which `svc doctor` asks. */
export const seenHeader = 'x-svc-seen';

/** Headers that proxies have to pass on, besides Host and X-Forwarded-For. */
const passedOn = ['authorization', 'idempotency-key', 'origin', 'sec-fetch-site'] as const;

/** Settings of a running process, which `/readyz` returns to callers that send the header `x-svc-seen`. */
export type RunsWith = {
  readonly node: string;
  readonly limits: 'on' | 'off';
};

export type SeenRequest = {
  readonly host: string;
  /** The number of entries in X-Forwarded-For. */
  readonly forwarded: number;
  /** The first entry, which the caller can invent. */
  readonly first: string | null;
  /** How many entries count as written by trusted proxies. */
  readonly trusted: number;
  /** The names of the headers that did not arrive. */
  readonly missing: readonly string[];
};

/** `ips` are the addresses from the connection's own to the one that is taken as the caller's. */
export function seenRequest({
  headers,
  ips,
}: {
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly ips?: readonly string[] | undefined;
}): { seen: SeenRequest } | undefined {
  if (headers[seenHeader] === undefined) return undefined;
  const entries = String(headers['x-forwarded-for'] ?? '')
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');
  return {
    seen: {
      host: String(headers.host ?? ''),
      forwarded: entries.length,
      first: entries[0] ?? null,
      trusted: Math.max(0, (ips?.length ?? 1) - 1),
      missing: passedOn.filter((name) => headers[name] === undefined),
    },
  };
}

// What of a request reached a process behind its proxies. `/readyz` of service and vault answers it to
// `svc doctor`, which asks for it by a header.

/** The request header by which `svc doctor` asks. */
export const seenHeader = 'x-svc-seen';

/** Headers that proxies have to pass on, besides Host and X-Forwarded-For. */
const passedOn = ['authorization', 'idempotency-key', 'origin', 'sec-fetch-site'] as const;

export type SeenRequest = {
  readonly host: string;
  /** Entries of X-Forwarded-For. */
  readonly forwarded: number;
  /** The first entry, which the caller can write itself. */
  readonly first: string | null;
  /** How many entries count as written by trusted proxies. */
  readonly trusted: number;
  /** Names of the headers that are not there. */
  readonly missing: readonly string[];
};

/** `ips` are the addresses from the connection's own to the one that counts as the caller's. */
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

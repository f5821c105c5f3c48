// Judges what of the doctor's request came through the proxies in front of a process.
import type { SeenRequest } from '@svc/contract/servers/seen-request';
import { type Finding, goodFinding, wrongFinding } from './finding.ts';

/** An address that nobody has (RFC 5737): the doctor's request names it as its own. */
export const inventedAddress = '192.0.2.1';

export type Behind = {
  /** The name of the finding, and of the setting that counts the proxies. */
  readonly what: string;
  readonly setting: string;
  /** The host that the request was for; absent where the process does not look at it. */
  readonly host?: string;
};

/**
 * Judges `seen`, the answer to a request that came with one invented entry of X-Forwarded-For. A proxy adds
 * an entry or replaces them all.
 */
export function judgeSeen(
  { host, forwarded, first, trusted, missing }: SeenRequest,
  { what, setting, host: wanted }: Behind,
): Finding {
  const standing = forwarded - (first === inventedAddress ? 1 : 0);
  const named = URL.parse(`http://${host}`)?.hostname;
  if (wanted !== undefined && named !== wanted) {
    const said = `a request for ${wanted} arrives as one for ${named ?? 'no host'}: the service does not learn which name was called`;
    return wrongFinding(what, said, 'let each proxy pass the Host header on as it came');
  }
  if (missing.length > 0) {
    const said = `a proxy takes away ${missing.join(', ')}: calls that need it fail`;
    return wrongFinding(what, said, 'let each proxy pass these headers on as they came');
  }
  if (forwarded === 0) {
    const said = 'a proxy takes away X-Forwarded-For and adds none: limits count all buyers as one';
    return wrongFinding(
      what,
      said,
      'let the proxy add the address of its caller to X-Forwarded-For',
    );
  }
  if (trusted > standing) {
    return wrongFinding(
      what,
      `proxies trusted: ${trusted}, in front: ${standing}. So anybody can name an address that is not theirs`,
      `set ${setting}=${standing}, or let each proxy add to X-Forwarded-For`,
    );
  }
  return trusted < standing
    ? wrongFinding(
        what,
        `proxies trusted: ${trusted}, in front: ${standing}. So limits count all buyers as one, by the address of a proxy`,
        `set ${setting}=${standing}`,
      )
    : goodFinding(what, standing === 0 ? 'none is in front' : `in front and trusted: ${standing}`);
}

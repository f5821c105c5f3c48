import type { Ports } from '../../ports.ts';
import { type Finding, goodFinding, wrongFinding } from './finding.ts';

const dayMs = 86_400_000;
const fewestDays = 14;

type CertificatePorts = Pick<Ports, 'settings' | 'certificateEnd'>;

type Seen = {
  /** The name of the finding. */
  readonly what: string;
  readonly url: string;
  /** When it ends, in ms since 1970; `ended`: it has; otherwise why TLS fails. */
  readonly end: number | 'ended' | { readonly failure: string };
};

/** Reads the certificates of pages and card form; an address without TLS has none. */
function readCertificates({ settings, certificateEnd }: CertificatePorts): Promise<Seen[]> {
  const addresses = [
    ['certificate', settings.baseUrl],
    ['certificate of the form', settings.formOrigin],
  ] as const;
  const endAt = (url: string): Promise<Seen['end']> =>
    certificateEnd(url).catch(({ code, message }: NodeJS.ErrnoException) =>
      code === 'CERT_HAS_EXPIRED' ? 'ended' : { failure: code ?? message },
    );
  const secure = addresses.filter(([, url]) => url.startsWith('https:'));
  return Promise.all(secure.map(async ([what, url]) => ({ what, url, end: await endAt(url) })));
}

/** Judges the certificates of pages and card form. */
export const judgeCertificates = async (
  ports: CertificatePorts,
  nowMs: number,
): Promise<Finding[]> => (await readCertificates(ports)).map((seen) => judge(seen, nowMs));

function judge({ what, url, end }: Seen, nowMs: number): Finding {
  if (typeof end === 'object') {
    return wrongFinding(
      what,
      `no browser opens ${url}, for TLS fails: ${end.failure}`,
      `let ${new URL(url).host} present a certificate for that name with its whole chain`,
    );
  }
  const mend = 'renew it, and find out why that was not done';
  const days = end === 'ended' ? -1 : Math.floor((end - nowMs) / dayMs);
  if (days >= fewestDays) return goodFinding(what, `the certificate is good for ${days} days`);
  return days < 0
    ? wrongFinding(what, `the certificate of ${url} has ended: no browser opens the pages`, mend)
    : wrongFinding(
        what,
        `the certificate of ${url} ends in ${days} days: no browser opens the pages then`,
        mend,
      );
}

const everyMs = 3_600_000;

/**
 * Returns what reads the certificates once an hour and judges their ends. A certificate that cannot be read keeps its
 * last judgement: while a machine starts, the proxy may answer later than the service.
 */
export function watchCertificates(
  ports: CertificatePorts,
): (nowMs: number) => Promise<readonly Finding[]> {
  const known = new Map<string, Finding>();
  let readAtMs = Number.NEGATIVE_INFINITY;
  return async (nowMs) => {
    if (nowMs - readAtMs < everyMs) return [...known.values()];
    readAtMs = nowMs;
    for (const seen of await readCertificates(ports)) {
      if (typeof seen.end !== 'object') known.set(seen.what, judge(seen, nowMs));
    }
    return [...known.values()];
  };
}

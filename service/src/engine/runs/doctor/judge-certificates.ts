import type { Ports } from '../../ports.ts';
import { type Finding, goodFinding, wrongFinding } from './finding.ts';

const dayMs = 86_400_000;
const fewestDays = 14;

type CertificatePorts = Pick<Ports, 'settings' | 'certificateEnd'>;

/** Reads the certificates of pages and card form; an address without TLS has none. */
export async function judgeCertificates(
  ports: CertificatePorts,
  nowMs: number,
): Promise<Finding[]> {
  const { baseUrl, formOrigin } = ports.settings;
  const addresses = [
    ['certificate', baseUrl],
    ['certificate of the form', formOrigin],
  ] as const;
  const secure = addresses.filter(([, url]) => url.startsWith('https:'));
  return Promise.all(secure.map(([what, url]) => judgeCertificate(what, url, { ports, nowMs })));
}

async function judgeCertificate(
  what: string,
  url: string,
  { ports, nowMs }: { readonly ports: CertificatePorts; readonly nowMs: number },
): Promise<Finding> {
  try {
    const days = Math.floor(((await ports.certificateEnd(url)) - nowMs) / dayMs);
    return days < fewestDays
      ? wrongFinding(
          what,
          `the certificate of ${url} ends in ${days} days: no browser opens the pages then`,
          'renew it, and find out why that was not done',
        )
      : goodFinding(what, `the certificate is good for ${days} days`);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    return wrongFinding(
      what,
      `no browser opens ${url}, for TLS fails: ${code ?? message}`,
      `let ${new URL(url).host} present a certificate for that name with its whole chain`,
    );
  }
}

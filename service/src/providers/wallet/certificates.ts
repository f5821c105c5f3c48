// The certificates that sign the wallet's notices: fetched only from the wallet's own hosts, kept
// until they expire, with one request for all concurrent callers.

import { X509Certificate } from 'node:crypto';
import { openTransport, type Transport } from './transport.ts';

export type Certificates = {
  /** Returns null for a URL that is not the wallet's, and when the certificate could not be loaded. */
  get(url: string, nowMs: number): Promise<X509Certificate | null>;
  close(): Promise<void>;
};

const pathPattern = /^\/v1\/notifications\/certs\/[\w-]{1,100}$/;
const answerMs = 2000;
const mostKept = 16;
const mostUnderWay = 4;
const missKeptMs = 60_000;

/** `origins` are the origins that certificates may come from, the API's own among them. */
export function openCertificates(origins: readonly string[], connectMs: number): Certificates {
  const transports = new Map<string, Transport>();
  const kept = new Map<string, X509Certificate>();
  const misses = new Map<string, number>();
  const underWay = new Map<string, Promise<X509Certificate | null>>();

  const transportOf = (origin: string): Transport => {
    const known =
      transports.get(origin) ?? openTransport({ url: origin, connections: 2, connectMs });
    transports.set(origin, known);
    return known;
  };

  const load = async ({ origin, pathname }: URL): Promise<X509Certificate | null> => {
    try {
      const exchange = { method: 'GET', path: pathname, headers: {}, body: null } as const;
      const { status, text } = await transportOf(origin).send(exchange, answerMs);
      return status === 200 ? new X509Certificate(text) : null;
    } catch {
      return null;
    }
  };

  const rememberCertificate = (url: string, certificate: X509Certificate | null): void => {
    if (certificate) {
      if (kept.size >= mostKept) kept.clear();
      kept.set(url, certificate);
    } else {
      if (misses.size >= mostKept) misses.clear();
      misses.set(url, performance.now() + missKeptMs);
    }
  };

  const fetchOnce = (url: URL): Promise<X509Certificate | null> => {
    const waiting = underWay.get(url.href);
    if (waiting) return waiting;
    // The sender of a notice chooses the URL: forged ones must not cause a flood of requests.
    const isMissing = (misses.get(url.href) ?? 0) > performance.now();
    if (isMissing || underWay.size >= mostUnderWay) return Promise.resolve(null);
    const loading = load(url).then((certificate) => {
      underWay.delete(url.href);
      rememberCertificate(url.href, certificate);
      return certificate;
    });
    underWay.set(url.href, loading);
    return loading;
  };

  return {
    get: async (text, nowMs) => {
      const url = URL.parse(text);
      const isAllowed =
        url !== null &&
        origins.includes(url.origin) &&
        pathPattern.test(url.pathname) &&
        url.href === `${url.origin}${url.pathname}`;
      if (!isAllowed) return null;
      const certificate = kept.get(url.href) ?? (await fetchOnce(url));
      if (certificate && isValid(certificate, nowMs)) return certificate;
      kept.delete(url.href);
      return null;
    },
    close: async () => {
      await Promise.all([...transports.values()].map((transport) => transport.close()));
    },
  };
}

const isValid = ({ validFrom, validTo }: X509Certificate, nowMs: number): boolean =>
  // biome-ignore lint/plugin: the form of a certificate's dates
  Date.parse(validFrom) <= nowMs && nowMs < Date.parse(validTo);

// Fetches a small document from an address that a stranger named, under the rules of deliveries:
// only public addresses, judged once and pinned, no redirects, a limited time and size.

import http from 'node:http';
import https from 'node:https';
import { pinnedLookup } from './pinned-lookup.ts';
import { findTarget, readRules, type Target, type TargetSettings } from './target.ts';

export type FetchedDocument = {
  /** Null: there was no answer, it was too large or too late, or the address is not allowed. */
  readonly status: number | null;
  readonly body: Buffer;
  readonly headers: Readonly<Record<string, string>>;
};

const none: FetchedDocument = { status: null, body: Buffer.alloc(0), headers: {} };

type Bounds = { readonly maxBytes: number; readonly totalMs: number };

/** Returns a function that fetches a document and never throws. */
export function documentFetcher(
  settings: Omit<TargetSettings, 'ownReceiver'> & Bounds & { readonly ca?: string },
): (url: string) => Promise<FetchedDocument> {
  const rules = readRules(settings);
  return async (url) => {
    let timer: NodeJS.Timeout | undefined;
    const abort = new AbortController();
    const tooLate = new Promise<FetchedDocument>((resolve) => {
      timer = setTimeout(() => resolve(none), settings.totalMs);
    });
    const answer = findTarget(url, rules).then((target) =>
      fetchTarget(target, { ...settings, signal: abort.signal }),
    );
    try {
      return await Promise.race([answer.catch(() => none), tooLate]);
    } finally {
      clearTimeout(timer);
      abort.abort();
    }
  };
}

type FetchOptions = Bounds & { readonly signal: AbortSignal; readonly ca?: string };

function fetchTarget({ url, addresses }: Target, call: FetchOptions): Promise<FetchedDocument> {
  const { promise, resolve, reject } = Promise.withResolvers<FetchedDocument>();
  const options = {
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port: url.port || (url.protocol === 'https:' ? 443 : 80),
    path: url.pathname + url.search,
    headers: { accept: 'application/json', 'user-agent': 'Svc-OAuth/1' },
    lookup: pinnedLookup(addresses),
    autoSelectFamily: true,
    maxHeaderSize: 16 * 1024,
    signal: call.signal,
  };
  const request =
    url.protocol === 'http:'
      ? http.get({ ...options, agent: new http.Agent({ keepAlive: false }) })
      : https.get({
          ...options,
          agent: new https.Agent({ keepAlive: false, maxCachedSessions: 0 }),
          minVersion: 'TLSv1.2',
          rejectUnauthorized: true,
          ...(call.ca === undefined ? {} : { ca: call.ca }),
        });
  request.on('error', reject);
  request.on('response', (response) => {
    const chunks: Buffer[] = [];
    let size = 0;
    response.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
      size += chunk.length;
      if (size <= call.maxBytes) return;
      // The last piece may also end the body, so the rejection has to come first.
      reject(new Error('too large'));
      request.destroy();
    });
    response.on('error', reject);
    // A body that was cut off emits only `close`.
    response.on('close', () => reject(new Error('cut off')));
    response.on('end', () =>
      resolve({
        status: response.statusCode ?? 0,
        body: Buffer.concat(chunks),
        headers: Object.fromEntries(
          Object.entries(response.headers).flatMap(([name, value]) =>
            typeof value === 'string' ? [[name, value]] : [],
          ),
        ),
      }),
    );
  });
  return promise;
}

// From an endpoint's URL to addresses that may be connected to. Every attempt resolves anew, once,
// and connects to what was judged here: a name that changes its mind in between gains nothing.
import { lookup, Resolver } from 'node:dns/promises';
import { isPublic, isWithin, type Network, parseAddress } from './address.ts';

export type Pinned = { readonly address: string; readonly family: 4 | 6 };

export type Resolve = (hostname: string) => Promise<readonly string[]>;

export type TargetRules = {
  /** Networks that may be written to though they are not public; plain http goes only there. */
  readonly allow: readonly Network[];
  /** Never written to, allowed or public: where this service itself listens. */
  readonly deny: readonly Network[];
  readonly resolve: Resolve;
};

export type Target = { readonly url: URL; readonly addresses: readonly Pinned[] };

/** The attempt ends here, without a connection. */
export class TargetRefused extends Error {
  readonly word: 'url_refused' | 'address_refused' | 'dns_error';

  constructor(word: TargetRefused['word']) {
    super(word);
    this.name = 'TargetRefused';
    this.word = word;
  }
}

const maxUrlLength = 2048;

/** Judges the form of an endpoint's URL. WHATWG parsing has already undone odd spellings of IPv4. */
function parseTarget(text: string): URL {
  const url = text.length <= maxUrlLength ? URL.parse(text) : null;
  if (!url || (url.protocol !== 'https:' && url.protocol !== 'http:')) {
    throw new TargetRefused('url_refused');
  }
  const port = Number(url.port || (url.protocol === 'https:' ? 443 : 80));
  const isOwnPort = port === (url.protocol === 'https:' ? 443 : 80);
  const hasExtras = url.username !== '' || url.password !== '' || text.includes('#');
  if (hasExtras || !url.hostname || !(isOwnPort || port >= 1024)) {
    throw new TargetRefused('url_refused');
  }
  return url;
}

/** Refused if any one of its addresses is not allowed. */
export async function findTarget(text: string, rules: TargetRules): Promise<Target> {
  const url = parseTarget(text);
  const found = await addressesOf(url.hostname, rules.resolve);
  const addresses = found.map((address): Pinned => {
    const parsed = parseAddress(address);
    if (parsed === null || isWithin(parsed, rules.deny)) throw new TargetRefused('address_refused');
    const isAllowed = isWithin(parsed, rules.allow);
    if (!isAllowed && !isPublic(parsed)) throw new TargetRefused('address_refused');
    if (!isAllowed && url.protocol === 'http:') throw new TargetRefused('url_refused');
    return { address, family: address.includes(':') ? 6 : 4 };
  });
  if (addresses.length === 0) throw new TargetRefused('dns_error');
  return { url, addresses };
}

async function addressesOf(hostname: string, resolve: Resolve): Promise<readonly string[]> {
  const literal = hostname.replace(/^\[|\]$/g, '');
  if (parseAddress(literal) !== null) return [literal];
  // Every such name is this machine (RFC 6761 §6.3), which not every resolver knows.
  if (/(^|\.)localhost\.?$/.test(hostname)) return ['127.0.0.1', '::1'];
  return resolve(hostname).catch(() => {
    throw new TargetRefused('dns_error');
  });
}

const absent = new Set(['ENOTFOUND', 'ENODATA']);

/**
 * All addresses of a name. `getaddrinfo` runs on four threads that the whole process shares, so a
 * name server that never answers would hold up everybody; it is asked only when DNS has answered
 * that it does not know the name (hosts file, search domains).
 */
export async function resolveName(hostname: string): Promise<readonly string[]> {
  const resolver = new Resolver({ timeout: 2000, tries: 2 });
  const answers = await Promise.allSettled([
    resolver.resolve4(hostname),
    resolver.resolve6(hostname),
  ]);
  const found = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
  if (found.length > 0) return found;
  const failures = answers.flatMap((answer) =>
    answer.status === 'rejected' ? [answer.reason as { code?: string }] : [],
  );
  const unknown = failures.every(({ code }) => absent.has(code ?? ''));
  if (!unknown) throw new Error('name server gives no answer');
  return (await lookup(hostname, { all: true })).map(({ address }) => address);
}

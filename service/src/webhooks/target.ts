// Turns an endpoint's URL into addresses that may be connected to. Every attempt resolves the name
// again, once, and connects only to the addresses judged here, so that a name that changes in
// between gains nothing.
import { lookup, Resolver } from 'node:dns/promises';
import { hasUserinfo, isReachable } from '../domain/protocol/addresses.ts';
import { parseUrl } from '../domain/protocol/parse-url.ts';
import {
  type Address,
  isPublic,
  isWithin,
  type Network,
  parseAddress,
  parseNetwork,
} from './address.ts';

export type PinnedAddress = { readonly address: string; readonly family: 4 | 6 };

export type Resolve = (hostname: string) => Promise<readonly string[]>;

export type TargetRules = {
  /** Networks that deliveries may go to although they are not public; plain http goes only there. */
  readonly allow: readonly Network[];
  /** Networks that deliveries never go to, whether allowed or public. */
  readonly deny: readonly Network[];
  isOwn(address: Address, port: number, isAllowed: boolean): boolean;
  ownReceiver(url: string): boolean;
  readonly resolve: Resolve;
};

export type TargetSettings = {
  /** CIDR networks that deliveries may go to although they are not public, over plain http too. */
  readonly allow: readonly string[];
  /** CIDR networks that deliveries never go to. */
  readonly deny?: readonly string[];
  /** Whether this service itself listens at the address: refused even in an allowed network. */
  readonly isOwn?: TargetRules['isOwn'];
  /**
   * Whether the URL is an address of this service that is meant to receive deliveries: the rules
   * for addresses do not apply to it.
   */
  readonly ownReceiver?: TargetRules['ownReceiver'];
  readonly resolve?: Resolve;
};

/** Throws on a network that cannot be parsed. */
export const readRules = (settings: TargetSettings): TargetRules => ({
  allow: settings.allow.map(parseNetwork),
  deny: (settings.deny ?? []).map(parseNetwork),
  isOwn: settings.isOwn ?? (() => false),
  ownReceiver: settings.ownReceiver ?? (() => false),
  resolve: settings.resolve ?? ((hostname) => resolveName(hostname)),
});

export type Target = { readonly url: URL; readonly addresses: readonly PinnedAddress[] };

/** Thrown when the attempt ends without a connection. */
export class TargetRefused extends Error {
  readonly word: 'url_refused' | 'address_refused' | 'dns_error';

  constructor(word: TargetRefused['word']) {
    super(word);
    this.name = 'TargetRefused';
    this.word = word;
  }
}

const portOf = ({ port, protocol }: URL): number =>
  Number(port || (protocol === 'https:' ? 443 : 80));

const maxUrlLength = 2048;

/** Checks the form of an endpoint's URL. WHATWG parsing has already normalised unusual spellings of IPv4. */
function parseTarget(text: string): URL {
  const url = text.length <= maxUrlLength ? parseUrl(text) : null;
  if (!url || (url.protocol !== 'https:' && url.protocol !== 'http:')) {
    throw new TargetRefused('url_refused');
  }
  const port = portOf(url);
  const isUsualPort = port === (url.protocol === 'https:' ? 443 : 80);
  const hasExtras = hasUserinfo(text) || text.includes('#');
  if (hasExtras || !isReachable(url) || !(isUsualPort || port >= 1024)) {
    throw new TargetRefused('url_refused');
  }
  return url;
}

/** Finds the addresses of a URL. Refuses it if any one of them is not allowed. */
export async function findTarget(text: string, rules: TargetRules): Promise<Target> {
  const url = parseTarget(text);
  const found = await addressesOf(url.hostname, rules.resolve);
  const isReceiver = rules.ownReceiver(text);
  const addresses = found.map((address): PinnedAddress => {
    const parsed = parseAddress(address);
    if (parsed === null) throw new TargetRefused('address_refused');
    if (!isReceiver) judge(parsed, url, rules);
    return { address, family: address.includes(':') ? 6 : 4 };
  });
  if (addresses.length === 0) throw new TargetRefused('dns_error');
  return { url, addresses };
}

/** Throws when nothing may be sent to the address. */
function judge(address: Address, url: URL, rules: TargetRules): void {
  const isAllowed = isWithin(address, rules.allow);
  const isClosed =
    isWithin(address, rules.deny) ||
    rules.isOwn(address, portOf(url), isAllowed) ||
    !(isAllowed || isPublic(address));
  if (isClosed) throw new TargetRefused('address_refused');
  if (!isAllowed && url.protocol === 'http:') throw new TargetRefused('url_refused');
}

async function addressesOf(hostname: string, resolve: Resolve): Promise<readonly string[]> {
  const literal = hostname.replace(/^\[|\]$/g, '');
  if (parseAddress(literal) !== null) return [literal];
  // Every such name means this machine (RFC 6761 §6.3), which not every resolver knows.
  if (/(^|\.)localhost\.?$/.test(hostname)) return ['127.0.0.1', '::1'];
  return resolve(hostname).catch(() => {
    throw new TargetRefused('dns_error');
  });
}

const absent = new Set(['ENOTFOUND', 'ENODATA']);

/**
 * Returns all addresses of a name. `getaddrinfo` runs on four threads that the whole process
 * shares, so a name server that never answers would block everybody. It is therefore called only
 * when DNS has answered that it does not know the name (hosts file, search domains). Name servers:
 * the system's, unless given.
 */
export async function resolveName(
  hostname: string,
  nameServers?: readonly string[],
): Promise<readonly string[]> {
  const resolver = new Resolver({ timeout: 2000, tries: 2 });
  if (nameServers) resolver.setServers(nameServers);
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

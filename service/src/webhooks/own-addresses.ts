// The addresses on which this service and the services that it uses listen. They are never a
// merchant's endpoint, even where the operator allows the network. Threat: a merchant's URL that
// reaches what only this service may call.
import { networkInterfaces } from 'node:os';
import { type Address, isWithin, parseAddress, parseNetwork } from './address.ts';
import type { TargetRules } from './target.ts';

const thisMachine = ['127.0.0.0/8', '::1', '0.0.0.0/8', '::'].map(parseNetwork);

/** Interfaces may come and go, so they are read again after this time. */
const interfacesKnownMs = 60_000;

const readInterfaces = (): ReadonlySet<Address> =>
  new Set(
    Object.values(networkInterfaces()).flatMap((all = []) =>
      all.flatMap(({ address }) => parseAddress(address) ?? []),
    ),
  );

const portOf = ({ protocol, port }: URL): number => {
  const usual: Readonly<Record<string, number>> = {
    'https:': 443,
    'postgres:': 5432,
    'postgresql:': 5432,
    'smtp:': 25,
    'smtps:': 465,
  };
  return port === '' ? (usual[protocol] ?? 80) : Number(port);
};

/**
 * True for an address of this machine that is not allowed, for a port of ours on this machine, and
 * for the addresses of the given URLs.
 */
export function ownAddresses(port: number, urls: readonly string[]): TargetRules['isOwn'] {
  const places = urls.flatMap((text) => {
    const url = URL.parse(text);
    return url ? [{ host: url.hostname.replace(/^\[|\]$/g, ''), port: portOf(url) }] : [];
  });
  const isThisMachine = (address: Address | null) =>
    address !== null && isWithin(address, thisMachine);
  const ports = new Set([port]);
  const elsewhere = new Set<string>();
  for (const place of places) {
    const address = parseAddress(place.host);
    if (/(^|\.)localhost$/.test(place.host) || isThisMachine(address)) ports.add(place.port);
    else if (address !== null) elsewhere.add(`${address} ${place.port}`);
  }
  let interfaces = readInterfaces();
  let readAtMs = performance.now();
  return (address, asked, isAllowed) => {
    if (performance.now() - readAtMs > interfacesKnownMs) {
      interfaces = readInterfaces();
      readAtMs = performance.now();
    }
    if (elsewhere.has(`${address} ${asked}`)) return true;
    const isOurs = isThisMachine(address) || interfaces.has(address);
    return isOurs && (!isAllowed || ports.has(asked));
  };
}

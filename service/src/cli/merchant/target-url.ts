// Reads the address of a handler on this machine, in the forms that people type. Contract §7.

import { isLoopbackHost } from '@svc/contract/servers/loopback';
import { hasUserinfo } from '../../domain/protocol/addresses.ts';
import { parseUrl } from '../../domain/protocol/parse-url.ts';
import { UsageError } from '../line/flags.ts';

/** `3000` and `:3000`, alone or before a path, mean a port of this machine. */
const portAlone = /^:?(\d+)(?=[/?#]|$)/;

/** Returns a warning for an address that may be of another machine; undefined for one of this machine. */
export function remoteTargetNote(url: string): string | undefined {
  const { hostname } = new URL(url);
  return isLoopbackHost(hostname)
    ? undefined
    : `${hostname} may be another machine: what events tell of buyers goes there`;
}

/**
 * Returns the URL that a flag names: `http://localhost:3000/hook`, `localhost:3000/hook`,
 * `:3000/hook`, `3000/hook` and `3000` are understood. Throws UsageError.
 */
export function readTargetUrl(flag: string, text: unknown): string {
  if (typeof text !== 'string' || text === '') {
    throw new UsageError(`name the address: --${flag} http://localhost:3000/webhooks`);
  }
  const refusal = (reason: string) => new UsageError(`--${flag} ${reason}: ${text}`);
  if (text.startsWith('/')) throw refusal('is a path without a port, write :3000 before it');
  const local = text.replace(portAlone, 'localhost:$1');
  const written = /^[a-z][a-z\d+.-]*:\/\//i.test(local) ? local : `http://${local}`;
  const url = parseUrl(written);
  const port = portAlone.exec(text)?.[1] ?? url?.port;
  if (port && !(Number(port) >= 1 && Number(port) <= 65_535)) {
    throw refusal('names a port that is not from 1 to 65535');
  }
  if (!url || !/^https?:$/.test(url.protocol)) throw refusal('must be an http address');
  // The value is not repeated, because it may be a password.
  if (hasUserinfo(written)) throw new UsageError(`--${flag} takes no user name and no password`);
  // URL parsing turns any number into an IPv4 address.
  if (/^[a-z]+:\/\/[^.:[\]/?#]+([:/?#]|$)/i.test(written) && /^[\d.]+$/.test(url.hostname)) {
    throw refusal('names a number for a host, write localhost:3000 for a port');
  }
  return url.href;
}

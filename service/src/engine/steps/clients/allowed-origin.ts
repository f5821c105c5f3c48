// Origins that a merchant allows. Contract §3, Origins. A stored origin is compared with a
// browser's Origin header letter by letter, so it has the form that browsers send (RFC 6454 §6.1).

import { isLoopbackHost } from '@svc/contract/servers/loopback';

/** Parses `scheme://host[:port]` into that form, or returns why it is not an origin that may be allowed. */
export function parseAllowedOrigin(text: string): { origin: string } | { problem: string } {
  // Checked before URL parsing: the parser drops tabs and line ends, and reads a backslash as a slash.
  const [, scheme, host] = /^(https?):\/\/([^\s/\\?#@*%]+)$/i.exec(text) ?? [];
  if (!scheme || !host || host.endsWith(':')) {
    return { problem: 'Give scheme://host or scheme://host:port, without path or wildcard.' };
  }
  if (!URL.canParse(text)) return { problem: 'The host or the port is not valid.' };
  const url = new URL(text);
  // The parser reads 0x7f.1 and 2130706433 as addresses. The host that a person reads must be the
  // host that counts.
  const isAddress = /^[\d.]+$/.test(url.hostname) || url.hostname.startsWith('[');
  if (isAddress && url.hostname !== withoutPort(host).toLowerCase()) {
    return { problem: `Write the address as ${url.hostname}.` };
  }
  if (url.hostname.split('.').includes(''))
    return { problem: 'The host has two dots in a row, or begins or ends with a dot.' };
  if (url.port === '0') return { problem: 'The port is not valid.' };
  if (url.protocol === 'http:' && !isLoopbackHost(url.hostname)) {
    return { problem: 'Use https; http is for loopback addresses only.' };
  }
  return { origin: url.origin };
}

const withoutPort = (host: string): string => host.replace(/:\d*$/, '');

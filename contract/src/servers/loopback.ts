/**
 * True for a name or an address that never leaves the machine, as a URL or a socket states it. RFC 6761 §6.3,
 * RFC 1122 §3.2.1.3. Redirects of applications are stricter: RFC 8252 §7.3.
 */
export const isLoopbackHost = (host: string): boolean =>
  /^(([^/?#@:]+\.)?localhost|(::ffff:)?127(\.\d{1,3}){3}|::1|\[::1\])$/.test(host);

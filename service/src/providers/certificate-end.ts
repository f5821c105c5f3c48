import { isIP } from 'node:net';
import { connect } from 'node:tls';

const patienceMs = 5_000;

/** Returns when the certificate at an https address ends, in ms since 1970. Rejects where TLS fails. */
export function certificateEnd(url: string): Promise<number> {
  const { hostname, port } = new URL(url);
  const host = hostname.replace(/^\[|\]$/g, '');
  // RFC 6066 allows names only.
  const name = isIP(host) ? {} : { servername: host };
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port: Number(port || 443), ...name }, () => {
      const { valid_to: end } = socket.getPeerCertificate();
      socket.end();
      // biome-ignore lint/plugin: the form of a certificate's dates
      resolve(Date.parse(end));
    });
    socket.setTimeout(patienceMs, () => socket.destroy(new Error('no answer')));
    socket.once('error', reject);
  });
}

import { hash } from 'node:crypto';
import type { Ports } from '../../ports.ts';

/** Creates a secret for an application, with 256 random bits, and the digest that is stored. */
export function newSecret(ports: Pick<Ports, 'randomBytes'>) {
  const secret = `svc_app_${ports.randomBytes(32).toString('base64url')}`;
  return { secret, sha256: hash('sha256', secret, 'buffer') };
}

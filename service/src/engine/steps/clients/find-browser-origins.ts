import {
  findOriginsOfClient,
  findOriginsOfSession,
} from '../../../storage/clients/allowed-origins.ts';
import type { Ports } from '../../ports.ts';

/** The client whose pages call: by its id, or by the digest of a session's nonce. */
export type BrowserOf = { readonly clientId: string } | { readonly nonceSha256: Buffer };

/** Returns the origins whose pages may read the answers; null when the client or session is unknown. */
export async function findBrowserOrigins(
  of: BrowserOf,
  ports: Pick<Ports, 'database'>,
): Promise<readonly string[] | null> {
  const origins =
    'clientId' in of
      ? await findOriginsOfClient(ports.database, of.clientId)
      : await findOriginsOfSession(ports.database, of.nonceSha256);
  return origins ?? null;
}

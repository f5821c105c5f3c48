import {
  findOriginsOfClient,
  findOriginsOfSession,
} from '../../../storage/accounts/allowed-origins.ts';
import type { Ports } from '../../ports.ts';

/** Whose pages are calling: a client by id, or the client of a session by the nonce's digest. */
export type BrowserOf = { readonly clientId: string } | { readonly nonceSha256: Buffer };

/** Origins whose pages may read the answers; null when client or session is unknown. */
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

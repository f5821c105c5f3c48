import type { Database } from '../database/database.ts';
import { sql } from '../database/sql.ts';

type Row = { allowed_origins: string[] };

const ofClient = sql<Row>(
  'find_origins_of_client',
  'select allowed_origins from clients where id = $1',
);
const ofSession = sql<Row>(
  'find_origins_of_session',
  `select c.allowed_origins from checkout_sessions s join clients c on c.id = s.client_id
   where s.nonce_sha256 = $1`,
);

/** Returns the origins that the client has registered; undefined when there is no such client. */
export async function findOriginsOfClient(
  db: Database,
  clientId: string,
): Promise<readonly string[] | undefined> {
  return (await db.read(ofClient, [clientId]))[0]?.allowed_origins;
}

/** Returns the origins that were registered by the client whose session has this nonce. */
export async function findOriginsOfSession(
  db: Database,
  nonceSha256: Buffer,
): Promise<readonly string[] | undefined> {
  return (await db.read(ofSession, [nonceSha256]))[0]?.allowed_origins;
}

// What a token request uses up and what it issues, written together at its end: when the database
// fails, the code or token is not used up, and the application may ask once more.

import { hash } from 'node:crypto';
import type { Ports } from '../engine/ports.ts';
import { endGrant } from '../engine/steps/oauth/end-grant.ts';
import { everyClient, repeatWhenLost, type Tx } from '../storage/database/database.ts';
import { extendGrant } from '../storage/oauth/oauth-grants.ts';
import {
  consumeOauthRecord,
  findOauthRecord,
  isOauthRecord,
  type NewOauthRecord,
  type OauthModel,
  upsertOauthRecord,
} from '../storage/oauth/oauth-records.ts';
import type { Traces } from './settings.ts';

/** Returns the digest by which a token, a code or a waiting request is found. */
export const digestOf = (id: string): Buffer => hash('sha256', id, 'buffer');

type UsedRecord = { readonly model: OauthModel; readonly digest: Buffer };

/** The writes of one token request. */
export type TokenWrites = { readonly used: UsedRecord[]; readonly given: NewOauthRecord[] };

export const noWrites = (): TokenWrites => ({ used: [], given: [] });

/** No token is given, and the library answers invalid_grant. */
export class GrantEnded extends Error {}

class GrantUsedTwice extends GrantEnded {
  readonly used: UsedRecord;

  constructor(used: UsedRecord) {
    super(`${used.model} was used twice`);
    this.used = used;
  }
}

/** Writes everything or nothing; after a lost commit, what it wrote is recognised. Throws GrantOver. */
export async function writeTokens(
  writes: TokenWrites,
  { ports, traces }: { readonly ports: Ports; readonly traces: Traces },
): Promise<void> {
  if (writes.used.length + writes.given.length === 0) return;
  try {
    await repeatWhenLost(() =>
      ports.database.transaction(everyClient, (tx) => writeAll(tx, writes)),
    );
  } catch (error) {
    if (error instanceof GrantUsedTwice) await endFamily(error.used, { ports, traces });
    throw error;
  }
}

async function writeAll(tx: Tx, { used, given }: TokenWrites): Promise<void> {
  const [first] = given;
  for (const one of used) {
    if (await consumeOauthRecord(tx, one.digest)) continue;
    // The values are new: when one exists, this request itself wrote it.
    if (first && (await isOauthRecord(tx, first.idSha256))) return;
    throw new GrantUsedTwice(one);
  }
  for (const record of given) await writeRecord(tx, record);
}

/** A grant that was revoked meanwhile gets no further token. Throws GrantOver. */
export async function writeRecord(via: Tx | Ports['database'], record: NewOauthRecord) {
  const { model, grantId, lifeSeconds } = record;
  if (!(await upsertOauthRecord(via, record))) throw new GrantEnded('the grant was revoked');
  if (grantId && (model === 'AccessToken' || model === 'RefreshToken')) {
    await extendGrant(via, grantId, lifeSeconds);
  }
}

/**
 * Ends the grant, because another caller used the same value at the same moment: one of two holders
 * is a thief, and it is unknown which.
 */
async function endFamily(
  { model, digest }: UsedRecord,
  { ports, traces }: { readonly ports: Ports; readonly traces: Traces },
): Promise<void> {
  const record = await findOauthRecord(ports.database, model, { by: 'id', digest });
  if (record?.grantId) await endGrant(record.grantId, { reason: 'used_twice', traces }, ports);
}

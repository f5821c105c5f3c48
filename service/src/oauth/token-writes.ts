// What a token request uses up and what it gives out, written together at its end: whoever was not
// answered for want of the database still has what was shown, and may ask once more.

import { hash } from 'node:crypto';
import type { Ports } from '../engine/ports.ts';
import { endGrant } from '../engine/steps/oauth/end-grant.ts';
import { extendGrant } from '../storage/accounts/oauth-grants.ts';
import {
  consumeOauthRecord,
  findOauthRecord,
  isOauthRecord,
  type NewOauthRecord,
  type OauthModel,
  upsertOauthRecord,
} from '../storage/accounts/oauth-records.ts';
import { everyClient, repeatWhenLost, type Tx } from '../storage/database/database.ts';
import type { Traces } from './settings.ts';

/** What a token, a code or a waiting request is found by. */
export const digestOf = (id: string): Buffer => hash('sha256', id, 'buffer');

type Used = { readonly model: OauthModel; readonly digest: Buffer };

/** Of one token request. */
export type TokenWrites = { readonly used: Used[]; readonly given: NewOauthRecord[] };

export const noWrites = (): TokenWrites => ({ used: [], given: [] });

/** Why no token is given: what the library answers as invalid_grant. */
export class GrantOver extends Error {}

class UsedTwice extends GrantOver {
  readonly used: Used;

  constructor(used: Used) {
    super(`${used.model} was used twice`);
    this.used = used;
  }
}

/** Writes all of it or nothing; what a lost commit wrote is found again. Throws GrantOver. */
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
    if (error instanceof UsedTwice) await endFamily(error.used, { ports, traces });
    throw error;
  }
}

async function writeAll(tx: Tx, { used, given }: TokenWrites): Promise<void> {
  const [first] = given;
  for (const one of used) {
    if (await consumeOauthRecord(tx, one.digest)) continue;
    // Fresh values: whoever finds one written has written it.
    if (first && (await isOauthRecord(tx, first.idSha256))) return;
    throw new UsedTwice(one);
  }
  for (const record of given) await writeRecord(tx, record);
}

/** A grant that was revoked in between gives no further token. Throws GrantOver. */
export async function writeRecord(via: Tx | Ports['database'], record: NewOauthRecord) {
  const { model, grantId, lifeSeconds } = record;
  if (!(await upsertOauthRecord(via, record))) throw new GrantOver('the grant was revoked');
  if (grantId && (model === 'AccessToken' || model === 'RefreshToken')) {
    await extendGrant(via, grantId, lifeSeconds);
  }
}

/** Somebody else was first at the same moment: of two holders one is a thief, and who is not known. */
async function endFamily(
  { model, digest }: Used,
  { ports, traces }: { readonly ports: Ports; readonly traces: Traces },
): Promise<void> {
  const record = await findOauthRecord(ports.database, model, { by: 'id', digest });
  if (record?.grantId) await endGrant(record.grantId, { reason: 'used_twice', traces }, ports);
}

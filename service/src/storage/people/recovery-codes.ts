// Recovery codes for a lost authenticator, stored by digest: 80 random bits each.

import type { Tx } from '../database/database.ts';
import { sql } from '../database/sql.ts';

const remove = sql('recovery_codes.remove', 'delete from recovery_codes where user_id = $1');
const insert = sql(
  'recovery_codes.insert',
  'insert into recovery_codes (user_id, code_sha256) select $1, unnest($2::bytea[])',
);

/** Replaces the person's codes; an empty list removes them all. */
export async function replaceRecoveryCodes(
  tx: Tx,
  userId: string,
  codeSha256s: readonly Buffer[],
): Promise<void> {
  await tx.query(remove, [userId]);
  if (codeSha256s.length > 0) await tx.query(insert, [userId, codeSha256s]);
}

const spend = sql<{ user_id: string }>(
  'recovery_codes.spend',
  `update recovery_codes set used_at = svc_clock()
   where user_id = $1 and code_sha256 = $2 and used_at is null returning user_id`,
);

/** Spends a code; returns false when there is no such code, or it was used. */
export async function spendRecoveryCode(tx: Tx, userId: string, sha256: Buffer): Promise<boolean> {
  return (await tx.query(spend, [userId, sha256])).length === 1;
}

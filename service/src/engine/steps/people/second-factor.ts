// The second factor: a code of the authenticator, each good once, or a recovery code.

import { createHmac, hash, timingSafeEqual } from 'node:crypto';
import {
  codeOf,
  parseCode,
  parseRecoveryCode,
  stepBytes,
  stepsAt,
} from '../../../domain/people/totp.ts';
import { spendRecoveryCode } from '../../../storage/accounts/recovery-codes.ts';
import { takeTotpStep, type UserProofs } from '../../../storage/accounts/users.ts';
import type { Tx } from '../../../storage/database/database.ts';
import type { Caller, Ports } from '../../ports.ts';
import { recordChange } from '../audit-log/record-change.ts';
import { queueNotice } from './notices.ts';

/** Where an authenticator's secret is sealed. */
export const totpPlace = (userId: string) => ({
  table: 'users',
  rowId: userId,
  field: 'totp_secret',
});

/** The code of a step. RFC 6238. */
const codeAt = (secret: Buffer, step: number): string =>
  codeOf(createHmac('sha1', secret).update(stepBytes(step)).digest());

/**
 * Counts a right code of the person's authenticator; the person is locked. By the real time, which a
 * phone has: a sandbox moves only the service's clock.
 */
export async function takeCode(
  tx: Tx,
  { user, typed }: { readonly user: UserProofs; readonly typed: string },
  ports: Pick<Ports, 'sealedHere' | 'phoneTime'>,
): Promise<boolean> {
  const code = parseCode(typed);
  if (code === undefined || !user.totpSecretSealed) return false;
  const sealed = ports.sealedHere.open(totpPlace(user.id), user.totpSecretSealed);
  const secret = Buffer.from(sealed, 'hex');
  const given = Buffer.from(code);
  const right = stepsAt(await ports.phoneTime(tx)).filter((step) =>
    timingSafeEqual(Buffer.from(codeAt(secret, step)), given),
  );
  const [step] = right;
  return step !== undefined && takeTotpStep(tx, user.id, step);
}

export type SecondFactor = {
  readonly code?: string | undefined;
  readonly recoveryCode?: string | undefined;
};

/**
 * Takes the code or, where there is none, the recovery code; answers which it was, or undefined when
 * it is wrong or was used. The person is locked. A spent recovery code is told to the address.
 */
export async function takeSecondFactor(
  tx: Tx,
  given: { readonly user: UserProofs; readonly proof: SecondFactor; readonly caller: Caller },
  ports: Ports,
): Promise<'totp' | 'recovery_code' | undefined> {
  const { user, proof, caller } = given;
  if (proof.code !== undefined) {
    return (await takeCode(tx, { user, typed: proof.code }, ports)) ? 'totp' : undefined;
  }
  const code = parseRecoveryCode(proof.recoveryCode ?? '');
  if (code === undefined) return undefined;
  if (!(await spendRecoveryCode(tx, user.id, hash('sha256', code, 'buffer')))) return undefined;
  const about = { resourceType: 'account', resourceId: user.id, userId: user.id };
  await recordChange(tx, caller, { action: 'recovery_code.used', ...about }, ports);
  await queueNotice(tx, { to: user.email, kind: 'recovery_code_used' }, ports);
  return 'recovery_code';
}

// The second factor: a code of the authenticator, each accepted once, or a recovery code.

import { createHmac, hash, timingSafeEqual } from 'node:crypto';
import {
  codeOf,
  parseCode,
  parseRecoveryCode,
  stepBytes,
  stepsAt,
} from '../../../domain/people/totp.ts';
import type { Tx } from '../../../storage/database/database.ts';
import { spendRecoveryCode } from '../../../storage/people/recovery-codes.ts';
import { takeTotpStep, type UserProofs } from '../../../storage/people/users.ts';
import type { Caller, Ports } from '../../ports.ts';
import { recordChange } from '../audit-log/record-change.ts';
import { queueSecurityMail } from './security-mails.ts';

/** The place that an authenticator's secret is encrypted for. */
export const totpPlace = (userId: string) => ({
  table: 'users',
  rowId: userId,
  field: 'totp_secret',
});

/** Returns the code of a time step. RFC 6238. */
const codeAt = (secret: Buffer, step: number): string =>
  codeOf(createHmac('sha1', secret).update(stepBytes(step)).digest());

/**
 * Accepts a right code of the locked person's authenticator, once. It uses the real time, which the
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
 * Accepts the code or, where there is none, the recovery code. Returns which of them it was;
 * undefined when it is wrong or was used before. The person is locked. The use of a recovery code
 * is mailed to the person.
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
  await queueSecurityMail(tx, { to: user.email, kind: 'recovery_code_used' }, ports);
  return 'recovery_code';
}

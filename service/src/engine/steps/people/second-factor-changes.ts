import { hash } from 'node:crypto';
import { parseRecoveryCode, writeRecoveryCode } from '../../../domain/people/totp.ts';
import type { Tx } from '../../../storage/database/database.ts';
import { replaceRecoveryCodes } from '../../../storage/people/recovery-codes.ts';
import type { UserProofs } from '../../../storage/people/users.ts';
import type { Caller, Ports } from '../../ports.ts';
import { recordChange } from '../audit-log/record-change.ts';
import { queueSecurityMail } from './security-mails.ts';

const codeCount = 10;
/** In bytes. */
const codeLength = 10;

type SecondFactorChange =
  | 'authenticator.turned_on'
  | 'authenticator.turned_off'
  | 'recovery_codes.renewed';
const securityMails = {
  'authenticator.turned_on': 'authenticator_on',
  'authenticator.turned_off': 'authenticator_off',
  'recovery_codes.renewed': 'recovery_codes_renewed',
} as const;

/** Writes the audit entry of a change of the second factor, and mails the person. */
export async function recordSecondFactorChange(
  tx: Tx,
  changed: {
    readonly caller: Caller;
    readonly user: UserProofs;
    readonly action: SecondFactorChange;
  },
  ports: Ports,
): Promise<void> {
  const { caller, user, action } = changed;
  const about = { resourceType: 'account', resourceId: user.id, userId: user.id };
  await recordChange(tx, caller, { action, ...about }, ports);
  await queueSecurityMail(tx, { to: user.email, kind: securityMails[action] }, ports);
}

/** Replaces the recovery codes by ten new ones; only their digests are stored. */
export async function renewCodes(tx: Tx, userId: string, ports: Ports): Promise<string[]> {
  const codes = Array.from({ length: codeCount }, () =>
    writeRecoveryCode(ports.randomBytes(codeLength)),
  );
  const digests = codes.map((code) => hash('sha256', parseRecoveryCode(code) ?? '', 'buffer'));
  await replaceRecoveryCodes(tx, userId, digests);
  return codes;
}

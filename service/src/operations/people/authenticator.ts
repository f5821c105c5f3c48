import { hash } from 'node:crypto';
import {
  createRecoveryCodes as codesRow,
  confirmAuthenticator as confirmRow,
  createAuthenticator as createRow,
  deleteAuthenticator as deleteRow,
} from '@svc/contract/authenticator';
import { base32, parseRecoveryCode, totpUri, writeRecoveryCode } from '../../domain/people/totp.ts';
import { implement, refuse } from '../../engine/implement.ts';
import type { Caller, Ports } from '../../engine/ports.ts';
import { recordChange } from '../../engine/steps/audit-log/record-change.ts';
import { queueNotice } from '../../engine/steps/people/notices.ts';
import { takeCodeTry } from '../../engine/steps/people/proof-budget.ts';
import { lockPerson, requirePerson } from '../../engine/steps/people/require-person.ts';
import { takeCode, totpPlace } from '../../engine/steps/people/second-factor.ts';
import { replaceRecoveryCodes } from '../../storage/accounts/recovery-codes.ts';
import {
  removeTotp,
  type UserProofs,
  updateTotpConfirmed,
  updateTotpSecret,
} from '../../storage/accounts/users.ts';
import { everyClient, type Tx } from '../../storage/database/database.ts';

/** In bytes: as long as the digest of the HMAC. RFC 4226 §4. */
const secretLength = 20;
const codeCount = 10;
const codeLength = 10;
const issuer = 'Svc';

type Change = 'authenticator.turned_on' | 'authenticator.turned_off' | 'recovery_codes.renewed';
const notices = {
  'authenticator.turned_on': 'authenticator_on',
  'authenticator.turned_off': 'authenticator_off',
  'recovery_codes.renewed': 'recovery_codes_renewed',
} as const;

async function record(
  tx: Tx,
  changed: { readonly caller: Caller; readonly user: UserProofs; readonly action: Change },
  ports: Ports,
): Promise<void> {
  const { caller, user, action } = changed;
  const about = { resourceType: 'account', resourceId: user.id, userId: user.id };
  await recordChange(tx, caller, { action, ...about }, ports);
  await queueNotice(tx, { to: user.email, kind: notices[action] }, ports);
}

/** Replaces the recovery codes by ten new ones; only their digests are stored. */
async function renewCodes(tx: Tx, userId: string, ports: Ports): Promise<string[]> {
  const codes = Array.from({ length: codeCount }, () =>
    writeRecoveryCode(ports.randomBytes(codeLength)),
  );
  const digests = codes.map((code) => hash('sha256', parseRecoveryCode(code) ?? '', 'buffer'));
  await replaceRecoveryCodes(tx, userId, digests);
  return codes;
}

/** Creates a secret, which replaces one that was never confirmed. Refuses totp_already_on. */
export const createAuthenticator = implement(createRow)(async (_input, caller, ports) => {
  const person = requirePerson(caller);
  const { userId } = person;
  const bytes = ports.randomBytes(secretLength);
  const email = await ports.database.transaction(everyClient, async (tx) => {
    const user = await lockPerson(tx, person);
    if (user.hasTotp) return refuse('totp_already_on');
    const sealed = ports.sealedHere.seal(totpPlace(userId), bytes.toString('hex'));
    await updateTotpSecret(tx, userId, sealed);
    return user.email;
  });
  const secret = base32(bytes);
  return { status: 201, body: { secret, uri: totpUri({ issuer, account: email, secret }) } };
});

/**
 * Switches the authenticator on, with a right code of it. Refuses rate_limited, totp_already_on,
 * totp_not_on, totp_code_invalid.
 */
export const confirmAuthenticator = implement(confirmRow)(async ({ body }, caller, ports) => {
  const person = requirePerson(caller);
  const { userId } = person;
  const tried = await takeCodeTry(userId, ports);
  const recoveryCodes = await ports.database.transaction(everyClient, async (tx) => {
    const user = await lockPerson(tx, person);
    if (user.hasTotp) return refuse('totp_already_on');
    if (!user.totpSecretSealed) return refuse('totp_not_on');
    if (!(await takeCode(tx, { user, typed: body.code }, ports)))
      return refuse('totp_code_invalid');
    await updateTotpConfirmed(tx, userId);
    await record(tx, { caller, user, action: 'authenticator.turned_on' }, ports);
    return renewCodes(tx, userId, ports);
  });
  await tried.giveBack();
  return { status: 200, body: { recoveryCodes } };
});

/** Switches the authenticator off and deletes the recovery codes. Refuses totp_not_on. */
export const deleteAuthenticator = implement(deleteRow)(async (_input, caller, ports) => {
  const person = requirePerson(caller);
  const { userId } = person;
  await ports.database.transaction(everyClient, async (tx) => {
    const user = await lockPerson(tx, person);
    if (!user.hasTotp) return refuse('totp_not_on');
    await removeTotp(tx, userId);
    await replaceRecoveryCodes(tx, userId, []);
    return record(tx, { caller, user, action: 'authenticator.turned_off' }, ports);
  });
  return { status: 204 };
});

/** Creates ten new recovery codes; the former ones are not valid any more. Refuses totp_not_on. */
export const createRecoveryCodes = implement(codesRow)(async (_input, caller, ports) => {
  const person = requirePerson(caller);
  const { userId } = person;
  const recoveryCodes = await ports.database.transaction(everyClient, async (tx) => {
    const user = await lockPerson(tx, person);
    if (!user.hasTotp) return refuse('totp_not_on');
    await record(tx, { caller, user, action: 'recovery_codes.renewed' }, ports);
    return renewCodes(tx, userId, ports);
  });
  return { status: 201, body: { recoveryCodes } };
});

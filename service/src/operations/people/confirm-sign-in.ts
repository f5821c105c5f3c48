import { confirmSignIn as row } from '@svc/contract/account/account';
import type { AssertedPasskey } from '@svc/contract/account/passkeys';
import { implement, refuse } from '../../engine/implement.ts';
import type { Ports } from '../../engine/ports.ts';
import { recordChange } from '../../engine/steps/audit-log/record-change.ts';
import { newCookie } from '../../engine/steps/people/open-sign-in.ts';
import { readAssertion, takeAssertion } from '../../engine/steps/people/passkey-proof.ts';
import { verifyPassword } from '../../engine/steps/people/password-hash.ts';
import { judge, takeCodeTry, takePasswordTry } from '../../engine/steps/people/proof-budget.ts';
import { recordFailure, type TriedProof } from '../../engine/steps/people/record-failure.ts';
import { type PersonCaller, requirePerson } from '../../engine/steps/people/require-person.ts';
import { type SecondFactor, takeSecondFactor } from '../../engine/steps/people/second-factor.ts';
import { everyClient, type Tx } from '../../storage/database/database.ts';
import { renewSignIn } from '../../storage/people/sign-ins.ts';
import { findUser, lockUser, type UserProofs } from '../../storage/people/users.ts';

/**
 * Proves the person's identity again; the sign-in continues with a new cookie. Refuses
 * second_factor_required, rate_limited, sign_in_failed, totp_code_invalid.
 */
export const confirmSignIn = implement(row)(async ({ body }, caller, ports, refuse) => {
  const person = requirePerson(caller);
  const { password, passkey, ...proof } = body;
  if ((password === undefined) === (passkey === undefined)) {
    return refuse('invalid_request', { message: 'Send either the password or a passkey.' });
  }
  const confirmed =
    passkey === undefined
      ? await confirmByPassword(person, { password: password ?? '', proof }, ports)
      : await confirmByPasskey(person, passkey, ports);
  const { provenAt, cookieValue } = confirmed;
  const body200 = { provenAt: provenAt.toISOString() };
  return { status: 200, body: body200, setCookie: { value: cookieValue } };
});

type ConfirmResult = { readonly provenAt: Date; readonly cookieValue: string };

async function recordAndRefuse(
  person: PersonCaller,
  proof: TriedProof,
  ports: Ports,
): Promise<never> {
  await recordFailure(person, { userId: person.userId, proof }, ports);
  return refuse(
    proof === 'password' || proof === 'passkey' ? 'sign_in_failed' : 'totp_code_invalid',
  );
}

async function confirmByPassword(
  person: PersonCaller,
  { password, proof }: { password: string; proof: SecondFactor },
  ports: Ports,
): Promise<ConfirmResult> {
  const user = (await findUser(ports.database, person.userId)) ?? refuse('sign_in_required');
  const hasSecond = proof.code !== undefined || proof.recoveryCode !== undefined;
  if (user.hasTotp && !hasSecond) return refuse('second_factor_required');
  const tried = await takePasswordTry(user.email, person, ports);
  const isRight = await judge(tried, () =>
    verifyPassword(password, { stored: user.passwordHash, ports, place: user.id }),
  );
  if (!isRight) return recordAndRefuse(person, 'password', ports);
  // Even if the code is wrong, the password was right, so the try is given back.
  await tried.giveBack();
  const isCode = user.hasTotp && proof.code !== undefined;
  const triedCode = isCode ? await takeCodeTry(user.id, ports) : undefined;
  const confirmed = await ports.database.transaction(everyClient, (tx) =>
    settle(tx, { person, compared: user, proof }, ports),
  );
  if (confirmed === 'wrong') {
    return recordAndRefuse(person, proof.code === undefined ? 'recovery_code' : 'totp', ports);
  }
  await triedCode?.giveBack();
  return confirmed;
}

async function settle(
  tx: Tx,
  given: { person: PersonCaller; compared: UserProofs; proof: SecondFactor },
  ports: Ports,
): Promise<ConfirmResult | 'wrong'> {
  const { person, compared, proof } = given;
  const user = await lockUser(tx, person.userId);
  if (user?.passwordHash !== compared.passwordHash) return refuse('sign_in_required');
  if (user.hasTotp) {
    const taken = await takeSecondFactor(tx, { user, proof, caller: person }, ports);
    if (!taken) return 'wrong';
  }
  return renew(tx, { person, proof: 'password' }, ports);
}

async function confirmByPasskey(
  person: PersonCaller,
  asserted: AssertedPasskey,
  ports: Ports,
): Promise<ConfirmResult> {
  const { userId, signInId } = person;
  const read = await readAssertion(asserted, { purpose: 'confirm', signInId }, ports);
  if (!read) return recordAndRefuse(person, 'passkey', ports);
  const confirmed = await ports.database.transaction(everyClient, async (tx) => {
    const { isRight } = await takeAssertion(tx, { read, ownerId: userId }, ports);
    return isRight ? renew(tx, { person, proof: 'passkey' }, ports) : undefined;
  });
  return confirmed ?? recordAndRefuse(person, 'passkey', ports);
}

async function renew(
  tx: Tx,
  { person, proof }: { person: PersonCaller; proof: 'password' | 'passkey' },
  ports: Ports,
): Promise<ConfirmResult> {
  const { signInId, userId } = person;
  const { cookieValue, tokenSha256 } = newCookie(ports);
  const provenAt = await renewSignIn(tx, signInId, { tokenSha256, method: null });
  if (!provenAt) return refuse('sign_in_required');
  const about = { resourceType: 'sign_in', resourceId: signInId, userId, after: { proof } };
  await recordChange(tx, person, { action: 'sign_in.confirmed', ...about }, ports);
  return { provenAt, cookieValue };
}

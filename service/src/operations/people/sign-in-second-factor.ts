import { signInSecondFactor as row } from '@svc/contract/account/account';
import type { SignInMethod } from '../../domain/people/sign-in.ts';
import { implement } from '../../engine/implement.ts';
import type { Caller, Ports } from '../../engine/ports.ts';
import { newCookie, recordOpened } from '../../engine/steps/people/open-sign-in.ts';
import { takeCodeTry } from '../../engine/steps/people/proof-budget.ts';
import { recordFailure } from '../../engine/steps/people/record-failure.ts';
import { type SecondFactor, takeSecondFactor } from '../../engine/steps/people/second-factor.ts';
import { everyClient, type Tx } from '../../storage/database/database.ts';
import { lockHalfSignIn, renewSignIn } from '../../storage/people/sign-ins.ts';
import { lockUser } from '../../storage/people/users.ts';

const methods = {
  totp: 'password_totp',
  recovery_code: 'password_recovery_code',
} as const satisfies Record<string, SignInMethod>;

type HalfSignIn = { readonly signInId: string; readonly userId: string };
type SecondFactorResult =
  | { readonly kind: 'opened'; readonly cookieValue: string }
  | { readonly kind: 'over' }
  | { readonly kind: 'wrong' };

/**
 * Finishes a sign-in whose password was right: it is open, with a new cookie. Refuses
 * sign_in_required, rate_limited, totp_code_invalid.
 */
export const signInSecondFactor = implement(row)(async ({ body }, caller, ports, refuse) => {
  const half = caller.kind === 'anonymous' ? caller.halfOpen : undefined;
  if (!half) return refuse('sign_in_required');
  // A recovery code has 80 random bits and needs no limit, so the owner can sign in with one while
  // somebody else uses up the tries at codes.
  const tried = body.code === undefined ? undefined : await takeCodeTry(half.userId, ports);
  const finished = await ports.database.transaction(everyClient, (tx) =>
    finishSignIn(tx, { half, proof: body, caller }, ports),
  );
  if (finished.kind === 'over') return refuse('sign_in_required');
  if (finished.kind === 'wrong') {
    const proof = body.code === undefined ? 'recovery_code' : 'totp';
    await recordFailure(caller, { userId: half.userId, proof }, ports);
    return refuse('totp_code_invalid');
  }
  await tried?.giveBack();
  return { status: 200, body: { state: 'open' }, setCookie: { value: finished.cookieValue } };
});

async function finishSignIn(
  tx: Tx,
  { half, proof, caller }: { half: HalfSignIn; proof: SecondFactor; caller: Caller },
  ports: Ports,
): Promise<SecondFactorResult> {
  const { signInId, userId } = half;
  const user = await lockUser(tx, userId);
  if (!user || (await lockHalfSignIn(tx, signInId)) !== userId) return { kind: 'over' };
  const taken = await takeSecondFactor(tx, { user, proof, caller }, ports);
  if (!taken) return { kind: 'wrong' };
  const method = methods[taken];
  const { cookieValue, tokenSha256 } = newCookie(ports);
  await renewSignIn(tx, signInId, { tokenSha256, method });
  await recordOpened(tx, { userId, signInId, method, caller }, ports);
  return { kind: 'opened', cookieValue };
}

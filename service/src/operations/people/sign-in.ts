import { signIn as row } from '@svc/contract/account/account';
import { implement } from '../../engine/implement.ts';
import type { Caller, Ports } from '../../engine/ports.ts';
import { openSignIn } from '../../engine/steps/people/open-sign-in.ts';
import {
  hashPassword,
  needsRehash,
  verifyPassword,
} from '../../engine/steps/people/password-hash.ts';
import { judge, takePasswordTry } from '../../engine/steps/people/proof-budget.ts';
import { recordFailure } from '../../engine/steps/people/record-failure.ts';
import { everyClient, type Tx } from '../../storage/database/database.ts';
import { findUserByEmail, lockUser, updatePasswordHash } from '../../storage/people/users.ts';

/**
 * Signs in with address and password. An unknown address, an account without a password, a wrong
 * password and a person who may not sign in get the same answer, after the same time. Refuses
 * rate_limited, sign_in_failed.
 */
export const signIn = implement(row)(async ({ body }, caller, ports, refuse) => {
  const tried = await takePasswordTry(body.email, caller, ports);
  const { user, passwordHash, isRight } = await judge(tried, async () => {
    const user = await findUserByEmail(ports.database, body.email);
    const passwordHash = user?.passwordHash ?? null;
    const place = caller.address ?? 'unknown';
    return {
      user,
      passwordHash,
      isRight: await verifyPassword(body.password, { stored: passwordHash, ports, place }),
    };
  });
  if (!user || !passwordHash || !isRight) {
    if (user) await recordFailure(caller, { userId: user.id, proof: 'password' }, ports);
    return refuse('sign_in_failed');
  }
  await tried.giveBack();
  const next = needsRehash(passwordHash, ports) ? await hashPassword(body.password, ports) : null;
  const opened = await ports.database.transaction(everyClient, async (tx) => {
    if (next) await updatePasswordHash(tx, user.id, { former: passwordHash, next });
    return open(tx, { userId: user.id, passwordHash: next ?? passwordHash, caller }, ports);
  });
  // The password was changed, or the person disabled, while it was compared.
  if (!opened) return refuse('sign_in_failed');
  const state = opened.isHalf ? 'second_factor' : 'open';
  return { status: 200, body: { state }, setCookie: { value: opened.cookieValue } };
});

type SignInStart = {
  readonly userId: string;
  /** The hash that the password was compared with. */
  readonly passwordHash: string;
  readonly caller: Caller;
};

async function open(tx: Tx, { userId, passwordHash, caller }: SignInStart, ports: Ports) {
  const user = await lockUser(tx, userId);
  if (user?.passwordHash !== passwordHash) return undefined;
  const isHalf = user.hasTotp;
  const opening = { userId, method: 'password', caller, isHalf } as const;
  const { cookieValue } = await openSignIn(tx, opening, ports);
  return { cookieValue, isHalf };
}

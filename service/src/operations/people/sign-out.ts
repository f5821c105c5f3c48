import {
  endOtherSignIns as endOthersRow,
  endSignIn as endRow,
  signOut as row,
} from '@svc/contract/account';
import { implement } from '../../engine/implement.ts';
import type { Caller, Ports } from '../../engine/ports.ts';
import { recordChange } from '../../engine/steps/audit-log/record-change.ts';
import { requirePerson } from '../../engine/steps/people/require-person.ts';
import { endSignInOf, endSignInsOf } from '../../storage/accounts/sign-ins.ts';
import { everyClient, type Tx } from '../../storage/database/database.ts';

type Ended = { readonly signInId: string; readonly userId: string };

async function end(
  tx: Tx,
  { caller, ended }: { readonly caller: Caller; readonly ended: Ended },
  ports: Ports,
): Promise<boolean> {
  const { signInId, userId } = ended;
  if (!(await endSignInOf(tx, signInId, userId))) return false;
  const about = { resourceType: 'sign_in', resourceId: signInId, userId };
  await recordChange(tx, caller, { action: 'sign_in.ended', ...about }, ports);
  return true;
}

/** Ends the sign-in of this browser, complete or not; repeatable. */
export const signOut = implement(row)(async (_input, caller, ports) => {
  const own = caller.kind === 'anonymous' ? caller.halfOpen : caller;
  if (own && 'signInId' in own) {
    await ports.database.transaction(everyClient, (tx) => end(tx, { caller, ended: own }, ports));
  }
  return { status: 204, setCookie: { value: null } };
});

/** Ends one of the person's sign-ins; its cookie is not accepted any more. Refuses sign_in_not_found. */
export const endSignIn = implement(endRow)(async ({ signInId }, caller, ports, refuse) => {
  const { userId } = requirePerson(caller);
  const isEnded = await ports.database.transaction(everyClient, (tx) =>
    end(tx, { caller, ended: { signInId, userId } }, ports),
  );
  return isEnded ? { status: 204 } : refuse('sign_in_not_found');
});

/** Ends every sign-in of the person except this one. */
export const endOtherSignIns = implement(endOthersRow)(async (_input, caller, ports) => {
  const { userId, signInId } = requirePerson(caller);
  await ports.database.transaction(everyClient, async (tx) => {
    const signInIds = await endSignInsOf(tx, userId, signInId);
    if (signInIds.length === 0) return;
    const about = { resourceType: 'account', resourceId: userId, userId, before: { signInIds } };
    await recordChange(tx, caller, { action: 'sign_in.others_ended', ...about }, ports);
  });
  return { status: 204 };
});

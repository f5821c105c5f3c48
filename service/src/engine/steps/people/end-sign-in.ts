import type { Tx } from '../../../storage/database/database.ts';
import { endSignInOf } from '../../../storage/people/sign-ins.ts';
import type { Caller, Ports } from '../../ports.ts';
import { recordChange } from '../audit-log/record-change.ts';

type EndedSignIn = { readonly signInId: string; readonly userId: string };

/** Ends a sign-in with its audit entry; returns false where it had ended before. */
export async function endOneSignIn(
  tx: Tx,
  { caller, ended }: { readonly caller: Caller; readonly ended: EndedSignIn },
  ports: Ports,
): Promise<boolean> {
  const { signInId, userId } = ended;
  if (!(await endSignInOf(tx, signInId, userId))) return false;
  const about = { resourceType: 'sign_in', resourceId: signInId, userId };
  await recordChange(tx, caller, { action: 'sign_in.ended', ...about }, ports);
  return true;
}

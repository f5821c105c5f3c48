import { everyClient } from '../../../storage/database/database.ts';
import type { Caller, Ports } from '../../ports.ts';
import { recordChange } from '../audit-log/record-change.ts';

/** The kind of proof that was tried. */
export type TriedProof = 'password' | 'totp' | 'recovery_code' | 'passkey';

/**
 * Records that a proof of the person was wrong. Only for accounts that exist: for others there is
 * no person to record, and the request log has the call.
 */
export async function recordFailure(
  caller: Caller,
  failed: { readonly userId: string; readonly proof: TriedProof },
  ports: Ports,
): Promise<void> {
  const { userId, proof } = failed;
  await ports.database.transaction(everyClient, (tx) =>
    recordChange(
      tx,
      caller,
      {
        action: 'sign_in.failed',
        resourceType: 'account',
        resourceId: userId,
        userId,
        after: { proof },
      },
      ports,
    ),
  );
}

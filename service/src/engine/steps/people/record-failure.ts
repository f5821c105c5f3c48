import { everyClient } from '../../../storage/database/database.ts';
import type { Caller, Ports } from '../../ports.ts';
import { recordChange } from '../audit-log/record-change.ts';

/** What was tried. */
export type TriedProof = 'password' | 'totp' | 'recovery_code' | 'passkey';

/**
 * Writes down that a proof of the person was wrong. Only for accounts that there are: of others
 * nothing is known that could be written, and the log of requests has the call.
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

import { rotateApplicationSecret as row } from '@svc/contract/developers/applications';
import { implement } from '../../engine/implement.ts';
import { requireServer } from '../../engine/require-server.ts';
import { newSecret } from '../../engine/steps/applications/new-secret.ts';
import { showApplication } from '../../engine/steps/applications/show-application.ts';
import { recordChange } from '../../engine/steps/audit-log/record-change.ts';
import { lockApplication, replaceApplicationSecret } from '../../storage/oauth/applications.ts';

/**
 * Replaces the secret; the new one is only in this answer. Contract §6. Refuses, in order:
 * application_not_found, invalid_request (for a public application, which has none).
 */
export const rotateApplicationSecret = implement(row)(async ({ id }, caller, ports, refuse) => {
  const { clientId } = requireServer(caller, row);
  const { secret, sha256 } = newSecret(ports);
  return ports.database.transaction(clientId, async (tx) => {
    const application = await lockApplication(tx, clientId, id);
    if (!application) return refuse('application_not_found');
    if (application.kind === 'public') {
      return refuse('invalid_request', { message: 'A public application has no secret.' });
    }
    const saved = await replaceApplicationSecret(tx, application, sha256);
    const change = {
      action: 'application.secret_rotated',
      resourceType: 'application',
      resourceId: id,
    };
    await recordChange(tx, caller, change, ports);
    return { status: 200, body: { ...showApplication(saved), secret } };
  });
});

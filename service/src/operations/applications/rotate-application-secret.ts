import { rotateApplicationSecret as row } from '@svc/contract/applications';
import { lockApplication, replaceApplicationSecret } from '../../storage/applications.ts';
import { recordChange } from '../audit-log/record-change.ts';
import { implement } from '../implement.ts';
import { requireServer } from '../require-server.ts';
import { newSecret } from './new-secret.ts';
import { showApplication } from './show-application.ts';

/**
 * Replaces the secret; the new one is in this answer alone. Contract §6. Refuses, in order:
 * application_not_found, invalid_request (of a public one, which has none).
 */
export const rotateApplicationSecret = implement(row)(async ({ id }, caller, ports, refuse) => {
  const { clientId } = requireServer(caller, 'admin');
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

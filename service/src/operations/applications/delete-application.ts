import { deleteApplication as row } from '@svc/contract/developers/applications';
import { implement } from '../../engine/implement.ts';
import { requireServer } from '../../engine/require-server.ts';
import { auditedOf } from '../../engine/steps/applications/show-application.ts';
import { recordChange } from '../../engine/steps/audit-log/record-change.ts';
import { lockApplication, removeApplication } from '../../storage/oauth/applications.ts';

/** Removes an application, and with it every consent that people gave it. Contract §6. */
export const deleteApplication = implement(row)(async ({ id }, caller, ports, refuse) => {
  const { clientId } = requireServer(caller, row);
  return ports.database.transaction(clientId, async (tx) => {
    const application = await lockApplication(tx, clientId, id);
    if (!application) return refuse('application_not_found');
    await removeApplication(tx, application);
    const change = {
      action: 'application.removed',
      resourceType: 'application',
      resourceId: id,
      before: auditedOf(application),
    };
    await recordChange(tx, caller, change, ports);
    return { status: 204 };
  });
});

import { deleteApplication as row } from '@svc/contract/applications';
import { lockApplication, removeApplication } from '../../storage/applications.ts';
import { recordChange } from '../audit-log/record-change.ts';
import { implement } from '../implement.ts';
import { requireServer } from '../require-server.ts';
import { auditedOf } from './show-application.ts';

/** Removes an application and with it all that people allowed it. Contract §6. */
export const deleteApplication = implement(row)(async ({ id }, caller, ports, refuse) => {
  const { clientId } = requireServer(caller, 'admin');
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

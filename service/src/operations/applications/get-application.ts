import { getApplication as row } from '@svc/contract/developers/applications';
import { implement } from '../../engine/implement.ts';
import { requireServer } from '../../engine/require-server.ts';
import { showApplication } from '../../engine/steps/applications/show-application.ts';
import { findApplication } from '../../storage/oauth/applications.ts';

/** Reads one application. Contract §6. Another merchant's is not found. */
export const getApplication = implement(row)(async ({ id }, caller, ports, refuse) => {
  const { clientId } = requireServer(caller, row);
  const application = await findApplication(ports.database, clientId, id);
  if (!application) return refuse('application_not_found');
  return { status: 200, body: showApplication(application) };
});

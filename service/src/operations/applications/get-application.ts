import { getApplication as row } from '@svc/contract/applications';
import { findApplication } from '../../storage/applications.ts';
import { implement } from '../implement.ts';
import { requireServer } from '../require-server.ts';
import { showApplication } from './show-application.ts';

/** Reads one application. Contract §6. Another merchant's is not found. */
export const getApplication = implement(row)(async ({ id }, caller, ports, refuse) => {
  const { clientId } = requireServer(caller, 'admin');
  const application = await findApplication(ports.database, clientId, id);
  if (!application) return refuse('application_not_found');
  return { status: 200, body: showApplication(application) };
});

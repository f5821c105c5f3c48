import { listApplications as row } from '@svc/contract/applications';
import { listApplicationRows, toApplication } from '../../storage/applications.ts';
import { implement } from '../implement.ts';
import { requireServer } from '../require-server.ts';
import { showApplication } from './show-application.ts';

/** Lists the merchant's applications. Contract §6. */
export const listApplications = implement(row)(async (input, caller, ports) => {
  const { clientId } = requireServer(caller, 'admin');
  const { rows, ...page } = await listApplicationRows(ports.database, clientId, input);
  const data = rows.map((each) => showApplication(toApplication(each)));
  return { status: 200, body: { data, ...page } };
});

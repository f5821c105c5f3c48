import { listApplications as row } from '@svc/contract/developers/applications';
import { implement } from '../../engine/implement.ts';
import { requireServer } from '../../engine/require-server.ts';
import { showApplication } from '../../engine/steps/applications/show-application.ts';
import { listApplicationRows, toApplication } from '../../storage/oauth/applications.ts';

/** Lists the merchant's applications. Contract §6. */
export const listApplications = implement(row)(async (input, caller, ports) => {
  const { clientId } = requireServer(caller, row);
  const { rows, ...page } = await listApplicationRows(ports.database, clientId, input);
  const data = rows.map((each) => showApplication(toApplication(each)));
  return { status: 200, body: { data, ...page } };
});

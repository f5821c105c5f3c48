import { deleteTesterRequests as row } from '@svc/contract/developers/webhook-tester';
import { implement } from '../../engine/implement.ts';
import { requireServer } from '../../engine/require-server.ts';
import { readTester } from '../../engine/steps/webhook-tester/read-tester.ts';
import { deleteTesterRequestRows } from '../../storage/webhooks/webhook-tester.ts';

/** Deletes the requests that the tester received. Refuses route_not_found outside sandboxes. */
export const deleteTesterRequests = implement(row)(async (_input, caller, ports) => {
  const { clientId } = requireServer(caller, row);
  await readTester(ports, clientId);
  await deleteTesterRequestRows(ports.database, clientId);
  return { status: 204 };
});

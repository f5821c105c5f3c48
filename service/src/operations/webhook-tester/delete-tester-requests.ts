import { deleteTesterRequests as row } from '@svc/contract/webhook-tester';
import { deleteTesterRequestRows } from '../../storage/webhook-tester.ts';
import { implement } from '../implement.ts';
import { requireServer } from '../require-server.ts';
import { readTester } from './read-tester.ts';

/** Refuses route_not_found outside sandboxes. */
export const deleteTesterRequests = implement(row)(async (_input, caller, ports) => {
  const { clientId } = requireServer(caller, 'admin');
  await readTester(ports, clientId);
  await deleteTesterRequestRows(ports.database, clientId);
  return { status: 204 };
});

import { updateWebhookTester as row } from '@svc/contract/webhook-tester';
import { updateTesterAnswer } from '../../storage/webhook-tester.ts';
import { implement } from '../implement.ts';
import { requireServer } from '../require-server.ts';
import { readTester, showTester } from './read-tester.ts';

/** Refuses route_not_found outside sandboxes. */
export const updateWebhookTester = implement(row)(async ({ body: { answer } }, caller, ports) => {
  const { clientId } = requireServer(caller, 'admin');
  const tester = await readTester(ports, clientId);
  await updateTesterAnswer(ports.database, clientId, answer);
  return { status: 200, body: showTester({ ...tester, answer }, ports) };
});

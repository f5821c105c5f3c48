import { updateWebhookTester as row } from '@svc/contract/developers/webhook-tester';
import { implement } from '../../engine/implement.ts';
import { requireServer } from '../../engine/require-server.ts';
import { readTester, showTester } from '../../engine/steps/webhook-tester/read-tester.ts';
import { updateTesterAnswer } from '../../storage/webhooks/webhook-tester.ts';

/** Sets the answer that the tester gives. Refuses route_not_found outside sandboxes. */
export const updateWebhookTester = implement(row)(async ({ body: { answer } }, caller, ports) => {
  const { clientId } = requireServer(caller, row);
  const tester = await readTester(ports, clientId);
  await updateTesterAnswer(ports.database, clientId, answer);
  return { status: 200, body: showTester({ ...tester, answer }, ports) };
});

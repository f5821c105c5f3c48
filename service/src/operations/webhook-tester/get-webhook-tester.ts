import { getWebhookTester as row } from '@svc/contract/developers/webhook-tester';
import { implement } from '../../engine/implement.ts';
import { requireServer } from '../../engine/require-server.ts';
import { readTester, showTester } from '../../engine/steps/webhook-tester/read-tester.ts';

/** Reads the merchant's webhook tester. Refuses route_not_found outside sandboxes. */
export const getWebhookTester = implement(row)(async (_input, caller, ports) => {
  const { clientId } = requireServer(caller);
  return { status: 200, body: showTester(await readTester(ports, clientId), ports) };
});

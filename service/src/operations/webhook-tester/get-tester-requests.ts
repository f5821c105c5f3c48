import {
  getTesterRequests as row,
  type TesterRequest,
} from '@svc/contract/developers/webhook-tester';
import { testerUrl } from '../../domain/protocol/webhook-tester.ts';
import { implement } from '../../engine/implement.ts';
import type { Ports } from '../../engine/ports.ts';
import { requireServer } from '../../engine/require-server.ts';
import {
  checkSignatures,
  type KnownSecret,
} from '../../engine/steps/webhook-tester/check-signatures.ts';
import { readTester } from '../../engine/steps/webhook-tester/read-tester.ts';
import { webhookSecretPlace } from '../../storage/webhooks/webhook-endpoints.ts';
import {
  findLeadingEndpoints,
  listTesterRequestRows,
  type StoredRequest,
} from '../../storage/webhooks/webhook-tester.ts';

/**
 * Lists the requests that the tester received, with their signatures checked. Refuses
 * route_not_found outside sandboxes.
 */
export const getTesterRequests = implement(row)(async (input, caller, ports) => {
  const { clientId } = requireServer(caller);
  const { key } = await readTester(ports, clientId);
  const url = testerUrl(key, ports.settings.baseUrl);
  const { limit, after = 0, before = null } = input;
  const [{ requests, total }, secrets] = await Promise.all([
    listTesterRequestRows(ports.database, clientId, { limit, after, before }),
    openSecrets(ports, clientId, url),
  ]);
  return { status: 200, body: { data: requests.map((one) => showRequest(one, secrets)), total } };
});

const showRequest = (request: StoredRequest, secrets: readonly KnownSecret[]): TesterRequest => ({
  number: request.number,
  receivedAt: request.receivedAt.toISOString(),
  headers: [...request.headers],
  body: request.body.toString('utf8'),
  answer: request.answer,
  signatures: checkSignatures(request, secrets),
});

async function openSecrets(ports: Ports, clientId: string, url: string): Promise<KnownSecret[]> {
  const endpoints = await findLeadingEndpoints(ports.database, clientId, url);
  const openSecret = async (endpointId: string, which: KnownSecret['which'], sealed: Buffer) => ({
    endpointId,
    which,
    secret: await ports.sealed.open(webhookSecretPlace(clientId, endpointId), sealed),
  });
  return Promise.all(
    endpoints.flatMap(({ id, secretSealed, previousSecretSealed }) => [
      openSecret(id, 'current', secretSealed),
      ...(previousSecretSealed ? [openSecret(id, 'previous', previousSecretSealed)] : []),
    ]),
  );
}

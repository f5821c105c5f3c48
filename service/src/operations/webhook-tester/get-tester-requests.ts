import { getTesterRequests as row, type TesterRequest } from '@svc/contract/webhook-tester';
import { testerUrl } from '../../domain/webhook-tester.ts';
import { webhookSecretPlace } from '../../storage/webhook-endpoints.ts';
import {
  findLeadingEndpoints,
  listTesterRequestRows,
  type StoredRequest,
} from '../../storage/webhook-tester.ts';
import { implement } from '../implement.ts';
import type { Ports } from '../ports.ts';
import { requireServer } from '../require-server.ts';
import { checkSignatures, type KnownSecret } from './check-signatures.ts';
import { readTester } from './read-tester.ts';

/** What came, with its signatures judged. Refuses route_not_found outside sandboxes. */
export const getTesterRequests = implement(row)(async (input, caller, ports) => {
  const { clientId } = requireServer(caller);
  const { key } = await readTester(ports, clientId);
  const url = testerUrl(key, ports.settings.baseUrl);
  const { limit, after = 0, before = null } = input;
  const [{ requests, total }, secrets] = await Promise.all([
    listTesterRequestRows(ports.database, clientId, { limit, after, before }),
    openSecrets(ports, clientId, url),
  ]);
  return { status: 200, body: { data: requests.map((one) => show(one, secrets)), total } };
});

const show = (request: StoredRequest, secrets: readonly KnownSecret[]): TesterRequest => ({
  number: request.number,
  receivedAt: request.receivedAt.toISOString(),
  headers: [...request.headers],
  body: request.body.toString('utf8'),
  answer: request.answer,
  signatures: checkSignatures(request, secrets),
});

async function openSecrets(ports: Ports, clientId: string, url: string): Promise<KnownSecret[]> {
  const endpoints = await findLeadingEndpoints(ports.database, clientId, url);
  const open = async (endpointId: string, which: KnownSecret['which'], sealed: Buffer) => ({
    endpointId,
    which,
    secret: await ports.sealed.open(webhookSecretPlace(clientId, endpointId), sealed),
  });
  return Promise.all(
    endpoints.flatMap(({ id, secretSealed, previousSecretSealed }) => [
      open(id, 'current', secretSealed),
      ...(previousSecretSealed ? [open(id, 'previous', previousSecretSealed)] : []),
    ]),
  );
}

import type { WebhookTester } from '@svc/contract/developers/webhook-tester';
import { testerKeyBytes, testerUrl } from '../../../domain/protocol/webhook-tester.ts';
import {
  findWebhookTester,
  insertWebhookTester,
  type StoredTester,
} from '../../../storage/webhooks/webhook-tester.ts';
import { refuse } from '../../implement.ts';
import type { Ports } from '../../ports.ts';

type TesterPorts = Pick<Ports, 'database' | 'randomBytes' | 'settings'>;

/** Returns the client's tester, and creates it at the first request. Refuses route_not_found in live mode. */
export async function readTester(ports: TesterPorts, clientId: string): Promise<StoredTester> {
  if (ports.settings.isLive) return refuse('route_not_found');
  const { database } = ports;
  const found = await findWebhookTester(database, clientId);
  if (found) return found;
  const key = ports.randomBytes(testerKeyBytes).toString('base64url');
  await insertWebhookTester(database, clientId, key);
  return (await findWebhookTester(database, clientId)) ?? refuse('route_not_found');
}

export const showTester = ({ key, answer }: StoredTester, ports: TesterPorts): WebhookTester => ({
  url: testerUrl(key, ports.settings.baseUrl),
  answer,
});

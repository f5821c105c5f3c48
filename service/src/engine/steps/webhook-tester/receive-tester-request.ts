import { isTesterKey } from '../../../domain/protocol/webhook-tester.ts';
import {
  appendTesterRequest,
  type Header,
  type TesterAnswer,
} from '../../../storage/webhooks/webhook-tester.ts';
import type { Ports } from '../../ports.ts';

export type PostedToTester = {
  readonly key: string;
  readonly headers: readonly Header[];
  readonly body: Buffer;
};

/**
 * Stores a request that a webhook tester received, whether its signature is valid or not. Returns
 * undefined when the tester does not exist.
 */
export async function receiveTesterRequest(
  posted: PostedToTester,
  { database }: Pick<Ports, 'database'>,
): Promise<TesterAnswer | undefined> {
  return isTesterKey(posted.key) ? appendTesterRequest(database, posted) : undefined;
}

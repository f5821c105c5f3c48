// Validates the fields of an endpoint that a merchant sends. Contract §7.
import type { EventType } from '@svc/contract/rows/event-types';
import { apiVersion as newestVersion } from '@svc/contract/rows/versions';
import { refuse } from '../../implement.ts';
import type { Ports } from '../../ports.ts';
import { refuseField } from '../../refuse-field.ts';
import { knownTypesOf } from './show-webhook-endpoint.ts';

const reasons = {
  url_refused:
    'A webhook endpoint has an https address with a host, on port 443 or from 1024 up, ' +
    'without user name, password or fragment.',
  address_refused: 'The host of this address is not on the public Internet.',
} as const;

/**
 * Applies the rules of each delivery beforehand. A name that does not resolve now is accepted over
 * https: the delivery then fails, where the merchant sees it. Refuses webhook_url_refused.
 */
export async function readUrl(
  url: string,
  { judgeWebhookUrl }: Pick<Ports, 'judgeWebhookUrl'>,
): Promise<string> {
  const reason = await judgeWebhookUrl(url);
  // Returned as it will be called, so that two spellings of one address are equal.
  if (reason === null) return new URL(url).href;
  const message = reasons[reason];
  return refuse('webhook_url_refused', { errors: [{ path: 'url', code: reason, message }] });
}

/**
 * Accepts the versions in which events are written: the newest, and the one that the client is
 * pinned to. Refuses invalid_request.
 */
export function readVersion(given: string, clientVersion: string): string {
  if (given === newestVersion || given === clientVersion) return given;
  return refuseField('apiVersion', `There is no version ${given}; the newest is ${newestVersion}.`);
}

/** Returns each type once; null: all types. */
export const readTypes = (types: readonly string[] | null): EventType[] | null =>
  types && knownTypesOf(types);

// What a merchant writes about an endpoint, judged. Contract §7.
import type { EventType } from '@svc/contract/events';
import { apiVersion as newestVersion } from '@svc/contract/versions';
import { refuse } from '../../implement.ts';
import type { Ports } from '../../ports.ts';
import { refuseField } from '../../refuse-field.ts';
import { knownOf } from './show-webhook-endpoint.ts';

const reasons = {
  url_refused:
    'A webhook endpoint has an https address with a host, on port 443 or from 1024 up, ' +
    'without user name, password or fragment.',
  address_refused: 'The host of this address is not on the public Internet.',
} as const;

/**
 * The rules that each delivery is sent by, applied beforehand. A name that does not resolve now is
 * accepted over https: it fails at delivery, where the merchant sees it. Refuses webhook_url_refused.
 */
export async function readUrl(
  url: string,
  { judgeWebhookUrl }: Pick<Ports, 'judgeWebhookUrl'>,
): Promise<string> {
  const reason = await judgeWebhookUrl(url);
  // As it is called, so that two spellings of one address are one.
  if (reason === null) return new URL(url).href;
  const message = reasons[reason];
  return refuse('webhook_url_refused', { errors: [{ path: 'url', code: reason, message }] });
}

/** Versions that events are written in: the newest, and the one that the client is pinned to. */
export function readVersion(given: string, clientVersion: string): string {
  if (given === newestVersion || given === clientVersion) return given;
  return refuseField('apiVersion', `There is no version ${given}; the newest is ${newestVersion}.`);
}

/** Each type once; null: all types. */
export const readTypes = (types: readonly string[] | null): EventType[] | null =>
  types && knownOf(types);

/** The form is the row's affair; 31 February is not. */
export function readInstant(param: string, given: string): Date {
  const date = new Date(given);
  // JavaScript reads 31 February as 3 March; the year 0 is none in PostgreSQL.
  const isOne = !Number.isNaN(date.getTime()) && date.toISOString() === given;
  if (isOne && !given.startsWith('0000')) return date;
  return refuseField(param, `There is no such time as ${given}.`);
}

import assert from 'node:assert';
import { isTimeZone } from '../../../domain/people/time-zone.ts';
import { Refusal } from '../../../domain/protocol/refusal.ts';
import { findClient } from '../../../storage/clients/clients.ts';
import type { Database } from '../../../storage/database/database.ts';

/** Returns the time zone of a merchant's report. Refuses invalid_query for a zone that does not exist. */
export async function readReportZone(
  database: Database,
  clientId: string,
  asked: string | undefined,
): Promise<{ readonly timeZone: string; readonly isLive: boolean }> {
  if (asked !== undefined && !isTimeZone(asked)) {
    const message = 'Name a time zone of the IANA database, such as Europe/Berlin.';
    throw new Refusal('invalid_query', { param: 'timeZone', message });
  }
  const client = await findClient(database, clientId);
  assert(client, 'a credential belongs to a client');
  return { timeZone: asked ?? client.timeZone, isLive: client.isLive };
}

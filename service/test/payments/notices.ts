// The card provider's notices to the service: valid ones of the sandbox, and forged ones.

import { createHmac } from 'node:crypto';
import { readNotices } from '../../src/engine/runs/notices/read-notices.ts';
import { receiveNotice } from '../../src/engine/runs/notices/receive-notice.ts';
import { sql } from '../../src/storage/database/sql.ts';
import type { World } from '../world.ts';

export type ProviderEvent = { id: string; type: string; data: { object: { id: string } } };

/** Returns every event of the provider about the intent, the oldest first. */
export async function providerEvents(world: World, intentId: string): Promise<ProviderEvent[]> {
  const answer = await fetch(`${world.sandbox.url}/v1/events?limit=100`, {
    headers: { authorization: `Bearer ${world.account.secretKey}` },
  });
  const { data } = (await answer.json()) as { data: ProviderEvent[] };
  const isAboutIntent = ({ data: { object } }: ProviderEvent) =>
    object.id === intentId || (object as { payment_intent?: unknown }).payment_intent === intentId;
  return data.filter(isAboutIntent).reverse();
}

/** Signs the notice as the provider does. */
export function signNotice(body: string, secret: string, ageSeconds = 0): string {
  const seconds = Math.floor(Date.now() / 1000) - ageSeconds;
  return `t=${seconds},v1=${createHmac('sha256', secret).update(`${seconds}.${body}`).digest('hex')}`;
}

/** Delivers an event to the world's gateway; `signature` and `gatewayId` may be wrong. */
export function deliverNotice(
  world: World,
  event: object,
  given: {
    signature?: string | null;
    gatewayId?: string;
    onFault?: Parameters<typeof receiveNotice>[2];
  } = {},
) {
  const body = JSON.stringify(event);
  const { signature = signNotice(body, world.noticeSecret) } = given;
  const headers = signature === null ? {} : { 'stripe-signature': signature };
  return receiveNotice(
    { gatewayId: given.gatewayId ?? world.gatewayId, rawBody: Buffer.from(body), headers },
    world.ports,
    given.onFault,
  );
}

/**
 * Updates the rows one after the other in one order, so that two processes that run it at once do
 * not deadlock.
 */
export const makeNoticesDue = sql(
  'test_notices_due',
  `with waiting as materialized (
     select gateway_id, notice_id from provider_inbox where processed_at is null
     order by gateway_id, notice_id for update)
   update provider_inbox i set next_try_at = svc_clock() from waiting w
   where i.gateway_id = w.gateway_id and i.notice_id = w.notice_id`,
);

/** Runs one pass over every unread notice, whenever it is due. */
export async function readAllNotices(world: World): Promise<number> {
  await world.database.write(makeNoticesDue, []);
  return readNotices(world.ports, {
    limit: 200,
    onError: (notice, error) => {
      throw new Error(`notice ${notice.id} was not read`, { cause: error });
    },
  });
}

const findNotice = sql<{
  outcome: string | null;
  tries: number;
  is_read: boolean;
  pause: number;
  payload: object;
}>(
  'test_notice',
  `select outcome, tries, processed_at is not null as is_read, payload,
     extract(epoch from next_try_at - svc_clock())::float as pause
   from provider_inbox where gateway_id = $1 and notice_id = $2`,
);

/** Returns the state of a notice; undefined when nothing was stored. */
export async function noticeState(world: World, id: string) {
  const [row] = await world.database.read(findNotice, [world.gatewayId, id]);
  return row;
}

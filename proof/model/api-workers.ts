// Runs one pass of each of the service's workers over everything that is due now or later.

import { expireHolds } from '../../service/src/engine/runs/payments/expire-holds.ts';
import { settleInDoubt } from '../../service/src/engine/runs/payments/settle-in-doubt.ts';
import { sql } from '../../service/src/storage/database/sql.ts';
import {
  deliverNotice,
  type ProviderEvent,
  providerEvents,
  readAllNotices,
} from '../../service/test/payments/notices.ts';
import type { World } from '../../service/test/world.ts';

const makeDue = sql(
  'model_make_due',
  `update payment_operations set lease_until = null, next_check_at = svc_clock()
   where state in ('active', 'in_doubt', 'awaiting_customer')`,
);

const findWaiting = sql<{ intent_id: string }>(
  'model_waiting_notices',
  `select distinct object_id as intent_id from provider_inbox
   where processed_at is null and payload->>'object' in ('payment_intent', 'charge')`,
);

/** Reads all notices. Returns the intents of those that had waited for the end of an operation. */
async function readNotices(world: World, deliver: () => Promise<void>): Promise<Set<string>> {
  const waiting = await world.database.read(findWaiting, []);
  await deliver();
  await readAllNotices(world);
  return new Set(waiting.map((row) => row.intent_id));
}

const limit = 500;
const onError = (_: unknown, error: unknown): never => {
  throw error;
};

export const workerPasses = {
  async recover(world: World): Promise<void> {
    await world.database.write(makeDue, []);
    await settleInDoubt(world.ports, { limit, onError });
  },
  async expire(world: World): Promise<void> {
    await expireHolds(world.ports, { limit, onError });
  },
  /**
   * Delivers the chosen events of the intent and reads them. Returns the intents that were read: those
   * of notices that had waited, and this one if any event was new.
   */
  async notices(
    world: World,
    { intentId, picks, heard }: { intentId: string; picks: readonly number[]; heard: Set<string> },
  ): Promise<Set<string>> {
    // Failures are kept for later; here only a payment without running work is read.
    const about = (await providerEvents(world, intentId)).filter(
      ({ type, data: { object } }) => /^(pi|ch)_/.test(object.id) && !type.endsWith('failed'),
    );
    if (about.length === 0) return new Set();
    const fresh = heard.size;
    const read = await readNotices(world, async () => {
      for (const pick of picks) {
        const event = about[pick % about.length] as ProviderEvent;
        heard.add(event.id);
        await deliverNotice(world, event);
      }
    });
    return heard.size > fresh ? read.add(intentId) : read;
  },
  /** Delivers all events of the provider about one object, and reads them, with the same result. */
  async noticesOf(world: World, intentId: string, objectId: string): Promise<Set<string>> {
    const about = (await providerEvents(world, intentId)).filter(
      ({ data: { object } }) => object.id === objectId,
    );
    return readNotices(world, async () => {
      for (const event of about) await deliverNotice(world, event);
    });
  },
};

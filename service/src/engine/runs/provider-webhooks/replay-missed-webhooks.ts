import { countDueNotices } from '../../../storage/gateways/provider-inbox.ts';
import type { Ports } from '../../ports.ts';
import { pace } from '../../steps/pacing/even-pace.ts';
import { type Listing, listLostNotices } from './list-lost-notices.ts';
import { type Reading, readNotices } from './read-notices.ts';

export type Hearing = {
  readonly listing: Listing & { readonly readsPerSecond: number };
  readonly onUnread: Reading['onError'];
};

export type Heard = {
  /** How many had never come. */
  readonly lost: number;
  /** Of all that were read: what nothing could be said of yet. The service reads them again. */
  readonly left: number;
};

/**
 * Lists the notices that never came and reads whatever is due, each once and at the pace of the list, for
 * who does not leave that to the workers.
 */
export async function replayMissedWebhooks(
  ports: Ports,
  { listing, onUnread: onError }: Hearing,
): Promise<Heard> {
  const { readsPerSecond, signal } = listing;
  const lost = await listLostNotices(ports, listing);
  const turn = pace(readsPerSecond, signal);
  // Who has not read a notice a second after taking it up may find another reader at it.
  const most = Math.min(20, Math.max(1, Math.floor(readsPerSecond / 2)));
  let left = 0;
  const onLeft = () => {
    left += 1;
  };
  for (let due = await countDueNotices(ports.database); due > 0 && !signal?.aborted; ) {
    const count = await readNotices(ports, { limit: Math.min(due, most), onError, onLeft, turn });
    // The service's readers are at it too.
    if (count === 0) break;
    due -= count;
  }
  return { lost, left };
}

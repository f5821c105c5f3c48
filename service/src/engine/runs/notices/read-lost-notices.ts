import { countDueNotices } from '../../../storage/gateways/provider-inbox.ts';
import type { Ports } from '../../ports.ts';
import { pace } from '../../steps/pacing/even-pace.ts';
import { type Listing, listLostNotices } from './list-lost-notices.ts';
import { type Reading, readNotices } from './read-notices.ts';

export type LostNoticesOptions = {
  readonly listing: Listing & { readonly readsPerSecond: number };
  readonly onUnread: Reading['onError'];
};

export type LostNoticesReport = {
  /** How many notices had never arrived. */
  readonly lost: number;
  /** How many of all that were read could not be decided yet. The service reads them again. */
  readonly left: number;
};

/**
 * Lists the notices that never arrived and reads whatever is due, each once and at the pace of the
 * list, for a caller who does not leave that to the workers.
 */
export async function readLostNotices(
  ports: Ports,
  { listing, onUnread: onError }: LostNoticesOptions,
): Promise<LostNoticesReport> {
  const { readsPerSecond, signal } = listing;
  const lost = await listLostNotices(ports, listing);
  const turn = pace(readsPerSecond, signal);
  // At most half a second's readings are claimed, because another reader may claim a notice that
  // was not read within a second.
  const most = Math.min(20, Math.max(1, Math.floor(readsPerSecond / 2)));
  let left = 0;
  const countLeft = () => {
    left += 1;
  };
  for (let due = await countDueNotices(ports.database); due > 0 && !signal?.aborted; ) {
    const count = await readNotices(ports, {
      limit: Math.min(due, most),
      onError,
      onLeft: countLeft,
      turn,
    });
    // The service's own readers have claimed the rest.
    if (count === 0) break;
    due -= count;
  }
  return { lost, left };
}

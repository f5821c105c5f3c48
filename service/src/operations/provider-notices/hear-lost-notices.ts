import { countDueNotices } from '../../storage/provider-inbox.ts';
import type { Ports } from '../ports.ts';
import { type Listing, listLostNotices } from './list-lost-notices.ts';
import { type Reading, readNotices } from './read-notices.ts';

export type Hearing = {
  readonly listing: Listing;
  readonly onUnread: Reading['onError'];
};

/**
 * Lists the notices that never came and reads whatever is due, each once, for who does not leave that to
 * the workers. Returns how many had not come.
 */
export async function hearLostNotices(
  ports: Ports,
  { listing, onUnread: onError }: Hearing,
): Promise<number> {
  const lost = await listLostNotices(ports, listing);
  for (let left = await countDueNotices(ports.database); left > 0 && !listing.signal?.aborted; ) {
    const count = await readNotices(ports, { limit: Math.min(left, 20), onError });
    // The service's readers are at it too.
    if (count === 0) break;
    left -= count;
  }
  return lost;
}

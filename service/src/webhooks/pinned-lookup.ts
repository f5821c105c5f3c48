import type { LookupFunction } from 'node:net';
import type { PinnedAddress } from './target.ts';

/** A lookup that returns the judged addresses and never resolves a name. */
export function pinnedLookup(addresses: readonly PinnedAddress[]): LookupFunction {
  return (_hostname, options, answer) => {
    const [first] = addresses;
    if (options.all)
      answer(
        null,
        addresses.map((pinned) => ({ ...pinned })),
      );
    else answer(null, first?.address ?? '', first?.family);
  };
}

// Removes what is older than the operator keeps it, a batch of each kind after the other.

import { type KeptKind, keptKinds } from '../../../domain/protocol/retention.ts';
import {
  type Age,
  countOld,
  type OldRows,
  removeOld,
} from '../../../storage/retention/retention.ts';
import type { Ports } from '../../ports.ts';
import { pause } from '../../steps/pacing/even-pace.ts';

type RetentionPorts = Pick<Ports, 'database' | 'settings'>;

/** The pause after a batch, as a multiple of the time that the batch took: traffic comes first. */
const restOf = 4;
const busyMs = 200;

/** The kinds that the settings do not keep for ever. */
const agesOf = ({ settings: { keepDays } }: RetentionPorts): Age[] =>
  keptKinds.flatMap((kind) => {
    const days = keepDays[kind];
    return days === null ? [] : [{ kind, days }];
  });

/** Removes one batch of each kind. `restMs` is null once nothing older is left, or while another process removes it. */
export async function removeBatches(
  ports: RetentionPorts,
): Promise<{ readonly removed: number; readonly restMs: number | null }> {
  const began = performance.now();
  let removed = 0;
  let isMore = false;
  let failure: unknown;
  for (const age of agesOf(ports)) {
    try {
      const done = await removeOld(ports.database, age);
      removed += done.removed;
      isMore ||= done.isMore === true;
    } catch (error) {
      // The other kinds go on.
      failure ??= error;
    }
  }
  if (failure !== undefined) throw failure;
  return { removed, restMs: isMore ? (performance.now() - began) * restOf : null };
}

/** What would go now, by table; counted up to a million rows of a kind. */
export async function listOld(ports: RetentionPorts): Promise<OldRows[]> {
  const found: OldRows[] = [];
  for (const age of agesOf(ports)) {
    found.push(...(await countOld(ports.database, age)));
  }
  return found;
}

/** Removes all that is old enough. Returns how many rows went, by kind; ends early when `signal` is aborted. */
export async function removeAllOld(
  ports: RetentionPorts,
  { signal, onProgress }: { signal: AbortSignal; onProgress: (removed: number) => void },
): Promise<ReadonlyMap<KeptKind, number>> {
  const removed = new Map<KeptKind, number>();
  let all = 0;
  for (const age of agesOf(ports)) {
    for (let isMore: boolean | 'busy' = true; isMore && !signal.aborted; ) {
      const began = performance.now();
      const done = await removeOld(ports.database, age);
      removed.set(age.kind, (removed.get(age.kind) ?? 0) + done.removed);
      all += done.removed;
      onProgress(all);
      isMore = done.isMore;
      if (isMore)
        await pause(isMore === 'busy' ? busyMs : (performance.now() - began) * restOf, signal);
    }
  }
  return removed;
}

// Counts what happened in one part of a run.

import { mostOpenAtOnce } from './judge.ts';
import { isGoodStatus } from './receiver-behaviour.ts';
import type { Records } from './record.ts';

export function tallyRecords(
  records: Records,
  tally: (what: string, times?: number) => void,
): void {
  const { log, deliveries, ends, events } = records;
  for (const { deed } of log.arrivals) tally(`answered: ${deed}`);
  for (const { state, recorded, arrivals } of deliveries.values()) {
    tally(`delivery: ${state}`);
    if (arrivals.filter(({ deed }) => isGoodStatus(deed)).length > 1) {
      tally('sent, not recorded, sent again');
    }
    if (new Set(recorded.map(({ attempt }) => attempt)).size < recorded.length) {
      tally('an attempt that lost its lease is kept');
    }
    for (const { error } of recorded) if (error) tally(`attempt: ${error}`);
  }
  for (const { reason } of ends.values()) if (reason) tally(`endpoint: ${reason}`);
  for (const { type } of events.values()) {
    if (type.startsWith('webhook_endpoint.')) tally(`told: ${type}`);
  }
  if (mostOpenAtOnce(log.arrivals, records) > 4)
    tally('more than four at once at a quick endpoint');
}

// Counts what happened in one part of a run.

import type { Count } from '../kit/run-seeds.ts';
import { mostOpenAtOnce } from './judge.ts';
import { isGoodStatus } from './receiver-behaviour.ts';
import type { Records } from './record.ts';

export function tallyRecords(records: Records, count: Count): void {
  const { log, deliveries, ends, events } = records;
  for (const { deed } of log.arrivals) count(`answered: ${deed}`);
  for (const { state, recorded, arrivals } of deliveries.values()) {
    count(`delivery: ${state}`);
    if (arrivals.filter(({ deed }) => isGoodStatus(deed)).length > 1) {
      count('sent, not recorded, sent again');
    }
    if (new Set(recorded.map(({ attempt }) => attempt)).size < recorded.length) {
      count('an attempt that lost its lease is kept');
    }
    for (const { error } of recorded) if (error) count(`attempt: ${error}`);
  }
  for (const { reason } of ends.values()) if (reason) count(`endpoint: ${reason}`);
  for (const { type } of events.values()) {
    if (type.startsWith('webhook_endpoint.')) count(`told: ${type}`);
  }
  if (mostOpenAtOnce(log.arrivals, records) > 4)
    count('more than four at once at a quick endpoint');
}

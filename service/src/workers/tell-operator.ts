// Looks for troubles once a minute and tells the operator. Any number of processes may run it: one of them
// looks at a time. A database that does not answer is told of by each.

import { isUnavailable } from '../engine/is-unavailable.ts';
import {
  type AlertPorts,
  hasOperator,
  lookForTrouble,
  sendOperatorMessage,
  tellOfDatabase,
} from '../engine/runs/alerts/tell-operator.ts';
import { watchCertificates } from '../engine/runs/doctor/judge-certificates.ts';
import { type PassOptions, startPasses, type Worker } from './passes.ts';

const minuteMs = 60_000;
/** The database is told of once an hour at most. */
const hourMs = 3_600_000;

export function startTellOperator(ports: AlertPorts, options: PassOptions): Worker {
  const readCertificates = watchCertificates(ports);
  let downSinceMs: number | undefined;
  let toldAtMs = Number.NEGATIVE_INFINITY;
  return startPasses({ pollMs: minuteMs, ...options }, async () => {
    if (!hasOperator(ports)) return 0;
    try {
      const nowMs = Date.now();
      await lookForTrouble(ports, nowMs, await readCertificates(nowMs));
      for (let sent = 0; sent < 10 && (await sendOperatorMessage(ports)); sent++);
      downSinceMs = undefined;
    } catch (error) {
      if (!isUnavailable(error)) throw error;
      const now = performance.now();
      downSinceMs ??= now;
      const isLong = now - downSinceMs >= minuteMs;
      if (!isLong || now - toldAtMs < hourMs) return 0;
      toldAtMs = now;
      await tellOfDatabase(ports);
    }
    return 0;
  });
}

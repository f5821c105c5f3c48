// Looks for troubles once a minute and tells the operator. Any number of processes may run it: one of them
// looks at a time. A database that does not answer is told of by each.

import { isUnavailable } from '../engine/is-unavailable.ts';
import {
  type AlertPorts,
  hasOperator,
  lookForTrouble,
  sendOperatorMessage,
  watchOutages,
} from '../engine/runs/alerts/tell-operator.ts';
import { watchCertificates } from '../engine/runs/doctor/judge-certificates.ts';
import { type PassOptions, startPasses, type Worker } from './passes.ts';

const minuteMs = 60_000;

export function startTellOperator(ports: AlertPorts, options: PassOptions): Worker {
  const readCertificates = watchCertificates(ports);
  const outages = watchOutages(ports);
  return startPasses({ pollMs: minuteMs, ...options }, async () => {
    if (!hasOperator(ports)) return 0;
    try {
      const nowMs = Date.now();
      await lookForTrouble(ports, nowMs, await readCertificates(nowMs));
      for (let sent = 0; sent < 10 && (await sendOperatorMessage(ports)); sent++);
      await outages.isUp(nowMs);
    } catch (error) {
      if (!isUnavailable(error)) throw error;
      await outages.isDown(Date.now());
    }
    return 0;
  });
}

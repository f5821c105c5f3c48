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
import type { Finding } from '../engine/runs/doctor/finding.ts';
import { judgeCertificates } from '../engine/runs/doctor/judge-certificates.ts';
import { type PassOptions, startPasses, type Worker } from './passes.ts';

const minuteMs = 60_000;
/** The database is told of, and certificates are read, once an hour at most. */
const hourMs = 3_600_000;

export function startTellOperator(ports: AlertPorts, options: PassOptions): Worker {
  let certificates: readonly Finding[] = [];
  let certificatesAtMs = Number.NEGATIVE_INFINITY;
  const readCertificates = async () => {
    if (performance.now() - certificatesAtMs < hourMs) return certificates;
    certificatesAtMs = performance.now();
    certificates = await judgeCertificates(ports, Date.now());
    return certificates;
  };
  let downSinceMs: number | undefined;
  let toldAtMs = Number.NEGATIVE_INFINITY;
  return startPasses({ pollMs: minuteMs, ...options }, async () => {
    if (!hasOperator(ports)) return 0;
    try {
      await lookForTrouble(ports, Date.now(), await readCertificates());
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

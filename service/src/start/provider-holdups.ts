// Reports the calls that wait for their turn at a provider, in the log and to `svc gateways list`.

import type { Gateway, Holdup } from '../engine/ports.ts';
import type { Log } from '../http/wire/log.ts';
import type { Database } from '../storage/database/database.ts';
import { tellHoldup } from '../storage/gateways/provider-pace.ts';

const quietMs = 60_000;
const remedy = 'docs/guides/provider-limits.md';

type Options = {
  readonly database: Database;
  readonly processId: string;
  readonly log: Pick<Log, 'warn'>;
  /** Monotonic milliseconds. */
  readonly nowMs?: () => number;
};

/** Returns the listener: it stores what this process holds back, and warns once a minute. */
export function providerHoldups({
  database,
  processId,
  log,
  nowMs = () => performance.now(),
}: Options): (gateway: Gateway, holdup: Holdup) => Promise<void> {
  const toldAt = new Map<string, number>();
  const refused = new Map<string, number>();
  return async ({ id: gatewayId }, holdup) => {
    const { accountId, waiting, longestMs, factor } = holdup;
    refused.set(accountId, (refused.get(accountId) ?? 0) + holdup.refused);
    const now = nowMs();
    const isQuiet = now - (toldAt.get(accountId) ?? Number.NEGATIVE_INFINITY) < quietMs;
    if (!isQuiet && (waiting > 0 || holdup.refused > 0)) {
      toldAt.set(accountId, now);
      log.warn('calls to the card provider wait for their turn', {
        gatewayId,
        accountId,
        waiting,
        longestMs: Math.round(longestMs),
        refused: refused.get(accountId) ?? 0,
        ratePercent: Math.round(factor * 100),
        remedy,
      });
      refused.delete(accountId);
    }
    // The pacer reports again a second later.
    await tellHoldup(database, processId, holdup).catch(() => undefined);
  };
}

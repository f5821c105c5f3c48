// What happens when the card provider refuses a gateway's key: one line of the log and a row that
// `svc gateways list` shows, at most once a minute for each gateway.

import type { Log } from './http/wire/log.ts';
import type { GatewayKeyRefused } from './providers/registry.ts';
import type { Database } from './storage/database/database.ts';
import { saveKeyRefused } from './storage/gateways/operator-gateways.ts';

const quietMs = 60_000;
const remedy = 'svc gateways check; a new key: svc gateways change --keys';

/** Answers the listener of refused keys; `nowMs` is monotonic. */
export function refusedKeys(
  database: Database,
  log: Pick<Log, 'error'>,
  nowMs: () => number = () => performance.now(),
): (refused: GatewayKeyRefused) => void {
  const toldAt = new Map<string, number>();
  return ({ gatewayId, status, requestId, message }) => {
    const now = nowMs();
    if (now - (toldAt.get(gatewayId) ?? Number.NEGATIVE_INFINITY) < quietMs) return;
    toldAt.set(gatewayId, now);
    log.error('the card provider refused the key of a gateway', {
      ...{ gatewayId, status, providerRequestId: requestId, said: message, remedy },
    });
    saveKeyRefused(database, gatewayId, { status, requestId }).catch((error: unknown) => {
      // The line above stands; the next refusal is stored again.
      toldAt.delete(gatewayId);
      log.error('a refused key could not be stored', { ...{ gatewayId }, error: String(error) });
    });
  };
}

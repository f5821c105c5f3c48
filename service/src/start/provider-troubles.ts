// What the log and `svc gateways list` show when a provider refuses a call, or does not answer it.

import { isKeyRefused } from '../domain/protocol/key-refused.ts';
import type { Gateway } from '../engine/ports.ts';
import type { Log } from '../http/wire/log.ts';
import type { ProviderTrouble } from '../providers/sending/provider-trouble.ts';
import type { Database } from '../storage/database/database.ts';
import type { Sealed } from '../storage/database/sealed.ts';
import { findGateway, openSecretKey } from '../storage/gateways/gateways.ts';
import { saveKeyRefused } from '../storage/gateways/operator-gateways.ts';

const quietMs = 60_000;
const mostKeys = 1000;
const remedy = 'svc gateways check; a new key: svc gateways change --keys';

type ProviderTroublesOptions = {
  readonly database: Database;
  readonly sealed: Sealed;
  readonly log: Pick<Log, 'info' | 'warn' | 'error'>;
  /** Monotonic milliseconds. */
  readonly nowMs?: () => number;
};

/**
 * Returns the listener of troubles: it logs one line for each, with the provider's request id. A
 * refused key is logged as one `error` line a minute, and stored with its gateway, unless the
 * gateway has another key by then.
 */
export function providerTroubles({
  database,
  sealed,
  log,
  nowMs = () => performance.now(),
}: ProviderTroublesOptions): (gateway: Gateway, trouble: ProviderTrouble) => Promise<void> {
  const toldAt = new Map<string, number>();

  const storeRefusal = async (
    gateway: Gateway,
    { status, requestId }: ProviderTrouble,
  ): Promise<void> => {
    const record = await findGateway(database, gateway.clientId, gateway.id);
    // The answer to a call with the former key may arrive after the change.
    if (!record || (await openSecretKey(sealed, record)) !== gateway.secretKey) return;
    const { secretKeySealed } = record;
    await saveKeyRefused(database, gateway.id, { status: status ?? 0, requestId, secretKeySealed });
  };

  const notifyRefused = async (gateway: Gateway, trouble: ProviderTrouble): Promise<void> => {
    const now = nowMs();
    const key = `${gateway.id} ${gateway.secretKey}`;
    if (now - (toldAt.get(key) ?? Number.NEGATIVE_INFINITY) < quietMs) return;
    if (toldAt.size >= mostKeys) toldAt.clear();
    toldAt.set(key, now);
    const facts = { ...troubleFacts(gateway, trouble), remedy };
    log.error('the card provider refused the key of a gateway', facts);
    await storeRefusal(gateway, trouble).catch((error: unknown) => {
      // The line above was logged; the next refusal is stored again.
      toldAt.delete(key);
      const { id: gatewayId } = gateway;
      log.error('a refused key could not be stored', { ...{ gatewayId }, error: String(error) });
    });
  };

  return async (gateway, trouble) => {
    if (isKeyRefused(trouble.status)) return notifyRefused(gateway, trouble);
    const facts = troubleFacts(gateway, trouble);
    if (trouble.status === null) log.warn('the provider gave no answer', facts);
    else if (trouble.isUsual) log.info('the provider declined a call', facts);
    else log.warn('the provider refused a call', facts);
  };
}

const troubleFacts = (
  { id: gatewayId }: Gateway,
  { status, code, requestId, said }: ProviderTrouble,
) => ({
  ...{ gatewayId, providerRequestId: requestId, said, code },
  ...(status === null ? {} : { status }),
});

import {
  findGateway,
  listInstallations,
  openSecretKey,
  toInstallations,
} from '../../../storage/gateways/gateways.ts';
import type { Gateway, Ports } from '../../ports.ts';

const cacheMs = 30_000;
const cachedGateways = new WeakMap<Ports, Map<string, { gateway: Gateway; until: number }>>();

/**
 * Returns a client's gateway with its secret decrypted, cached in memory for 30 seconds. A rotated
 * credential therefore takes effect within that time.
 */
export async function openGateway(
  ports: Ports,
  clientId: string,
  gatewayId: string,
): Promise<Gateway> {
  const cache = cachedGateways.get(ports) ?? new Map<string, { gateway: Gateway; until: number }>();
  cachedGateways.set(ports, cache);
  const now = performance.now();
  const found = cache.get(gatewayId);
  if (found && found.until > now && found.gateway.clientId === clientId) return found.gateway;
  const record = await findGateway(ports.database, clientId, gatewayId);
  if (!record) throw new Error(`gateway ${gatewayId} is missing`);
  const gateway: Gateway = {
    id: record.id,
    clientId: record.clientId,
    provider: record.provider,
    accountId: record.accountId,
    publishableKey: record.publishableKey,
    secretKey: await openSecretKey(ports.sealed, record),
    // Only the first start of a database, or of its copy, has none yet.
    installations:
      record.installations ?? toInstallations(await listInstallations(ports.database, ports.newId)),
    pace: record.pace,
  };
  if (cache.size > 1000) cache.clear();
  cache.set(gatewayId, { gateway, until: now + cacheMs });
  return gateway;
}

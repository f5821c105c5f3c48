// A merchant's accounts at the providers, which the operator of the installation enters. Contract §3,
// gateway routing.

import { everyClient } from '../../../storage/database/database.ts';
import {
  findGateway,
  findSameGateway,
  type GatewayFacts,
  type GatewayView,
  insertGateway,
  listGateways,
  lockGateway,
  type SealedKeys,
  updateGateway,
} from '../../../storage/gateways/operator-gateways.ts';
import { hurryNotices } from '../../../storage/gateways/provider-inbox.ts';
import { type AccountHoldup, listHoldups } from '../../../storage/gateways/provider-pace.ts';
import { lockClientPeople } from '../../../storage/members/memberships.ts';
import type { Ports } from '../../ports.ts';
import { recordOperatorChange } from '../../steps/audit-log/record-without-request.ts';

export type { GatewayView, KeyRefusal } from '../../../storage/gateways/operator-gateways.ts';
export type { AccountHoldup } from '../../../storage/gateways/provider-pace.ts';

/** The keys in clear text; an absent key stays as it is. */
export type GatewayKeys = {
  readonly secretKey?: string | undefined;
  /** Verifies the provider's notices; for a wallet, the id of its webhook. */
  readonly noticeSecret?: string | undefined;
};

export type MadeGateway = { readonly id: string; readonly noticeUrl: string };

/** The address to which the provider has to send the notices of a gateway. */
export const noticeUrl = (id: string, ports: Ports): string =>
  `${ports.settings.baseUrl}/provider-notices/${id}`;

/** Lists the gateways of one client or of all. */
export const findGateways = (clientId: string | null, ports: Ports): Promise<GatewayView[]> =>
  listGateways(ports.database, clientId);

/** Returns what the processes of the service hold back, by the account at the provider. */
export async function findHoldups({ database }: Ports): Promise<Map<string, AccountHoldup>> {
  return new Map((await listHoldups(database)).map((one) => [one.accountId, one]));
}

/** Returns a gateway; undefined when there is none. */
export const gatewayOf = (id: string, ports: Ports): Promise<GatewayView | undefined> =>
  findGateway(ports.database, id);

/** Encrypts the keys for their row, with a key of the client. */
async function sealKeys(
  { clientId, id }: { readonly clientId: string; readonly id: string },
  keys: GatewayKeys,
  { sealed }: Ports,
): Promise<SealedKeys> {
  const place = { clientId, table: 'gateways', rowId: id };
  const { secretKey, noticeSecret } = keys;
  return {
    secretKeySealed: secretKey
      ? await sealed.seal({ ...place, field: 'secret_key' }, secretKey)
      : null,
    noticeSecretSealed: noticeSecret
      ? await sealed.seal({ ...place, field: 'notice_secret' }, noticeSecret)
      : null,
  };
}

/**
 * Creates a gateway that is active at once, or returns an equal existing one: a caller who asks
 * again may not have received the first answer, and two equal gateways would share the sessions.
 * Returns undefined when there is no such client.
 */
export async function createGateway(
  wish: Omit<GatewayFacts, 'isActive'> & {
    readonly clientId: string;
    readonly provider: GatewayView['provider'];
    readonly keys: GatewayKeys;
  },
  ports: Ports,
): Promise<(MadeGateway & { readonly isNew: boolean }) | undefined> {
  const { keys, ...facts } = wish;
  const { clientId, provider, accountId, publishableKey, countries } = facts;
  const { requestsPerSecond, endpointRequestsPerSecond } = facts;
  const id = ports.newId();
  const isThere = await ports.database.transaction(everyClient, (tx) =>
    lockClientPeople(tx, clientId),
  );
  if (isThere === undefined) return undefined;
  const sealed = await sealKeys({ clientId, id }, keys, ports);
  const known = await ports.database.transaction(clientId, async (tx) => {
    await lockClientPeople(tx, clientId);
    const same = await findSameGateway(tx, facts);
    if (same !== undefined) return same;
    await insertGateway(tx, { ...facts, ...sealed, id, isActive: true });
    const change = { action: 'gateway.created', resourceType: 'gateway', resourceId: id, clientId };
    const after = {
      ...{ provider, accountId, publishableKey, countries: [...countries] },
      ...paceFacts({ requestsPerSecond, endpointRequestsPerSecond }),
    };
    await recordOperatorChange(tx, { ...change, after }, ports);
    return undefined;
  });
  const made = known ?? id;
  return { id: made, noticeUrl: noticeUrl(made, ports), isNew: known === undefined };
}

/**
 * Changes the fields that are given. New keys take effect within half a minute in every process. A
 * gateway that is switched off gets no new sessions, and those that it has continue. Returns
 * undefined when there is none.
 */
export async function changeGateway(
  wish: Partial<GatewayFacts> & { readonly id: string; readonly keys: GatewayKeys },
  ports: Ports,
): Promise<MadeGateway | undefined> {
  const { id, keys, ...given } = wish;
  const found = await findGateway(ports.database, id);
  if (!found) return undefined;
  const { clientId } = found;
  const sealed = await sealKeys(found, keys, ports);
  await ports.database.transaction(clientId, async (tx) => {
    const before = (await lockGateway(tx, id)) ?? found;
    const facts = { ...before, ...given };
    await updateGateway(tx, id, { facts, keys: sealed });
    const isReadAnew = namesOf(keys).length > 0 || given.accountId || given.publishableKey;
    if (isReadAnew) await hurryNotices(tx, id);
    const change = { action: 'gateway.changed', resourceType: 'gateway', resourceId: id, clientId };
    const told = {
      before: shownFacts(before),
      after: { ...shownFacts(facts), newKeys: namesOf(keys) },
    };
    await recordOperatorChange(tx, { ...change, ...told }, ports);
  });
  return { id, noticeUrl: noticeUrl(id, ports) };
}

const shownFacts = ({
  accountId,
  publishableKey,
  countries,
  isActive,
  requestsPerSecond,
  endpointRequestsPerSecond,
}: GatewayFacts) => ({
  accountId,
  publishableKey,
  countries: [...countries],
  isActive,
  ...paceFacts({ requestsPerSecond, endpointRequestsPerSecond }),
});

type PaceFacts = Pick<GatewayFacts, 'requestsPerSecond' | 'endpointRequestsPerSecond'>;

/** Limits of an account's own; those that the provider publishes are no fact of the gateway. */
const paceFacts = ({ requestsPerSecond, endpointRequestsPerSecond }: PaceFacts) => ({
  ...(requestsPerSecond === null ? {} : { requestsPerSecond }),
  ...(endpointRequestsPerSecond === null ? {} : { endpointRequestsPerSecond }),
});

/** Returns the names of the keys that are given, never a value. */
const namesOf = (keys: GatewayKeys): string[] =>
  Object.entries(keys).flatMap(([name, value]) => (value ? [name] : []));

// Clients as the operator creates them at the command line. The first owner joins with a one-time
// link. Contract §6.

import { apiVersion } from '@svc/contract/rows/versions';
import { normalizeEmail } from '../../../domain/people/member.ts';
import type { MerchantProfile } from '../../../domain/people/merchant-profile.ts';
import { findClient, updateClientRow } from '../../../storage/clients/clients.ts';
import { insertClientRow, listAllClients } from '../../../storage/clients/operator-views.ts';
import { everyClient, type Tx } from '../../../storage/database/database.ts';
import { lockClientPeople } from '../../../storage/members/memberships.ts';
import type { Ports } from '../../ports.ts';
import { differencesOf } from '../../steps/audit-log/differences.ts';
import type { Change } from '../../steps/audit-log/record-change.ts';
import { recordOperatorChange } from '../../steps/audit-log/record-without-request.ts';
import { showClient } from '../../steps/clients/show-client.ts';
import { invite } from '../../steps/invitations/invite.ts';

export type OwnerLink = { readonly url: string; readonly expiresAt: Date };

/** Creates a client without members, and the link of its first owner, which only this call returns. */
export async function createClient(
  wish: {
    readonly name: string;
    readonly ownerEmail: string;
    readonly profile?: Partial<MerchantProfile>;
  },
  ports: Ports,
): Promise<OwnerLink & { readonly clientId: string }> {
  const clientId = ports.newId();
  const { isLive } = ports.settings;
  const { name, profile = {} } = wish;
  const link = await ports.database.transaction(clientId, async (tx) => {
    await insertClientRow(tx, { id: clientId, name, isLive, apiVersion });
    await updateClientRow(tx, clientId, profile);
    const change = { action: 'client.created', resourceType: 'client', resourceId: clientId };
    await recordOperatorChange(
      tx,
      { ...change, clientId, after: { name, isLive, ...profile } },
      ports,
    );
    return inviteOwner(tx, { clientId, email: wish.ownerEmail }, ports);
  });
  return { clientId, ...link };
}

/** Changes how buyers see a client, and returns its settings after that; undefined without such a client. */
export function updateProfile(
  { clientId, profile }: { readonly clientId: string; readonly profile: Partial<MerchantProfile> },
  ports: Ports,
) {
  return ports.database.transaction(clientId, async (tx) => {
    const updated = await updateClientRow(tx, clientId, profile);
    if (!updated) return undefined;
    const differences = differencesOf(showClient(updated.before), showClient(updated.after));
    const change = { action: 'client.updated', resourceType: 'client', resourceId: clientId };
    await recordOperatorChange(tx, { ...change, clientId, ...differences }, ports);
    return updated.after;
  });
}

/** Returns the settings of one client; undefined where there is none. */
export const findOneClient = (clientId: string, ports: Ports) =>
  findClient(ports.database, clientId);

/**
 * Creates a link for another owner, for a client whose owners cannot be reached; undefined without
 * such a client.
 */
export async function createOwnerLink(
  wish: { readonly clientId: string; readonly ownerEmail: string },
  ports: Ports,
): Promise<OwnerLink | undefined> {
  const { clientId, ownerEmail: email } = wish;
  return ports.database.transaction(everyClient, async (tx) => {
    const name = await lockClientPeople(tx, clientId);
    return name === undefined ? undefined : inviteOwner(tx, { clientId, email }, ports);
  });
}

async function inviteOwner(
  tx: Tx,
  { clientId, email: written }: { readonly clientId: string; readonly email: string },
  ports: Ports,
): Promise<OwnerLink> {
  const email = normalizeEmail(written);
  const wish = { clientId, email, role: 'owner', invitedBy: null } as const;
  const record = (change: Change) => recordOperatorChange(tx, change, ports);
  const { invitation, url } = await invite(tx, wish, { ports, record });
  return { url, expiresAt: invitation.expiresAt };
}

/** Lists every client of the installation. */
export const findClients = (ports: Ports) => listAllClients(ports.database);

// The event and the audit entry of a change to an API token, written in the transaction that makes
// the change. Neither contains the token's value nor a digest of it. Contract §6, §7.

import type { ApiToken } from '../../../domain/people/api-token.ts';
import { nextTokenSequence } from '../../../storage/api-tokens/tokens-by-owner.ts';
import type { Tx } from '../../../storage/database/database.ts';
import { appendEvent } from '../../../storage/webhooks/events.ts';
import type { Caller, Ports } from '../../ports.ts';
import { recordChange } from '../audit-log/record-change.ts';
import { recordOperatorChange } from '../audit-log/record-without-request.ts';
import { composeEvent } from '../events/compose-event.ts';
import { showApiToken } from './show-api-token.ts';

/** Who changes a token, and when. `operator`: a change at the service's own command line. */
export type Change = {
  readonly by: Caller | 'operator';
  readonly now: Date;
  readonly ports: Ports;
};

export async function notifyTokenCreated(tx: Tx, token: ApiToken, change: Change): Promise<void> {
  await record(tx, token, { ...change, action: 'api_token.created', after: termsOf(token) });
  await appendTokenEvent(tx, token, { ...change, type: 'api_token.created' });
}

export async function notifyTokenRevoked(tx: Tx, token: ApiToken, change: Change): Promise<void> {
  await record(tx, token, { ...change, action: 'api_token.revoked', before: termsOf(token) });
  await appendTokenEvent(tx, token, { ...change, type: 'api_token.revoked' });
}

/** Writes an audit entry only, without an event: the token stays the same one. */
export const notifyTokenRotated = (
  tx: Tx,
  token: ApiToken,
  { overlapSeconds, ...change }: Change & { readonly overlapSeconds: number },
): Promise<void> =>
  record(tx, token, { ...change, action: 'api_token.rotated', after: { overlapSeconds } });

type Words = Readonly<Record<string, unknown>>;

const termsOf = ({ userId, name, description, scopes, expiresAt }: ApiToken): Words => ({
  userId,
  name,
  description,
  scopes,
  expiresAt: expiresAt?.toISOString() ?? null,
});

async function record(
  tx: Tx,
  { id, clientId }: ApiToken,
  told: Change & { readonly action: string; readonly before?: Words; readonly after?: Words },
): Promise<void> {
  const { by, ports, action, before, after } = told;
  const change = {
    ...{ action, resourceType: 'api_token', resourceId: id, clientId },
    ...(before ? { before } : {}),
    ...(after ? { after } : {}),
  };
  if (by === 'operator') await recordOperatorChange(tx, change, ports);
  else await recordChange(tx, by, change, ports);
}

async function appendTokenEvent(
  tx: Tx,
  token: ApiToken,
  { by, now, ports, type }: Change & { readonly type: 'api_token.created' | 'api_token.revoked' },
): Promise<void> {
  const sequence = await nextTokenSequence(tx, token);
  const event = composeEvent({
    id: ports.newId(),
    type,
    clientId: token.clientId,
    isLive: ports.settings.isLive,
    now,
    resource: { type: 'api_token', id: token.id, version: sequence },
    sequence,
    request: by === 'operator' ? null : { id: by.requestId, idempotencyKey: null },
    data: { object: { ...showApiToken(token), userId: token.userId } },
  });
  await appendEvent(tx, event);
}

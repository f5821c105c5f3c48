import { updateWebhookEndpoint as row } from '@svc/contract/developers/webhook-endpoints';
import type { InputOf } from '@svc/contract/rows/row';
import { implement } from '../../engine/implement.ts';
import type { Caller, Ports } from '../../engine/ports.ts';
import { refuseField } from '../../engine/refuse-field.ts';
import { requireServer } from '../../engine/require-server.ts';
import { differencesOf } from '../../engine/steps/audit-log/differences.ts';
import { recordChange } from '../../engine/steps/audit-log/record-change.ts';
import { notifyEndpointDisabled } from '../../engine/steps/webhook-endpoints/notify-endpoint-disabled.ts';
import {
  readTypes,
  readUrl,
  readVersion,
} from '../../engine/steps/webhook-endpoints/read-endpoint-fields.ts';
import { showWebhookEndpoint } from '../../engine/steps/webhook-endpoints/show-webhook-endpoint.ts';
import type { Tx } from '../../storage/database/database.ts';
import { cancelWaitingDeliveries } from '../../storage/webhooks/webhook-deliveries.ts';
import {
  lockOwnEndpoint,
  type OwnEndpoint,
  updateWebhookEndpoint as save,
} from '../../storage/webhooks/webhook-endpoint-changes.ts';
import {
  findWebhookEndpoint,
  type WebhookEndpoint,
} from '../../storage/webhooks/webhook-endpoints.ts';

type EndpointPatch = InputOf<typeof row>['body'];

/**
 * Changes the fields that are given, under the endpoint's lock. Disabling cancels its waiting
 * deliveries and notifies the merchant's other endpoints. Enabling it, or changing its address,
 * resets its record of failures. Contract §7. Refuses, in order: merchant_role_required,
 * webhook_endpoint_not_found, webhook_url_refused, invalid_request (a version that does not exist,
 * a test fault outside the sandbox).
 */
export const updateWebhookEndpoint = implement(row)(
  async ({ id, body: given }, caller, ports, refuse) => {
    const { clientId } = requireServer(caller, row);
    let body = given;
    if (given.url !== undefined) {
      const found = await findWebhookEndpoint(ports.database, clientId, id);
      if (!found) return refuse('webhook_endpoint_not_found');
      body = { ...given, url: await readUrl(given.url, ports) };
    }
    const saved = await ports.database.transaction(clientId, async (tx) => {
      const endpoint = await lockOwnEndpoint(tx, clientId, id);
      if (!endpoint || endpoint.isDeleted) return refuse('webhook_endpoint_not_found');
      const wished = applyPatch(endpoint, body);
      const differences = differencesOf(showWebhookEndpoint(endpoint), showWebhookEndpoint(wished));
      if (Object.keys(differences.after).length === 0) return endpoint;
      const changed = await save(tx, wished);
      const change = {
        action: 'webhook_endpoint.changed',
        resourceType: 'webhook_endpoint',
        resourceId: endpoint.id,
        ...differences,
      };
      await recordChange(tx, caller, change, ports);
      if (endpoint.isEnabled && !changed.isEnabled) {
        await endDeliveries(tx, { changed, caller, ports });
      }
      return changed;
    });
    ports.nudge('deliver-webhooks');
    return { status: 200, body: showWebhookEndpoint(saved) };
  },
);

function applyPatch(endpoint: OwnEndpoint, wish: EndpointPatch): WebhookEndpoint {
  const { testFault, isEnabled, eventTypes, apiVersion, ...plain } = wish;
  if (testFault && endpoint.isLive) {
    return refuseField('testFault', 'Only a sandbox can apply a fault to deliveries.');
  }
  return {
    ...endpoint,
    ...plain,
    ...(eventTypes === undefined ? {} : { eventTypes: readTypes(eventTypes) }),
    ...(apiVersion === undefined
      ? {}
      : { apiVersion: readVersion(apiVersion, endpoint.clientVersion) }),
    ...(testFault === undefined ? {} : { testFault }),
    // The failures were those of the old address: the new one has its own 120 hours.
    ...(wish.url === undefined || wish.url === endpoint.url ? {} : { failingSince: null }),
    ...enabledFields(endpoint, isEnabled),
  };
}

function enabledFields(
  { isEnabled: was }: WebhookEndpoint,
  isEnabled: boolean | undefined,
): Partial<WebhookEndpoint> {
  if (isEnabled === undefined || isEnabled === was) return {};
  if (!isEnabled) return { isEnabled, disabledReason: 'merchant' };
  return { isEnabled, disabledReason: null, failingSince: null };
}

type DisableContext = {
  readonly changed: WebhookEndpoint;
  readonly caller: Caller;
  readonly ports: Ports;
};

async function endDeliveries(tx: Tx, { changed, caller, ports }: DisableContext): Promise<void> {
  await cancelWaitingDeliveries(tx, [changed.id]);
  const request = { id: caller.requestId, idempotencyKey: null };
  await notifyEndpointDisabled(tx, changed, { request, ports });
}
